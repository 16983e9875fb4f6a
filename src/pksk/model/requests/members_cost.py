"""What a Batch or a Transaction costs: the sum of its members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pksk.capacity import Cost
from pksk.model.cost.request_cost import RequestCost, check_image_count, wire_item
from pksk.model.cost.tally import Tally, items_in_words
from pksk.model.cost.write_attempt import WriteAttempt
from pksk.model.requests.check_cost import CHECK_COST
from pksk.model.requests.delete_cost import DELETE_COST
from pksk.model.requests.get_cost import GET_COST, price_get
from pksk.model.requests.members import RequestGroup
from pksk.model.requests.put_cost import PUT_COST
from pksk.model.requests.update_cost import UPDATE_COST

# The kinds that can be members of a batch or a transaction.
MEMBER_COSTS: Final[Mapping[str, RequestCost[Any]]] = {
    "get": GET_COST,
    "put": PUT_COST,
    "update": UPDATE_COST,
    "delete": DELETE_COST,
    "check": CHECK_COST,
}


def _estimate_batch(batch: RequestGroup[Any], tally: Tally, _: bool) -> None:
    _estimate(batch, tally, transactional=False)


def _estimate_transaction(transaction: RequestGroup[Any], tally: Tally, _: bool) -> None:
    _estimate(transaction, tally, transactional=True)


def _estimate(group: RequestGroup[Any], tally: Tally, *, transactional: bool) -> None:
    """The members of the example stand for as many as the pattern declares."""
    declared, members = tally.options.items, group.members
    inner = Tally(tally.options, members=members if transactional else ())
    for member in members:
        MEMBER_COSTS[member.kind].estimate(member, inner, transactional)
    if declared is not None:
        tally.assumptions.append(f"{items_in_words(declared)} a call, as declared")
    tally.add(inner, 1.0 if declared is None else declared / (tally.share * len(members)))


def _price_batch(batch: RequestGroup[Any], images: Sequence[Any]) -> Cost:
    return _price(batch, images, transactional=False)


def _price_transaction(transaction: RequestGroup[Any], images: Sequence[Any]) -> Cost:
    return _price(transaction, images, transactional=True)


def _price(group: RequestGroup[Any], images: Sequence[Any], *, transactional: bool) -> Cost:
    check_image_count(group, images, len(group.members))
    pairs: list[tuple[Any, Any]] = list(zip(group.members, images, strict=True))
    if group.reads:
        costs = [price_get(member, image, transactional=transactional) for member, image in pairs]
        return sum(costs, Cost())
    attempts = [_attempt(member, image) for member, image in pairs]
    cancelled = transactional and not all(each.holds for each in attempts)
    return sum((each.cost(transactional=transactional, cancelled=cancelled) for each in attempts), Cost())


def _attempt(member: Any, image: Any) -> WriteAttempt:
    attempt = MEMBER_COSTS[member.kind].attempt
    assert attempt is not None
    return attempt(member, wire_item(member, image))


def _title(group: RequestGroup[Any]) -> str:
    names = ", ".join(each.__name__ for each in group.entities)
    return f"{group.operation}: {items_in_words(len(group.members))} of {names}"


def _extra_items(transaction: RequestGroup[Any]) -> Iterator[str]:
    for each in transaction.members:
        yield from MEMBER_COSTS[each.kind].extra_items(each)


BATCH_COST: Final = RequestCost(_estimate_batch, _price_batch, title=_title)
TRANSACTION_COST: Final = RequestCost(
    _estimate_transaction, _price_transaction, title=_title, extra_items=_extra_items
)
