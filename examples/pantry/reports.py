"""Reports: a day, a month, a year or a season in totals, the new clients, and the population."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from pksk import Store

from .clients import Client
from .forms import check_span, check_year
from .given import CATEGORIES, Category, ReportRow
from .services import Service
from .totals import Totals

__all__ = [
    "Population",
    "Season",
    "annual",
    "daily",
    "ethnic_group",
    "monthly",
    "new_clients",
    "population",
    "season",
]


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
