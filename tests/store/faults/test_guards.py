"""Concurrent writers of the same unique values, some of them without a guard: no guard is lost or left behind."""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pksk import Put, StoreError, transaction
from pksk.store import Core, Retry
from pksk.store.requests.delete import delete
from pksk.store.requests.move import move
from pksk.store.requests.put import put
from pksk.store.requests.transaction import transact_write
from pksk.store.requests.update import update
from tests.store.faults.design import TABLE, Person, now
from tests.store.faults.faulty import FAULTS, Faulty
from tests.store.faults.harness import begun
from tests.store.faults.interleaved import Run, interleaved

NAMES = "x", "y", "z"
VALUES = "one", "two", "three", None
names, values = st.sampled_from(NAMES), st.sampled_from(VALUES)
plans = st.lists(st.sampled_from(("none", "none", *FAULTS)), max_size=8)
operations = st.one_of(
    st.tuples(st.just("update"), names, values),
    st.tuples(st.just("put"), names, values),
    st.tuples(st.just("delete"), names, values),
    st.tuples(st.just("move"), names, values),
    st.tuples(st.just("swap"), st.permutations(NAMES), st.permutations(VALUES)),
)


def begin(core: Core, operation: tuple[str, Any, Any]) -> Run:
    kind, name, value = operation
    if kind == "update":
        return update(core, Person.primary.update(id=name).set(email=value))
    if kind == "put":
        return put(core, Person(id=name, email=value))
    if kind == "delete":
        return delete(core, Person.primary.delete(id=name))
    if kind == "move":
        return move(core, Person.primary.get(id=name), {"id": f"{name}-new", "email": value})
    one, two, _ = name
    changes = (
        Person.primary.update(id=each).set(email=to) for each, to in zip((one, two), value, strict=False)
    )
    return transact_write(core, transaction(*changes))


@given(
    st.data(), st.lists(operations, min_size=2, max_size=4), st.lists(st.tuples(names, values), max_size=3)
)
def test_every_guard_item_belongs_to_an_item_with_its_value(
    data: st.DataObject, wanted: list[tuple[str, Any, Any]], unguarded: list[tuple[str, Any]]
) -> None:
    engine = begun()
    faulty = Faulty(engine, data.draw(plans), chance=data.draw(st.integers(0, 99)))
    ticks = count()
    # Past the store; what is stored by it afterwards has its guards.
    old = {name: value for name, value in unguarded if value is not None}
    for name in NAMES:
        item = Put(Person(id=name, email=old.get(name))).item
        engine.call("PutItem", {"TableName": TABLE.name, "Item": item})
    core = Core(clock=lambda: now() + next(ticks) / 1_000_000, retry=Retry(conflict_attempts=100))
    runs = [begin(core, each) for each in wanted]
    endings = interleaved(faulty, runs, lambda most: data.draw(st.integers(0, most - 1)))
    faulty.settle()

    assert all(isinstance(each, StoreError) or not isinstance(each, Exception) for each in endings), endings
    items = engine.call("Scan", {"TableName": TABLE.name})["Items"]
    held = {
        item["id"]["S"]: item.get("email", {}).get("S") for item in items if item["type"]["S"] == "Person"
    }
    owners = {
        item["pk"]["S"].rpartition("#")[2]: item["owner"]["M"]["pk"]["S"].partition("#")[2]
        for item in items
        if item["pk"]["S"].startswith("unique#Person#")
    }
    assert all(held.get(owner) == value for value, owner in owners.items()), (owners, held)
    without = {name for name, value in held.items() if value is not None and owners.get(value) != name}
    assert without <= set(NAMES)
    assert all(old.get(name) == held[name] for name in without), (owners, held)
