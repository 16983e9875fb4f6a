"""Reads the fields of a model: their types, and the names under which they are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import Enum
from functools import partial
from types import UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pksk.dataclass import dataclass, field, replace
from pksk.errors import DesignError
from pksk.keys.parts.part import type_name
from pksk.keys.parts.part_types import field_type
from pksk.model.markers import MARKERS, Attribute, Marker, Null, StoredForm
from pksk.model.markers.field_markers import markers_of
from pksk.model.storing.core_schema import Node, is_trusted, node_runs_user_code, wire_types, wrapped_nodes
from pksk.model.storing.forms import EXACT, CannotStore, Form, Forms
from pksk.model.storing.round_trip import survives_round_trip
from pksk.model.storing.serializers import user_serializer

# Pydantic's own types that are not subclasses of what they validate.
_ALIASES: dict[str, Any] = {
    "PastDatetime": datetime,
    "FutureDatetime": datetime,
    "PastDate": date,
    "FutureDate": date,
    "EmailStr": str,
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an entity.

    `form` is how its values are stored; `reader` makes the function that reads them, apart from the entity; `schema`
    is Pydantic's own node for the field, with the definitions that it may refer to.
    """

    name: str
    annotation: Any
    attribute: str
    default: Any = None
    required: bool = True
    computed: bool = False
    has_factory: bool = False
    is_set: bool = False
    markers: tuple[Marker, ...] = ()
    declared_as: Any = None
    form: Form = EXACT
    reader: Callable[[], Callable[[Any], Any]] | None = None
    nullable: bool = False
    stored_form: StoredForm | None = None
    schema: tuple[Node, Mapping[str, Node]] | None = field(default=None, repr=False, compare=False)

    @property
    def naive(self) -> bool:
        """Whether the field is declared to hold times without a zone."""
        return field_type(self.annotation).aware is False

    @property
    def absent_is_none(self) -> bool:
        """Whether a missing attribute is read as None, not as an empty set or another default."""
        has_null = any(isinstance(marker, Null) for marker in self.markers)
        return not (self.required or self.has_factory or self.is_set or has_null) and self.default is None


def fields_of(model: type[BaseModel]) -> dict[str, Field]:
    """The fields of a model by name, computed ones last."""
    forms, node = _core_schema(model)
    *_, within = wrapped_nodes(node["schema"], forms.known)
    nodes = within["fields"]
    _check_serializer(model.__name__, "the model", user_serializer({**node, "schema": {}}, forms.known))
    fields = {
        name: _field(model, name, info, forms, nodes[name]["schema"])
        for name, info in model.__pydantic_fields__.items()
    }
    for name, computed in model.__pydantic_computed_fields__.items():
        markers = markers_of(f"{model.__name__}.{name}", computed.return_type, ())
        fields[name] = Field(name, _builtin_type(computed.return_type), name, computed=True, markers=markers)
    return fields


def model_runs_user_code(model: type[BaseModel]) -> bool:
    """Whether user code runs when the whole model is read, besides the validators of its fields."""
    forms, node = _core_schema(model)
    around = (
        each for each in wrapped_nodes(model.__pydantic_core_schema__, forms.known) if "function" in each
    )
    trims = any(
        node.get("config", {}).get(f"str_{each}") for each in ("strip_whitespace", "to_lower", "to_upper")
    )
    return trims or node_runs_user_code(node) or not all(map(is_trusted, around))


def model_converts(model: type[BaseModel]) -> bool:
    """Whether user code gets the values of all fields before they are read: a validator of the model, or __init__."""
    forms, node = _core_schema(model)
    around = [
        *wrapped_nodes(model.__pydantic_core_schema__, forms.known),
        *wrapped_nodes(node["schema"], forms.known),
    ]
    before = ("function-before", "function-wrap", "function-plain")
    return bool(node.get("custom_init")) or any(
        each["type"] in before and not is_trusted(each) for each in around
    )


def config_of(model: type[BaseModel]) -> Mapping[str, Any]:
    """The configuration of a model for Pydantic's validators."""
    _, node = _core_schema(model)
    config: Mapping[str, Any] = node.get("config", {})
    return config


