"""Random items change only as intended, whatever else they hold and in whatever form they are written."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from pksk import (
    GSI,
    TTL,
    Engine,
    Entity,
    Key,
    Put,
    Store,
    Table,
    Unique,
    Version,
    connect,
    connect_async,
    transaction,
)
from tests.store.async_as_sync import awaited
from tests.store.random_items import items

depot = Table("depot", indexes=[GSI("by-owner", pk="g1", sk="g2"), GSI("unused", pk="g3")], ttl="expires")


class Street(BaseModel):
    name: str
    number: int | None = None


class Address(BaseModel):
    city: str
    street: Street | None = None


class Parcel(Entity, table=depot):
    id: str
    total: int = 0
    owner: str | None = None
    address: Address | None = None
    streets: list[Street] = Field(default_factory=list)
    by_name: dict[str, Street] = Field(default_factory=dict)
    either: Street | Address = Street(name="x")
    primary = Key("PARCEL#{id}", "META")
    by_owner = Key("OWNER#{owner}", "{id}", index="by-owner")


class Insured(Parcel, table=depot):
    value: int = 1


class Free(Parcel, table=depot):
    model_config = ConfigDict(extra="allow")


class Tracked(Entity, table=depot):
    id: str
    total: int = 0
    owner: Annotated[str | None, Unique()] = None
    version: Annotated[int, Version()] = 0
    expires: Annotated[datetime | None, TTL()] = None
    primary = Key("TRACKED#{id}", "META")
    by_owner = Key("OWNER#{owner}", "{id}", index="by-owner")


_STREET, _ADDRESS = {"name", "number"}, {"city", "street", "name", "number"}
NESTED: dict[str, Any] = {"address": _ADDRESS, "streets": _STREET, "by_name": _STREET, "either": _ADDRESS}
STREETS = st.builds(Street, name=st.text(max_size=3), number=st.none() | st.integers(0, 9))
ADDRESSES = st.builds(Address, city=st.text(max_size=3), street=st.none() | STREETS)
OWNERS = st.none() | st.sampled_from(("ann", "bob"))
TIMES = st.none() | st.just(datetime(2100, 1, 1, tzinfo=UTC))
PARCELS: dict[str, Any] = {
    "id": st.just("1"),
    "owner": OWNERS,
    "address": st.none() | ADDRESSES,
    "streets": st.lists(STREETS, max_size=2),
    "by_name": st.dictionaries(st.sampled_from("ab"), STREETS, max_size=2),
    "either": STREETS | ADDRESSES,
}
ENTITIES = st.one_of(
    st.builds(Parcel, **PARCELS),
    st.builds(Insured, **PARCELS),
    st.builds(Free, **PARCELS),
    st.builds(Tracked, id=st.just("1"), owner=OWNERS, expires=TIMES),
)
STORED = ENTITIES.flatmap(lambda entity: st.tuples(st.just(type(entity)), items(entity, NESTED)))

Write = Callable[[Store, Any, dict[str, Any]], object]
WRITES: dict[str, Write] = {
    "put": lambda db, entity, changes: db.put(entity.model_copy(update=changes)),
    "deep copy": lambda db, entity, changes: db.put(copy.deepcopy(entity).model_copy(update=changes)),
    "pickled": lambda db, entity, changes: db.put(
        pickle.loads(pickle.dumps(entity.model_copy(update=changes)))
    ),
    "batch": lambda db, entity, changes: db.batch_put(entity.model_copy(update=changes)),
    "transaction": lambda db, entity, changes: db.run(transaction(Put(entity.model_copy(update=changes)))),
    "move": lambda db, entity, changes: db.move(entity, **changes),
}
CHANGES = st.fixed_dictionaries({"total": st.integers(0, 9)}, optional={"owner": OWNERS})
STEPS = st.lists(st.tuples(st.sampled_from(sorted(WRITES)), CHANGES, st.booleans()), min_size=1, max_size=4)


@contextmanager
def _engine(place: str) -> Iterator[Engine]:
    with TemporaryDirectory() as folder:
        engine = Engine.open() if place == "memory" else Engine.open(Path(folder, "depot.pksk"))
        with engine:
            yield engine


@contextmanager
def _stores(place: str, *, is_async: bool) -> Iterator[tuple[Store, Store]]:
    """A store for the test's own calls, and the one that is tested, on one engine."""
    with _engine(place) as engine, connect(engine) as direct:
        direct.ensure_tables(depot)
        if not is_async:
            yield direct, direct
            return
        with asyncio.Runner() as runner:
            store = connect_async(engine)
            yield direct, awaited(store, runner)
            runner.run(store.close())


def _intended(kind: Any, item: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The item after a change of some fields, with the keys that are made of them."""
    wires = {
        name: None if value is None else {"N": str(value)} if isinstance(value, int) else {"S": value}
        for name, value in changes.items()
    }
    after = {**item, **wires}
    prefix = "TRACKED" if kind is Tracked else "PARCEL"
    after["pk"] = {"S": f"{prefix}#{after['id']['S']}"}
    owner = after.get("owner")
    after["g1"], after["g2"] = (None, None) if owner is None else ({"S": f"OWNER#{owner['S']}"}, after["id"])
    after.pop("version", None)
    return {name: wire for name, wire in after.items() if wire is not None}


def _stored(direct: Store, kind: Any) -> dict[str, Any]:
    """The only item of the entity, without the version, which the store counts."""
    answer = direct.client.call("Scan", {"TableName": "depot"})
    (item,) = (each for each in answer["Items"] if each.get("type") == {"S": kind.__name__})
    return {name: wire for name, wire in item.items() if name != "version"}


@given(STORED, STEPS, st.sampled_from(("memory", "memory", "file")), st.booleans())
def test_random_items_change_only_as_intended(
    stored: tuple[Any, dict[str, Any]],
    steps: list[tuple[str, dict[str, Any], bool]],
    place: str,
    is_async: bool,
) -> None:
    kind, item = stored
    key = "1"
    with _stores(place, is_async=is_async) as (direct, db):
        direct.client.call("PutItem", {"TableName": "depot", "Item": item})
        item = _stored(direct, kind)
        for number, (write, values, moves) in enumerate(steps):
            # A batch checks no markers.
            name = "put" if kind is Tracked and write == "batch" else write
            entity = db.get(kind.primary.get(id=key))
            key = f"k{number}" if name == "move" and moves else key
            changes = values | ({"id": key} if name == "move" else {})
            WRITES[name](db, entity, changes)

            item = _intended(kind, item, changes)
            assert _stored(direct, kind) == item
