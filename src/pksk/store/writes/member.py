"""One write of a request: what is sent, what it asks of the stored item, and what it means where that fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from pksk.expressions import And, Condition, Placeholders, evaluate, render
from pksk.model.writes.conditions import condition_request, joined

__all__ = ["OPERATIONS", "Asked", "Meaning", "Member", "Sharer", "conditions", "failing", "with_asked"]

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
    """One item that a write touches; `about` says more of it: the field and value of a guard, the reference.

    Where several writes of a transaction ask something of one item, `sharers` has what each of them asks by itself.
    """

    action: Literal["Put", "Update", "Delete", "ConditionCheck"]
    request: Mapping[str, Any]
    asked: tuple[Asked, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    sharers: tuple[Sharer, ...] = ()

    @property
    def conditional(self) -> bool:
        """Whether it can fail by a condition."""
        return "ConditionExpression" in self.request

    @property
    def transact_item(self) -> dict[str, Any]:
        """It as a member of a transaction."""
        returned = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if self.conditional else {}
        return {self.action: {**self.request, **returned}}


@dataclass(frozen=True)
class Sharer:
    """A write that asks something of an item which another one of its transaction writes or checks: at which place."""

    place: int
    write: Any
    member: Member


def with_asked(member: Member, asked: tuple[Asked, ...], sharers: tuple[Sharer, ...]) -> Member:
    """The member under further conditions, which other writes ask for."""
    further = tuple(each for each in asked if each not in member.asked)
    request = dict(member.request)
    condition = joined(*(each.condition for each in further))
    if condition is not None:
        names, values = (request.get(f"ExpressionAttribute{each}", {}) for each in ("Names", "Values"))
        placeholders = Placeholders(names, values)
        text = render(condition, placeholders).text
        own = request.get("ConditionExpression")
        request["ConditionExpression"] = f"({own}) AND ({text})" if own else text
        # Those of the request are in boto3's form already.
        request |= Placeholders(placeholders.names).request()
        more = {name: wire for name, wire in placeholders.values.items() if name not in values}
        if more:
            request["ExpressionAttributeValues"] = (
                values | Placeholders(values=more).request()["ExpressionAttributeValues"]
            )
    return replace(member, request=request, asked=(*member.asked, *further), sharers=sharers)


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
