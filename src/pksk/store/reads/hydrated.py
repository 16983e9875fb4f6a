"""Reads whole items from the table behind rows of an index, and looks twice before it leaves one out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pksk.store.reads.batch_get import batch_get_items
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["Still", "hydrated"]

# An item of the table if it is still what was asked for; None where it is gone, or is no longer that.
Still: TypeAlias = "Callable[[WireItem | None], WireItem | None]"


def hydrated(
    core: Core, table: str, rows: Sequence[tuple[Mapping[str, Any], Still]], about: Any
) -> Steps[list[WireItem | None]]:
    """The item of each row, by its key; None where it is gone, or no longer what was asked for.

    An eventually consistent read may come from a replica that is behind the index. So those that would be left out
    are read once more, consistently.
    """
    keys = [key for key, _ in rows]
    items = yield from batch_get_items(core, table, keys, about)
    found = [still(item) for (_, still), item in zip(rows, items, strict=True)]
    lost = [place for place, item in enumerate(found) if item is None]
    if lost:
        again = yield from batch_get_items(
            core, table, [keys[place] for place in lost], about, consistent=True
        )
        for place, item in zip(lost, again, strict=True):
            found[place] = rows[place][1](item)
    return found
