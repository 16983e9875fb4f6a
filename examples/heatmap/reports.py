"""Reports: what one report changes, all of it or nothing.

A report is counted in a smallest cell once a day and once a night, and as often in all cells around that one. Whoever
was there also leaves a marker, and the time of the last report in the two smallest cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pksk import F, Put, Transaction, Update, access, transaction

from .cells import Cell
from .markers import Marker
from .periods import Period, period
from .senders import Sender
from .views import LENGTHS

__all__ = ["Report", "count", "touch"]

_NOTHING: Final[Mapping[str, Cell]] = {}


@dataclass(frozen=True)
class Report:
    """A report as it is written: a smallest cell, the moment, when and by whom it was sent, whether they were there."""

    cell: str
    at: int
    sent: int
    block: str
    active: bool

    @property
    def cells(self) -> list[str]:
        """The cells that it counts in, the smallest first."""
        return [self.cell[:length] for length in reversed(LENGTHS)]

    @property
    def period(self) -> Period:
        """The day or night that it counts in."""
        return period(self.cell, self.at)


_EXAMPLE: Final = Report("gcpjfy6d", 1_735_689_600, 1_735_689_600, "192.000/000", active=True)


@access(rate="100,000,000/year", example={"report": _EXAMPLE})
def count(
    report: Report, sender: Sender | None = None, seen: Mapping[str, Cell] = _NOTHING
) -> Transaction[Sender | Cell | Marker]:
    """The first report of a day or night in a smallest cell: it counts there and in the five cells around it.

    `sender` and `seen` are what is stored, as far as it is known; where it is otherwise by now, nothing is written.
    """
    newest = _newest_in(report, seen)
    first = F.period.missing() | (F.period < report.period.number)
    changes = []
    for cell in report.cells:
        change = Cell.counted(cell, report.period, report.at, seen.get(cell))
        changes.append(_reported(change, report) if cell in newest else change)
    changes[0] = changes[0].set(period=report.period.number).when(first)
    return _together(report, sender, changes)


@access(example={"report": _EXAMPLE})
def touch(
    report: Report, sender: Sender | None = None, seen: Mapping[str, Cell] = _NOTHING
) -> Transaction[Sender | Cell | Marker]:
    """A later report of the same day or night: it moves the time of the last one, and counts nowhere."""
    return _together(report, sender, [_reported(Cell.at(cell), report) for cell in _newest_in(report, seen)])


def _reported(change: Update[Cell], report: Report) -> Update[Cell]:
    """A change that also keeps the time of the last report, unless a later one is there."""
    not_later = F.last_report.missing() | (F.last_report <= report.at)
    return change.set(last_report=report.at).when(not_later)


def _newest_in(report: Report, seen: Mapping[str, Cell]) -> list[str]:
    """The cells of which it is the last report, as far as is known: of the two smallest, if somebody was there."""
    known = {cell: seen[cell].last_report or 0 for cell in report.cells if cell in seen}
    two = report.cells[:2] if report.active else []
    return [cell for cell in two if known.get(cell, 0) <= report.at]


def _together(
    report: Report, sender: Sender | None, changes: list[Update[Cell]]
) -> Transaction[Sender | Cell | Marker]:
    admitted = Sender.admitted(report.block, report.cell, report.sent, sender)
    marker = [Put(Marker.of(report.cell, report.at))] if report.active else []
    return transaction(admitted, *changes, *marker)
