"""Fields with the names of request parameters: errors, hooks and meters work the same."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from pksk import Engine, Entity, Key, OutcomeUnknown, RequestStarted, RequestThrottled, Store, Table
from pksk.sending.driver import Driver
from pksk.store import Core
from tests.store.faults.faulty import Faulty

ODD = Table("odd")


class Odd(Entity, table=ODD):
    id: str
    members: int = 1
    entities: int = 2
    entity: str = "e"
    pattern: str = "p"
    kind: str = "k"
    request: str = "r"
    item: int = 3

    primary = Key("ODD#{id}", "META")


OPERATIONS: dict[str, Callable[[Store], Any]] = {
    "put": lambda db: db.put(Odd(id="1")),
    "create": lambda db: db.create(Odd(id="2")),
    "delete": lambda db: db.delete(Odd(id="1")),
    "move": lambda db: db.move(Odd(id="1"), id="3"),
    "batch_put": lambda db: db.batch_put(Odd(id="1"), Odd(id="2")),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("watched", [False, True])
def test_errors_name_the_entity(name: str, watched: bool) -> None:
    engine, requests = Engine.open(), []
    engine.call("CreateTable", ODD.create_request())

    def hook(sending: RequestStarted) -> None:
        requests.append((sending.entities, sending.pattern))

    for fault, kind in (("throttled", RequestThrottled), ("lost", OutcomeUnknown)):
        Store(engine).put(Odd(id="1"))
        # A move reads first, which a lost answer does not disturb.
        plan = ["none", *[fault] * 4] if name == "move" else [fault] * 4
        store = Store(Faulty(engine, plan), Core(hooks=(hook,) if watched else ()))
        store._driver = Driver(store.client, pause=lambda _: None)
        with (
            store.meter() if watched else nullcontext() as meter,
            pytest.raises(kind, match="of Odd") as caught,
        ):
            OPERATIONS[name](store)

        assert caught.value.request is not None
        assert meter is None or {row.entities for row in meter.rows} == {("Odd",)}
    assert set(requests) == ({(("Odd",), None)} if watched else set())
