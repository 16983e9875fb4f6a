"""What the markers of an entity require of its writes, worked out once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass
from pksk.expressions import And, Call, Compare, Condition, Not, Or, Path, Value
from pksk.model.markers import TTL, Created, Reference, Unique, Updated, Version
from pksk.model.storing.entity_values import key_value
from pksk.model.writes.write_conditions import existence_condition

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["MarkerRules", "expired_condition", "marker_rules"]


@dataclass(frozen=True)
class MarkerRules:
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

    def asks_the_same(self, other: MarkerRules) -> bool:
        """Whether both entities have the same marked fields."""
        return (self.version, self.created, self.updated, self.expiry, self.unique, self.references) == (
            other.version, other.created, other.updated, other.expiry, other.unique, other.references,
        )  # fmt: skip

    @property
    def guarded(self) -> tuple[str, ...]:
        """The fields that guards hold: unique values, and the time that they end with."""
        return (*self.unique, self.expiry) if self.unique and self.expiry is not None else self.unique

    def values(self, entity: Any) -> dict[str, Any]:
        """What guards and checks are made of: unique values, the end of their time, and parts of references."""
        referrals = map(self.declaration.reference, self.references)
        parts = (part for each in referrals for part in each.parts.values())
        names = dict.fromkeys((*self.guarded, *parts))
        return {name: key_value(self.declaration, entity, name) for name in names}

    def attribute(self, field: str) -> str:
        """The attribute of a field."""
        return self.declaration.fields[field].attribute

    def of_version(self, version: Any, *, or_nothing: bool = False) -> Condition:
        """That the stored item has a version; with the default one, `or_nothing` lets there be no item either.

        What has none stored reads as the default, and so counts as that: items that were stored before their entity had
        a version, or by others.
        """
        assert self.version is not None
        path = Path((self.attribute(self.version),))
        same = Compare("=", path, Value({"N": str(version)}))
        if version != self.declaration.fields[self.version].default:
            return same
        unwritten: Condition = Call("attribute_not_exists", (path,))
        if not or_nothing:
            unwritten = And((existence_condition(self.declaration.table), unwritten))
        return Or((unwritten, same))

    @cached_property
    def ends(self) -> bool:
        """Whether the time of items can be over that are read as the entity: its own, or those of a subclass."""
        return _can_expire(self.declaration, self.kin)

    @cached_property
    def ends_under_key(self) -> bool:
        """Whether anything under the key can be over, of whichever class."""
        return any(each.marked(TTL) for each in (self.declaration, *self.kin))

    @cached_property
    def _others_that_end(self) -> tuple[str, ...]:
        """What items say to be that stand under the same key, are not read as the entity, and can be over."""
        family = (self.declaration, *self.kin)
        others = (each for each in self.kin if not each.is_kind_of(self.declaration))
        return tuple(each.tag for each in others if _can_expire(each, family))

    def alive(self, now: float) -> Condition | None:
        """That the time of the stored item is not over; None where items of the entity have none.

        It is the opposite of a comparison, which nothing meets that is missing or no number: that has no end.
        """
        return Not(expired_condition(self.declaration, now)) if self.ends else None

    def lasting(self, now: float) -> Condition | None:
        """That the time of what stands under the key is not over, of whichever class; None where it cannot be."""
        expired = self.expired(now)
        return None if expired is None else Not(expired)

    def expired(self, now: float) -> Condition | None:
        """That the time of what stands under the key is over; None where it cannot be."""
        if self.ends:
            return expired_condition(self.declaration, now)
        said = tuple(
            Compare("=", Path((self.declaration.table.discriminator or "",)), Value({"S": tag}))
            for tag in self._others_that_end
        )
        return (
            And((expired_condition(self.declaration, now), Or(said) if len(said) > 1 else said[0]))
            if said
            else None
        )

    def free(self, now: float) -> Condition:
        """That no item stands under the key, or one whose time is over."""
        absent, expired = existence_condition(self.declaration.table, absent=True), self.expired(now)
        return absent if expired is None else Or((absent, expired))


def expired_condition(declaration: Declaration[Any], now: float) -> Condition:
    """That an item has ended, by the attribute that its table has for that."""
    return Compare("<=", Path((declaration.table.ttl or "",)), Value({"N": str(int(now))}))


def _can_expire(declaration: Declaration[Any], family: Iterable[Declaration[Any]]) -> bool:
    below = (each for each in family if each.is_kind_of(declaration))
    return bool(declaration.marked(TTL)) or any(each.marked(TTL) for each in below)


def marker_rules(declaration: Declaration[Any]) -> MarkerRules:
    """The marks of an entity; found anew where a further one was declared since."""
    question = ("marks", declaration.table.entity_count)
    found = declaration.remembered.get(question)
    if found is None:
        found = declaration.remembered[question] = _rules_of(declaration)
    marks: MarkerRules = found
    return marks


def _rules_of(declaration: Declaration[Any]) -> MarkerRules:
    def one(kind: Any) -> str | None:
        return next((name for name, _ in declaration.marked(kind)), None)

    return MarkerRules(
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
