"""Random items of an older design, refreshed by a newer one, are as if they were put anew."""

from __future__ import annotations

import types
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, computed_field

from pksk import (
    GSI,
    LSI,
    TTL,
    Attribute,
    Clock,
    Created,
    Engine,
    Entity,
    F,
    Key,
    N,
    Null,
    Reference,
    Refreshed,
    Shard,
    Store,
    Stored,
    Table,
    Unique,
    Updated,
    Version,
    connect,
)

NOW = datetime(2026, 3, 1, tzinfo=UTC)
INDEXES: dict[str, Any] = {
    "by_status": GSI("by-status", pk="g1", sk="g2"),
    "shared": GSI("shared", pk="g3", sk="g2", projection="keys"),
    "sharded": GSI("sharded", pk="s1", sk="s2"),
    "spread": GSI("spread", pk="r1", sk="r2"),
    "by_city": GSI("by-city", pk="city", sk=N("size")),
    "computed": GSI("computed", pk="c1"),
    "stamped": GSI("stamped", pk="t1", sk="t2"),
    "local": LSI("local", sk="l1"),
    "by_code": GSI("by-code", pk="made"),
    "by_time": GSI("by-time", pk=["year", "m2"], sk=["time", N("m4")]),
}
KEYS: dict[str, Any] = {
    "by_status": lambda: Key("STATUS#{status}", "{size:04d}", index="by-status"),
    "shared": lambda: Key("CITY#{city}", "{size:04d}", index="shared", when=F.size > 3),
    "sharded": lambda: Key("ALL#{shard}", "{city}", index="sharded", shard=Shard(3, of="size")),
    "spread": lambda: Key("ANY#{shard}", "{status}", index="spread", shard=Shard(4)),
    "by_city": lambda: Key("{city}", "{size}", index="by-city"),
    "computed": lambda: Key("{label}", index="computed"),
    "stamped": lambda: Key("V#{version}", "{updated}#{until}", index="stamped"),
    "local": lambda: Key("ITEM#{id}", "{status}#{size:04d}", index="local"),
    "by_time": lambda: Key(("{at:%Y}", "{status}"), ("{at}", "{size}"), index="by-time"),
}
# What an older design wrote into the same attributes.
FORMER: dict[str, Any] = {
    "by_status": lambda: Key("S-{status}", "{size:04d}", index="by-status"),
    "spread": lambda: Key("ANY#{shard}", "{city}", index="spread", shard=Shard(9)),
    "computed": lambda: Key("{status}", index="computed"),
    "local": lambda: Key("ITEM#{id}", "{city}", index="local"),
    "by_time": lambda: Key(("{at:%Y}", "{city}"), ("{at:%Y-%m}", "{version}"), index="by-time"),
}


class OldFields(Entity):
    id: str
    status: str = "open"
    size: int = 0
    city: str | None = None
    mark: str | None = None
    code: str | None = None
    other: str | None = None
    until: Annotated[datetime | None, TTL()] = None
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None
    at: Annotated[datetime | None, Stored("epoch-seconds"), Attribute("when")] = None
    nothing: Annotated[str | None, Null()] = None
    legacy: str | None = None


class NewFields(Entity):
    id: str
    status: str = "open"
    size: int = 0
    city: str | None = None
    mark: Annotated[str | None, Unique()] = None
    code: Annotated[str | None, Unique(within="city")] = None
    # Most items refer to missing items; a refresh does not check references.
    other: Annotated[str | None, Reference("Item", id="other")] = None
    until: Annotated[datetime | None, TTL()] = None
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None
    at: Annotated[datetime | None, Stored("iso-seconds", reads=["epoch-seconds"]), Attribute("when")] = None
    nothing: str | None = None
    made: str = Field(default_factory=lambda: uuid4().hex)
    fixed: str = "default"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def label(self) -> str | None:
        return None if self.size > 6 else f"{self.status}/{self.city}/{self.fixed}"


