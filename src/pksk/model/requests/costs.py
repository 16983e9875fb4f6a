"""The cost of each kind of request, as a list; estimates of calls; the cost of batches and transactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pksk.capacity import Cost
from pksk.dataclass import dataclass, field
from pksk.model.access_options import AccessOptions
from pksk.model.cost.request_cost import RequestCost, WriteAttempt, check_image_count, wire_item
from pksk.model.cost.tally import IndexUse, Tally, VectorSearch, VectorWrite, items_in_words
from pksk.model.requests.get import Get
from pksk.model.requests.keyed_request import ItemRequest
from pksk.model.requests.members import RequestGroup
from pksk.model.requests.read_costs import READ_COSTS, price_get
from pksk.model.requests.request import Request
from pksk.model.requests.write_costs import WRITE_COSTS


def _estimate_group(group: RequestGroup, tally: Tally, _: bool) -> None:
    """The members of the example represent as many as the pattern declares."""
    declared, members, transactional = tally.options.items, group.members, group.kind == "transaction"
    inner = Tally(tally.options, members=members if transactional else ())
    for member in members:
        COSTS[member.kind].estimate(member, inner, transactional)
    if declared is not None:
        tally.assumptions.append(f"{items_in_words(declared)} a call, as declared")
    tally.add(inner, 1.0 if declared is None else declared / (tally.share * len(members)))


def _price_group(group: RequestGroup, images: Sequence[object]) -> Cost:
    check_image_count(group, images, len(group.members))
    transactional = group.kind == "transaction"
    pairs = list(zip(group.members, images, strict=True))
    if group.reads:
        gets = ((member, image) for member, image in pairs if isinstance(member, Get))
        return sum((price_get(*each, transactional=transactional) for each in gets), Cost())
    attempts = [_attempt(member, image) for member, image in pairs]
    cancelled = transactional and not all(each.holds for each in attempts)
    return sum((each.cost(transactional=transactional, cancelled=cancelled) for each in attempts), Cost())


def _attempt(member: ItemRequest, image: object) -> WriteAttempt:
    attempt = COSTS[member.kind].attempt
    assert attempt is not None
    return attempt(member, wire_item(member, image))


def _group_title(group: RequestGroup) -> str:
    names = ", ".join(each.__name__ for each in group.entities)
    return f"{group.operation}: {items_in_words(len(group.members))} of {names}"


def _group_extra_items(transaction: RequestGroup) -> Iterator[str]:
    for each in transaction.members:
        yield from COSTS[each.kind].extra_items(each)


def _group_notes(group: RequestGroup) -> Iterator[str]:
    yield from dict.fromkeys(note for each in group.members for note in COSTS[each.kind].notes(each))


# A new kind of request needs an entry here, in READ_COSTS or in WRITE_COSTS.
COSTS: Final[Mapping[str, RequestCost[Any]]] = {
    **READ_COSTS,
    **WRITE_COSTS,
    "batch": RequestCost(_estimate_group, _price_group, title=_group_title, notes=_group_notes),
    "transaction": RequestCost(
        _estimate_group, _price_group, title=_group_title, notes=_group_notes, extra_items=_group_extra_items
    ),
}


@dataclass(frozen=True)
class Estimate:
    """The likely cost of a call, its assumptions, and what is missing; `cost` is None if anything is.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     customer: str
        ...     id: str
        ...     primary = Key("CUST#{customer}", "ORDER#{id}")
        >>> print(estimate([Order.primary(customer="7")], AccessOptions(items=100, item_size=1000)))
        12.5 read units
        >>> print(estimate([Order.primary(customer="7")]))
        unknown: how many items a call reads (items=)
    """

    cost: Cost | None
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    vectors: tuple[VectorWrite, ...] = ()
    searches: tuple[VectorSearch, ...] = ()
    touched: frozenset[IndexUse] = field(default=frozenset(), repr=False)

    def data(self) -> dict[str, Any]:
        """The estimate as JSON can hold it."""
        vectors = {"vector_writes": [vars(each) for each in self.vectors]} if self.vectors else {}
        searches = {"vector_searches": [vars(each) for each in self.searches]} if self.searches else {}
        beside = vectors | searches
        return beside | {
            "read": self.cost.read if self.cost else None,
            "write": self.cost.write if self.cost else None,
            "charges": self.cost.data()["charges"] if self.cost else [],
            "assumptions": list(self.assumptions),
            "missing": list(self.missing),
        }

    def __str__(self) -> str:
        if self.cost is None:
            return f"unknown: {', '.join(self.missing)}"
        vectors = [f"{round(each.size_bytes):,} bytes in {each.index}" for each in self.vectors]
        beside = [*vectors, *map(str, self.searches)]
        return " and ".join([*([str(self.cost)] if self.cost.charges or not beside else []), *beside])


def estimate(requests: Iterable[Request], options: AccessOptions | None = None) -> Estimate:
    """The estimate for the requests of one call; `options.items` is the number of items that all of them read."""
    requests = list(requests)
    tally = Tally(options or AccessOptions(), share=max(1, len(requests)))
    if not requests:
        tally.missing.append("the requests of a call: its example returns none")
    for request in requests:
        COSTS[request.kind].estimate(request, tally, False)
    missing = tuple(dict.fromkeys(tally.missing))
    return Estimate(
        None if missing else Cost(tally.charges),
        tuple(dict.fromkeys(tally.assumptions)),
        missing,
        () if missing else merge_vector_writes(tally.vectors),
        _merge_searches(tally.searches),
        frozenset(tally.touched),
    )


def merge_vector_writes(vectors: Iterable[VectorWrite]) -> tuple[VectorWrite, ...]:
    """The writes of vector indexes, one for each index."""
    sizes: dict[tuple[str, str], float] = {}
    for each in vectors:
        index = each.table, each.index
        sizes[index] = sizes.get(index, 0.0) + each.size_bytes
    return tuple(VectorWrite(*index, size) for index, size in sizes.items())


def _merge_searches(searches: Iterable[VectorSearch]) -> tuple[VectorSearch, ...]:
    """The searches of vector indexes, those of one index together."""
    counts: dict[tuple[str, str], float] = {}
    for each in searches:
        index = each.table, each.index
        counts[index] = counts.get(index, 0.0) + each.searches
    return tuple(VectorSearch(*index, count) for index, count in counts.items())
