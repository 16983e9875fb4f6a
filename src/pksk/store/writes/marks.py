"""What the markers of an entity ask of its writes, found out once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.expressions import Call, Compare, Condition, Or, Path, Value
from pksk.model.markers import TTL, Created, Reference, Unique, Updated, Version

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["Marks", "marks_of"]


@dataclass(frozen=True)
class Marks:
    """The marked fields of an entity, and its `kin`: the others that share its primary key."""

    declaration: Declaration[Any]
    version: str | None
    created: str | None
    updated: str | None
    expiry: str | None
    unique: tuple[str, ...]
    references: tuple[str, ...]
    kin: tuple[Declaration[Any], ...] = ()

    @cached_property
    def plain(self) -> bool:
        """Whether a write is nothing but that write: no marker asks for anything, nor has what it replaces guards."""
        stamps = self.version or self.created or self.updated or self.expiry
        return not (stamps or self.unique or self.references or self.replaces_guarded)

    @cached_property
    def replaces_guarded(self) -> bool:
        """Whether an item under the key, of this or of a sister class, may have unique values."""
        return bool(self.unique) or any(each.marked(Unique) for each in self.kin)

    @cached_property
    def deletes_guarded(self) -> bool:
        """Whether an item of the entity, or of a subclass, may have unique values."""
        below = (each for each in self.kin if each.is_kind_of(self.declaration))
        return bool(self.unique) or any(each.marked(Unique) for each in below)

    def asks_the_same(self, other: Marks) -> bool:
        """Whether both entities have the same marked fields."""
        return (self.version, self.created, self.updated, self.expiry, self.unique, self.references) == (
            other.version, other.created, other.updated, other.expiry, other.unique, other.references,
        )  # fmt: skip

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
    """The marks of an entity; found anew where a further one was declared since."""
    question = ("marks", declaration.table.entity_count)
    found = declaration.remembered.get(question)
    if found is None:
        found = declaration.remembered[question] = _marks(declaration)
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
        kin=tuple(
            each
            for each in declaration.table.entities
            if each is not declaration and each.shares_key_with(declaration)
        ),
    )
