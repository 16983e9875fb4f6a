"""Loads generated data, and records how far a load has come, so that an interrupted one resumes where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from uuid import uuid4

from pksk import (
    AlreadyExists,
    ConditionFailed,
    DesignError,
    Entity,
    F,
    Key,
    ServiceError,
    Store,
    Table,
    TableMissing,
    Update,
)

_SLICE = 500

# A table of its own, so that these items never appear among those of a system.
loads = Table("example-loads", sk=None)


class LoadConflict(Exception):
    """The target holds other items, or another load is running or was started there."""


class Loading(Entity, table=loads, items=5):
    """The load of one system: how many items it has, how many are stored, and whether it has ended.

    `run` identifies the process that loads. Another process takes over by writing its own, and the first one stops.
    """

    system: str
    items: int
    run: str
    stored: int = 0
    ended: bool = False

    primary = Key("{system}")

    def record(self, db: Store, stored: int, *, ended: bool = False) -> None:
        """Record how many items are stored; raises `LoadConflict` if another process has taken over."""
        try:
            db.update(self._change().set(stored=stored, ended=ended).when(F.run == self.run))
        except ConditionFailed:
            raise LoadConflict(
                f"Another load of {self.system} is running here, so this one has stopped.\n"
                "Fix: wait for the other one."
            ) from None

    def taken_over_by(self, db: Store, run: str) -> Loading:
        """The same load with another process, or as it has ended."""
        try:
            return db.update(self._change().set(run=run).when(F.ended == False))  # noqa: E712 - a condition
        except ConditionFailed:
            return self.model_copy(update={"ended": True})

    def _change(self) -> Update[Loading]:
        return Loading.primary.update(system=self.system)


def find_load(db: Store, system: str) -> Loading | None:
    """The load of a system that was started here, or None."""
    try:
        return db.get(Loading.primary.get(system=system).consistently())
    except TableMissing:
        return None


def start_or_resume(db: Store, system: str, items: int, tables: Iterable[Table]) -> tuple[Loading, bool]:
    """A load of this size, and whether it was started before.

    It is recorded before any table of the system is created, so that an interrupted load never looks complete. Raises
    `LoadConflict` if the tables hold other items, or a load of another size was started.
    """
    db.ensure_tables(loads)
    run = uuid4().hex
    started = find_load(db, system)
    if started is None:
        _check_empty(db, tables)
        try:
            return db.create(Loading(system=system, items=items, run=run)), False
        except AlreadyExists:
            started = find_load(db, system)
    assert started is not None
    if started.items != items:
        raise LoadConflict(
            f"--items {items}: a load of {started.items} items was started here, and the two would be mixed.\n"
            f"Fix: give --items {started.items}, or load into another --target."
        )
    return (started if started.ended else started.taken_over_by(db, run)), True


def _check_empty(db: Store, tables: Iterable[Table]) -> None:
    for table in tables:
        if has_items(db, table):
            raise LoadConflict(
                f"The table {table.name!r} has items that no load has stored, and they would be mixed.\n"
                "Fix: load into another --target, or before anything else is stored."
            )


def has_items(db: Store, table: Table) -> bool:
    """Whether a table exists and is not empty."""
    try:
        return bool(db.client.call("Scan", {"TableName": table.name, "Limit": 1})["Items"])
    except ServiceError as error:
        if error.code != "ResourceNotFoundException":
            raise
        return False


def load(
    db: Store,
    entities: Iterable[Entity],
    on_progress: Callable[[int], None] | None = None,
    *,
    resumed: bool = False,
) -> int:
    """Store entities, and return how many; `on_progress` is called with the number stored so far.

    Batches are used where the entity allows it. If the load is `resumed`, some of the first items may exist already.
    """
    without_batches: set[type[Entity]] = set()
    count = 0
    for part in _slices(iter(entities)):
        for entity in dict.fromkeys(map(type, part)):
            _put(
                db, entity, [each for each in part if type(each) is entity], without_batches, resumed=resumed
            )
        count, resumed = count + len(part), False
        if on_progress is not None:
            on_progress(count)
    return count


def _put(
    db: Store, entity: type[Entity], items: list[Entity], without_batches: set[type[Entity]], *, resumed: bool
) -> None:
    if not resumed and entity not in without_batches:
        try:
            db.batch_put(*items)
        except DesignError:
            # References and unique values need conditions, which batches do not have.
            without_batches.add(entity)
        else:
            return
    for each in items:
        with suppress(AlreadyExists):
            db.create(each)


def _slices(entities: Iterator[Entity]) -> Iterator[list[Entity]]:
    while part := list(islice(entities, _SLICE)):
        yield part
