"""Follows how partitions grow, and splits those that hold too much."""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING, Final

from pksk.engine.storage import SpaceMissing, StorageClosed, StorageProblem

from .split import partition_size, partitioned_rows, split_partition, total_size

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.state.table import Table
    from pksk.engine.state.write import Outcome, Write

__all__ = ["Growth"]

_LOG: Final = logging.getLogger("pksk.engine")
# Of a table that was not looked at yet, this part of a partition's bytes is written before it is: looking
# makes a file count all its rows.
_UNMEASURED_SHARE: Final = 64
# One that could not be split is tried again when it has grown by so much.
_RETRY_GROWTH: Final = 1.1


class Growth:
    """Bytes of partitions, as far as anyone must know them; they stand with each table.

    For each table there is the room that it and its indexes have for sure. Only when that is used up
    are totals asked for; only where a total exceeds what one partition may hold are partitions
    counted, once, and kept up from then on.
    """

    __slots__ = ("_keeping", "_looking")

    def __init__(self) -> None:
        self._keeping, self._looking = Lock(), Lock()

    def grew(self, core: Core, write: Write, outcome: Outcome) -> None:
        """Follow a write that was stored; splits what has become too large. Never fails."""
        room = write.table.room
        old = outcome.old
        grown = outcome.new_size if old is None else outcome.new_size - old.size
        if room.sizes:
            self._keep(write, outcome, grown)
        for entry in outcome.entries:
            grown += max(0, entry.after - entry.before)
        if grown > 0:
            room.left -= grown
            if room.left < 0:
                self._look(core, write.table)

    def _keep(self, write: Write, outcome: Outcome, grown: int) -> None:
        """Keep up the bytes of partitions that were counted; those that were not yet will be."""
        table = write.table
        counted = table.room.sizes
        with self._keeping:
            sizes = counted.get(table.rows.space)
            if sizes is not None:
                grown += sum(each.after - each.before for each in outcome.entries if each.rows.kind == "lsi")
                number = table.partitions.find(write.key).number
                if number in sizes:
                    sizes[number] += grown
            for entry in outcome.entries:
                sizes = counted.get(entry.rows.space)
                partitions = table.index_partitions.get(entry.rows.name or "")
                if sizes is not None and partitions is not None:
                    number = partitions.find(entry.key).number
                    if number in sizes:
                        sizes[number] += entry.after - entry.before

    def _look(self, core: Core, table: Table) -> None:
        room, limit = table.room, core.settings.partitioning.partition_bytes
        if not room.seen:
            room.seen = True
            room.left += limit // _UNMEASURED_SHARE
            if room.left >= 0:
                return
        # Whoever comes while another looks goes on: the room is still used up for the next one.
        if not self._looking.acquire(blocking=False):
            return
        try:
            indexes = [name for name in table.index_partitions if name in table.indexes]
            room.left = min(self._room_of(core, table, name, limit) for name in (None, *indexes))
            self._forget(table)
        except (KeyError, SpaceMissing, StorageClosed):  # an index or the table was deleted meanwhile
            room.left = 0
        except StorageProblem as problem:  # such as a full disk
            _LOG.warning("splitting partitions of %s failed: %s", table.name, problem)
            room.left = limit // _UNMEASURED_SHARE
        except Exception:
            # The write is stored and answered; a split can wait.
            _LOG.exception("splitting partitions of %s failed", table.name)
            room.left = limit // _UNMEASURED_SHARE
        finally:
            self._looking.release()

    def _room_of(self, core: Core, table: Table, index_name: str | None, limit: int) -> float:
        """By how many bytes a table or an index can grow before any of its partitions must be split."""
        rows, _ = partitioned_rows(table, index_name)
        room = table.room
        if rows.space not in room.sizes:
            with core.storage.reading() as reader:
                total = total_size(reader, table, rows).size
            if total <= limit:
                return limit - total
        while True:
            sizes = self._counted(core, table, index_name)
            tried = {number: room.stuck.get((rows.space, number), limit) for number in sizes}
            large = next((number for number, size in sizes.items() if size > tried[number]), None)
            if large is None:
                return min(tried[number] - size for number, size in sizes.items())
            if split_partition(core, table, index_name, large) is None:
                room.stuck[rows.space, large] = sizes[large] * _RETRY_GROWTH

    def _counted(self, core: Core, table: Table, index_name: str | None) -> dict[int, int]:
        """The bytes of all partitions that there are now; those that were not counted yet are."""
        rows, partitions = partitioned_rows(table, index_name)
        with self._keeping:
            sizes = table.room.sizes.setdefault(rows.space, {})
            for gone in sizes.keys() - {part.number for part in partitions}:
                del sizes[gone]
            new = [part for part in partitions if part.number not in sizes]
            # Before they are read, so that no write is missed; one that is stored just now may count twice.
            sizes.update(dict.fromkeys((part.number for part in new), 0))
        try:
            with core.storage.reading() as reader:
                found = {part.number: partition_size(reader, table, rows, part).size for part in new}
        except BaseException:
            table.room.sizes.pop(rows.space, None)
            raise
        with self._keeping:
            for number, size in found.items():
                sizes[number] += size
            return dict(sizes)

    def _forget(self, table: Table) -> None:
        """Forget indexes that are gone, and partitions that have split."""
        room = table.room
        with self._keeping:
            for space in room.sizes.keys() - {rows.space for rows in (table.rows, *table.indexes.values())}:
                del room.sizes[space]
            for space, number in list(room.stuck):
                if number not in room.sizes.get(space, ()):
                    del room.stuck[space, number]