def new_class(name: str, bases: tuple[type, ...], keys: Mapping[str, Any], table: Table, **more: Any) -> Any:
    body = {"__module__": __name__, **more, **{name: make() for name, make in keys.items()}}
    return types.new_class(name, bases, {"table": table}, lambda names: names.update(body))


def old_design(keys: Mapping[str, Any], discriminator: str | None, *, special: bool) -> tuple[Any, Any]:
    """An entity of the design before the change, with these keys, and perhaps a subclass."""
    table = Table("items", indexes=[INDEXES[name] for name in keys], ttl="until", discriminator=discriminator)
    item = new_class("Item", (OldFields,), {"primary": lambda: Key("ITEM#{id}", "META"), **keys}, table)
    own = {"rank": 0, "__annotations__": {"rank": int}}
    return item, new_class("Special", (item,), {}, table, **own) if special else item


items = Table("items", indexes=[*INDEXES.values(), GSI("by-rank", pk="k1", sk="k2")], ttl="until")
Item: Any = new_class(
    "Item",
    (NewFields,),
    {"primary": lambda: Key("ITEM#{id}", "META"), "by_made": lambda: Key("{made}", index="by-code"), **KEYS},
    items,
)


class Special(Item, table=items):  # type: ignore[call-arg, misc]
    rank: int = 0
    by_rank = Key("RANK", "{rank:03d}", index="by-rank")


class Neighbour(Entity, table=items):
    """Another entity of the table, which a refresh leaves alone."""

    id: str
    primary = Key("ITEM#{id}", "NEIGHBOUR")
    by_status = Key("STATUS#x", "{id}", index="by-status")


TEXTS = st.sampled_from(["a", "b", "c"])
VALUES = st.fixed_dictionaries(
    {
        "status": TEXTS,
        "size": st.integers(0, 9),
        "city": TEXTS | st.none(),
        "mark": st.sampled_from([None, "m", "n"]),
        "code": st.sampled_from([None, "x", "y"]),
        "other": st.sampled_from([None, "nobody"]),
        "until": st.sampled_from([None, NOW - timedelta(days=1), NOW + timedelta(days=1, microseconds=5)]),
        "at": st.sampled_from([None, NOW, NOW + timedelta(days=400)]),
        "nothing": st.sampled_from([None, "n"]),
        "legacy": st.sampled_from([None, "kept"]),
    }
)


@st.composite
def designs(draw: st.DrawFn) -> tuple[Any, Any]:
    """The classes of an older design; without a discriminator there are no subclasses."""
    names = draw(st.sets(st.sampled_from(sorted(KEYS))))
    keys = {name: draw(st.sampled_from([KEYS[name], FORMER.get(name, KEYS[name])])) for name in sorted(names)}
    discriminator = draw(st.sampled_from(["type", "type", None]))
    old = {name: make for name, make in keys.items() if name != "computed" or make is not KEYS["computed"]}
    return old_design(old, discriminator, special=discriminator is not None)


def table_of(store: Store) -> dict[str, dict[str, Any]]:
    """All items by their keys."""
    found = store.client.call("Scan", {"TableName": "items"})["Items"]
    return {f"{item['pk']['S']}/{item['sk']['S']}": item for item in found}


