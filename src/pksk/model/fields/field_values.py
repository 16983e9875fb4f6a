"""Validates values of single fields with the model's own Pydantic schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator, core_schema

from pksk.errors import InvalidValue
from pksk.model.storing.core_schema import wrapped_nodes
from pksk.model.storing.round_trip import is_identical, reject_changed_value, reject_invalid_value
from pksk.values import Wire, from_wire, to_wire
from pksk.values.value_errors import with_path

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration


class FieldValues:
    """The validators of an entity's fields, made on first use.

    They run a field's own validators, under the model's configuration. Validators of the whole model do not run, as
    the other fields are unknown.
    """

    def __init__(self, declaration: Declaration) -> None:
        self._declaration, self._name = declaration, declaration.name
        self._validators: dict[str, SchemaValidator] = {}
        self._members: dict[str, TypeAdapter[Any] | SchemaValidator] = {}
        self._nullable: dict[str, bool] = {}

    def validated(self, field: str, value: Any) -> Any:
        """A value from the user, as the model would hold it."""
        try:
            return self.validator(field).validate_python(value)
        except ValidationError as error:
            reject_invalid_value(f"{self._name}.{field}", value, error)

    def read(self, field: str, wire: Wire) -> Any:
        """A stored value, as the model would hold it."""
        self._declaration.origins.check_format(field, wire)
        value = self._converted(field, wire)
        try:
            return self.validator(field).validate_python(value, strict=False, by_alias=False, by_name=True)
        except ValidationError as error:
            reject_invalid_value(f"{self._name}.{field}", value, error)

    def stored(self, field: str, value: Any) -> Wire | None:
        """The stored form of a value; None if nothing is stored."""
        stored = self._declaration.stored_value(field, value)
        # A default may be invalid if no validator has checked it.
        self._declaration.check_value(field, value, stored)
        if self._declaration.is_absent(field, stored):
            return None
        self._declaration.check_stored(field, stored)
        try:
            wire = to_wire(stored)
        except InvalidValue as error:
            raise with_path(error, f"{self._name}.{field}") from None
        if self._declaration.fields[field].form.runs_user_code:
            self._check_back(field, value, wire)
        return wire

    def _check_back(self, field: str, value: Any, wire: Wire) -> None:
        """Reject a value that the user's validators would read back as another one."""
        back = self.read(field, wire)
        if not is_identical(value, back):
            reject_changed_value(f"{self._name}.{field}", value, back)

    def members(self, field: str, kind: Any, value: Any) -> Any:
        """Members of a set or list, or a number to add: of the right type, without the limits of the whole."""
        if field not in self._members:
            self._members[field] = _members_validator(self._declaration, field) or TypeAdapter(kind)
        try:
            return self._members[field].validate_python(value)
        except ValidationError as error:
            reject_invalid_value(f"{self._name}.{field}", value, error)

    def stored_members(self, field: str, kind: Any, value: Any) -> Any:
        """The stored members of a set or list; raises for one that would be read back as another."""
        checked = self.members(field, kind, value)
        stored = self._declaration.stored_value(field, checked)
        back = self.members(field, kind, self._converted(field, to_wire(stored))) if stored else checked
        if not is_identical(checked, back):
            reject_changed_value(f"{self._name}.{field}", checked, back)
        return stored

    def _converted(self, field: str, wire: Wire) -> Any:
        form = self._declaration.fields[field].stored_form
        return from_wire(wire) if form is None else form.read(from_wire(wire))

    def nullable(self, field: str) -> bool:
        """Whether the field can be None."""
        if field not in self._nullable:
            try:
                self.validator(field).validate_python(None)
            except Exception:  # if a validator of the user raises anything, it rejects None
                self._nullable[field] = False
            else:
                self._nullable[field] = True
        return self._nullable[field]

    def validator(self, field: str) -> SchemaValidator:
        """The validator of one field; rounds a TTL to the stored second."""
        validator = self._validators.get(field)
        if validator is None:
            schema, definitions, config = _field_schema(self._declaration.entity, field)
            form = self._declaration.fields[field].stored_form
            if form is not None and form.rounded is not None:
                schema = core_schema.no_info_after_validator_function(form.rounded, schema)
            validator = self._validators[field] = _validator(schema, definitions, config)
        return validator


def _members_validator(declaration: Declaration, field: str) -> SchemaValidator | None:
    """The validator of members of a list or set, without the limits of the whole; None for a number."""
    schema, definitions, config = _field_schema(declaration.entity, field)
    *_, within = wrapped_nodes(schema, {each["ref"]: each for each in definitions})
    if within["type"] not in ("list", "set", "frozenset"):
        return None
    members: Any = {name: each for name, each in within.items() if name not in ("min_length", "max_length")}
    return _validator(members, definitions, config)


def _validator(schema: Any, definitions: list[Any], config: Any) -> SchemaValidator:
    return SchemaValidator(
        core_schema.definitions_schema(schema, definitions) if definitions else schema, config
    )


def _field_schema(model: type[BaseModel], field: str) -> tuple[Any, list[Any], Any]:
    """Pydantic's schema of a field, with its definitions and the model's configuration."""
    schema: Any = model.__pydantic_core_schema__
    definitions: list[Any] = []
    config = None
    while schema["type"] != "model-fields":
        if schema["type"] == "definition-ref":
            schema = next(each for each in definitions if each.get("ref") == schema["schema_ref"])
            continue
        definitions = schema.get("definitions", definitions)
        config = schema.get("config", config)
        schema = schema["schema"]
    return schema["fields"][field]["schema"], definitions, config
