"""How far the load of a system has come, so that one that was interrupted goes on where it was."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import uuid4

from pksk import (
    AlreadyExists,
    ConditionFailed,
    Entity,
    F,
    Key,
    ServiceError,
    Store,
    Table,
    TableMissing,
    Update,
)

__all__ = ["Loading", "OtherLoad", "begun", "has_items", "taken_up"]

# Beside the tables of the systems, and not in one of them: nothing of it is in their answers.
loads = Table("example-loads", sk=None)


class OtherLoad(Exception):
    """What is there, or goes on there, is something else than the load that is asked for."""


class Loading(Entity, table=loads, items=5):
    """The load of one system: how many items were asked for, how many are stored, and whether it has ended.

    `run` is the process that is at it. Another one takes it up by writing its own, and then the first one stops.
    """

    system: str
    items: int
    run: str
    stored: int = 0
    ended: bool = False

    primary = Key("{system}")

    def note(self, db: Store, stored: int, *, ended: bool = False) -> None:
        """Note how far it has come; raises `OtherLoad` where another process has taken it up."""
        try:
            db.update(self._change().set(stored=stored, ended=ended).when(F.run == self.run))
        except ConditionFailed:
            raise OtherLoad(
                f"Another load of {self.system} goes on here, and this one has stopped.\n"
                "Fix: wait for the other one."
            ) from None

    def taken_by(self, db: Store, run: str) -> Loading:
        """The load as another process goes on with it, or as it has ended."""
        try:
            return db.update(self._change().set(run=run).when(F.ended == False))  # noqa: E712 - a condition
        except ConditionFailed:
            return self.model_copy(update={"ended": True})

    def _change(self) -> Update[Loading]:
        return Loading.primary.update(system=self.system)


def begun(db: Store, system: str) -> Loading | None:
    """The load of a system as far as it has come, or None."""
    try:
        return db.get(Loading.primary.get(system=system).consistently())
    except TableMissing:
        return None


def taken_up(db: Store, system: str, items: int, tables: Iterable[Table]) -> tuple[Loading, bool]:
    """A new load, or the one that was begun, and whether it was; refused where there is something else.

    It is noted before any table of the system is made, so that what a kill leaves behind never looks like a whole.
    """
    db.ensure_tables(loads)
    run = uuid4().hex
    found = begun(db, system)
    if found is None:
        _check_empty(db, tables)
        try:
            return db.create(Loading(system=system, items=items, run=run)), False
        except AlreadyExists:
            found = begun(db, system)
    assert found is not None
    if found.items != items:
        raise OtherLoad(
            f"--items {items}: a load of {found.items} was begun here, and two of them would be mixed.\n"
            f"Fix: give --items {found.items}, or load into another --target."
        )
    return (found if found.ended else found.taken_by(db, run)), True


def _check_empty(db: Store, tables: Iterable[Table]) -> None:
    for table in tables:
        if has_items(db, table):
            raise OtherLoad(
                f"The table {table.name!r} has items that no load has stored, and they would be mixed.\n"
                "Fix: load into another --target, or before anything else is stored."
            )


def has_items(db: Store, table: Table) -> bool:
    """Whether a table is there and holds anything."""
    try:
        return bool(db.client.call("Scan", {"TableName": table.name, "Limit": 1})["Items"])
    except ServiceError as error:
        if error.code != "ResourceNotFoundException":
            raise
        return False
