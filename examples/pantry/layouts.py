"""Two indexes for the same reports: by year and date, and by month and category, compared by what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, TypeAlias

from pksk import Entity, Query, Store, Table
from pksk.capacity import index_entry
from pksk.values import item_size

from ..tour import load
from .by_year import ServiceByYear
from .given import CATEGORIES, FOOD, Given, ReportRow
from .services import Service

__all__ = [
    "LAYOUTS",
    "WRITES",
    "Asked",
    "Layout",
    "Spread",
    "Write",
    "compared",
    "in_layout",
    "questions",
    "spread",
]

Layout: TypeAlias = type[Service] | type[ServiceByYear]
# What was read, in how many requests, for how many read units.
Asked: TypeAlias = tuple[int, int, float]

COMPARED_HEADERS: Final = ("Report", "Services", "By year", "By month and category", "Difference")
LAYOUTS: Final[tuple[Layout, ...]] = (ServiceByYear, Service)


def in_layout(layout: type[Entity], services: Iterable[Given]) -> Iterator[Any]:
    """The same services as another layout keeps them."""
    return (layout.model_validate(service.model_dump()) for service in services)


def questions(layout: Layout, day: date) -> dict[str, list[Query[ReportRow]]]:
    """The reports, as a layout answers them."""
    if issubclass(layout, Service):
        whole_day = [layout.of_day(day, category) for category in CATEGORIES]
    else:
        whole_day = [layout.all_of_day(day)]
    return {
        "a day of food": [layout.of_day(day, FOOD)],
        "a day": whole_day,
        "a month of food": [layout.of_month(day, FOOD)],
        "a month": [layout.all_of_month(day)],
        "a year of food": [layout.of_year(day.year, FOOD)],
        "a year": [layout.all_of_year(day.year)],
    }


def compared(ask: Callable[[str, list[Query[ReportRow]]], Asked], day: date) -> list[list[str]]:
    """A row for each report: what it is, how many services, then units and requests of both layouts.

    `ask` runs the queries of one report, and tells what these took.
    """
    by = [{name: ask(name, each) for name, each in questions(way, day).items()} for way in LAYOUTS]
    return [
        [name, f"{by[0][name][0]:,}", *(_told(way[name]) for way in by), _saving(by[0][name], by[1][name])]
        for name in by[0]
    ]


def measured(db: Store, services: Iterable[Service], day: date) -> list[list[str]]:
    """Store services in both layouts, and compare what the reports of a day, its month and its year cost."""
    kept = list(services)
    for layout in LAYOUTS:
        load(db, in_layout(layout, kept))

    def ask(_name: str, queries: list[Query[ReportRow]]) -> Asked:
        with db.meter() as meter:
            found = sum(1 for query in queries for _ in db.iter(query))
        return found, meter.calls, meter.consumed.read

    return compared(ask, day)


def _told(asked: Asked) -> str:
    _, requests, units = asked
    return f"{units:,g} in {requests}"


def _saving(before: Asked, after: Asked) -> str:
    return f"{after[2] / before[2] - 1:+.0%}"


@dataclass(frozen=True)
class Write:
    """What an application does to a service, however it is kept: a new one, or one with other fields."""

    changes: Callable[[Any], dict[str, Any]]
    new: bool = False

    def bound(self, service: Any) -> Callable[[Store], Any]:
        """The write of one service, still to be run."""
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
    """How an index spreads over its partition keys."""

    entries: int
    keys: int
    top_key: str
    top_share: float
    top_bytes: int


def spread(table: Table, index_name: str, services: Iterable[Entity]) -> Spread:
    """What the partition keys of an index take, if each of these is written once."""
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
