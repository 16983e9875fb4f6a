"""What answers must be, computed from the generated data in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, TypeVar

from pksk import Entity

from .clients import Client
from .data import LAST_DAY
from .services import Category, ReportRow, Service, ServiceFields

E = TypeVar("E", bound=Entity)


class Expected:
    """The generated data, with a client who comes often and a busy day to read about."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.made = list(entities)
        self.services = self.of(Service)
        # A stored client has the version of the first write.
        self.clients = [each.model_copy(update={"version": 1}) for each in self.of(Client)]
        self.regular = Counter(each.client_id for each in self.services).most_common(1)[0][0]
        days = Counter(each.at.date() for each in self.services if each.at.year == LAST_DAY.year)
        self.day = max(days, key=lambda day: (days[day], day))

    def of(self, kind: type[E]) -> list[E]:
        """All items of an entity."""
        return [each for each in self.made if isinstance(each, kind)]

    def span(self, name: str, category: Category | None = None) -> list[Service]:
        """The services of the busy day, of its month or its year."""
        parts = {"day": 3, "month": 2, "year": 1}[name]
        span = self.day.timetuple()[:parts]
        return [
            each
            for each in self.services
            if each.at.timetuple()[:parts] == span and category in (None, each.category)
        ]

    def season(self, first: date, last: date, category: Category) -> list[Service]:
        """The services of a category between two days."""
        own = [each for each in self.services if each.category == category]
        return [each for each in own if first <= each.at.date() <= last]

    def clients_of(self, services: Iterable[Service]) -> list[Client]:
        """The clients of some services, each once, in the order of the services."""
        known = {each.client_id: each for each in self.clients}
        return [known[each] for each in dict.fromkeys(one.client_id for one in in_order(services))]


def in_order(services: Iterable[Service]) -> list[Service]:
    """Services by time and id."""
    return sorted(services, key=_place)


def _place(service: Service) -> tuple[datetime, str]:
    return service.at, service.service_id


def rows(services: Iterable[ServiceFields]) -> list[ReportRow]:
    """Services as report rows."""
    rows_by_name: list[Any] = [each.model_dump() for each in services]
    return [ReportRow.model_validate(each) for each in rows_by_name]
