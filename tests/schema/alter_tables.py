"""Alterations carried out on an engine, call by call."""

from __future__ import annotations

from typing import Any

from pksk.engine import Engine
from pksk.engine.settings import Delays
from pksk.schema import Table
from pksk.schema.alterations import Alterations, alterations

__all__ = ["START", "altered", "created", "described", "settle"]

START = 1_790_000_000.0


class Waiting:
    """A clock that is moved on until a table has settled."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def created(table: Table, delays: Delays | None = None, clock: Waiting | None = None) -> Engine:
    """An engine with the table, settled."""
    engine = Engine.open(clock=clock or Waiting(), delays=delays)
    engine.call("CreateTable", table.create_request())
    settle(engine, table.name, clock)
    if table.ttl is not None:
        engine.call("UpdateTimeToLive", table.ttl_request() or {})
        settle(engine, table.name, clock)
    return engine


def described(engine: Engine, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    request = {"TableName": name}
    return engine.call("DescribeTable", request), engine.call("DescribeTimeToLive", request)


def altered(engine: Engine, declared: Table, clock: Waiting | None = None, **options: Any) -> Alterations:
    """Carry out all steps; only the differences that were reported as impossible remain."""
    made = alterations(declared, *described(engine, declared.name), **options)
    for step in made.steps:
        if clock is not None:
            clock.now += step.cooldown_seconds
        engine.call(step.operation, step.request)
        settle(engine, declared.name, clock)
    left = declared.differences(*described(engine, declared.name))
    undeclared = [f"index {name!r}: not declared, the table has it" for name in made.extra]
    impossible = [
        line for line in made.differences if any(each.startswith(f"{line}; ") for each in made.impossible)
    ]
    assert sorted(left) == sorted([*undeclared, *impossible])
    return made


def settle(engine: Engine, name: str, clock: Waiting | None) -> None:
    """Let time go by until the table, its indexes and its time to live are as they will be."""
    while clock is not None and _busy(*described(engine, name)):
        clock.now += 5


def _busy(description: dict[str, Any], ttl: dict[str, Any]) -> bool:
    table = description["Table"]
    indexes = [*table.get("GlobalSecondaryIndexes", ()), *table.get("VectorIndexes", ())]
    states = {table["TableStatus"], *(index["IndexStatus"] for index in indexes)}
    return states != {"ACTIVE"} or ttl["TimeToLiveDescription"]["TimeToLiveStatus"].endswith("ING")
