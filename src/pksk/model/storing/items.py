"""The way of an entity to its item and back: attribute by attribute, and never to something else than it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from pksk.errors import InvalidValue, quote
from pksk.keys.field_type import field_type
from pksk.model.entity_of_item import match_primary_key
from pksk.model.markers import StoredForm
from pksk.model.storing.attributes import Field, model_runs_user_code
from pksk.model.storing.compiled_reader import compiled_reader
from pksk.model.storing.entity_values import ABSENT, FieldWriter, check_names, entity_value
from pksk.model.storing.forms import Store
from pksk.model.storing.key_fields import key_fields
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
from pksk.values import WireItem, item_from_wire, item_to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration


class Items:
    """Stores entities of one class as items, and reads them."""

    def __init__(self, declaration: Declaration[Any]) -> None:
        self.declaration = declaration
        self.name, self.entity = declaration.name, declaration.entity
        self.fields = {name: each for name, each in declaration.fields.items() if not each.computed}
        self.names = {each.attribute: name for name, each in self.fields.items()}
        self.sets = [(name, each.attribute) for name, each in self.fields.items() if each.is_set]
        forms = ((name, each.stored_form) for name, each in self.fields.items())
        self.stored_forms = {name: form for name, form in forms if form is not None}
        self.extra = self.entity.model_config.get("extra") == "allow"
        self.keys = key_fields(declaration)
        # Nothing at all is what keeps an item out of an index, so it is stored for None, and read as None.
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
                # Where the whole item is read back, its fields are too.
                None if self.is_read_back else self._read_back.get(name),
            )
            for name, each in self.fields.items()
        ]
        self._by_name = {writer.name: writer for writer in self.writers}
        self.checks = {self.fields[name].attribute: each for name, each in self.keys.items()}

    def stored(self, entity: Any) -> dict[str, Any]:
        """The fields as attributes: what DynamoDB can hold, absent where there is nothing."""
        if not self.is_read_back:
            check_names(self.declaration, entity)
        stored: dict[str, Any] = {}
        for writer in self.writers:
            value = writer.stored(entity_value(self.declaration, entity, writer.name))
            if value is not ABSENT:
                stored[writer.attribute] = value
        for attribute, key in self.checks.items():
            if attribute in stored:
                key.check(stored[attribute])
        return stored if not entity.__pydantic_extra__ else {**stored, **self._extras(entity)}

    def check_value(self, name: str, value: Any, stored: Any) -> None:
        """Reject a value of one field, whose stored form is given, that would not be read back as it is."""
        check = self._read_back.get(name)
        if check is not None:
            self._by_name[name].verify(check, value, stored)

    def value(self, name: str, value: Any) -> Any:
        """The value of one field as it is stored."""
        store = self._by_name[name].store if name in self._by_name else None
        return (store or stored_value)(value, f"{self.name}.{name}")

    def is_absent(self, name: str, stored: Any) -> bool:
        """Whether nothing is stored for what a value became: None where nothing is read as None, and an empty set."""
        each = self._by_name.get(name)
        return each is not None and each.is_absent(stored)

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
        for name, form in self.stored_forms.items():
            if name in values:
                values[name] = form.read(values[name])
        values = self._with_key_fields(values, item)
        for name, _ in self.nones:
            values.setdefault(name, None)
        try:
            return self.entity.model_validate(values, strict=False, by_alias=False, by_name=True)
        except ValidationError as error:
            raise self._unreadable(error) from error

    def _with_key_fields(self, values: dict[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
        """The same, with fields that only the primary key holds, in items of other programs."""
        missing = [name for name in self.in_key if name not in values]
        found = match_primary_key(self.declaration, item) if missing else None
        return values if not found else {**{name: found[name] for name in missing if name in found}, **values}

    @cached_property
    def in_key(self) -> tuple[str, ...]:
        """The fields that the primary key is made of."""
        return tuple(name for name in self.declaration.primary.fields if name in self.fields)

    @cached_property
    def own_validate(self) -> bool:
        """Whether the entity overrides `model_validate`."""
        method: Any = self.entity.model_validate
        return getattr(method, "__func__", None) is not vars(BaseModel)["model_validate"].__func__

    def _wanted(self, item: Mapping[str, Any]) -> Any:
        return [name for name in item if name not in self._reserved] if self.extra else self.names

    @cached_property
    def is_read_back(self) -> bool:
        """Whether only reading an item shows that it holds the entity: code of the user's may change it."""
        return model_runs_user_code(self.entity) or any(
            each.form.runs_user_code for each in self.fields.values()
        )

    def _store(self, each: Field) -> Store | None:
        if each.stored_form is not None:
            return each.stored_form.store
        if field_type(each.annotation).type is datetime and (own := self._instant(each)):
            return own
        if each.form.ambiguous and not each.form.runs_user_code and each.reader is not None:
            return exact_store(each.form.store or stored_value, each.reader)
        return each.form.store

    def _check(self, each: Field) -> Check | None:
        """What reads a field back; None where the whole item is read, or where storing it does so."""
        if each.form.runs_user_code or each.form.ambiguous or each.reader is None:
            return None
        path, reader = f"{self.name}.{each.name}", each.reader
        if (form := each.stored_form) is not None:
            return ReadBack(path, partial(_form_reader, form, reader), form.is_same).check
        return ReadBack(path, reader).check

    def _instant(self, each: Field) -> Store | None:
        """A time that is a key attribute itself is stored as the key writes it, also where the item lacks the key."""
        for part in (part for key in self.declaration.keys.values() for part in key.parts):
            if part.attribute == each.attribute and part.fields == (each.name,):
                render, name = part.writer.render, each.name
                return lambda value, _path: None if value is None else render({name: value})
        return None

    def check(self, entity: Any, item: WireItem) -> None:
        """Reject an item that does not read back as the entity."""
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
    def _reserved(self) -> frozenset[str]:
        """Names of attributes that no extra value can have: keys, the discriminator, the TTL."""
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
            name: stored_value(value, f"{self.name}.{name}")
            for name, value in entity.__pydantic_extra__.items()
        }

    def _unreadable(self, error: ValidationError) -> InvalidValue:
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
