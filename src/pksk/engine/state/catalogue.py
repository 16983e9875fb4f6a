"""All tables of an engine: found by name or ARN, and changed in memory and in storage together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Final

from pksk.engine.service_errors import resource_not_found
from pksk.engine.settings import Settings
from pksk.engine.storage import Storage, StorageProblem, Writer

from .arns import table_arn, table_name
from .table import Table
from .table_record import TableRecord, due_times, read_record, record_bytes, settle, status_of

_NOTE: Final = "table/"


class Catalogue:
    """The tables of one engine, in memory and as notes in its storage.

    A change is stored with the time at which it is done. A lookup is one dict access, plus one look at the
    clock while changes are in progress.
    """

    def __init__(self, storage: Storage, settings: Settings) -> None:
        self._storage = storage
        self._settings = settings
        self._clock = settings.clock
        self._tables: dict[str, Table] = {}
        # Tables whose items can be read and written, by name and by ARN.
        self._usable: dict[str, Table] = {}
        # Tables with a change in progress, and when the first of these is done.
        self._pending: set[str] = set()
        self._due: float | None = None
        # Deleted tables, whose notes the next change removes.
        self._deleted_names: set[str] = set()
        # Tables in an uncommitted change, which due changes leave alone.
        self._uncommitted: set[str] = set()
        self._lock = Lock()
        # One change at a time: memory and storage can differ until a change ends. Acquire this before the
        # storage, and never inside one of its blocks.
        self._changes = RLock()
        for data in storage.notes(_NOTE).values():
            record = read_record(data)
            self._register(Table.of(table_arn(settings, record["TableName"]), record))
        self._finish_due_changes()

    def table(self, name: str) -> Table:
        """The table with a name or ARN, for operations on items."""
        due = self._due
        if due is not None and self._clock() >= due:
            self._finish_due_changes()
        table = self._usable.get(name)
        if table is None:
            table = self._usable.get(table_name(self._settings, name))
            if table is None:
                raise resource_not_found()
        return table

    def table_in_any_state(self, name: str) -> Table:
        """The table with a name or ARN in any state, for operations on tables."""
        table = self.find(name)
        if table is None:
            raise resource_not_found(f"Table: {table_name(self._settings, name)}")
        return table

    def find(self, name: str) -> Table | None:
        """The table with a name or ARN in any state, or None."""
        self._finish_due_changes()
        return self._tables.get(table_name(self._settings, name))

    def name_of(self, name_or_arn: str) -> str:
        """The table name of a name or ARN."""
        return table_name(self._settings, name_or_arn)

    def names(self) -> list[str]:
        """The sorted names of all tables."""
        self._finish_due_changes()
        return sorted(self._tables)

    def all(self) -> list[Table]:
        """All tables, in any state."""
        self._finish_due_changes()
        return list(self._tables.values())

    @contextmanager
    def change(self) -> Iterator[Change]:
        """A block that changes tables, in storage and in memory, all or nothing."""
        with self._changes, self._change() as change:
            yield change

    @contextmanager
    def _change(self) -> Iterator[Change]:
        change: Change | None = None
        try:
            with self._storage.writing() as writer:
                self._finish_due_changes()
                with self._lock:
                    # Another table of that name may exist by now.
                    deleted = frozenset(self._deleted_names - self._tables.keys())
                    change = Change(self, writer, self._clock(), deleted)
                for name in change.deleted:
                    writer.note(_NOTE + name, None)
                yield change
        except BaseException as error:
            if not isinstance(error, Exception):
                self._storage.abandon()
            if change is not None:
                # An interrupt can come after the commit.
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
        """Finish the changes that are due."""
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
    """Changes of tables in one writing block, visible at once and undone if the block fails."""

    def __init__(self, catalogue: Catalogue, writer: Writer, now: float, deleted: frozenset[str]) -> None:
        self._catalogue = catalogue
        self._undo: list[Callable[[], None]] = []
        self.storage = catalogue._storage
        self.writer = writer
        self.now = now
        # Deleted tables whose notes it removes, and the notes that it stores.
        self.deleted = deleted
        self.stored: dict[str, bytes | None] = {}

    def create(self, record: TableRecord) -> Table:
        """Add the table of a record."""
        table = Table.of(table_arn(self._catalogue._settings, record["TableName"]), self._store(record))
        with self._catalogue._lock:
            self._catalogue._uncommitted.add(table.name)
            self._undo.append(lambda: self._catalogue._unregister(table))
            self._catalogue._register(table)
        return table

    def save(self, table: Table, record: TableRecord, *, in_storage: bool = True) -> None:
        """Replace the record of a table; with `in_storage=False`, remove it from storage."""
        before = table.record
        record = self._store(record)
        if not in_storage:
            self._note(table.name, None)
        with self._catalogue._lock:
            self._catalogue._uncommitted.add(table.name)
            self._undo.append(lambda: self._restore(table, before))
            table.load(record)
            self._catalogue._register(table)

    def undo(self) -> None:
        """Restore every table in memory."""
        for step in reversed(self._undo):
            step()

    def _restore(self, table: Table, before: TableRecord) -> None:
        table.load(before)
        self._catalogue._register(table)

    def _store(self, record: TableRecord) -> TableRecord:
        """Store a record and return a copy of what is stored."""
        data = record_bytes(record)
        self._note(record["TableName"], data)
        return read_record(data)

    def _note(self, name: str, data: bytes | None) -> None:
        self.writer.note(_NOTE + name, data)
        self.stored[name] = data
