"""Layouts compared: two indexes for the same reports by cost, and long and short attribute names by size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Final, TypeAlias

from pksk import Entity, Query, Store, Table, connect
from pksk.capacity import Cost, index_entry, query_units, read_units, write_units
from pksk.partitions import PARTITION_READ_UNITS, PARTITION_WRITE_UNITS
from pksk.values import item_size

from ..tour import load
from ..tour.price_check import PriceCheck
from .other_layouts import OldService, ServiceByMonth, services_by_month
from .services import CATEGORIES, FOOD, ReportRow, Service, ServiceFields, svcs

Layout: TypeAlias = type[Service] | type[ServiceByMonth]
# What was read, in how many requests, for how many read units.
ReportCost: TypeAlias = tuple[int, int, float]
ReportCosts: TypeAlias = dict[str, ReportCost]

LAYOUT_HEADERS: Final = ("Report", "Services", "By year", "By month and category", "Difference")
LAYOUTS: Final[tuple[Layout, ...]] = (Service, ServiceByMonth)


def as_layout(layout: type[Entity], services: Iterable[ServiceFields]) -> Iterator[Any]:
    """The same services in another layout."""
    return (layout.model_validate(service.model_dump()) for service in services)


def reports_of(layout: Layout, day: date) -> dict[str, list[Query[ReportRow]]]:
    """The queries of each report, in a layout."""
    if issubclass(layout, Service):
        whole_day = [layout.all_of_day(day)]
    else:
        whole_day = [layout.of_day(day, category) for category in CATEGORIES]
    return {
        "a day of food": [layout.of_day(day, FOOD)],
        "a day": whole_day,
        "a month of food": [layout.of_month(day, FOOD)],
        "a month": [layout.all_of_month(day)],
        "a year of food": [layout.of_year(day.year, FOOD)],
        "a year": [layout.all_of_year(day.year)],
    }


def report_costs(
    read: Callable[[str, list[Query[ReportRow]]], ReportCost], day: date
) -> tuple[ReportCosts, ...]:
    """The cost of each report in each layout; `read` runs the queries of one report, and returns their cost."""
    return tuple(
        {name: read(name, queries) for name, queries in reports_of(layout, day).items()} for layout in LAYOUTS
    )


def layout_rows(by_year: ReportCosts, by_month: ReportCosts) -> list[list[str]]:
    """A row for each report: its name, how many services, then units and requests in both layouts."""
    return [
        [
            name,
            f"{before[0]:,}",
            _cost_text(before),
            _cost_text(by_month[name]),
            f"{by_month[name][2] / before[2] - 1:+.0%}",
        ]
        for name, before in by_year.items()
    ]


@dataclass(frozen=True)
class Measured:
    """The cost of each report in each layout, and of all: priced from the items, and as consumed."""

    costs: tuple[ReportCosts, ...]
    priced: Cost
    consumed: Cost


def measure_layouts(services: Sequence[Service], day: date) -> Measured:
    """Store services in memory in both layouts, and read the reports about a day, its month and its year."""
    prices = PriceCheck(svcs, services_by_month)
    with connect("memory:", hooks=[prices]) as db:
        prices.client = db.client
        db.create_tables(svcs, services_by_month)
        for layout in LAYOUTS:
            load(db, as_layout(layout, services))
        prices.enabled = True
        with db.meter() as meter:
            costs = report_costs(lambda _, queries: read_reports(db, queries), day)
    return Measured(costs, prices.cost, meter.consumed)


def read_reports(db: Store, queries: list[Query[ReportRow]]) -> ReportCost:
    """What it costs to read the rows of some queries."""
    with db.meter() as meter:
        count = sum(1 for query in queries for _ in db.iter(query))
    return count, meter.calls, meter.consumed.read


def _cost_text(cost: ReportCost) -> str:
    _, requests, units = cost
    return f"{units:,g} in {requests}"


@dataclass(frozen=True)
class Write:
    """A write of a service, in any layout: a new one, or one with changed fields."""

    changes: Callable[[Any], dict[str, Any]]
    new: bool = False

    def bound(self, service: Any) -> Callable[[Store], Any]:
        """The write of one service, to be run later."""
        if self.new:
            return lambda db: db.create(service)
        return lambda db: db.move(service, **self.changes(service))


WRITES: Final = {
    "a new service": Write(lambda _: {}, new=True),
    "another category": Write(lambda _: {"category": "Administration", "type_id": "card"}),
    "another day": Write(lambda service: {"at": service.at + timedelta(days=1)}),
}


@dataclass(frozen=True)
class Spread:
    """How the entries of an index are spread over its partition keys."""

    entries: int
    keys: int
    top_key: str
    top_share: float
    top_bytes: int


def spread(table: Table, index_name: str, services: Iterable[Entity]) -> Spread:
    """How the entries of these services are spread over the partition keys of an index."""
    index = table.index(index_name)
    entries: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for service in services:
        entry = index_entry(index, service.to_item())
        if entry is not None:
            key = entry[index.keys[0]]["S"]
            entries[key] += 1
            size[key] += item_size(entry)
    if not entries:
        return Spread(0, 0, "", 0.0, 0)
    top, most = entries.most_common(1)[0]
    return Spread(entries.total(), len(entries), top, most / entries.total(), size[top])


HEADROOM_HEADERS: Final = ("All services of the year have one index key", "It takes", "A key has", "Headroom")
_SECONDS_A_YEAR: Final = 365 * 86_400


def declared_services() -> float:
    """The services of a year, by the declared rates of the access patterns that enter one."""
    rates = {pattern.name: pattern.options.calls_per_second() for pattern in svcs.patterns}
    return sum(rates[name] or 0 for name in _ENTERING) * _SECONDS_A_YEAR


_ENTERING: Final = ("Service.add", "check_in_food", "check_in_first_food")


def headroom_rows(services: Iterable[Service], annual: ReportCost) -> list[list[str]]:
    """How far the writes of the current year, and reports about it, are from the limits of one partition key.

    A service writes one index entry of less than a kilobyte, which is one unit.
    """
    a_second = declared_services() / _SECONDS_A_YEAR
    in_a_minute = max(Counter(each.at for each in services).values())
    of_a_minute = PARTITION_WRITE_UNITS * 60
    return [
        [
            f"write units a second, at {declared_services():,.0f} services a year",
            f"{a_second:.4f}",
            f"{PARTITION_WRITE_UNITS:,}",
            f"{PARTITION_WRITE_UNITS / a_second:,.0f} times",
        ],
        [
            "write units in the busiest minute",
            f"{in_a_minute:,}",
            f"{of_a_minute:,}",
            f"{of_a_minute // in_a_minute:,} times",
        ],
        [
            "read units of a report on the year",
            f"{annual[2]:,g}",
            f"{PARTITION_READ_UNITS:,} a second",
            f"{PARTITION_READ_UNITS / annual[2]:,.1f} a second",
        ],
    ]


HISTORY: Final = 50
WEIGHT_HEADERS: Final = ("Bytes of a service", "Long, by number", "Long names", "Short names")
STEP_HEADERS: Final = ("Text", "Bytes", "Write units", "Read by key", f"Read {HISTORY}")
# With texts of these lengths, a service is below, at and above a kilobyte.
_TEXTS: Final = (0, 300, 450, 550, 700)

# Attributes that only combine other fields into keys.
_MADE: Final = {"svcDTId", "svcYear", "servicedDay"}


@dataclass(frozen=True)
class Weight:
    """The bytes of an item: attribute names, their values, and the keys combined from other fields."""

    names: int
    values: int
    made_keys: int

    @property
    def total(self) -> int:
        """The size that DynamoDB bills."""
        return self.names + self.values + self.made_keys


def with_long_names(service: ServiceFields) -> OldService:
    """The same service with long attribute names."""
    return OldService.model_validate(service.model_dump())


def weigh(service: Service | OldService) -> Weight:
    """The parts of a service's item, in bytes."""
    item: Mapping[str, Any] = service.to_item()
    own = {name: value for name, value in item.items() if name not in _MADE}
    names = sum(len(name.encode()) for name in own)
    return Weight(names, item_size(own) - names, item_size(item) - item_size(own))


