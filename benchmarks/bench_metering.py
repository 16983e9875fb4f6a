"""What metering costs: the same calls with the meter that every engine has, and with one that notes nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from typing import Any

from benchmarks.engine_subjects import TABLE, filled, item, key
from benchmarks.timing import Contestant, Row, row
from pksk.engine import Engine
from pksk.engine.heat.meter import Meter
from pksk.engine.state.tally import BATCH_CALLS

ITEMS = 10_000
PARTITION = 100
# A prime, so that calls go over all keys in an order that repeats late.
STRIDE = 4001


class NoMeter(Meter):
    """Notes nothing."""

    __slots__ = ()

    def got(self, *_call: Any, **_named: Any) -> None:
        """Nothing."""

    def wrote(self, *_call: Any, **_named: Any) -> None:
        """Nothing."""


def run(quick: bool = False) -> list[Row]:
    """PutItem and GetItem on memory storage, over many keys and on one; a ratio of 0.95 is a cost of 5 %."""
    items = 1000 if quick else ITEMS
    metered, bare = filled(items=items), filled(items=items)
    bare._core.meter = NoMeter()
    rows: list[Row] = []
    for name, calls in (("PutItem", _puts), ("GetItem", _gets)):
        for keys, wide in (("many keys", items), ("one key", 1)):
            ours, theirs = _repeated(calls(metered, wide)), _repeated(calls(bare, wide))
            measured = row(f"{name}, {keys}, metered", ours, "without a meter", theirs, quick=quick)
            rows.append(measured | {each: measured[each] / BATCH_CALLS for each in ("ours_us", "peer_us")})
    return rows


def _repeated(call: Contestant) -> Contestant:
    """As many calls as are noted before they are counted, so that each turn bears its counting."""

    def calls() -> object:
        for _ in range(BATCH_CALLS):
            call()
        return None

    return calls


def _puts(engine: Engine, items: int) -> Contestant:
    numbers = count()

    def put() -> object:
        number = next(numbers)
        chosen = number * STRIDE % items
        new = item(chosen // PARTITION, chosen % PARTITION, number + 1)
        return engine.call("PutItem", {"TableName": TABLE, "Item": new})

    return put


def _gets(engine: Engine, items: int) -> Contestant:
    following: Callable[[], int] = count().__next__

    def get() -> object:
        chosen = following() * STRIDE % items
        return engine.call(
            "GetItem", {"TableName": TABLE, "Key": key(chosen // PARTITION, chosen % PARTITION)}
        )

    return get


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["metering", *sys.argv[1:]]))
