"""Reports: what one report changes, all or nothing; and the senders, whose number of reports is limited.

A report is counted in a smallest cell once a day and once a night, and equally in all cells that contain it.
A reporter who was there also leaves a marker, and the time of the last report in the two smallest cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from pksk import TTL, Attribute, Entity, F, Get, Key, Put, Transaction, Update, access, transaction

from .cells import Cell, heatmap
from .markers import Marker
from .periods import Period, period
from .views import LENGTHS

_NOTHING: Final[Mapping[str, Cell]] = {}


@dataclass(frozen=True)
class Report:
    """A report: its smallest cell, its moment, when it was sent and by which user, and whether they were there."""

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
    """Count the first report of a day or night in a smallest cell and the five cells that contain it.

    `sender` and `seen` are the stored items, as far as they are known; if they have changed, nothing is written.
    """
    newest = _newest_in(report, seen)
    first = F.period.missing() | (F.period < report.period.number)
    changes = []
    for cell in report.cells:
        change = Cell.counted(cell, report.period, report.at, seen.get(cell))
        changes.append(_with_last_report(change, report) if cell in newest else change)
    changes[0] = changes[0].set(period=report.period.number).when(first)
    return _report_transaction(report, sender, changes)


@access(example={"report": _EXAMPLE})
def touch(
    report: Report, sender: Sender | None = None, seen: Mapping[str, Cell] = _NOTHING
) -> Transaction[Sender | Cell | Marker]:
    """Take a later report of the same day or night: it moves the time of the last report, and is not counted."""
    return _report_transaction(
        report, sender, [_with_last_report(Cell.at(cell), report) for cell in _newest_in(report, seen)]
    )


def _with_last_report(change: Update[Cell], report: Report) -> Update[Cell]:
    """The change with the time of the last report, unless a later one is stored."""
    not_later = F.last_report.missing() | (F.last_report <= report.at)
    return change.set(last_report=report.at).when(not_later)


def _newest_in(report: Report, seen: Mapping[str, Cell]) -> list[str]:
    """The cells whose last report it is, as far as is known: the two smallest, if the reporter was there."""
    known = {cell: seen[cell].last_report or 0 for cell in report.cells if cell in seen}
    two = report.cells[:2] if report.active else []
    return [cell for cell in two if known.get(cell, 0) <= report.at]


def _report_transaction(
    report: Report, sender: Sender | None, changes: list[Update[Cell]]
) -> Transaction[Sender | Cell | Marker]:
    admitted = Sender.admitted(report.block, report.cell, report.sent, sender)
    marker = [Put(Marker.of(report.cell, report.at))] if report.active else []
    return transaction(admitted, *changes, *marker)


PAUSE: Final = 900
MOST_A_DAY: Final = 3
_DAY: Final = 86_400


class Sender(Entity, table=heatmap):
    """A block of network addresses that sent reports within a day."""

    block: Annotated[str, Field(min_length=1, examples=["192.000/000"])]
    reports: Annotated[int, Attribute("Reports")] = 0
    last_report: Annotated[int, Attribute("LastReport")]
    last_cell: Annotated[str, Attribute("LastCell")]
    expires: Annotated[int, Attribute("TimeToLive"), TTL()]

    primary = Key("ShIp#{block}", "day")

    @access()
    @classmethod
    def one(cls, block: str) -> Get[Sender]:
        """The reports of an address within a day."""
        return cls.primary.get(block=block)

    @classmethod
    def admitted(cls, block: str, cell: str, now: int, seen: Sender | None) -> Update[Sender]:
        """Count one more report from an address: three a day, with a quarter of an hour between them.

        `seen` is the sender as it was read last; if its day has passed, another one begins.
        """
        change = cls.primary.update(block=block).set(last_report=now, last_cell=cell)
        if seen is not None and seen.expires <= now:
            return change.set(reports=1, expires=now + _DAY).when(F.expires == seen.expires)
        change = change.add(reports=1).apply(F.expires.set(F.expires.if_not_exists(now + _DAY))).upsert()
        paused = (F.reports < MOST_A_DAY) & (F.last_report <= now - PAUSE) & (F.expires > now)
        return change.when(F.reports.missing() | paused)
