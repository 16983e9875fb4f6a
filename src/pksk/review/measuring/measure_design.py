"""Runs every access pattern of a design on the embedded engine: what each consumes, and which keys it uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast

from pksk.capacity import Cost
from pksk.connection import connect
from pksk.dataclass import dataclass
from pksk.errors import ConditionFailed, PkskError, TransactionFailed
from pksk.model.bill.month_rows import PatternUse, pattern_uses
from pksk.model.entity import Entity
from pksk.model.patterns.pattern import Pattern
from pksk.model.requests.geo_query import GeoQuery
from pksk.model.requests.keyed_request import KeyedRequest
from pksk.model.requests.members import RequestGroup
from pksk.model.requests.put import Put
from pksk.model.requests.query import Query
from pksk.model.requests.request import Request
from pksk.model.requests.scan import Scan
from pksk.model.sample_values import NoSample
from pksk.partitions.ceilings import Side
from pksk.review.measuring.example_calls import example_call
from pksk.review.measuring.generated_items import condition_values, generated_item, values_in_region
from pksk.review.measuring.measure import sides_of
from pksk.schema import Table
from pksk.sending.hooks import RequestFinished, RequestStarted
from pksk.store import Store

_CALLS: Final = 10
# Fewer calls are made of a pattern that reads many items, so that few seconds are enough for a large design.
_FEWEST_CALLS: Final = 3
_ITEMS_PER_PATTERN: Final = 300
# Of a pattern that reads more items a call, fewer are generated, and its figures are not compared with the estimate.
_MOST_ITEMS: Final = 100
_MOST_BYTES: Final = 10_000_000
_SCANNED_ITEMS: Final = 100
_ITEMS_PER_QUERY: Final = 25
# The day of generated times, so that what expires later is not expired.
_NOW: Final = datetime(2025, 6, 15, tzinfo=UTC).timestamp()
LoadSource = tuple[str, str | None, Side]


@dataclass(frozen=True)
class PatternMeasurement:
    """What some calls of one access pattern consumed.

    `read` and `returned` count the items of its queries and scans, `busiest` is the share of the calls' units that one
    partition key of a table or index received. A pattern that could not be run has a `problem` instead.
    """

    name: str
    calls: int = 0
    requests: int = 0
    consumed: Cost = Cost()
    estimate: Cost | None = None
    read: int = 0
    returned: int = 0
    busiest: Mapping[LoadSource, float] | None = None
    on_own_items: bool = False
    problem: str = ""

    @property
    def items(self) -> str:
        """On which items it was measured."""
        return "the given items" if self.on_own_items else "generated items"

    @property
    def text(self) -> str:
        """The figures in words."""
        requests = f"{self.requests} request{'' if self.requests == 1 else 's'}"
        shares = [
            f"{share:.0%} on one key of {_name(source)}" for source, share in (self.busiest or {}).items()
        ]
        calls = f"{self.calls} {'' if self.busiest is None else 'different '}calls of {self.name}"
        spread = f"; {', '.join(shares)}" if shares else ""
        return f"measured on {self.items}: {calls} took {requests} and {self.consumed}{spread}"

    def share(self, table: str, index: str | None, side: Side) -> float | None:
        """The share of the busiest partition key, or None if the calls did not use the table or index."""
        return (self.busiest or {}).get((table, index, side))

    def data(self) -> dict[str, Any]:
        """The figures in JSON types."""
        if self.problem:
            return {"pattern": self.name, "problem": self.problem}
        sources = (self.busiest or {}).items()
        return {
            "pattern": self.name,
            "calls": self.calls,
            "requests": self.requests,
            "consumed": self.consumed.data(),
            "estimate": None if self.estimate is None else self.estimate.data(),
            "items_read": self.read,
            "items_returned": self.returned,
            "busiest_key": [
                {"table": table, "index": index, "side": side, "share": share}
                for (table, index, side), share in sources
            ],
            "on_own_items": self.on_own_items,
        }


def _name(source: LoadSource) -> str:
    table, index, _ = source
    return f"{table}/{index}" if index else table


@dataclass(frozen=True)
class DesignMeasurement:
    """The measurements of all access patterns of a design."""

    patterns: tuple[PatternMeasurement, ...]

    def of(self, pattern: str) -> PatternMeasurement | None:
        """The measurement of a pattern, unless it could not be run."""
        return next((each for each in self.patterns if each.name == pattern and not each.problem), None)

    def data(self) -> list[dict[str, Any]]:
        """The figures in JSON types."""
        return [each.data() for each in self.patterns]


def measure_design(tables: Iterable[Table], items: Iterable[Entity] = ()) -> DesignMeasurement:
    """Run every access pattern on a new engine in memory: on these items, or on generated ones.

    Each pattern is called some times with different arguments. With `items`, its arguments have the values of fields
    of the same names; otherwise so many items are generated for each call as it declares.

    Example:
        >>> from pksk import GSI, Key, Query, access
        >>> shop = Table("shop")
        >>> class Order(Entity, table=shop):
        ...     customer: str
        ...     number: int
        ...     primary = Key("{customer}", "{number:06d}")
        ...     @access(rate=1, items=20)
        ...     @classmethod
        ...     def of_customer(cls, customer: str) -> Query["Order"]:
        ...         return cls.primary(customer=customer)
        >>> found = measure_design([shop]).of("Order.of_customer")
        >>> found.calls, found.requests, found.consumed.read, found.read, found.share("shop", None, "read")
        (10, 10, 5.0, 200, 0.1)
    """
    declared = list(tables)
    own_items: defaultdict[type[Entity], list[Entity]] = defaultdict(list)
    for each in items:
        own_items[type(each)].append(each)
    return DesignMeasurement(tuple(_measured(use, own_items) for use in pattern_uses(declared)))


def _measured(use: PatternUse, own_items: Mapping[type[Entity], Sequence[Entity]]) -> PatternMeasurement:
    """The measurement of one pattern, on an engine of its own: what others store and change is not there."""
    name = use.pattern.name
    if use.problem:
        return PatternMeasurement(name, problem=use.problem)
    if any(each.kind == "nearest" for each in use.requests):
        return PatternMeasurement(name, problem="searches of vectors are not measured")
    entities = dict.fromkeys(entity for each in use.requests for entity in each.entities)
    tables = {id(entity.__pksk__.table): entity.__pksk__.table for entity in entities}
    try:
        with connect("memory:", clock=lambda: _NOW) as store:
            store.create_tables(*tables.values())
            own = [each for entity in entities for each in own_items.get(entity, ())]
            inside = [
                each for some in own_items.values() for each in some if id(each.__pksk__.table) in tables
            ]
            _store_items(store, inside)
            return _run(store, use, own)
    except (ConditionFailed, TransactionFailed):
        return PatternMeasurement(name, problem="its condition does not hold for generated items")
    except Exception as error:  # validators of the design run on generated values, and may raise anything
        text = f"{type(error).__name__}: {error}"
        if isinstance(error, PkskError | NoSample):
            text = error.problem if isinstance(error, PkskError) else str(error)
        return PatternMeasurement(name, problem=text.partition("\n")[0])


def _run(store: Store, use: PatternUse, own: Sequence[Entity]) -> PatternMeasurement:
    pattern = use.pattern
    count = _CALLS if own else _call_count(use)
    calls = [example_call(pattern, number / count, number, own) for number in range(count)]
    if not own:
        firsts: dict[str, int] = {}
        for number, call in enumerate(calls):
            for request in call.requests:
                # Calls that ask for the same find the same items.
                first = firsts.setdefault(_what_is_read(request), number)
                _store_items(store, _items_for(request, pattern, first if _reads_many(request) else number))
    heat: Any = store.client.heat  # type: ignore[attr-defined]
    heat(reset=True)
    counter = _ItemCounter()
    with connect(store.client, hooks=[counter], clock=lambda: _NOW) as db, db.meter() as meter:
        for call in calls:
            for request in call.requests:
                db.run(cast("Any", request))
    differs = any(call.arguments != calls[0].arguments for call in calls)
    return PatternMeasurement(
        pattern.name,
        count,
        meter.calls,
        meter.consumed,
        use.estimate.cost * count if use.estimate.cost is not None and _is_comparable(use) else None,
        counter.read,
        counter.returned,
        dict(_busiest(heat())) if differs else None,
        bool(own),
    )


def _reads_many(request: Request) -> bool:
    return isinstance(request, Query | Scan | GeoQuery)


def _what_is_read(request: Request) -> str:
    """The keys of a query, as text."""
    if isinstance(request, GeoQuery):
        return request.identity
    return repr([each.values for each in request.key_queries]) if isinstance(request, Query) else ""


def _items_per_call(pattern: Pattern, entity: type[Entity]) -> int:
    """How many items a query reads, as the design declares it."""
    declared = pattern.options.items, entity.__pksk__.per_partition
    return next((each for each in declared if each is not None), _ITEMS_PER_QUERY)


def _most_items(pattern: Pattern) -> int:
    return max(1, min(_MOST_ITEMS, _MOST_BYTES // (pattern.options.item_size or 1)))


def _call_count(use: PatternUse) -> int:
    counts = (_items_per_call(use.pattern, each) for request in use.requests for each in request.entities)
    items = min(max(counts), _most_items(use.pattern))
    reads_many = any(map(_reads_many, use.requests))
    return max(_FEWEST_CALLS, min(_CALLS, _ITEMS_PER_PATTERN // items)) if reads_many and items else _CALLS


def _is_comparable(use: PatternUse) -> bool:
    """Whether the calls read and write as many items as the estimate assumes."""
    if any(isinstance(each, RequestGroup) for each in use.requests):
        return use.pattern.options.items is None
    queried = (each for each in use.requests if isinstance(each, Query | Scan | GeoQuery))
    most = _most_items(use.pattern)
    return all(_items_per_call(use.pattern, each) <= most for query in queried for each in query.entities)


def _items_for(request: Request, pattern: Pattern, number: int) -> Iterator[Entity]:
    """The items that a request reads or changes."""
    options = pattern.options
    if isinstance(request, RequestGroup):
        for member in request.members:
            yield from _items_for(member, pattern, number)
    elif isinstance(request, Query):
        count = min(max(_items_per_call(pattern, each) for each in request.entities), _most_items(pattern))
        for position, each in enumerate(request.key_queries):
            for item in range(position, count, len(request.key_queries)):
                # Items of another call are others, although both calls may find items by an index alone.
                yield generated_item(each.entity, item, each.values, options.item_size, before=number * count)
    elif isinstance(request, GeoQuery):
        count = min(_items_per_call(pattern, request.entity), _most_items(pattern))
        for item, values in enumerate(values_in_region(request, count)):
            yield generated_item(request.entity, item, values, options.item_size, before=number * count)
    elif isinstance(request, Scan):
        count = min(options.items or _SCANNED_ITEMS, _most_items(pattern))
        yield from (generated_item(request.entity, item, {}, options.item_size) for item in range(count))
    elif isinstance(request, KeyedRequest):
        values = {**condition_values(getattr(request, "condition", None)), **request.parts}
        # Its other values are not those that the call sets.
        yield generated_item(request.entity, number, values, options.item_size, before=1)
    elif isinstance(request, Put) and request.condition is not None and not request.requires_absence:
        key = {name: getattr(request.value, name) for name in request.declaration.primary.fields}
        yield generated_item(
            request.entity, number, condition_values(request.condition) | key, options.item_size
        )


def _store_items(store: Store, items: Iterable[Entity]) -> None:
    """Put items as they are, without the conditions of markers: what they refer to may not exist."""
    stored, problem = 0, None
    for each in items:
        try:
            put = Put(each)
            store.client.call("PutItem", {"TableName": put.table_name, "Item": put.item})
            stored += 1
        except PkskError as error:  # a generated value for which a key has no room
            problem = error
    if problem is not None and not stored:
        raise problem


class _ItemCounter:
    """A hook that counts the items which queries and scans read and return."""

    def __init__(self) -> None:
        self.read = self.returned = 0

    def __call__(self, started: RequestStarted) -> Any:
        return self._count if started.operation in ("Query", "Scan") else None

    def _count(self, finished: RequestFinished) -> None:
        answer = finished.answer or {}
        self.read += answer.get("ScannedCount", 0)
        self.returned += answer.get("Count", 0)


def _busiest(heat: Any) -> Iterator[tuple[LoadSource, float]]:
    """The share of the busiest key of each table and index that was used; scans use no key."""
    for table, index, side, traffic in sides_of(heat):
        if traffic.units and traffic.keys:
            yield (table, index, cast("Side", side)), float(traffic.top_share)
