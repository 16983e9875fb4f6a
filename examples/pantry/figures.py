"""The figures of the tour: what two indexes for the same reports cost, how hot they are, and what names weigh."""

from __future__ import annotations

from collections import Counter
from typing import Final

from pksk import Entity, Query
from pksk.capacity import Cost

from ..tour import Tour, in_any_order
from .answers import Answers, rows
from .by_year import ServiceByYear, services_by_year
from .given import FOOD, ReportRow
from .item_sizes import HISTORY, STEP_HEADERS, WEIGHT_HEADERS, step_rows, weight_rows
from .layouts import COMPARED_HEADERS, WRITES, Asked, compared, in_layout, spread
from .old_services import OldService, services
from .services import Service, svcs

__all__ = ["item_sizes", "two_layouts"]

# On AWS a partition takes this many in a second: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
_WRITES_A_SECOND: Final = 1000


def two_layouts(tour: Tour, answers: Answers) -> None:
    """The same reports, the same writes, and where both fall."""
    tour.section("The same reports from two indexes: by year and date, or by month and category")

    def ask(name: str, queries: list[Query[ReportRow]]) -> Asked:
        span, category = name.split()[1], FOOD if name.endswith("food") else None
        answer = tour.run(queries, in_any_order(rows(answers.span(span, category))))
        step = tour.steps[-1]
        return len(answer), len(step.requests), step.consumed.read

    figures = compared(ask, answers.day)
    tour.note("Read units and requests of each report:")
    tour.table(COMPARED_HEADERS, figures, (1, 4))
    tour.compare(
        "The same reports from two indexes, in read units and requests",
        COMPARED_HEADERS,
        figures,
        (1, 4),
        conclusion="By year, one request reads all categories to report on one. By month and category, a report on a "
        "category reads that category only, and a report on everything pays once per category or month.",
    )
    _writes(tour, answers)
    _heat(tour, answers)


def _writes(tour: Tour, answers: Answers) -> None:
    new = {"client_id": "0", "service_id": "new", "first": False, "updated_at": None}
    one = answers.services[0].model_copy(update=new)
    figures: dict[str, list[str]] = {name: [name] for name in WRITES}
    for layout in (ServiceByYear, Service, OldService):
        (service,) = in_layout(layout, [one])
        for name, write in WRITES.items():
            changed = service.model_copy(update=write.changes(service))
            service = tour.call(f"{name}, in {layout.__name__}", write.bound(service), changed)
            figures[name].append(_units(tour.steps[-1].consumed, layout))
    tour.note("Write units, those of indexes in brackets:")
    tour.table(("Write", "By year", "By month and category", "By number, as before"), figures.values())


def _units(cost: Cost, layout: type[Entity]) -> str:
    own = cost.arm(layout.__pksk__.table.name).write
    return f"{cost.write:g} ({cost.write - own:g})" + (f" and {cost.read:g} read" if cost.read else "")


def _heat(tour: Tour, answers: Answers) -> None:
    places = (
        ("by year", services_by_year, "svcYear-svcDTId-index", ServiceByYear),
        ("by month and category", svcs, "svcMonth-svcCatDTId-index", Service),
        ("by number, of a type", services, "type-index", OldService),
        ("vouchers that wait", svcs, "fillPending-svcDTId-index", Service),
    )
    figures = []
    for name, table, index, layout in places:
        found = spread(table, index, in_layout(layout, answers.services))
        top = (found.top_key, f"{found.top_share:.0%}", f"{found.top_bytes:,}")
        figures.append((name, f"{found.entries:,}", found.keys, *top))
    tour.note("Where entries of indexes lie, by partition key:")
    tour.table(("Index", "Entries", "Keys", "Largest key", "Share", "Bytes"), figures, (1, 2, 4, 5))
    minute = max(Counter(each.at for each in answers.services).values())
    tour.note(
        f"Today's services all fall on one key, of the year or of the month alike. At most {minute} came in a minute; "
        f"a partition takes {_WRITES_A_SECOND * 60:,} writes in one."
    )


def item_sizes(tour: Tour, answers: Answers) -> None:
    """The same service with long names and with short ones."""
    tour.section("The same service with long and with short names of attributes")
    tour.table(WEIGHT_HEADERS, weight_rows(answers.services[0]), (1, 2, 3))
    tour.note(
        f"Units long and short, if each had a text of so many bytes more; the last is a history of {HISTORY}:"
    )
    tour.table(STEP_HEADERS, step_rows(answers.services[0]), (0, 1, 2, 3, 4))
