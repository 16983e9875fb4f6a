"""Reports: what one report changes, and how many reports one network address may send."""

from __future__ import annotations

from typing import Annotated

from pksk import TTL, Attribute, Entity, F, Get, Key, Transaction, Update, access, transaction

from .cells import LENGTHS, YEAR, Cell, Counter, heatmap

QUARTER_OF_AN_HOUR = 900
MOST_A_DAY = 3

_REPORT = {"cell": "gcpjfy6d", "counter": "first_half_days", "now": 1_735_689_600, "since": 1_735_668_000}


@access(rate="100,000,000/year", example=_REPORT)
def report(cell: str, counter: Counter, now: int, since: int) -> Transaction[Cell]:
    """The first report of a day or night in a smallest cell, which began at `since`, in it and its five parents.

    A second one in the same time fails on the smallest cell and so changes nothing: see Cell.touch.
    """
    first = F.last_report.missing() | (F.last_report < since)
    smallest = Cell.counted(cell, counter, now).set(last_report=now).when(first)
    parent = Cell.counted(cell[:-1], counter, now).set(last_report=now)
    others = (Cell.counted(cell[:length], counter, now) for length in LENGTHS if length < len(cell) - 1)
    return transaction(smallest, parent, *others)


@access(
    example={
        "cell": "gcpjfy6d",
        "counter": "first_half_days",
        "now": 1_735_689_600,
        "new_year": 1_735_689_600,
    }
)
def begin_half_year(cell: str, counter: Counter, now: int, new_year: int) -> Update[Cell]:
    """The first report of a half-year in a cell whose last one is of an earlier year: the counter begins anew."""
    change = Cell.primary.update(prefix=cell[:-3], suffix=cell[-3:]).set(**{counter: 1, "last_report": now})
    return change.set(expires=now + YEAR).when(F.last_report < new_year)


class Sender(Entity, table=heatmap):
    """A network address that sent reports today."""

    block: str
    reports: Annotated[int, Attribute("Reports")] = 0
    last_report: Annotated[int | None, Attribute("LastReport")] = None
    expires: Annotated[int, Attribute("TimeToLive"), TTL()]

    primary = Key("ShIp#{block}", "day")

    @access()
    @classmethod
    def one(cls, block: str) -> Get[Sender]:
        """What an address sent today."""
        return cls.primary.get(block=block)

    @access(rate="100,000,000/year", example={"block": "192.000/000", "now": 1_735_689_600})
    @classmethod
    def admit(cls, block: str, now: int) -> Update[Sender]:
        """One more report from an address: three a day, and a quarter of an hour between two."""
        change = cls.primary.update(block=block).add(reports=1).set(last_report=now).upsert()
        change = change.apply(F.expires.set(F.expires.if_not_exists(now + 86_400)))
        return change.when(
            F.reports.missing() | ((F.reports < MOST_A_DAY) & (F.last_report <= now - QUARTER_OF_AN_HOUR))
        )