def _core_schema(model: type[BaseModel]) -> tuple[Forms, Node]:
    schema: Node = model.__pydantic_core_schema__
    definitions = schema["definitions"] if schema["type"] == "definitions" else ()
    known = {node["ref"]: node for node in definitions}
    node = next(node for node in wrapped_nodes(schema, known) if node["type"] == "model")
    return Forms(known, node.get("config")), node


def _field(model: type[BaseModel], name: str, info: FieldInfo, forms: Forms, node: Node) -> Field:
    markers = markers_of(f"{model.__name__}.{name}", info.annotation, info.metadata)
    stored = next((marker.name for marker in markers if isinstance(marker, Attribute)), name)
    annotation = _builtin_type(info.annotation)
    if info.metadata:
        annotation = Annotated[(annotation, *info.metadata)]
    kinds = [each["type"] for each in wrapped_nodes(node, forms.known)]
    field = Field(
        name,
        annotation,
        stored,
        info.get_default(call_default_factory=False),
        info.is_required(),
        has_factory=info.default_factory is not None,
        is_set=kinds[-1] in ("set", "frozenset"),
        markers=markers,
        declared_as=info.annotation,
        form=_form(model, name, info, forms, node),
        reader=partial(forms.reader.validator, node),
        nullable="nullable" in kinds,
        schema=(node, forms.known),
    )
    return _with_stored_form(f"{model.__name__}.{name}", field)


def _with_stored_form(where: str, model_field: Field) -> Field:
    """The field, with the form that a marker decides: on the field itself, or inside its type."""
    for kind in MARKERS if model_field.markers else ():
        for marker in model_field.markers:
            if isinstance(marker, kind) and (form := marker.stored_form(model_field)) is not None:
                return replace(model_field, stored_form=form)
    own = model_field.form
    if own.open_time:
        what = f"{own.open_time} is a datetime, which" if "." in own.open_time else "A datetime"
        _reject_type(
            where, model_field.declared_as, f"{what} may have a zone or none, and the two do not sort together",
            "declare AwareDatetime, which is stored in UTC, or NaiveDatetime, both of pydantic; or choose a format: "
            "Annotated[datetime, Stored('iso-microseconds')].",
        )  # fmt: skip
    if own.store is None or own.read is None or model_field.schema is None:
        return model_field
    letters = wire_types(*model_field.schema) or frozenset()
    letter = next(iter(letters)) if len(letters) == 1 else ""
    inside = StoredForm(letter, own.store, own.read, survives_round_trip, ordered=False, is_one_text=False)
    return replace(model_field, stored_form=inside)


def _reject_type(where: str, declared: Any, problem: str, fix: str) -> NoReturn:
    raise DesignError(
        "entity-field-type",
        f"{where}: a field of type {type_name(declared)} cannot be stored exactly.",
        expected=f"{problem}.",
        fix=fix,
    ) from None


def _check_serializer(where: str, what: str, serializer: str | None) -> None:
    """Reject a serializer for Python: items hold values, not what a dump makes of them."""
    if serializer is not None:
        raise DesignError(
            "entity-serializer",
            f"{where}: {what} has the serializer {serializer!r}, which does not apply to items.",
            expected="An item holds the value itself, so that it is read back as the same value.",
            fix='add when_used="json" if it is for JSON only; or declare the type that is to be stored, or a format: '
            "Annotated[..., Stored(CustomFormat(...))].",
        )


def _form(model: type[BaseModel], name: str, info: FieldInfo, forms: Forms, node: Node) -> Form:
    _check_serializer(f"{model.__name__}.{name}", "the field", user_serializer(node, forms.known))
    try:
        return forms.of(node)
    except CannotStore as error:
        _reject_type(f"{model.__name__}.{name}", info.annotation, error.problem, error.fix)


def _builtin_type(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, UnionType):
        return Union[tuple(map(_builtin_type, get_args(annotation)))]  # noqa: UP007 - as many as there are
    name = getattr(annotation, "__name__", "")
    module = getattr(annotation, "__module__", "")
    return _ALIASES.get(name, annotation) if module.startswith("pydantic") else annotation


def value_count(field: Field) -> int | None:
    """How many values a field of type bool, Enum or Literal has; None for other types."""
    kind = field_type(field.annotation).type
    if kind is bool:
        return 2
    if get_origin(kind) is Literal:
        return len(get_args(kind))
    return len(kind) if isinstance(kind, type) and issubclass(kind, Enum) else None
