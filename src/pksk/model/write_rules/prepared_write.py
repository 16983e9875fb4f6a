"""A write as actions on items, with their expectations and the reasons of failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pksk.dataclass import dataclass, field, replace
from pksk.errors import StoreError
from pksk.expressions import And, Compare, Condition, Not, Or, Placeholders, Value, evaluate, render
from pksk.model.declaration import Declaration
from pksk.model.markers import MarkedField
from pksk.model.markers.marker import key_in_words
from pksk.model.writes.write_conditions import condition_request, join_conditions
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.requests.keyed_request import ItemRequest

FailureReason: TypeAlias = Literal[
    "absent",  # there is no item
    "present",  # there is an item
    "other_entity",  # the item is of another entity
    "user_condition",  # a condition of .when(...) does not hold
    "version",  # the item was written since it was read
    "stale_read",  # something that the write depends on has changed since it was read
    "expired",  # the item has expired, and has to be deleted first
    "expired_for_condition",  # the item has expired, and the user's condition needs one
    "unique",  # another item has the value
    "reference",  # the other item does not exist
    "guard",  # the guard that is to be deleted belongs to another item
]

OPERATIONS: Final = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}


@dataclass(frozen=True, slots=True)
class Expectation:
    """A condition on the stored item, and the failure reason if it does not hold.

    `user_condition` is the user's original condition, if the request has another one. `marked` is the marker that
    expects it.
    """

    reason: FailureReason
    condition: Condition
    user_condition: Condition | None = None
    marked: MarkedField | None = field(default=None, compare=False)

    @property
    def condition_for_message(self) -> Condition:
        """The condition as the user wrote it."""
        return self.condition if self.user_condition is None else self.user_condition


@dataclass(frozen=True)
class ItemAction:
    """An action on one item. `subject` is data of a marker about its own actions.

    If several writes of a transaction have expectations on the item, `shared_by` has those of each.
    """

    action: Literal["Put", "Update", "Delete", "ConditionCheck"]
    request: Mapping[str, Any]
    expectations: tuple[Expectation, ...] = ()
    subject: object = None
    shared_by: tuple[SharedAction, ...] = ()

    @property
    def conditional(self) -> bool:
        """Whether it can fail by a condition."""
        return "ConditionExpression" in self.request

    @property
    def transact_item(self) -> dict[str, Any]:
        """The action as a member of a transaction."""
        returned = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if self.conditional else {}
        return {self.action: {**self.request, **returned}}

    @property
    def marked(self) -> MarkedField:
        """The marker that the action is for."""
        marked = self.expectations[0].marked
        assert marked is not None
        return marked

    def accepting(self, *others: ItemAction) -> ItemAction:
        """The action on condition that this one or one of the others is allowed."""
        alternatives = dict.fromkeys(each for other in others for each in _alternatives(other))
        expectation = replace(self.expectations[0], condition=Or(tuple(alternatives)))
        names = [name for name in ("TableName", "Item", "Key") if name in self.request]
        request = {
            **{name: self.request[name] for name in names}, **expectation_request((expectation,))
        }  # fmt: skip
        return ItemAction(self.action, request, (expectation,), self.subject)

    def opposite_check(self) -> ItemAction:
        """A check in place of the action, which none of its comparisons may meet."""
        comparisons = (each for each in _alternatives(self) if isinstance(each, Compare))
        expectations = tuple(Expectation("stale_read", Not(each)) for each in comparisons)
        request = {name: self.request[name] for name in ("TableName", "Key")}
        request |= expectation_request(expectations)
        return ItemAction("ConditionCheck", request, expectations, self.subject)


def _alternatives(action: ItemAction) -> tuple[Condition, ...]:
    condition = action.expectations[0].condition
    return condition.conditions if isinstance(condition, Or) else (condition,)


@dataclass(frozen=True)
class SharedAction:
    """An action of one write of a transaction, on an item that another of its writes touches too."""

    position: int
    write: ItemRequest
    action: ItemAction


@dataclass(frozen=True)
class FailedAction:
    """An action whose expectation the stored item does not meet; `where` names the write in messages."""

    where: str
    write: ItemRequest
    action: ItemAction
    expectation: Expectation | None
    item: WireItem | None

    @property
    def declaration(self) -> Declaration:
        """The entity of the write."""
        return self.write.declaration

    @property
    def kind(self) -> str:
        """The kind of the write."""
        return self.write.kind

    @property
    def marked(self) -> MarkedField:
        """The marker whose expectation it is."""
        marked = None if self.expectation is None else self.expectation.marked
        assert marked is not None
        return marked

    @property
    def expected_number(self) -> str | None:
        """The expected number of the field, if the expectation has one."""
        condition = None if self.expectation is None else self.expectation.condition_for_message
        right = condition.right if isinstance(condition, Compare) else None
        return right.wire["N"] if isinstance(right, Value) else None

    @property
    def key_text(self) -> str:
        """The key of the item, for a message."""
        request, names = self.action.request, self.declaration.table.key_attributes
        return key_in_words(request.get("Key") or {name: request["Item"][name] for name in names})


def add_expectations(
    action: ItemAction, expectations: Sequence[Expectation], shared_by: tuple[SharedAction, ...]
) -> ItemAction:
    """The action with further expectations of other writes."""
    additional = tuple(each for each in expectations if each not in action.expectations)
    request = dict(action.request)
    condition = join_conditions(*(each.condition for each in additional))
    if condition is not None:
        names, values = (request.get(f"ExpressionAttribute{each}", {}) for each in ("Names", "Values"))
        placeholders = Placeholders(names, values)
        text = render(condition, placeholders).text
        condition_text = request.get("ConditionExpression")
        request["ConditionExpression"] = f"({condition_text}) AND ({text})" if condition_text else text
        # The values of the request are already in boto3's form.
        request |= Placeholders(placeholders.names).request()
        more = {name: wire for name, wire in placeholders.values.items() if name not in values}
        if more:
            request["ExpressionAttributeValues"] = (
                values | Placeholders(values=more).request()["ExpressionAttributeValues"]
            )
    return replace(
        action, request=request, expectations=(*action.expectations, *additional), shared_by=shared_by
    )


def expectation_request(expectations: Sequence[Expectation]) -> dict[str, Any]:
    """The condition members of a request, for all conditions."""
    return condition_request(each.condition for each in expectations) if expectations else {}


def first_failed(expectations: Sequence[Expectation], item: Mapping[str, Any] | None) -> Expectation | None:
    """The first expectation that an item fails; None if it meets all."""
    stored = dict(item or {})
    return next((each for each in _one_by_one(expectations) if not evaluate(each.condition, stored)), None)


def _one_by_one(expectations: Sequence[Expectation]) -> Iterator[Expectation]:
    """The single conditions, also of those joined by AND."""
    for each in expectations:
        parts = each.condition.conditions if isinstance(each.condition, And) else (each.condition,)
        yield from (Expectation(each.reason, part, each.user_condition, each.marked) for part in parts)


class StaleRead(Exception):
    """A retry: data of the write has changed since it was read, so the write is prepared again.

    `expired` are expired items that must be deleted first: entity and key of each.
    """

    def __init__(self, *expired: tuple[Declaration, WireItem]) -> None:
        super().__init__()
        self.expired = expired


@dataclass(frozen=True)
class PreparedWrite:
    """One write as actions on its own items, and actions of markers, which other writes may share.

    `write` is the caller's write, `result` the entity that it stores, if it stores a whole one. `current` is the stored
    item, if it was read. `has_read` means that something was read, so a later change may be the reason of a failure.
    `is_distinguishable` means that no other write stores the same item, `is_missing` that there is no item to write.
    `known_error` is the reason why the item cannot be written.
    """

    write: ItemRequest
    members: tuple[ItemAction, ...]
    marker_actions: tuple[ItemAction, ...] = ()
    result: Entity | None = None
    current: WireItem | None = None
    has_read: bool = False
    repeatable: bool = True
    is_distinguishable: bool = False
    is_missing: bool = False
    known_error: StoreError | None = None
    returned: Mapping[str, Any] = field(default_factory=dict)


def stale_read(prepared: PreparedWrite, action: ItemAction, failed: Expectation | None) -> StaleRead | None:
    """The retry for a failed expectation; None if the write has failed."""
    if failed is None:
        # It is met now: another client has written the item in between.
        return StaleRead()
    if failed.reason == "expired":
        return StaleRead((prepared.write.declaration, action.request["Key"]))
    return StaleRead() if prepared.has_read and failed.reason == "stale_read" else None
