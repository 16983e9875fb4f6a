"""A page of several ranges of rows, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from pksk.engine.core import Core
from pksk.engine.faults import validation
from pksk.engine.reading.key_range import KeyRange
from pksk.engine.reading.page import Evaluated, Page, evaluate
from pksk.engine.texts import partiql as texts
from pksk.limits import PAGE_BYTES

from .next_token import Start

__all__ = ["Part", "read_ranges"]

# What was asked of one range, and its rows.
Part: TypeAlias = tuple[Page, Evaluated]

# How many partitions one page reads, where several are named.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-operators.html
_PARTITIONS_A_PAGE: Final = 10


def read_ranges(
    core: Core, page: Page, ranges: Sequence[KeyRange], start: Start, *, whole: bool
) -> tuple[list[Part], Start | None]:
    """The rows of one page by their ranges, and where the next page begins, if there is one.

    Of a `whole` key each range has one item at most, so that nothing follows it.
    """
    if start.place >= len(ranges):
        raise validation(texts.NEXT_TOKEN)
    parts: list[Part] = []
    limit, room = page.limit, PAGE_BYTES
    with core.storage.reading() as reader:
        for place in range(start.place, min(len(ranges), start.place + _PARTITIONS_A_PAGE)):
            one = replace(page, low=ranges[place].low, high=ranges[place].high, limit=limit, room=room)
            if place == start.place and start.position:
                _go_on(one, start.position)
            found = evaluate(core, reader, one)
            parts.append((one, found))
            if found.more and not whole:
                return parts, Start(place, found.rows[-1].key)
            room -= found.size
            limit = None if limit is None else limit - len(found.rows)
            if limit == 0 or room < 0:
                break
    following = start.place + len(parts)
    return parts, Start(following) if following < len(ranges) else None


def _go_on(page: Page, position: bytes) -> None:
    """Begin after a row, which must be one of those that are read."""
    if position < page.low or (page.high is not None and position >= page.high):
        raise validation(texts.NEXT_TOKEN)
    page.after(position)
