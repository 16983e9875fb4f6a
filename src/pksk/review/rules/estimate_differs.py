"""The rule about access patterns that consume more on real items than the design declares."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.capacity import Cost
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import pattern_subject

# Below this factor an estimate is good enough.
_FACTOR = 2
_LEAST_UNITS = 5


@rule("estimate-differs", "a measurement on items of yours (--items)")
def estimate_differs(design: Design) -> Iterator[Finding]:
    """An access pattern that consumes more than twice what the design estimates.

    ## What it does

    Compares the estimate of each access pattern with what its calls consumed on your own items. Generated items are as
    many and as large as the design declares, so they show nothing here.

    ## Why is this bad?

    All costs and loads rest on the declared numbers. If a call reads ten times as many items as declared, or if items
    are three times as large, the bill and the busiest keys are off by as much.

    ## Example

        @access(rate=40, items=20, item_size=300)
        @classmethod
        def of_customer(cls, customer: str) -> Query["Order"]: ...

    where customers have 200 orders.

    ## Use instead

    Declare the numbers of your items: `@access(rate=40, items=200, item_size=700)`.
    """
    for use in design.uses:
        measured = design.measured.of(use.pattern.name) if design.measured else None
        if measured is None or measured.estimate is None or not measured.on_own_items:
            continue
        consumed, estimated = _units(measured.consumed), _units(measured.estimate)
        if consumed >= _LEAST_UNITS and consumed > _FACTOR * estimated > 0:
            items = f", {units_text(measured.read / measured.calls)} items" if measured.read else ""
            yield Finding(
                estimate_differs.code,
                "warning",
                pattern_subject(use.pattern),
                f"a call consumes {consumed / estimated:.2g} times the units that the design estimates.",
                (
                    f"measured: {measured.consumed} for {measured.calls} calls{items} a call",
                    f"estimated: {measured.estimate}",
                    *use.estimate.assumptions,
                ),
                "declare how many items a call reads (items=) and how large they are (item_size=).",
            )


def _units(cost: Cost) -> float:
    return cost.read + cost.write
