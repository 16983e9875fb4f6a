"""The measurement of a design as text: a table of access patterns, and those that could not be run."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.capacity import Cost
from pksk.model.bill.key_loads import units_text
from pksk.review.measuring.measure_design import DesignMeasurement, PatternMeasurement

HEADINGS = ("access pattern", "calls", "requests", "units a call", "estimated", "items", "busiest key")
NUMBERS = (1, 2, 3, 4, 5, 6)


def measurement_lines(measured: DesignMeasurement) -> Iterator[str]:
    """The figures of all access patterns, one line each, then those without figures."""
    rows = [HEADINGS, *measurement_rows(measured)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            f"{cell:>{width}}" if index in NUMBERS else f"{cell:<{width}}"
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
    yield from not_measured(measured)


def measurement_rows(measured: DesignMeasurement) -> list[tuple[str, ...]]:
    """The figures of all access patterns that were run."""
    return [_row(each) for each in measured.patterns if not each.problem]


def not_measured(measured: DesignMeasurement) -> Iterator[str]:
    """The access patterns that could not be run, and why."""
    for each in measured.patterns:
        if each.problem:
            yield f"{each.name}: not measured: {each.problem}"


def _row(each: PatternMeasurement) -> tuple[str, ...]:
    share = max((each.busiest or {}).values(), default=None)
    return (
        each.name,
        str(each.calls),
        str(each.requests),
        _units(each.consumed, each.calls),
        "" if each.estimate is None else _units(each.estimate, each.calls),
        _items(each),
        "" if share is None else f"{share:.0%}",
    )


def _units(cost: Cost, calls: int) -> str:
    return units_text((cost.read + cost.write) / calls)


def _items(each: PatternMeasurement) -> str:
    """How many items a call read, and how many of them its filter accepted."""
    if not each.read:
        return ""
    read, returned = each.read / each.calls, each.returned / each.calls
    return units_text(read) if read == returned else f"{units_text(returned)} of {units_text(read)}"
