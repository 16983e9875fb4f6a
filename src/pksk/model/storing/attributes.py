"""Reads the fields of a model: their types, and the names under which they are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import date, datetime
from functools import partial
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, NaiveDatetime
from pydantic.fields import FieldInfo

from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.keys.field_type import field_type
from pksk.keys.parts.part import type_name
from pksk.model.markers import Attribute, Marker, Null, StoredForm
from pksk.model.markers.field_markers import markers_of
from pksk.model.storing.core_schema import Node, is_trusted, node_runs_user_code, wrapped_nodes
from pksk.model.storing.forms import EXACT, CannotStore, Form, Forms

# Pydantic's own types that are not subclasses of what they validate.
_ALIASES: dict[str, Any] = {
    "AwareDatetime": datetime,
    "NaiveDatetime": datetime,
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
        return field_type(self.declared_as).type is NaiveDatetime

    @property
    def absent_is_none(self) -> bool:
        """Whether nothing at all is read as None; where it is read as an empty set, it is not."""
        told_otherwise = any(isinstance(marker, Null) for marker in self.markers)
        return (
            not (self.required or self.has_factory or self.is_set or told_otherwise) and self.default is None
        )


def fields_of(model: type[BaseModel]) -> dict[str, Field]:
    """The fields of a model by name, computed ones last.

    Example:
        >>> class Order(BaseModel):
        ...     id: Annotated[str, Attribute("orderId")]
        >>> fields_of(Order)["id"].attribute
        'orderId'
    """
    forms, node = _core_schema(model)
    *_, within = wrapped_nodes(node["schema"], forms.known)
    nodes = within["fields"]
    found = {
        name: _field(model, name, info, forms, nodes[name]["schema"])
        for name, info in model.__pydantic_fields__.items()
    }
    for name, computed in model.__pydantic_computed_fields__.items():
        markers = markers_of(f"{model.__name__}.{name}", computed.return_type, ())
        found[name] = Field(name, _builtin_type(computed.return_type), name, computed=True, markers=markers)
    return found


def model_runs_user_code(model: type[BaseModel]) -> bool:
    """Whether code of the user's runs when the model is read as a whole, beside the validators of its fields.

    Example:
        >>> class Order(BaseModel):
        ...     id: str
        >>> model_runs_user_code(Order)
        False
    """
    forms, node = _core_schema(model)
    around = (
        each for each in wrapped_nodes(model.__pydantic_core_schema__, forms.known) if "function" in each
    )
    trims = any(
        node.get("config", {}).get(f"str_{each}") for each in ("strip_whitespace", "to_lower", "to_upper")
    )
    return trims or node_runs_user_code(node) or not all(map(is_trusted, around))


def config_of(model: type[BaseModel]) -> Mapping[str, Any]:
    """What the configuration of a model says to Pydantic's validators.

    Example:
        >>> class Order(BaseModel, str_max_length=5):
        ...     id: str
        >>> config_of(Order)
        {'str_max_length': 5, 'title': 'Order'}
    """
    _, node = _core_schema(model)
    found: Mapping[str, Any] = node.get("config", {})
    return found


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
    made = Field(
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
    decided = (form for marker in markers if (form := marker.stored_form(made)))
    return replace(made, stored_form=next(decided, None)) if markers else made


def _form(model: type[BaseModel], name: str, info: FieldInfo, forms: Forms, node: Node) -> Form:
    try:
        return forms.of(node)
    except CannotStore as error:
        raise DesignError(
            "entity-field-type",
            f"{model.__name__}.{name}: a field of type {type_name(info.annotation)} cannot be stored exactly.",
            expected=f"{error.problem}.",
            fix=error.fix,
        ) from None


def _builtin_type(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, UnionType):
        return Union[tuple(map(_builtin_type, get_args(annotation)))]  # noqa: UP007 - as many as there are
    name = getattr(annotation, "__name__", "")
    module = getattr(annotation, "__module__", "")
    return _ALIASES.get(name, annotation) if module.startswith("pydantic") else annotation
