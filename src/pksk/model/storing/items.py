"""The way of an entity to its item and back: attribute by attribute, and never to something else than it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pydantic import BaseModel, ValidationError

from pksk.errors import InvalidValue, quote
from pksk.keys.annotations import declared
from pksk.model.declaring.attributes import Field, is_altered
from pksk.model.declaring.key_fields import key_fields
from pksk.model.markers import TTL
from pksk.model.storing.compiled_reader import compiled_reader
from pksk.model.storing.expiry import expiry_seconds, expiry_time
from pksk.model.storing.forms.form import Store
from pksk.model.storing.storable import storable
from pksk.values import WireItem, from_wire, item_from_wire, item_to_wire, to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["Items", "Writer"]

# Stored as they are where a field has no way of its own.
_PLAIN = frozenset((str, int, bool, bytes, Decimal, type(None)))


class Writer(NamedTuple):
    """How one field goes into an item."""

    name: str
    attribute: str
    store: Store | None
    path: str
    absent_is_none: bool
    is_set: bool


class Items:
    """Stores entities of one class as items, and reads them."""

    def __init__(self, declaration: Declaration[Any]) -> None:
        self.declaration = declaration
        self.name, self.entity = declaration.name, declaration.entity
        self.fields = {name: each for name, each in declaration.fields.items() if not each.computed}
        self.names = {each.attribute: name for name, each in self.fields.items()}
        self.sets = [(name, each.attribute) for name, each in self.fields.items() if each.is_set]
        self.expiries = [name for name, each in self.fields.items() if _is_expiry(each)]
        self.extra = self.entity.model_config.get("extra") == "allow"
        self.keys = key_fields(declaration)
        # Nothing at all is what keeps an item out of an index, so it is stored for None, and read as None.
        self.nones = [
            (name, self.fields[name].attribute)
            for name in self.keys
            if self.fields[name].required and self.fields[name].nullable
        ]
        absent = {name for name, _ in self.nones}
        self.writers = [
            Writer(
                name,
                each.attribute,
                self._store(each),
                f"{self.name}.{name}",
                each.absent_is_none or name in absent,
                each.is_set,
            )
            for name, each in self.fields.items()
        ]
        self._by_name = {writer.name: writer for writer in self.writers}
        self.checks = {self.fields[name].attribute: each for name, each in self.keys.items()}

    def stored(self, entity: Any) -> dict[str, Any]:
        """The fields as attributes: what DynamoDB can hold, absent where there is nothing."""
        values = entity.__dict__
        stored: dict[str, Any] = {}
        for name, attribute, store, path, absent_is_none, is_set in self.writers:
            value = values[name] if name in values else getattr(entity, name)
            if store is not None:
                value = store(value, path)
            elif type(value) not in _PLAIN:
                value = storable(value, path)
            if value is None:
                if absent_is_none:
                    continue
            elif is_set and not value:
                continue
            stored[attribute] = value
        for attribute, key in self.checks.items():
            if attribute in stored:
                key.check(stored[attribute])
        return stored if not entity.__pydantic_extra__ else {**stored, **self._extras(entity)}

    def value(self, name: str, value: Any) -> Any:
        """The value of one field as it is stored."""
        store = self._by_name[name].store if name in self._by_name else None
        return (store or storable)(value, f"{self.name}.{name}")

    def is_absent(self, name: str, stored: Any) -> bool:
        """Whether nothing is stored for what a value became: None where nothing is read as None, and an empty set."""
        each = self._by_name.get(name)
        if each is None or stored is None:
            return each is not None and each.absent_is_none
        return each.is_set and isinstance(stored, (set, list)) and not stored

    def to_item(self, entity: Any, attributes: Mapping[str, Any], *, doubtful: bool = False) -> WireItem:
        """An item of these attributes, which reads back as this entity; what is doubtful is read back."""
        try:
            item = item_to_wire(attributes)
        except InvalidValue as error:
            problem = f"{self.name}.{error.problem}"
            raise type(error)(error.code, problem, expected=error.expected, fix=error.fix) from None
        if doubtful or self.is_read_back or entity.__pydantic_extra__:
            self.check(entity, item)
        return item

    @cached_property
    def from_item(self) -> Callable[[WireItem], Any]:
        """The function that makes the entity that an item holds."""
        return compiled_reader(self)

    def read(self, item: Mapping[str, Any]) -> Any:
        """The entity that an item holds, the careful way: attribute by attribute, with the words for what is wrong."""
        names = self.names
        plain = item_from_wire({name: item[name] for name in self._wanted(item) if name in item})
        values = {names.get(name, name): value for name, value in plain.items()}
        for name, attribute in self.sets:
            if attribute not in item:
                values[name] = set()
        for name, attribute in self.nones:
            if attribute not in item:
                values[name] = None
        for name in self.expiries:
            if name in values:
                values[name] = expiry_time(values[name])
        try:
            return self.entity.model_validate(values, strict=False, by_alias=False, by_name=True)
        except ValidationError as error:
            raise self._unreadable(error) from error

    @cached_property
    def own_validate(self) -> bool:
        """Whether the author has replaced the method by which a model is read."""
        method: Any = self.entity.model_validate
        return getattr(method, "__func__", None) is not vars(BaseModel)["model_validate"].__func__

    def _wanted(self, item: Mapping[str, Any]) -> Any:
        return [name for name in item if name not in self._reserved] if self.extra else self.names

    @cached_property
    def is_read_back(self) -> bool:
        """Whether only reading an item shows that it holds the entity: code of the user's may change it."""
        return is_altered(self.entity) or any(each.form.altered for each in self.fields.values())

    def _store(self, each: Field) -> Store | None:
        if _is_expiry(each):
            return expiry_seconds
        if declared(each.annotation).kind is datetime and (own := self._instant(each)):
            return own
        if each.form.vague and not each.form.altered and each.reader is not None:
            return self._certain(each.form.store or storable, each.reader)
        return each.form.store

    def _instant(self, each: Field) -> Store | None:
        """A time that is a key attribute itself is stored as the key writes it, also where the item lacks the key."""
        for part in (part for key in self.declaration.keys.values() for part in key.parts):
            if part.attribute == each.attribute and part.fields == (each.name,):
                render, name = part.writer.render, each.name
                return lambda value, _path: None if value is None else render({name: value})
        return None

    def _certain(self, store: Store, reader: Callable[[], Callable[[Any], Any]]) -> Store:
        """Stores a value only if it comes back as it was."""
        from pksk.model.storing.forms.same import same

        made: list[Callable[[Any], Any]] = []

        def certain(value: Any, path: str) -> Any:
            stored = store(value, path)
            if not made:
                made.append(reader())
            try:
                read = made[0](from_wire(to_wire(stored)))
            except ValidationError as error:
                _refuse(path, value, f"cannot be read back: {error.errors()[0]['msg']}")
            except InvalidValue:
                return stored  # refused with its place when the item is made
            if not same(value, read):
                _refuse(path, value, f"would be read back as {quote(read)}")
            return stored

        return certain

    def check(self, entity: Any, item: WireItem) -> None:
        """Refuse an item that does not read back as the entity."""
        from pksk.model.storing.forms.same import same

        try:
            read = self.from_item(item)
        except InvalidValue as error:
            raise InvalidValue(
                "entity-inexact", f"{error.problem}", expected="The item could not be read back.", fix=_FIX
            ) from error
        for name, each in self.fields.items():
            value, back = entity.__dict__.get(name), read.__dict__.get(name)
            # Nobody doubts the type of the others: 3 in a field of Decimals was not validated, and is no loss.
            if name not in self.expiries and not (same(value, back) if each.form.altered else value == back):
                _refuse(f"{self.name}.{name}", value, f"would be read back as {quote(back)}")
        for name, value in (entity.__pydantic_extra__ or {}).items():
            back = (read.__pydantic_extra__ or {}).get(name)
            if not same(value, back):
                _refuse(f"{self.name}.{name}", value, f"would be read back as {quote(back)}")

    @cached_property
    def _reserved(self) -> frozenset[str]:
        """Names of attributes that no extra value can have: keys, the discriminator, the expiry."""
        table = self.declaration.table
        reserved = {*table.attribute_types, *self.declaration.key_attributes, table.discriminator, table.ttl}
        return frozenset(name for name in reserved if name is not None and name not in self.names)

    def _extras(self, entity: Any) -> dict[str, Any]:
        for name in entity.__pydantic_extra__:
            if name in self._reserved or name in self.names:
                raise InvalidValue(
                    "entity-unstorable",
                    f"{self.name}.{name}: a value beside the fields has the name of an attribute of the table.",
                    fix="give it another name, or declare it as a field.",
                )
        return {
            name: storable(value, f"{self.name}.{name}") for name, value in entity.__pydantic_extra__.items()
        }

    def _unreadable(self, error: ValidationError) -> InvalidValue:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "item"
        return InvalidValue(
            "entity-unreadable",
            f"{self.name}.{where}: {first['msg']}; the item holds {quote(first['input'])}.",
            fix="check which version of the model wrote the item, or make the field accept what it holds.",
        )


_FIX = (
    "declare the type that is meant instead of Any or a wider one, let a validator accept what it gave, "
    "or give a value that the field can hold."
)


def _refuse(path: str, value: Any, what: str) -> NoReturn:
    raise InvalidValue("entity-inexact", f"{path}: {quote(value)} {what}.", fix=_FIX)


def _is_expiry(each: Field) -> bool:
    return any(isinstance(marker, TTL) for marker in each.markers) and (
        declared(each.annotation).kind is datetime
    )
