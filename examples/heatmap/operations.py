"""The operations: take a report or reject it, and read the points of a map."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from pksk import ConditionFailed, Store, TransactionFailed
from pksk.cells import Box, decode, distance_m, encode

from .cells import Cell
from .errors import ReporterTooFar, ReportInFuture, ReportTooOld, TooMany, TooSoon
from .periods import half_year, seconds
from .reports import MOST_A_DAY, PAUSE, Report, Sender, count, touch
from .views import LENGTHS

# The report was counted; only moved the time of the last report; or was sent before and changed nothing.
Outcome: TypeAlias = Literal["counted", "touched", "repeated"]

NEAR_KM: Final = 10
FAR_KM: Final = 161
# How many seconds the reporter's clock may be ahead.
_AHEAD: Final = 300
# Each failed attempt reveals the current state of one more item.
_ATTEMPTS: Final = 20


@dataclass(frozen=True)
class Reporter:
    """A reporter: a block of network addresses, and a location that is precise or derived from the address."""

    block: str
    lat: float
    lng: float
    precise: bool = True


def report(
    db: Store, lat: float, lng: float, at: datetime, reporter: Reporter, *, now: datetime | None = None
) -> Outcome:
    """Take a report of a place at a moment; raises `ReportRejected` if it cannot be taken.

    `now` is the current time, by default that of this machine. A report may be late, but at most five minutes
    early. The limits of a sender depend on when reports arrive, not on their moments.

    The first report of a day or night in a smallest cell is counted. A reporter who is known to be near also leaves
    a marker. If the same sender repeats a report within a quarter of an hour, nothing changes.
    """
    return submit_report(db, make_report(lat, lng, at, reporter, now=now))


def make_report(
    lat: float, lng: float, at: datetime, reporter: Reporter, *, now: datetime | None = None
) -> Report:
    """A report, checked as far as possible without reading."""
    now = now or datetime.now(UTC)
    _check_has_come(at, now)
    cell = encode(lat, lng, LENGTHS[-1])
    return Report(cell, seconds(at), seconds(now), reporter.block, active=_is_near(lat, lng, reporter))


def submit_report(db: Store, new_report: Report) -> Outcome:
    """Take a report that was made before; raises `ReportRejected` if what is stored does not allow it."""
    known = _StoredState.read(db, new_report)
    for attempt in range(1, _ATTEMPTS + 1):
        if known.was_sent(new_report):
            return "repeated"
        known.check(new_report)
        counts = known.counts(new_report)
        try:
            db.run((count if counts else touch)(new_report, known.sender, known.cells))
        except TransactionFailed as failed:
            if attempt == _ATTEMPTS:
                raise
            known.learn(failed)
        else:
            return "counted" if counts else "touched"
    raise AssertionError("the last attempt returns or raises")


class _StoredState:
    """The stored state, as far as it was read or learnt from a failed transaction.

    Every write checks that it is current.
    """

    def __init__(self, sender: Sender | None, smallest: Cell | None) -> None:
        self.sender = sender
        self.cells = {} if smallest is None else {smallest.cell: smallest}

    @classmethod
    def read(cls, db: Store, report: Report) -> _StoredState:
        """Read the sender and the smallest cell, which decide most: this costs one unit, a failed transaction many."""
        return cls(db.get(Sender.one(report.block)), db.get(Cell.one(report.cell)))

    def learn(self, failed: TransactionFailed) -> None:
        """Keep the items on which a transaction failed."""
        for each in failed.failures.values():
            if not isinstance(each, ConditionFailed):
                raise each
            if isinstance(each.item, Sender):
                self.sender = each.item
            elif isinstance(each.item, Cell):
                self.cells[each.item.cell] = each.item
            else:
                # An item has expired meanwhile.
                self.sender, self.cells = None, {}
                return

    def counts(self, report: Report) -> bool:
        """Whether a report counts: it is the first of its day or night, as far as is known."""
        smallest = self.cells.get(report.cell)
        return smallest is None or smallest.period is None or smallest.period < report.period.number

    def was_sent(self, report: Report) -> bool:
        """Whether the sender has sent this report before."""
        sender = self.sender
        return sender is not None and sender.last_cell == report.cell and _is_soon(sender, report)

    def check(self, report: Report) -> None:
        """Raise an error if the known state does not allow a report."""
        sender = self.sender
        if sender is not None and sender.expires > report.sent:
            if _is_soon(sender, report):
                wait = sender.last_report + PAUSE - report.sent
                raise TooSoon(f"{report.block} has sent a report just now. Fix: try again in {wait} seconds.")
            if sender.reports >= MOST_A_DAY:
                wait = sender.expires - report.sent
                raise TooMany(
                    f"{report.block} has sent {sender.reports} reports within a day. "
                    f"Fix: try again in {wait} seconds."
                )
        present = half_year(datetime.fromtimestamp(report.sent, UTC))
        newest = max([present, *(each.half for each in self.cells.values())])
        if newest > report.period.half + 1:
            raise ReportTooOld(f"The report of {report.cell} is of a half-year that is no longer counted.")


def _is_soon(sender: Sender, report: Report) -> bool:
    # True also if the last report was taken by a machine whose clock is ahead.
    return report.sent < sender.last_report + PAUSE


def _check_has_come(at: datetime, now: datetime) -> None:
    if seconds(at) > seconds(now) + _AHEAD:
        raise ReportInFuture(f"{at} has not come yet, it is {now}. Fix: set the reporter's clock.")


def _is_near(lat: float, lng: float, reporter: Reporter) -> bool:
    """Whether the reporter was there; raises an error if they cannot have seen it."""
    encode(reporter.lat, reporter.lng, LENGTHS[-1])  # raises an error if it is not a position
    away = distance_m(lat, lng, reporter.lat, reporter.lng) / 1000
    if away > FAR_KM:
        raise ReporterTooFar(
            f"The reporter is {away:,.0f} km away, and reports are taken from up to {FAR_KM} km. "
            "Fix: report from there; check that latitude and longitude are not swapped."
        )
    return reporter.precise and away <= NEAR_KM


@dataclass(frozen=True)
class Point:
    """The centre of a cell, how much was reported in it, and how long ago the last time, if that is known."""

    lat: float
    lng: float
    intensity: float
    age_seconds: int | None = None

    @classmethod
    def of(cls, cell: Cell, at: datetime) -> Point:
        """The point of a cell at a moment."""
        lat, lng = decode(cell.cell).centre
        age = None if cell.last_report is None else max(0, seconds(at) - cell.last_report)
        return cls(lat, lng, cell.intensity(at), age)


def heat(db: Store, view: Box, at: datetime, zoom: float | None = None) -> list[Point]:
    """The points of a view at a zoom of a web map, hottest first; without a zoom, of cells that fit a screen.

    Clients get places and not cells, so how these are stored stays with the server.
    """
    points = (Point.of(each, at) for each in db.iter(Cell.in_view(view, zoom)))
    return sorted((each for each in points if each.intensity), key=lambda each: -each.intensity)
