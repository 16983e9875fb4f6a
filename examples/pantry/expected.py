"""What expected must be: the generated data as plain lists, and the questions asked of them in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, TypeVar

from pksk import Entity

from .clients import Client
from .data import LAST_DAY
from .services import Category, ReportRow, Service, ServiceFields

__all__ = ["Expected", "in_order", "rows"]

E = TypeVar("E", bound=Entity)


class Expected:
    """The data that a tour stores, and what it asks about: a client who comes often, and a day with much to do."""

    def __init__(self, made: Iterable[Entity]) -> None:
        self.made = list(made)
        self.services = self.of(Service)
        # A client who is stored has the version of the first write.
        self.clients = [each.model_copy(update={"version": 1}) for each in self.of(Client)]
        self.regular = Counter(each.client_id for each in self.services).most_common(1)[0][0]
        days = Counter(each.at.date() for each in self.services if each.at.year == LAST_DAY.year)
        self.day = max(days, key=lambda day: (days[day], day))

    def of(self, kind: type[E]) -> list[E]:
        """All of one type."""
        return [each for each in self.made if isinstance(each, kind)]

    def span(self, name: str, category: Category | None = None) -> list[Service]:
        """The services of the day that is asked about, of its month or its year."""
        parts = {"day": 3, "month": 2, "year": 1}[name]
        asked = self.day.timetuple()[:parts]
        return [
            each
            for each in self.services
            if each.at.timetuple()[:parts] == asked and category in (None, each.category)
        ]

    def season(self, first: date, last: date, category: Category) -> list[Service]:
        """The services of a category from one day to another."""
        own = [each for each in self.services if each.category == category]
        return [each for each in own if first <= each.at.date() <= last]

    def clients_of(self, services: Iterable[Service]) -> list[Client]:
        """The clients of some services, each once, in the order of the services."""
        known = {each.client_id: each for each in self.clients}
        return [known[each] for each in dict.fromkeys(one.client_id for one in in_order(services))]


def in_order(services: Iterable[Service]) -> list[Service]:
    """Services as they were given, those of one minute by their ids."""
    return sorted(services, key=_place)


def _place(service: Service) -> tuple[datetime, str]:
    return service.at, service.service_id


def rows(services: Iterable[ServiceFields]) -> list[ReportRow]:
    """Services as reports show them."""
    found: list[Any] = [each.model_dump() for each in services]
    return [ReportRow.model_validate(each) for each in found]
