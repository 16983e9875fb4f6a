"""Reporting: takes a report, or says why not; the same one twice is taken once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from pksk import ConditionFailed, Store, TransactionFailed

from .cells import Cell
from .geohash import check_place, distance_km, encode
from .periods import half_year, seconds
from .reports import Report, count, touch
from .senders import MOST_A_DAY, PAUSE, Sender
from .views import LENGTHS

__all__ = [
    "NotYet",
    "OutOfDate",
    "Outcome",
    "ReportRefused",
    "Reporter",
    "TooFar",
    "TooMany",
    "TooSoon",
    "draw_up",
    "hand_in",
    "report",
]

# Counted; only the time of the last report moved; or it was sent before, and nothing changed.
Outcome: TypeAlias = Literal["counted", "touched", "repeated"]

NEAR_KM: Final = 10
FAR_KM: Final = 161
# So many seconds the clock of whoever reports may be ahead.
_AHEAD: Final = 300
# Each attempt learns what the one before did not know, which is one thing of each item.
_ATTEMPTS: Final = 20


class ReportRefused(Exception):
    """A report that is not taken; nothing was changed."""


class TooFar(ReportRefused):
    """The reporter is too far from the place."""


class TooSoon(ReportRefused):
    """The sender reported another place within a quarter of an hour."""


class TooMany(ReportRefused):
    """The sender has sent as many reports as it may in a day."""


class OutOfDate(ReportRefused):
    """The report is older than what is counted still."""


class NotYet(ReportRefused):
    """The moment of the report has not come; counted, it would make all that come before it too old."""


@dataclass(frozen=True)
class Reporter:
    """Who reports: a block of network addresses, and where they are: precisely, or as far as the address tells."""

    block: str
    lat: float
    lng: float
    precise: bool = True


def report(
    db: Store, lat: float, lng: float, at: datetime, reporter: Reporter, *, now: datetime | None = None
) -> Outcome:
    """Take a report of a place at a moment; raises `ReportRefused` where it cannot be.

    `now` is what the clock shows, without it that of this machine. A report may come late, and no more than five
    minutes too early. How much one sender may send goes by when it comes, whatever moment it is of.

    It is counted if it is the first of this day or night in its smallest cell. A reporter who is known to be near also
    leaves a marker. Within a quarter of an hour the same sender may send it again, and nothing changes.
    """
    return hand_in(db, draw_up(lat, lng, at, reporter, now=now))


def draw_up(
    lat: float, lng: float, at: datetime, reporter: Reporter, *, now: datetime | None = None
) -> Report:
    """A report as it would be written; raises what can be told without asking what is stored."""
    now = now or datetime.now(UTC)
    _check_has_come(at, now)
    cell = encode(lat, lng, LENGTHS[-1])
    return Report(cell, seconds(at), seconds(now), reporter.block, active=_is_near(lat, lng, reporter))


def hand_in(db: Store, made: Report) -> Outcome:
    """Take a report that was drawn up; raises `ReportRefused` where what is stored does not allow it."""
    known = _Known.read(db, made)
    for attempt in range(1, _ATTEMPTS + 1):
        if known.was_sent(made):
            return "repeated"
        known.check(made)
        counts = known.counts(made)
        try:
            db.run((count if counts else touch)(made, known.sender, known.cells))
        except TransactionFailed as failed:
            if attempt == _ATTEMPTS:
                raise
            known.learn(failed)
        else:
            return "counted" if counts else "touched"
    raise AssertionError("the last attempt returns or raises")


class _Known:
    """What is stored, as far as it was read or a refused transaction has told; every write asks whether it still is."""

    def __init__(self, sender: Sender | None, smallest: Cell | None) -> None:
        self.sender = sender
        self.cells = {} if smallest is None else {smallest.cell: smallest}

    @classmethod
    def read(cls, db: Store, report: Report) -> _Known:
        """The sender and the smallest cell, which decide most: one unit, and a refused transaction costs many."""
        return cls(db.get(Sender.one(report.block)), db.get(Cell.one(report.cell)))

    def learn(self, failed: TransactionFailed) -> None:
        """Keep what stood in the way."""
        for each in failed.failures.values():
            if not isinstance(each, ConditionFailed):
                raise each
            if isinstance(each.item, Sender):
                self.sender = each.item
            elif isinstance(each.item, Cell):
                self.cells[each.item.cell] = each.item
            else:
                # What was known has expired since.
                self.sender, self.cells = None, {}
                return

    def counts(self, report: Report) -> bool:
        """Whether a report counts, being the first of its day or night as far as is known."""
        smallest = self.cells.get(report.cell)
        return smallest is None or smallest.period is None or smallest.period < report.period.number

    def was_sent(self, report: Report) -> bool:
        """Whether the sender has sent this one before."""
        sender = self.sender
        return sender is not None and sender.last_cell == report.cell and _is_soon(sender, report)

    def check(self, report: Report) -> None:
        """Refuse a report that what is known does not allow."""
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
            raise OutOfDate(f"The report of {report.cell} is of a half-year that is no longer counted.")


def _is_soon(sender: Sender, report: Report) -> bool:
    # Also where the clock of another machine, which took the last one, is ahead.
    return report.sent < sender.last_report + PAUSE


def _check_has_come(at: datetime, now: datetime) -> None:
    if seconds(at) > seconds(now) + _AHEAD:
        raise NotYet(f"{at} has not come yet, it is {now}. Fix: set the clock of who reports.")


def _is_near(lat: float, lng: float, reporter: Reporter) -> bool:
    """Whether the reporter was there; one who cannot have seen it is refused."""
    check_place(reporter.lat, reporter.lng)
    away = distance_km(lat, lng, reporter.lat, reporter.lng)
    if away > FAR_KM:
        raise TooFar(
            f"The reporter is {away:,.0f} km away, and reports are taken from up to {FAR_KM} km. "
            "Fix: report from there; check that latitude and longitude are not swapped."
        )
    return reporter.precise and away <= NEAR_KM
