"""What the markers of an entity ask of its writes, found out once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pksk.expressions import Call, Compare, Condition, Or, Path, Value
from pksk.model.markers import TTL, Created, Reference, Unique, Updated, Version

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["Marks", "marks_of"]


@dataclass(frozen=True)
class Marks:
    """The marked fields of an entity; `plain` where a write of it is nothing but that write."""

    declaration: Declaration[Any]
    version: str | None
    created: str | None
    updated: str | None
    expiry: str | None
    unique: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether no marker asks for anything."""
        stamps = self.version or self.created or self.updated or self.expiry
        return not (stamps or self.unique or self.references)

    @property
    def guarded(self) -> tuple[str, ...]:
        """The fields that guards hold: unique values, and the time that they end with."""
        return (*self.unique, self.expiry) if self.unique and self.expiry is not None else self.unique

    def attribute(self, field: str) -> str:
        """The attribute of a field."""
        return self.declaration.fields[field].attribute

    def alive(self, now: float) -> Condition | None:
        """That the time of the stored item is not over; None where items of the entity have none."""
        if self.expiry is None:
            return None
        path = Path((self.attribute(self.expiry),))
        return Or((Call("attribute_not_exists", (path,)), Compare(">", path, _seconds(now))))

    def expired(self, now: float) -> Condition | None:
        """That the time of the stored item is over."""
        if self.expiry is None:
            return None
        return Compare("<=", Path((self.attribute(self.expiry),)), _seconds(now))


def _seconds(now: float) -> Value:
    return Value({"N": str(int(now))})


def marks_of(declaration: Declaration[Any]) -> Marks:
    """The marks of an entity."""
    found = declaration.remembered.get("marks")
    if found is None:
        found = declaration.remembered["marks"] = _marks(declaration)
    marks: Marks = found
    return marks


def _marks(declaration: Declaration[Any]) -> Marks:
    def one(kind: Any) -> str | None:
        return next((name for name, _ in declaration.marked(kind)), None)

    return Marks(
        declaration,
        version=one(Version),
        created=one(Created),
        updated=one(Updated),
        expiry=one(TTL),
        unique=tuple(name for name, _ in declaration.marked(Unique)),
        references=tuple(name for name, _ in declaration.marked(Reference)),
    )
