"""Totals: what a report says of some services."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .given import Given, ReportRow

__all__ = ["Totals"]


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
    def of(cls, rows: Iterable[ReportRow | Given]) -> Totals:
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