def weight_rows(service: Service) -> list[list[str]]:
    """The bytes of a service: in the old layout, with long names in the new layout, and with short names."""
    before, short = weigh(with_long_names(service)), weigh(service)
    weights = (before, replace(short, names=before.names), short)
    parts = {"names": "names", "values": "values", "keys made of other fields": "made_keys", "all": "total"}
    return [[title, *(str(getattr(each, part)) for each in weights)] for title, part in parts.items()]


def step_rows(service: Service) -> list[list[str]]:
    """The cost of long and short names with texts of growing length, around a kilobyte."""
    before, short = weigh(with_long_names(service)), weigh(service)
    long = replace(short, names=before.names)
    return [[str(text), *at_the_step(long.total, short.total, HISTORY, text)] for text in _TEXTS]


def at_the_step(long: int, short: int, history: int, text: int) -> list[str]:
    """The sizes with a text of so many bytes more, then the units of a write, a read by key, and a history.

    For a history, DynamoDB adds up all bytes first.
    """
    sizes = long + text, short + text
    writes = [write_units(size) for size in sizes]
    gets = [read_units(size, consistent=False) for size in sizes]
    histories = [query_units(size * history, consistent=False) for size in sizes]
    return [
        f"{sizes[0]:,} / {sizes[1]:,}",
        *(f"{pair[0]:g} / {pair[1]:g}" for pair in (writes, gets, histories)),
    ]
