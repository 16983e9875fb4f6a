"""A write as actions on items: what each expects of the stored item, and what it means where that fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pksk.dataclass import dataclass
from pksk.expressions import And, Compare, Condition, Not, Or, Path, Placeholders, Value, evaluate, render
from pksk.model.markers.marker_rules import MarkerRules
from pksk.model.writes.write_conditions import condition_request, join_conditions

if TYPE_CHECKING:
    from pksk.errors import StoreError
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = [
    "OPERATIONS",
    "Expectation",
    "FailureReason",
    "ItemAction",
    "PreparedWrite",
    "SharedAction",
    "StaleRead",
    "add_expectations",
    "condition_parts",
    "expectation_request",
    "first_failed",
    "is_version_condition",
    "stale_read",
    "user_expectations",
]

# absent: there is no item. present: there is one. kind: it is of another class. author: the condition of a .when(...).
# version: it was written since. read: what this write depends on has changed. over: its time is over. ended: so it is,
# and what is asked for needs an item. unique, reference: of another item. guard: what is given back belongs to another
# item.
FailureReason: TypeAlias = Literal[
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
class Expectation:
    """One condition on the stored item, and what it means where it does not hold.

    `told` is the condition as its author knows it, where another one is asked in its place.
    """

    meaning: FailureReason
    condition: Condition
    told: Condition | None = None

    @property
    def shown(self) -> Condition:
        """The condition for a message."""
        return self.condition if self.told is None else self.told


@dataclass(frozen=True)
class ItemAction:
    """One item that a write touches; `about` says more of it: the field and value of a guard, the reference.

    Where several writes of a transaction ask something of one item, `sharers` has what each of them asks by itself.
    """

    action: Literal["Put", "Update", "Delete", "ConditionCheck"]
    request: Mapping[str, Any]
    asked: tuple[Expectation, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    sharers: tuple[SharedAction, ...] = ()

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
class SharedAction:
    """A write that asks something of an item which another one of its transaction writes or checks: at which place."""

    place: int
    write: Any
    member: ItemAction


def add_expectations(
    member: ItemAction, asked: tuple[Expectation, ...], sharers: tuple[SharedAction, ...]
) -> ItemAction:
    """The member under further conditions, which other writes ask for."""
    further = tuple(each for each in asked if each not in member.asked)
    request = dict(member.request)
    condition = join_conditions(*(each.condition for each in further))
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


def expectation_request(asked: tuple[Expectation, ...]) -> dict[str, Any]:
    """The members of a request that hold all conditions."""
    return condition_request(each.condition for each in asked) if asked else {}


def first_failed(asked: tuple[Expectation, ...], item: Mapping[str, Any] | None) -> Expectation | None:
    """The first condition that an item does not meet; None where it meets all."""
    stored = dict(item or {})
    return next((each for each in _one_by_one(asked) if not evaluate(each.condition, stored)), None)


def _one_by_one(asked: tuple[Expectation, ...]) -> Iterator[Expectation]:
    """Each condition by itself, also of several that are joined by AND."""
    for each in asked:
        parts = each.condition.conditions if isinstance(each.condition, And) else (each.condition,)
        yield from (Expectation(each.meaning, part, each.told) for part in parts)


def user_expectations(marks: MarkerRules, condition: Condition | None, now: float) -> Iterator[Expectation]:
    """A condition on attributes, such that an item whose time is over meets what no item at all would meet."""
    parts, expired = condition_parts(marks, condition), marks.expired(now)
    if expired is None:
        yield from parts
        return
    needs_item = [part for part in parts if not evaluate(part.condition, {})]
    if needs_item:
        yield Expectation("ended", Not(expired), told=needs_item[0].shown)
    for part in parts:
        asked = part.condition if part in needs_item else Or((expired, part.condition))
        yield Expectation("author", asked, told=part.shown)


def condition_parts(marks: MarkerRules, condition: Condition | None) -> list[Expectation]:
    """A condition on attributes part by part, each such that items without a version have the default one."""
    if condition is None:
        return []
    parts = condition.conditions if isinstance(condition, And) else (condition,)
    return [_condition_part(marks, part) for part in parts]


def is_version_condition(marks: MarkerRules, condition: Condition) -> bool:
    """Whether a condition asks for a version, as those do who update what they have read: F.version == 3."""
    if marks.version is None or not isinstance(condition, Compare) or condition.operator != "=":
        return False
    return condition.left == Path((marks.attribute(marks.version),))


def _condition_part(marks: MarkerRules, part: Condition) -> Expectation:
    if not is_version_condition(marks, part):
        return Expectation("author", part)
    assert isinstance(part, Compare)
    right = part.right
    if not isinstance(right, Value) or right.kind != "N":
        return Expectation("author", part)
    asked = marks.of_version(int(Decimal(right.wire["N"])))
    return (
        Expectation("author", part) if isinstance(asked, Compare) else Expectation("author", asked, told=part)
    )


class StaleRead(Exception):
    """What a write depends on has changed since it was read; it is prepared anew.

    `over` are items whose time is over and that stand in the way: each of an entity, by its key.
    """

    def __init__(self, *over: tuple[Declaration[Any], WireItem]) -> None:
        super().__init__()
        self.over = over


@dataclass(frozen=True)
class PreparedWrite:
    """What one write sends: its own members, and guards and checks that others may share.

    `write` is it as it was given, `result` the entity that it stores, if it stores one whole. `before` is the item as
    it was read, `reads` says that something was, so that a failure may be a change in between. `stamped` says that the
    item holds what only this very write can have written, `gone` that the item that it needs is not there, `refused`
    why the item that was read does not take it.
    """

    write: Any
    members: tuple[ItemAction, ...]
    extras: tuple[ItemAction, ...] = ()
    result: Any = None
    before: WireItem | None = None
    reads: bool = False
    repeatable: bool = True
    stamped: bool = False
    gone: bool = False
    refused: StoreError | None = None
    returned: Mapping[str, Any] = field(default_factory=dict)


def stale_read(prepared: PreparedWrite, member: ItemAction, asked: Expectation | None) -> StaleRead | None:
    """What is to be done anew because of a condition that failed; None where it is the answer."""
    if asked is None:
        # What failed holds by now: somebody has written the item in between.
        return StaleRead()
    if asked.meaning == "over":
        return StaleRead((prepared.write.declaration, member.request["Key"]))
    return StaleRead() if prepared.reads and asked.meaning == "read" else None
