"""Estimated, priced and consumed units of updates agree, whatever marker is in whatever position of an index key."""

from __future__ import annotations

import types
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from hypothesis import given
from hypothesis import strategies as st

from examples.tour.price_check import PriceCheck
from pksk import (
    GSI,
    LSI,
    TTL,
    Attribute,
    Created,
    Entity,
    F,
    Key,
    N,
    Null,
    Put,
    Reference,
    Stored,
    Table,
    Unique,
    Updated,
    Version,
    connect,
)
from pksk.capacity import Cost

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = st.integers(1, 10**6).map(lambda seconds: NOW + timedelta(days=9000, seconds=seconds))
others = Table("companies", sk=None)


class Company(Entity, table=others):
    name: str
    primary = Key("COMPANY#{name}")


class Fields(Entity):
    id: str
    plain: str = "p"
    count: int = 0
    email: Annotated[str, Unique()]
    seat: Annotated[str, Unique(within="plain")]
    company: Annotated[str, Reference(Company, name="company")] = "one"
    until: Annotated[datetime, TTL()]
    nothing: Annotated[str | None, Null()] = "n"
    at: Annotated[datetime, Stored("epoch-seconds"), Attribute("time")] = NOW
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None
    updated: Annotated[datetime | None, Updated()] = None


NAMES = (
    "at",
    "plain",
    "count",
    "email",
    "seat",
    "company",
    "until",
    "nothing",
    "version",
    "created",
    "updated",
)
CHANGES: dict[str, st.SearchStrategy[Any]] = {
    "plain": st.text("abc", min_size=1, max_size=5),
    "count": st.integers(1, 99),
    "email": st.text("abc", min_size=1, max_size=5),
    "seat": st.text("abc", min_size=1, max_size=5),
    "company": st.just("two"),
    "until": LATER,
    "at": LATER,
    "nothing": st.text("abc", min_size=1, max_size=5),
}
# Fields that may be the partition key, and those that may be the sort key, as they are stored.
TEXTS = ("email", "seat", "company", "plain")
SORTED: tuple[Any, ...] = (N("count"), N("until"), N("time"), N("version"), "updated", "created")
# Conditions on markers that hold before and after each update.
CONDITIONS = {
    "count": F.count >= 0,
    "version": F.version > 0,
    "updated": F.updated.exists(),
    "until": F.until > NOW,
    "nothing": F.nothing.exists(),
}
TEMPLATES = {"count": "{count:03d}", "version": "{version:04d}"}


@st.composite
def designs(draw: st.DrawFn) -> type[Any]:
    """An entity whose keys in indexes are made of random fields."""
    projections = st.sampled_from(["all", "keys", ["plain", "version", "count"], ["updated", "count"]])
    indexes: list[Any] = [
        GSI(f"index-{n}", pk=f"p{n}", sk=f"s{n}", projection=draw(projections)) for n in range(2)
    ]
    indexes += [
        LSI("local", sk="l1", projection=draw(projections)),
        GSI("field", pk="plain", projection="keys"),
        # Its attributes are fields themselves.
        GSI(
            "own",
            pk=draw(st.sampled_from(TEXTS)),
            sk=draw(st.sampled_from(SORTED)),
            projection=draw(projections),
        ),
    ]
    fields = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)

    def template(names: list[str]) -> str:
        return "#".join(TEMPLATES.get(name, f"{{{name}}}") for name in names)

    keys: dict[str, Any] = {"primary": Key("ITEM#{id}", "META")}
    for number in range(2):
        # An entry that stays is not written where the index does not project the field of the condition.
        projected = [name for name in CONDITIONS if indexes[number].projects(name)]
        when = CONDITIONS.get(draw(st.sampled_from(["", *projected])))
        partition, sort = template(draw(fields)), template(draw(fields))
        keys[f"by_{number}"] = Key(f"K#{partition}", sort, index=f"index-{number}", when=when)
    keys["local"] = Key("ITEM#{id}", template(draw(fields)), index="local")
    if draw(st.booleans()):
        own = indexes[-1]
        keys["own"] = Key(*(f"{{{'at' if name == 'time' else name}}}" for name in own.keys), index="own")
    table = Table("items", indexes=indexes, ttl="until")
    made: type[Any] = types.new_class("Item", (Fields,), {"table": table}, lambda names: names.update(keys))
    return made


@st.composite
def changes(draw: st.DrawFn) -> Callable[[Any], Any]:
    """A random update of some fields to other values."""
    names = draw(st.lists(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=3, unique=True))
    values = {name: draw(CHANGES[name]) for name in names}
    added = values.pop("count", None) if draw(st.booleans()) else None

    def change(update: Any) -> Any:
        made = update.set(**values) if values else update
        return made if added is None else made.add(count=added)

    return change


def by_index(cost: Cost | None) -> dict[tuple[str, str | None], tuple[float, float]]:
    assert cost is not None
    units = {(each.table, each.index): (each.read, each.write) for each in cost.charges}
    return {index: each for index, each in units.items() if any(each)}


# Updates of these are transactions, with guards and checks that the request itself does not have.
SHARED = {"email", "seat", "plain", "company", "until"}


@given(designs(), changes())
def test_an_update_is_estimated_and_priced_as_it_is_consumed(
    entity: type[Any], change: Callable[[Any], Any]
) -> None:
    table = entity.__pksk__.table
    sent = PriceCheck(table, others, enabled=True)
    with connect("memory:", hooks=[sent]) as db:
        sent.client = db.client
        db.create_tables(table, others)
        db.batch_put(Company(name="one"), Company(name="two"))
        db.put(entity(id="1", email="first", seat="first", until=NOW + timedelta(days=8000)))
        update, sent.cost = change(entity.primary.update(id="1")), Cost()
        key = {"TableName": table.name, "Key": update.item_key}
        item = db.client.call("GetItem", key)["Item"]

        with db.meter() as meter:
            db.run(update)

    (row,) = meter.rows
    assert by_index(sent.cost) == by_index(row.consumed)
    assert by_index(row.estimate) == by_index(row.consumed), str(update.explain())
    assert row.consumed.read == 0 or "read" in str(update.explain())
    if SHARED.isdisjoint(update.changed_fields):
        assert by_index(update.price(item)) == by_index(row.consumed)
        assert (row.consumed.read > 0) is bool(update.fields_to_read)


@given(designs(), st.booleans())
def test_a_put_is_estimated_and_priced_with_versions_and_times(entity: type[Any], create: bool) -> None:
    table = entity.__pksk__.table
    made = entity(id="1", email="first", seat="first", until=NOW + timedelta(days=8000))
    put = Put(made).if_absent() if create else Put(made)
    with connect("memory:") as db:
        db.create_tables(table, others)
        db.put(Company(name="one"))
        with db.meter() as meter:
            db.run(put)

    (row,) = meter.rows
    priced = {index: units for (_, index), units in by_index(put.price(None)).items() if index is not None}
    consumed = {index: units for (_, index), units in by_index(row.consumed).items() if index is not None}
    assert by_index(row.estimate) == by_index(row.consumed)
    assert priced == consumed
