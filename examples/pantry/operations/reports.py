"""Reports: totals of a day, a month or a year, seasons, new clients, and the population."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from pksk import Store

from ..clients import Client
from ..errors import check_span, check_year
from ..services import Category, ReportRow, Service, ServiceFields, month_span


@dataclass(frozen=True)
class Totals:
    """Totals of services, without struck-out ones.

    `individuals` and the like count people each time that their household was served. `families` counts clients
    once, and `people` counts each household once, at its largest size.
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
        """The totals of services in any order."""
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
    """The services of a season, and their clients as they are now."""

    totals: Totals
    clients: list[Client]

    def __str__(self) -> str:
        return f"{self.totals.services:,} services, {len(self.clients):,} clients"


@dataclass(frozen=True)
class Population:
    """All clients and those who were served, by ethnic group."""

    clients: int
    served: int
    by_ethnic_group: dict[str, int]
    served_by_ethnic_group: dict[str, int]

    def __str__(self) -> str:
        return f"{self.served:,} of {self.clients:,} clients"


def daily(db: Store, day: date, category: Category | None = None) -> Totals:
    """The report of a day."""
    return Totals.of(db.iter(Service.of_day(day, category) if category else Service.all_of_day(day)))


def monthly(db: Store, month: date, category: Category | None = None) -> Totals:
    """The report of a day's month."""
    return Totals.of(db.iter(Service.of_month(month, category) if category else Service.all_of_month(month)))


def annual(db: Store, year: int, category: Category | None = None) -> Totals:
    """The report of a year: one partition."""
    check_year(year)
    return Totals.of(db.iter(Service.of_year(year, category) if category else Service.all_of_year(year)))


def season(db: Store, first: date, last: date, category: Category) -> Season:
    """The report of a season, with its clients read in batches of a hundred."""
    check_span(first, last)
    rows = [row for row in db.iter(Service.of_season(first, last, category)) if row.valid]
    return Season(Totals.of(rows), list(_clients(db, rows)))


def new_clients(db: Store, month: date) -> list[Client]:
    """The new clients of a day's month, in the order in which they came."""
    return list(_clients(db, [row for row in db.iter(Service.new_clients(month)) if row.valid]))


def population(db: Store, first: date, last: date) -> Population:
    """All clients, and those who were served in the months between two days."""
    check_span(first, last)
    # A scan, since this report is needed once a month, and there are a few thousand clients.
    groups = {client.client_id: client.ethnic_group for client in db.scan(Client.everyone())}
    months = Service.all_within(first.replace(day=1), month_span(last)[1].date())
    served = {row.client_id for row in db.iter(months) if row.valid} & groups.keys()
    return Population(
        clients=len(groups),
        served=len(served),
        by_ethnic_group=dict(Counter(groups.values())),
        served_by_ethnic_group=dict(Counter(groups[each] for each in served)),
    )


def ethnic_group(db: Store, group: str) -> int:
    """The number of clients of a group, counted in an index that has only keys."""
    return db.count(Client.of_ethnic_group(group))


def _clients(db: Store, rows: list[ReportRow]) -> Iterator[Client]:
    clients = db.run(Client.several([row.client_id for row in rows])) if rows else []
    return (client for client in clients if client is not None)
