"""Converts entities to items and back, and rejects values that would not be read back unchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from pksk.errors import InvalidValue, quote
from pksk.model.entity_of_item import match_primary_key
from pksk.model.markers import StoredForm
from pksk.model.markers.marker import NotInFormat
from pksk.model.storing.attributes import Field, model_converts, model_runs_user_code
from pksk.model.storing.compiled_reader import compiled_reader
from pksk.model.storing.entity_values import ABSENT, FieldWriter, check_names, entity_value
from pksk.model.storing.forms import Store
from pksk.model.storing.key_fields import key_fields
from pksk.model.storing.origin import Origins
from pksk.model.storing.round_trip import (
    FIX,
    Check,
    ReadBack,
    exact_store,
    is_identical,
    reject_changed_value,
    reject_unreadable_value,
    survives_round_trip,
)
from pksk.model.storing.stored_value import stored_value
from pksk.values import WireItem, from_wire, item_from_wire, item_to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration


class Items:
    """Stores entities of one class as items, and reads them."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.name, self.entity = declaration.name, declaration.entity
        self.fields = {name: each for name, each in declaration.fields.items() if not each.computed}
        self.names = {each.attribute: name for name, each in self.fields.items()}
        self.sets = [(name, each.attribute) for name, each in self.fields.items() if each.is_set]
        forms = ((name, each.stored_form) for name, each in self.fields.items())
        self.stored_forms = {name: form for name, form in forms if form is not None}
        self.extra = self.entity.model_config.get("extra") == "allow"
        self.keys = key_fields(declaration)
        # Only a missing attribute keeps an item out of an index, so None is stored as a missing attribute here.
        self.nones = [
            (name, self.fields[name].attribute)
            for name in self.keys
            if self.fields[name].required and self.fields[name].nullable
        ]
        absent = {name for name, _ in self.nones}
        self._read_back = {name: self._check(each) for name, each in self.fields.items()}
        self.writers = [
            FieldWriter(
                name,
                each.attribute,
                self._store(each),
                f"{self.name}.{name}",
                each.absent_is_none or name in absent,
                each.is_set,
                # If the whole item is read back, its fields need no check of their own.
                None if self.is_read_back else self._read_back.get(name),
            )
            for name, each in self.fields.items()
        ]
        self._by_name = {writer.name: writer for writer in self.writers}
        self.checks = {self.fields[name].attribute: each for name, each in self.keys.items()}

    def stored(self, entity: Any) -> dict[str, Any]:
        """The attributes of an entity, as Python values that DynamoDB can store; without those that are absent."""
        if not self.is_read_back:
            check_names(self.declaration, entity)
        stored: dict[str, Any] = {}
        for writer in self.writers:
            try:
                value = writer.stored(entity_value(self.declaration, entity, writer.name))
            except InvalidValue:
                # A value in another format that is read may be finer than what the entity stores.
                wire = self.origins.unchanged(entity, writer.name)
                if wire is None:
                    raise
                value = from_wire(wire)
            if value is not ABSENT:
                stored[writer.attribute] = value
        for attribute, key in self.checks.items():
            if attribute in stored:
                key.check(stored[attribute])
        return stored if not entity.__pydantic_extra__ else {**stored, **self._extras(entity)}

    def check_value(self, name: str, value: Any, stored: Any) -> None:
        """Reject a value of a field that would not be read back unchanged from its stored form."""
        check = self._read_back.get(name)
        if check is not None:
            self._by_name[name].verify(check, value, stored)

    def value(self, name: str, value: Any) -> Any:
        """The stored form of a value of a field."""
        store = self._by_name[name].store if name in self._by_name else None
        return (store or stored_value)(value, f"{self.name}.{name}")

    def is_absent(self, name: str, stored: Any) -> bool:
        """Whether a stored form is left out of items: an empty set, or None if a missing attribute is read as None."""
        each = self._by_name.get(name)
        return each is not None and each.is_absent(stored)

    def to_item(self, entity: Any, attributes: Mapping[str, Any], *, doubtful: bool = False) -> WireItem:
        """The item of an entity from its attributes; it is read back as a check if that is `doubtful`."""
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
        """The function that reads the entity of an item."""
        return compiled_reader(self)

    def read(self, item: Mapping[str, Any]) -> Any:
        """The entity of an item, read attribute by attribute, with a precise error for an invalid one."""
        names = self.names
        plain = item_from_wire({name: item[name] for name in self._stored_names(item) if name in item})
        values = {names.get(name, name): value for name, value in plain.items()}
        for name, attribute in self.sets:
            if attribute not in item:
                values[name] = set()
        try:
            for name, form in self.stored_forms.items():
                if name in values:
                    values[name] = form.read(values[name])
            values = self._with_key_fields(values, item)
            for name, _ in self.nones:
                values.setdefault(name, None)
            entity = self.entity.model_validate(values, strict=False, by_alias=False, by_name=True)
        except (NotInFormat, ValidationError) as error:
            raise self.origins.format_error(item) or self._unreadable(error) from error
        self.origins.keep(entity, item)
        return entity

    @cached_property
    def origins(self) -> Origins:
        """Keeps the attributes of an item that the fields of its entity do not hold."""
        return Origins(self)

    def _with_key_fields(self, values: dict[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
        """The values, with those of fields that only the primary key contains, in items of other programs."""
        missing = [name for name in self.in_key if name not in values]
        parts = match_primary_key(self.declaration, item) if missing else None
        return values if not parts else {**{name: parts[name] for name in missing if name in parts}, **values}

    @cached_property
    def in_key(self) -> tuple[str, ...]:
        """The fields in the primary key."""
        return tuple(name for name in self.declaration.primary.fields if name in self.fields)

    @cached_property
    def own_validate(self) -> bool:
        """Whether the entity overrides `model_validate`."""
        method: Any = self.entity.model_validate
        return getattr(method, "__func__", None) is not vars(BaseModel)["model_validate"].__func__

    def _stored_names(self, item: Mapping[str, Any]) -> Any:
        return [name for name in item if name not in self.reserved] if self.extra else self.names

    def reader(self, name: str) -> Callable[[Any], Any]:
        """The function that reads a stored value of a field."""
        each = self.fields[name]
        assert each.reader is not None
        return each.reader() if each.stored_form is None else _form_reader(each.stored_form, each.reader)

    @cached_property
    def user_code_reads(self) -> bool:
        """Whether user code gets the stored values of all fields first, and may convert them."""
        return self.own_validate or model_converts(self.entity)

    @cached_property
    def trims(self) -> bool:
        """Whether the model changes all text that it reads."""
        config = self.entity.model_config
        return any(config.get(f"str_{each}") for each in ("strip_whitespace", "to_lower", "to_upper"))

    @cached_property
    def is_read_back(self) -> bool:
        """Whether items must be read back to check them, because the user's code runs when they are read."""
        return model_runs_user_code(self.entity) or any(
            each.form.runs_user_code for each in self.fields.values()
        )

    def _store(self, each: Field) -> Store | None:
        if each.stored_form is not None:
            return each.stored_form.store
        if each.form.ambiguous and not each.form.runs_user_code and each.reader is not None:
            return exact_store(each.form.store or stored_value, each.reader)
        return each.form.store

    def _check(self, each: Field) -> Check | None:
        """The check that a field is read back unchanged; None if the whole item is read back or storing checks it."""
        if each.form.runs_user_code or each.form.ambiguous or each.reader is None:
            return None
        path, reader = f"{self.name}.{each.name}", each.reader
        if (form := each.stored_form) is not None:
            return ReadBack(path, partial(_form_reader, form, reader), form.is_same).check
        return ReadBack(path, reader).check

    def check(self, entity: Any, item: WireItem) -> None:
        """Reject an item that would not be read back as an equal entity."""
        try:
            read = self.from_item(item)
        except InvalidValue as error:
            raise InvalidValue(
                "entity-inexact", error.problem, expected="The item could not be read back.", fix=FIX
            ) from error
        except Exception as error:  # whatever a validator raises
            reject_unreadable_value(self.name, entity, error)
        check_names(self.declaration, entity, read.__dict__)
        for name, each in self.fields.items():
            value, back = entity.__dict__.get(name), read.__dict__.get(name)
            if not self._is_same(each)(value, back):
                reject_changed_value(f"{self.name}.{name}", value, back)
        for name, value in (entity.__pydantic_extra__ or {}).items():
            back = (read.__pydantic_extra__ or {}).get(name)
            if not is_identical(value, back):
                reject_changed_value(f"{self.name}.{name}", value, back)

    def _is_same(self, each: Field) -> Callable[[Any, Any], bool]:
        if each.stored_form is not None:
            return each.stored_form.is_same
        return is_identical if each.form.runs_user_code else survives_round_trip

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Attribute names that extra values cannot have: of keys, the discriminator, the TTL, and renamed fields."""
        table = self.declaration.table
        reserved = {*table.attribute_types, *self.declaration.key_attributes, table.discriminator, table.ttl}
        reserved |= self.fields.keys()
        return frozenset(name for name in reserved if name is not None and name not in self.names)

    def _extras(self, entity: Any) -> dict[str, Any]:
        for name in entity.__pydantic_extra__:
            if name in self.reserved or name in self.names:
                raise InvalidValue(
                    "entity-unstorable",
                    f"{self.name}.{name}: an extra value has the name of a field or of a key attribute.",
                    fix="give it another name, or declare it as a field.",
                )
        return {
            name: stored_value(value, f"{self.name}.{name}")
            for name, value in entity.__pydantic_extra__.items()
        }

    def _unreadable(self, error: Exception) -> InvalidValue:
        assert isinstance(error, ValidationError)
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "item"
        return InvalidValue(
            "entity-unreadable",
            f"{self.name}.{where}: {first['msg']}; the item holds {quote(first['input'])}.",
            fix="check which version of the model wrote the item, or make the field accept what it holds.",
        )


def _form_reader(form: StoredForm, make: Callable[[], Callable[[Any], Any]]) -> Callable[[Any], Any]:
    read = make()
    return lambda stored: read(form.read(stored))
