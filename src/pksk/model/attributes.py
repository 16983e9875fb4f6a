"""Reads the fields of a model: their types, and the names under which they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pksk.keys.annotations import declared
from pksk.model.markers import Attribute

__all__ = ["Field", "fields_of"]

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
    """One field of an entity."""

    name: str
    annotation: Any
    attribute: str
    default: Any = None
    required: bool = True
    computed: bool = False

    @property
    def is_set(self) -> bool:
        """Whether the field holds a set, which DynamoDB cannot store empty."""
        kind = declared(self.annotation).kind
        return getattr(kind, "__origin__", kind) in (set, frozenset)


def fields_of(model: type[BaseModel]) -> dict[str, Field]:
    """The fields of a model by name, computed ones last.

    Example:
        >>> class Order(BaseModel):
        ...     id: Annotated[str, Attribute("orderId")]
        >>> fields_of(Order)["id"].attribute
        'orderId'
    """
    found = {name: _field(name, info) for name, info in model.__pydantic_fields__.items()}
    for name, computed in model.__pydantic_computed_fields__.items():
        found[name] = Field(name, _plain(computed.return_type), name, computed=True)
    return found


def _field(name: str, info: FieldInfo) -> Field:
    markers = tuple(info.metadata)
    stored = next((marker.name for marker in markers if isinstance(marker, Attribute)), name)
    annotation = _plain(info.annotation)
    if markers:
        annotation = Annotated[(annotation, *markers)]
    return Field(name, annotation, stored, info.get_default(call_default_factory=False), info.is_required())


def _plain(annotation: Any) -> Any:
    name = getattr(annotation, "__name__", "")
    module = getattr(annotation, "__module__", "")
    return _ALIASES.get(name, annotation) if module.startswith("pydantic") else annotation
