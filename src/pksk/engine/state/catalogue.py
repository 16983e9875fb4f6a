"""All tables of an engine: found by name or ARN, changed in one transaction with what is stored of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Final

from pksk.engine.service_errors import ServiceError, service_error
from pksk.engine.settings import Settings
from pksk.engine.storage import Storage, StorageProblem, Writer
from pksk.engine.texts import tables as texts

from .arns import table_arn, table_name
from .table import Table
from .table_record import TableRecord, due_times, read_record, record_bytes, settle, status_of

__all__ = ["Catalogue", "Change", "table_not_found"]

_NOTE: Final = "table/"


class Catalogue:
    """The tables of one engine, in memory and as notes in its storage.

    A change is stored with the time at which it is done; a look-up costs one dict access while
    nothing is under way, and one glance at the clock while something is.
    """

    def __init__(self, storage: Storage, settings: Settings) -> None:
        self._storage = storage
        self._settings = settings
        self._clock = settings.clock
        self._tables: dict[str, Table] = {}
        # Those that items can be read from and written to, by name and by ARN.
        self._usable: dict[str, Table] = {}
        # Names of tables with a change under way, and when the first of these is done.
        self._pending: set[str] = set()
        self._due: float | None = None
        # Notes of tables that are gone, to be removed with the next change.
        self._deleted_names: set[str] = set()
        # Tables in a change that is not stored yet: nothing is done with them before it is.
        self._uncommitted: set[str] = set()
        self._lock = Lock()
        # One change after the other, to its end: what is in memory is behind what is stored, or ahead of it
        # where that failed, until it has been told. Taken before the storage, and never in a block of that.
        self._changes = RLock()
        for data in storage.notes(_NOTE).values():
            record = read_record(data)
            self._register(Table.of(table_arn(settings, record["TableName"]), record))
        self._finish_due_changes()

    def table(self, name: str) -> Table:
        """The table with this name or ARN, for operations on items."""
        due = self._due
        if due is not None and self._clock() >= due:
            self._finish_due_changes()
        found = self._usable.get(name)
        if found is None:
            found = self._usable.get(table_name(self._settings, name))
            if found is None:
                raise service_error("ResourceNotFoundException", texts.NO_TABLE)
        return found

    def table_in_any_state(self, name: str) -> Table:
        """The table with this name or ARN in whatever state, for operations on tables."""
        found = self.find(name)
        if found is None:
            raise table_not_found(table_name(self._settings, name))
        return found

    def find(self, name: str) -> Table | None:
        """The table with this name or ARN in whatever state, if there is one."""
        self._finish_due_changes()
        return self._tables.get(table_name(self._settings, name))

    def name_of(self, given: str) -> str:
        """The name that a table given by its name or ARN has here."""
        return table_name(self._settings, given)

    def names(self) -> list[str]:
        """The names of all tables, in order."""
        self._finish_due_changes()
        return sorted(self._tables)

    def all(self) -> list[Table]:
        """All tables, in whatever state."""
        self._finish_due_changes()
        return list(self._tables.values())

    @contextmanager
    def change(self) -> Iterator[Change]:
        """A block that changes tables: stored and in memory alike, all of it or nothing."""
        with self._changes, self._change() as change:
            yield change

    @contextmanager
    def _change(self) -> Iterator[Change]:
        change: Change | None = None
        try:
            with self._storage.writing() as writer:
                self._finish_due_changes()
                with self._lock:
                    # One of that name may have been made since the old one went.
                    gone = frozenset(self._deleted_names - self._tables.keys())
                    change = Change(self, writer, self._clock(), gone)
                for name in change.deleted:
                    writer.note(_NOTE + name, None)
                yield change
        except BaseException as error:
            if not isinstance(error, Exception):
                self._storage.abandon()
            if change is not None:
                # An interrupt can come when all is stored already.
                self._end(change, keep=not isinstance(error, Exception) and self._is_stored(change))
            raise
        self._end(change, keep=True)

    def _is_stored(self, change: Change) -> bool:
        try:
            notes = self._storage.notes(_NOTE)
        except StorageProblem:
            return False
        return all(notes.get(_NOTE + name) == data for name, data in change.stored.items())

    def _end(self, change: Change, *, keep: bool) -> None:
        with self._lock:
            self._uncommitted -= change.stored.keys()
            if keep:
                self._deleted_names -= change.deleted
            else:
                change.undo()

    def _finish_due_changes(self) -> None:
        """Do what is due by now."""
        if self._due is None:
            return
        with self._lock:
            now = self._clock()
            for name in self._pending - self._uncommitted:
                table = self._tables[name]
                record = settle(table.record, now)
                if record is None:
                    self._unregister(table)
                    self._deleted_names.add(name)
                else:
                    table.load(record)
                    self._register(table)
            self._schedule()

    def _register(self, table: Table) -> None:
        record = table.record
        self._tables[table.name] = table
        usable = status_of(record) not in {"CREATING", "DELETING"}
        for name in (table.name, table.arn):
            if usable:
                self._usable[name] = table
            else:
                self._usable.pop(name, None)
        if next(due_times(record), None) is None:
            self._pending.discard(table.name)
        else:
            self._pending.add(table.name)
        self._schedule()

    def _unregister(self, table: Table) -> None:
        for name in (table.name, table.arn):
            self._usable.pop(name, None)
        self._tables.pop(table.name, None)
        self._pending.discard(table.name)

    def _schedule(self) -> None:
        self._due = min(
            (due for name in self._pending for due in due_times(self._tables[name].record)), default=None
        )


class Change:
    """Changes of tables in one writing block; what it saves is seen at once, and undone if the block fails."""

    def __init__(self, catalogue: Catalogue, writer: Writer, now: float, gone: frozenset[str]) -> None:
        self._catalogue = catalogue
        self._undo: list[Callable[[], None]] = []
        self.storage = catalogue._storage
        self.writer = writer
        self.now = now
        # Tables whose notes it removes, and the notes that it leaves by their names.
        self.deleted = gone
        self.stored: dict[str, bytes | None] = {}

    def create(self, record: TableRecord) -> Table:
        """Add the table that a record stands for."""
        table = Table.of(table_arn(self._catalogue._settings, record["TableName"]), self._noted(record))
        with self._catalogue._lock:
            self._catalogue._uncommitted.add(table.name)
            self._undo.append(lambda: self._catalogue._unregister(table))
            self._catalogue._register(table)
        return table

    def save(self, table: Table, record: TableRecord, *, noted: bool = True) -> None:
        """Make a table what a record says; without a note it is gone when the engine is closed."""
        before = table.record
        record = self._noted(record)
        if not noted:
            self._note(table.name, None)
        with self._catalogue._lock:
            self._catalogue._uncommitted.add(table.name)
            self._undo.append(lambda: self._restore(table, before))
            table.load(record)
            self._catalogue._register(table)

    def undo(self) -> None:
        """Make every table in memory what it was."""
        for step in reversed(self._undo):
            step()

    def _restore(self, table: Table, before: TableRecord) -> None:
        table.load(before)
        self._catalogue._register(table)

    def _noted(self, record: TableRecord) -> TableRecord:
        """Store a record; what comes back is exactly what is stored, and nobody else's."""
        data = record_bytes(record)
        self._note(record["TableName"], data)
        return read_record(data)

    def _note(self, name: str, data: bytes | None) -> None:
        self.writer.note(_NOTE + name, data)
        self.stored[name] = data


def table_not_found(name: str) -> ServiceError:
    """What is said where a table is to be described or changed, and is not there."""
    return service_error("ResourceNotFoundException", texts.no_table(name))
