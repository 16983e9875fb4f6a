"""What was consumed, as a short table for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pksk.values import WireItem

if TYPE_CHECKING:
    from .heat import KeyHeat, TableHeat, VectorHeat

__all__ = ["as_text", "key_text"]

_LONGEST: Final = 48
# A mean that is exceeded by less is nothing to tell.
_SKEWED: Final = 1.5
# Nor is a key with a smaller share.
_TOLD: Final = 0.01


def as_text(tables: Mapping[str, TableHeat], keys: int) -> str:
    """All tables that were called, each with its indexes."""
    lines: list[str] = []
    for table in tables.values():
        for title, heat in (
            (table.name, table),
            *((f"{table.name} / {n}", i) for n, i in table.indexes.items()),
        ):
            if heat.reads.calls or heat.writes.calls:
                lines += ([""] if lines else []) + [title, *_described(heat, keys)]
        for name, vectors in table.vectors.items():
            lines += ([""] if lines else []) + [f"{table.name} / {name}", *_vectors(vectors)]
    return "\n".join(lines) or "nothing was called"


def _described(heat: TableHeat, keys: int) -> Iterator[str]:
    for verb, side in (("read", heat.reads), ("write", heat.writes)):
        if not side.calls:
            continue
        yield f"  {verb:<9} {_number(side.units)} units in {_counted(side.calls, 'call')}"
        if side.skew >= _SKEWED:
            parts = len(heat.partitions)
            yield f"    skew    the busiest of {parts} partitions takes {side.skew:.1f} times the mean"
        yield from _listed("keys", side.keys[:keys])
        # Where a partition key has one item only, both lists are the same.
        if [each.units for each in side.items[:keys]] != [each.units for each in side.keys[:keys]]:
            yield from _listed("items", side.items[:keys])
    if heat.scans.calls:
        yield f"  scans     {_number(heat.scans.units)} units in {_counted(heat.scans.calls, 'page')}"
    if heat.unbounded.calls:
        pages = _counted(heat.unbounded.calls, "page")
        yield f"  queries   {_number(heat.unbounded.units)} units in {pages} that ended with 1 MB and no limit"
        yield from _listed("keys", heat.unbounded.keys[:keys])


def _vectors(heat: VectorHeat) -> Iterator[str]:
    for verb, size, calls in (
        ("search", heat.search_bytes, heat.searches),
        ("write", heat.write_bytes, heat.writes),
    ):
        if calls:
            yield f"  {verb:<9} {_number(size)} bytes of vectors in {_counted(calls, 'call')}"


def _listed(title: str, hottest: Sequence[KeyHeat]) -> Iterator[str]:
    shown = [each for each in hottest if each.share >= _TOLD]
    if hottest and not shown:
        yield f"    {title:<7} none takes {_TOLD:.0%}"
    names = [key_text(each.key) for each in shown]
    width = max(map(len, names), default=0)
    for place, (name, each) in enumerate(zip(names, shown, strict=True)):
        yield f"    {title if not place else '':<7} {name:<{width}}  {_number(each.units):>8}  {each.share:6.1%}"


def key_text(key: WireItem) -> str:
    """A key in one line, such as pk=CUST#7 sk=ORDER#1."""
    text = " ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())
    if not text.isprintable():
        text = ascii(text)[1:-1]
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")
