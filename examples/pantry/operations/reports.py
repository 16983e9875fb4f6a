"""Totals: what a report says of some services."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from pksk import Store

from ..clients import Client
from ..errors import check_span, check_year
from ..services import CATEGORIES, Category, ReportRow, Service, ServiceFields

__all__ = [
    "Population",
    "Season",
    "Totals",
    "annual",
    "daily",
    "ethnic_group",
    "monthly",
    "new_clients",
    "population",
    "season",
]


@dataclass(frozen=True)
class Totals:
    """Sums over services; what was struck out does not count.

    `individuals` and the like count people each time that their household was served, `families` counts clients
    once, and `people` those of each family once, as many as its household ever was.
    """

    services: int = 0
    items: int = 0
    individuals: int = 0
    adults: int = 0
    children: int = 0
    seniors: int = 0
    homeless: int = 0
    families: int = 0
    people: int = 0
    new_clients: int = 0
    by_usda: dict[str, int] = field(default_factory=dict)
    by_type: dict[str, int] = field(default_factory=dict)
    by_postcode: dict[str, int] = field(default_factory=dict)
    by_ethnic_group: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[ReportRow | ServiceFields]) -> Totals:
        """The totals of services, in whatever order."""
        valid = [row for row in rows if row.valid]
        households: dict[str, int] = {}
        for row in valid:
            households[row.client_id] = max(row.individuals, households.get(row.client_id, 0))
        return cls(
            services=len(valid),
            items=sum(row.items for row in valid),
            individuals=sum(row.individuals for row in valid),
            adults=sum(row.adults for row in valid),
            children=sum(row.children for row in valid),
            seniors=sum(row.seniors for row in valid),
            homeless=sum(row.homeless for row in valid),
            families=len(households),
            people=sum(households.values()),
            new_clients=sum(row.first for row in valid),
            by_usda=_counted(row.usda for row in valid),
            by_type=_counted(row.type_id for row in valid),
            by_postcode=_counted(row.postcode for row in valid),
            by_ethnic_group=_counted(row.ethnic_group for row in valid),
        )

    def __str__(self) -> str:
        services = "1 service" if self.services == 1 else f"{self.services:,} services"
        return f"{services}, " + ("1 family" if self.families == 1 else f"{self.families:,} families")


def _counted(values: Iterable[str]) -> dict[str, int]:
    """How often each occurs, the most frequent first."""
    return dict(sorted(Counter(values).items(), key=lambda each: (-each[1], each[0])))


@dataclass(frozen=True)
class Season:
    """What was given in a season, and to whom, as the clients are now."""

    totals: Totals
    clients: list[Client]

    def __str__(self) -> str:
        return f"{self.totals.services:,} services, {len(self.clients):,} clients"


@dataclass(frozen=True)
class Population:
    """The clients, those of them who were served, and how both are made up."""

    clients: int
    served: int
    by_ethnic_group: dict[str, int]
    served_by_ethnic_group: dict[str, int]

    def __str__(self) -> str:
        return f"{self.served:,} of {self.clients:,} clients"


def daily(db: Store, day: date, category: Category | None = None) -> Totals:
    """The report of a day; of all categories it is a range for each, since the day comes behind it in the key."""
    categories = CATEGORIES if category is None else (category,)
    return Totals.of(row for each in categories for row in db.iter(Service.of_day(day, each)))


def monthly(db: Store, month: date, category: Category | None = None) -> Totals:
    """The report of the month that a day is in."""
    return Totals.of(db.iter(Service.of_month(month, category) if category else Service.all_of_month(month)))


def annual(db: Store, year: int, category: Category | None = None) -> Totals:
    """The report of a year: twelve partitions."""
    check_year(year)
    return Totals.of(db.iter(Service.of_year(year, category) if category else Service.all_of_year(year)))


def season(db: Store, first: date, last: date, category: Category) -> Season:
    """The report of a season, with the clients in batches of a hundred, not one request for each."""
    check_span(first, last)
    rows = [row for row in db.iter(Service.of_season(first, last, category)) if row.valid]
    return Season(Totals.of(rows), list(_clients(db, rows)))


def new_clients(db: Store, month: date) -> list[Client]:
    """The clients who came for the first time in the month that a day is in, in the order in which they came."""
    return list(_clients(db, [row for row in db.iter(Service.new_clients(month)) if row.valid]))


def population(db: Store, first: date, last: date) -> Population:
    """All clients, and those who were served in the months from that of one day to that of another."""
    check_span(first, last)
    # A scan: it is asked for once a month, and there are some thousands of them.
    groups = {client.client_id: client.ethnic_group for client in db.scan(Client.everyone())}
    rows = (row for month in _months(first, last) for row in db.iter(Service.all_of_month(month)))
    served = {row.client_id for row in rows if row.valid} & groups.keys()
    return Population(
        clients=len(groups),
        served=len(served),
        by_ethnic_group=dict(Counter(groups.values())),
        served_by_ethnic_group=dict(Counter(groups[each] for each in served)),
    )


def ethnic_group(db: Store, group: str) -> int:
    """How many clients are of a group: counted where they are, in an index that holds keys alone."""
    return db.count(Client.of_ethnic_group(group))


def _clients(db: Store, rows: list[ReportRow]) -> Iterator[Client]:
    found = db.run(Client.several([row.client_id for row in rows])) if rows else []
    return (client for client in found if client is not None)


def _months(first: date, last: date) -> Iterator[date]:
    for number in range(first.year * 12 + first.month - 1, last.year * 12 + last.month):
        yield date(number // 12, number % 12 + 1, 1)
