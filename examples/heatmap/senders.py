"""Senders: how many reports one network address may send, which nobody needs an account for."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from pksk import TTL, Attribute, Entity, F, Get, Key, Update, access

from .cells import heatmap

__all__ = ["MOST_A_DAY", "PAUSE", "Sender"]

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
        """What an address sent within a day."""
        return cls.primary.get(block=block)

    @classmethod
    def admitted(cls, block: str, cell: str, now: int, seen: Sender | None) -> Update[Sender]:
        """One more report from an address: three a day, and a quarter of an hour between two.

        `seen` is the sender as it was when last looked at; where its day is over, another one begins.
        """
        change = cls.primary.update(block=block).set(last_report=now, last_cell=cell)
        if seen is not None and seen.expires <= now:
            return change.set(reports=1, expires=now + _DAY).when(F.expires == seen.expires)
        change = change.add(reports=1).apply(F.expires.set(F.expires.if_not_exists(now + _DAY))).upsert()
        paused = (F.reports < MOST_A_DAY) & (F.last_report <= now - PAUSE) & (F.expires > now)
        return change.when(F.reports.missing() | paused)
