"""Watches how partitions grow, and splits those that hold too much."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from threading import Lock
from typing import TYPE_CHECKING, Final

from pksk.engine.storage import SpaceMissing, StorageClosed

from .measure import held, held_in_all, placed_rows
from .split import split_partition

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.tables.table import Table
    from pksk.engine.writes.write import Outcome, Write

__all__ = ["Growth"]

_LOG: Final = logging.getLogger("pksk.engine")
# Of a table that was not looked at yet, this part of a partition's bytes is written before it is: looking
# makes a file count all its rows.
_UNSEEN: Final = 64
# One that could not be split is tried again when it has grown by so much.
_AGAIN: Final = 1.1


class Growth:
    """Bytes of partitions, as far as anyone must know them.

    For each table there is the room that it and its indexes have for sure. Only when that is used up
    are totals asked for; only where a total exceeds what one partition may hold are partitions
    counted, once, and kept up from then on.
    """

    def __init__(self) -> None:
        # By the space of the table's own rows.
        self._room: dict[int, float] = {}
        # By space, the bytes of each partition by its number; only of spaces that are large.
        self._sizes: dict[int, dict[int, int]] = {}
        # By space and number: the bytes from which on a partition that could not be split is tried again.
        self._stuck: dict[tuple[int, int], float] = {}
        self._keeping, self._looking = Lock(), Lock()

    def grew(self, core: Core, write: Write, outcome: Outcome) -> None:
        """Follow a write that was stored; splits what has become too large. Never fails."""
        table = write.table
        space = table.rows.space
        grown = outcome.new_size - (0 if outcome.old is None else outcome.old.size)
        if self._sizes:
            self._keep(write, outcome, grown)
        for entry in outcome.entries:
            grown += max(0, entry.after - entry.before)
        if grown <= 0:
            return
        room = self._room.get(space)
        if room is None:
            room = _limit(core) // _UNSEEN
        self._room[space] = room = room - grown
        if room < 0:
            self._look(core, table)

    def _keep(self, write: Write, outcome: Outcome, grown: int) -> None:
        """Keep up the bytes of partitions that were counted."""
        table = write.table
        own = self._sizes.get(table.rows.space)
        with self._keeping:
            if own is not None:
                grown += sum(each.after - each.before for each in outcome.entries if each.rows.kind == "lsi")
                number = table.partitions.find(write.key).number
                own[number] = own.get(number, 0) + grown
            for entry in outcome.entries:
                sizes = self._sizes.get(entry.rows.space) if entry.rows.kind == "gsi" else None
                if sizes is not None and entry.rows.name in table.index_partitions:
                    number = table.index_partitions[entry.rows.name].find(entry.key).number
                    sizes[number] = sizes.get(number, 0) + entry.after - entry.before

    def _look(self, core: Core, table: Table) -> None:
        looking = False
        try:
            # Whoever comes while another looks goes on: the room is still used up for the next one.
            looking = self._looking.acquire(blocking=False)
            if not looking:
                return
            indexes = [name for name in table.index_partitions if name in table.indexes]
            rooms = [self._room_of(core, table, name) for name in (None, *indexes)]
            self._room[table.rows.space] = min(rooms)
        except (KeyError, SpaceMissing, StorageClosed):  # an index or the table was deleted meanwhile
            self._room.pop(table.rows.space, None)
        except Exception:
            # The write is stored and answered; a split can wait.
            _LOG.exception("splitting partitions of %s failed", table.name)
            self._room[table.rows.space] = _limit(core) // _UNSEEN
        finally:
            if looking:
                self._looking.release()

    def _room_of(self, core: Core, table: Table, index_name: str | None) -> float:
        """By how many bytes a table or an index can grow before any of its partitions must be split."""
        rows, partitions = placed_rows(table, index_name)
        limit, sizes = _limit(core), self._sizes.get(rows.space)
        if sizes is None:
            with core.storage.reading() as reader:
                total = held_in_all(reader, table, rows).size
                if total <= limit:
                    return limit - total
                sizes = {part.number: held(reader, table, rows, part).size for part in partitions}
            self._sizes[rows.space] = sizes
        while (large := next(self._too_large(rows.space, limit), None)) is not None:
            self._split(core, table, index_name, large)
        stuck = self._stuck
        return min(stuck.get((rows.space, each), limit) - size for each, size in sizes.items())

    def _too_large(self, space: int, limit: int) -> Iterator[int]:
        for number, size in self._sizes[space].items():
            if size > self._stuck.get((space, number), limit):
                yield number

    def _split(self, core: Core, table: Table, index_name: str | None, number: int) -> None:
        rows, partitions = placed_rows(table, index_name)
        sizes = self._sizes[rows.space]
        if partitions.get(number) is not None and split_partition(core, table, index_name, number) is None:
            self._stuck[rows.space, number] = sizes[number] * _AGAIN
            return
        self._count_anew(core, table, index_name)

    def _count_anew(self, core: Core, table: Table, index_name: str | None) -> None:
        """Forget partitions that have split, and count those that came of them."""
        rows, partitions = placed_rows(table, index_name)
        sizes = self._sizes[rows.space]
        with core.storage.reading() as reader:
            counted = {
                part.number: held(reader, table, rows, part).size
                for part in partitions
                if part.number not in sizes
            }
        with self._keeping:
            for gone in sizes.keys() - {part.number for part in partitions}:
                del sizes[gone]
            sizes.update(counted)


def _limit(core: Core) -> int:
    return core.settings.partitioning.partition_bytes