def without_shard(item: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """The derived attributes of an item, without the number of its random shard."""
    found = {name: item[name] for name in names if name in item}
    return found | ({"r1": {"S": item["r1"]["S"].partition("#")[0]}} if "r1" in found else {})


@given(
    designs(), st.lists(VALUES, max_size=8), st.integers(1, 5), st.integers(0, 3), st.booleans(), st.data()
)
def test_a_refreshed_item_is_as_if_it_were_put_anew(
    design: tuple[Any, Any],
    rows: list[dict[str, Any]],
    size: int,
    stop: int,
    formats: bool,
    data: st.DataObject,
) -> None:
    item, special = design
    # A week earlier for the engine, which therefore has not deleted what has expired for the store.
    engine = Engine.open(clock=Clock(NOW.timestamp() - 7 * 86_400))
    with connect(engine, clock=Clock(NOW.timestamp())) as db:
        db.create_tables(items)
        for number, row in enumerate(rows):
            kind = data.draw(st.sampled_from([item, special]))
            db.put(kind(id=str(number), **row))
        db.put(Neighbour(id="1"))
        before = table_of(db)

        done = refreshed(db, Item.scan().pages(size), stop, formats=formats)

        after = table_of(db)
        check_items(before, after, formats=formats)
        check_guards(after, done)
        again = db.refresh(Item.scan(), formats=formats)
        assert (again.updated, again.guards, again.duplicate_count) == (0, 0, done.duplicate_count)
        assert table_of(db) == after


def refreshed(db: Store, scan: Any, stop: int, **options: Any) -> Refreshed:
    """A refresh that is killed after some pages, and resumed."""
    reached: list[Refreshed] = []

    def progress(done: Refreshed) -> None:
        reached.append(done)
        if len(reached) == stop:
            raise KeyboardInterrupt

    try:
        return db.refresh(scan, progress=progress, **options)
    except KeyboardInterrupt:
        first = reached[-1]
    if first.cursor is None:
        return first
    rest = db.refresh(scan, after=first.cursor, **options)
    return Refreshed(
        items=first.items + rest.items,
        duplicates=first.duplicates + rest.duplicates,
        duplicate_count=first.duplicate_count + rest.duplicate_count,
    )


def is_expired(item: Mapping[str, Any]) -> bool:
    return "until" in item and int(item["until"]["N"]) <= NOW.timestamp()


def converted(item: Mapping[str, Any]) -> dict[str, Any]:
    """The item with a time as text, and without NULL."""
    found = {name: wire for name, wire in item.items() if wire != {"NULL": True}}
    if "N" in found.get("when", {}):
        at = datetime.fromtimestamp(int(found["when"]["N"]), UTC)
        found["when"] = {"S": f"{at:%Y-%m-%dT%H:%M:%SZ}"}
    return found


def check_items(before: Mapping[str, Any], after: Mapping[str, Any], *, formats: bool) -> None:
    for name, item in before.items():
        kind = Special if item.get("type") == {"S": "Special"} else Item
        found = after[name]
        derived = (kind.__pksk__.key_attributes | {"type"}) - {"pk", "sk", "city", "size", "made"}
        if is_expired(item) or name.endswith("NEIGHBOUR"):
            assert found == item
            continue
        anew = kind.__pksk__.to_item(kind.__pksk__.from_item(found))
        assert without_shard(found, derived) == without_shard(anew, derived)
        kept = converted(item) if formats else item
        others = {attribute: wire for attribute, wire in found.items() if attribute not in derived}
        assert others.pop("made") == anew["made"]
        assert others == {attribute: wire for attribute, wire in kept.items() if attribute not in derived}
        if item.get("r1", {}).get("S", "ANY#9") in {f"ANY#{shard}" for shard in range(4)}:
            assert found["r1"] == item["r1"]


def check_guards(after: Mapping[str, Any], done: Refreshed) -> None:
    """Each unique value has one guard, which names an item with it; the others are reported."""
    owned: dict[tuple[Any, ...], list[Any]] = {}
    for item in after.values():
        if is_expired(item) or ("mark" not in item and "code" not in item) or "owner" in item:
            continue
        key = {name: item[name] for name in ("pk", "sk")}
        if "mark" in item:
            owned.setdefault(("mark", item["mark"]["S"]), []).append(key)
        if "code" in item and "city" in item:
            owned.setdefault(("city+code", item["city"]["S"], item["code"]["S"]), []).append(key)
    guards = {name: item["owner"]["M"] for name, item in after.items() if name.startswith("unique#")}
    expected = {"#".join(("unique", "Item", *map(str, value))) + "/unique" for value in owned}

    assert guards.keys() == expected
    for value, holders in owned.items():
        assert guards["#".join(("unique", "Item", *map(str, value))) + "/unique"] in holders
    assert done.duplicate_count == len(done.duplicates) == sum(len(each) - 1 for each in owned.values())
    assert all(each.key != each.owner for each in done.duplicates)
