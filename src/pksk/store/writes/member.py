"""One write of a request: what is sent, what it asks of the stored item, and what it means where that fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from pksk.expressions import And, Condition, evaluate
from pksk.model.writes.conditions import condition_request

__all__ = ["OPERATIONS", "Asked", "Meaning", "Member", "conditions", "failing"]

# absent: there is no item. present: there is one. kind: it is of another class. author: the condition of a .when(...).
# version: it was written since. read: what this write depends on has changed. over: its time is over. ended: so it is,
# and what is asked for needs an item. unique, reference: of another item. guard: what is given back belongs to another
# item.
Meaning: TypeAlias = Literal[
    "absent",
    "present",
    "kind",
    "author",
    "version",
    "read",
    "over",
    "ended",
    "unique",
    "reference",
    "guard",
    "check",
]

OPERATIONS: Final = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}


@dataclass(frozen=True, slots=True)
class Asked:
    """One condition on the stored item, and what it means where it does not hold.

    `told` is the condition as its author knows it, where another one is asked in its place.
    """

    meaning: Meaning
    condition: Condition
    told: Condition | None = None

    @property
    def shown(self) -> Condition:
        """The condition for a message."""
        return self.condition if self.told is None else self.told


@dataclass(frozen=True)
class Member:
    """One item that a write touches; `about` says more of it: the field and value of a guard, the reference."""

    action: Literal["Put", "Update", "Delete", "ConditionCheck"]
    request: Mapping[str, Any]
    asked: tuple[Asked, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def conditional(self) -> bool:
        """Whether it can fail by a condition."""
        return "ConditionExpression" in self.request

    @property
    def transact_item(self) -> dict[str, Any]:
        """It as a member of a transaction."""
        returned = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if self.conditional else {}
        return {self.action: {**self.request, **returned}}


def conditions(asked: tuple[Asked, ...]) -> dict[str, Any]:
    """The members of a request that hold all conditions."""
    return condition_request(each.condition for each in asked) if asked else {}


def failing(asked: tuple[Asked, ...], item: Mapping[str, Any] | None) -> Asked | None:
    """The first condition that an item does not meet; None where it meets all."""
    stored = dict(item or {})
    return next((each for each in _one_by_one(asked) if not evaluate(each.condition, stored)), None)


def _one_by_one(asked: tuple[Asked, ...]) -> Iterator[Asked]:
    """Each condition by itself, also of several that are joined by AND."""
    for each in asked:
        parts = each.condition.conditions if isinstance(each.condition, And) else (each.condition,)
        yield from (Asked(each.meaning, part, each.told) for part in parts)
