"""Runs a call on a store over a client with faults, beside the same call without any."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from hypothesis import settings

from pksk import Engine, Retry, Store
from pksk.client import Client
from pksk.sending.driver import Driver
from pksk.store import Core
from tests.store.faults.design import TABLE, fill, now
from tests.store.faults.faulty import Faulty

__all__ = ["THOROUGH", "Patient", "Twin", "begun", "items", "run", "twin"]

# Many operations times many plans: more examples than usual, and each takes a few milliseconds.
THOROUGH: Final = settings(max_examples=max(30, settings().max_examples))

# All that is stored, by its key.
State = Mapping[str, Any]


class Patient(Store):
    """A store whose pauses take no time, and are noted."""

    def __init__(self, client: Client, *, retry: Retry | None = None, workers: int = 1) -> None:
        super().__init__(client, Core(retry=retry or Retry(), clock=now, secret=b"secret"))
        self.pauses: list[float] = []
        self._driver = Driver(client, workers=workers, pause=self.pauses.append)


class Twin(NamedTuple):
    """The effect of a call without faults."""

    before: State
    after: State
    ending: Any


def begun() -> Engine:
    """An engine with the design's table and its first items."""
    engine = Engine.open(clock=now)
    engine.call("CreateTable", TABLE.create_request())
    stored = _first_items()
    for start in range(0, len(stored), 25):
        puts = [{"PutRequest": {"Item": item}} for item in stored[start : start + 25]]
        engine.call("BatchWriteItem", {"RequestItems": {TABLE.name: puts}})
    return engine


@cache
def _first_items() -> list[dict[str, Any]]:
    engine = Engine.open(clock=now)
    fill(engine)
    found: list[dict[str, Any]] = engine.call("Scan", {"TableName": TABLE.name})["Items"]
    return found


def items(engine: Engine) -> dict[str, Any]:
    """All items of the table that have not expired, by their keys."""
    found = [
        item
        for item in engine.call("Scan", {"TableName": TABLE.name})["Items"]
        if float(item.get("until", {"N": "inf"})["N"]) > now()
    ]
    return {f"{item['pk']['S']} {item['sk']['S']}": _plain(item) for item in found}


def _plain(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: {"SS": sorted(wire["SS"])} if "SS" in wire else wire for name, wire in item.items()}


def run(call: Callable[[], Any]) -> Any:
    """What a call gives or raises."""
    try:
        return call()
    except Exception as error:
        return error


_TWINS: dict[int, Twin] = {}


def twin(operation: Callable[[Store], Any]) -> Twin:
    """The effect of an operation without faults, cached."""
    if id(operation) not in _TWINS:
        engine = begun()
        before = items(engine)
        ending = run(lambda: operation(Patient(Faulty(engine))))
        _TWINS[id(operation)] = Twin(before, items(engine), ending)
    return _TWINS[id(operation)]
