"""How far the load of a system has come, so that one that was interrupted goes on where it was."""

from __future__ import annotations

from collections.abc import Iterable

from pksk import Entity, Key, Store, Table

__all__ = ["Loading", "NotALoad", "begin", "begun", "check_size", "loads"]

# Beside the tables of the systems, and not in one of them: nothing of it is in their answers.
loads = Table("example-loads", sk=None)


class Loading(Entity, table=loads, items=5):
    """The load of one system: how many items were asked for, how many of them are stored, and whether it has ended."""

    system: str
    items: int
    stored: int = 0
    ended: bool = False

    primary = Key("{system}")


class NotALoad(Exception):
    """What is there is something else than the load that is asked for; nothing was stored."""


def begun(db: Store, system: str) -> Loading | None:
    """The load of a system as far as it has come, or None."""
    return db.get(Loading.primary.get(system=system).consistently())


def begin(db: Store, system: str, items: int, tables: Iterable[Table]) -> Loading:
    """A new load; refused where something is there that no load has stored."""
    for table in tables:
        if db.client.call("Scan", {"TableName": table.name, "Limit": 1})["Items"]:
            raise NotALoad(
                f"The table {table.name!r} has items that no load has stored, and they would be mixed.\n"
                "Fix: load into another --target, or before anything else is stored."
            )
    return db.create(Loading(system=system, items=items))


def check_size(loading: Loading, items: int) -> None:
    """Refuse a load of another size than the one that was begun."""
    if loading.items != items:
        raise NotALoad(
            f"--items {items}: a load of {loading.items} was begun here, and two of them would be mixed.\n"
            f"Fix: give --items {loading.items}, or load into another --target."
        )
