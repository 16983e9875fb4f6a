"""Queries by region among odd ids and parts, other entities, expired items, narrow indexes and items that move."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, computed_field

from pksk import (
    GSI,
    LSI,
    TTL,
    BoundKey,
    Clock,
    DesignError,
    Engine,
    Entity,
    Key,
    RequestStarted,
    Store,
    Table,
    connect,
)
from pksk.cells import Box, CellLevel, Circle, Region, distance_m, encode
from tests.cells.random_regions import random_position
from tests.conftest import LONG

IDS = (
    "#",
    "a#b",
    "~",
    "|",
    "é",
    "日本",
    "🌍",
    "$",
    "!",
    "%23",
    "\\",
    "OTHER#1",
    "zzz#",
    "\x00",
    "\uffff",
    "'",
)
APPS = ("a", "a#", "#a", "b~", "é#日", "a#gc", "%")
KINDS = ("shop", "s#p", "~", "🌍")
NOW = 1_800_000_000

odd = Table(
    "odd",
    indexes=[
        GSI("keys", pk="g1", sk="g1s", projection="keys"),
        GSI("some", pk="g2", sk="g2s", projection=["stars"]),
        GSI("flat", pk="g3", sk="g3s"),
        LSI("local", sk="l1"),
    ],
    ttl="ttl",
)


class Pin(Entity, table=odd):
    app: str
    id: str
    kind: str
    lat: float
    lng: float
    stars: int = 0
    ttl: Annotated[int | None, TTL()] = None

    primary = Key("P#{app}#{cell[:-3]}", "{cell[-3:]}#{id}")
    by_keys = Key("K#{kind}#{cell[:-3]}", "{app}#{cell[-3:]}#{id}", index="keys")
    by_some = Key("I#{app}#{cell[:-2]}", "x#{cell[-2:]}", index="some")
    by_flat = Key("ALL", "{cell}#{kind}#{id}", index="flat")
    by_local = Key("P#{app}#{cell[:-3]}", "L#{cell[-3:]}#END", index="local")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cell(self) -> Annotated[str, CellLevel(5, of=("lat", "lng"))]:
        return encode(self.lat, self.lng, 5)


class Other(Entity, table=odd):
    app: str
    c: Annotated[str, CellLevel(5)]
    id: str

    primary = Key(
        "P#{app}#{c[:-3]}", "{c[-3:]}#OTHER#{id}", disjoint="pins with such ids are told by their type"
    )


class Stars(BaseModel):
    stars: int


class Placed(BaseModel):
    id: str
    lat: float
    lng: float


CENTRE = (51.5, -0.1)
AREA = Box(51, -1, 52, 1)


def random_pins(random: Random) -> list[Pin]:
    found: dict[tuple[str, str, str], Pin] = {}
    for number in range(300):
        lat, lng = random_position(random)
        if random.random() < 0.6:
            lat, lng = CENTRE[0] + random.gauss(0, 0.3), CENTRE[1] + random.gauss(0, 0.3)
        pin = Pin(
            app=random.choice(APPS),
            id=random.choice(IDS) + (str(number) if random.random() < 0.7 else ""),
            kind=random.choice(KINDS),
            lat=lat,
            lng=lng,
            stars=random.randrange(5),
            ttl=random.choice([None, NOW + 1000, NOW - 1_000_000]),
        )
        found.setdefault((pin.app, pin.cell, pin.id), pin)
    return [*found.values()]


PINS = random_pins(Random(1))
LIVE = [each for each in PINS if each.ttl is None or each.ttl > NOW]


@pytest.fixture(scope="module")
def db() -> Iterator[Store]:
    with connect("memory:", clock=Clock(NOW)) as store:
        store.create_tables(odd)
        store.batch_put(PINS)
        store.batch_put([Other(app=each.app, c=each.cell, id=each.id) for each in PINS[::3]])
        yield store


def identities(pins: list[Any]) -> list[tuple[str, str, str]]:
    return sorted((each.app, each.cell, each.id) for each in pins)


def ways(app: str, kind: str) -> list[tuple[BoundKey[Pin], dict[str, Any]]]:
    """All keys of a pin, and the parts that they take."""
    return [
        (Pin.primary, {"app": app}),
        (Pin.by_keys, {"app": app, "kind": kind}),
        (Pin.by_some, {"app": app}),
        (Pin.by_flat, {}),
        (Pin.by_local, {"app": app}),
    ]


@pytest.mark.parametrize("seed", range(40 if LONG else 4))
def test_each_key_finds_exactly_the_pins_of_a_region_in_pages_as_at_once(db: Store, seed: int) -> None:
    random = Random(seed)
    centre = CENTRE[0] + random.uniform(-0.3, 0.3), CENTRE[1] + random.uniform(-0.3, 0.3)
    regions: list[Region] = [AREA, Circle(*centre, radius_m=random.uniform(1000, 50_000))]
    region = random.choice(regions)
    for key, parts in ways(random.choice(APPS), random.choice(KINDS)):
        query = key.inside(region, **parts).hydrate()
        found = db.run(query)

        wanted = [
            each
            for each in LIVE
            if (each.lat, each.lng) in region and all(getattr(each, name) == parts[name] for name in parts)
        ]
        assert identities(found) == identities(wanted)
        paged: list[Pin] = []
        after: str | None = None
        while len(paged) <= len(found):
            page = db.page(query.limit(random.choice([1, 3, 20])), after=after)
            paged += page
            after = page.next
            if after is None:
                break
        assert paged == found


def test_the_nearest_pins_of_a_narrow_index_are_those_that_sorting_finds(db: Store) -> None:
    for app in APPS:
        found = db.run(Pin.by_keys.closest(*CENTRE, 3, within=500_000, app=app, kind="~").hydrate())

        distances = sorted(
            distance_m(*CENTRE, each.lat, each.lng) for each in LIVE if (each.app, each.kind) == (app, "~")
        )
        near = [each for each in distances if each <= 500_000][:3]
        assert [distance_m(*CENTRE, each.lat, each.lng) for each in found] == near


@pytest.mark.parametrize(
    ("key", "parts"), [(Pin.by_keys, {"app": "a", "kind": "~"}), (Pin.by_some, {"app": "a"})]
)
def test_a_model_without_the_position_is_rejected_before_any_item_is_read(
    key: BoundKey[Pin], parts: dict[str, Any]
) -> None:
    """It would fail only where an item is found: not in an empty test, but in production."""
    query = key.inside(AREA, **parts).hydrate()

    with pytest.raises(DesignError) as caught:
        assert query.into(Stars).plan.requests

    assert caught.value.code == "plan-not-projected"
    assert "'lat'" in str(caught.value)


def test_a_model_with_the_position_is_read_by_a_narrow_index(db: Store) -> None:
    query = Pin.by_keys.inside(AREA, app="a", kind="~").hydrate()

    assert [each.id for each in db.run(query.into(Placed))] == [each.id for each in db.run(query)]


class Marker(
    Entity, table=Table("markers", indexes=[GSI("map", pk="g", sk="gs", projection=["lat", "lng"])])
):
    id: str
    lat: float
    lng: float
    note: str = ""

    primary = Key("MARKER#{id}", "MARKER")
    on_map = Key("MAP", "{cell}#{id}", index="map")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cell(self) -> Annotated[str, CellLevel(5, of=("lat", "lng"))]:
        return encode(self.lat, self.lng, 5)


def test_a_marker_that_leaves_the_region_before_its_item_is_read_is_not_found() -> None:
    """Its new cell is still in the range of keys that the index was read by."""
    engine = Engine.open()
    writer = connect(engine)
    writer.create_tables(Marker.__pksk__.table)
    writer.put(Marker(id="moves", lat=51.55, lng=-0.1))
    writer.put(Marker(id="stays", lat=51.55, lng=-0.1))
    region = Box(51.5, -0.2, 51.6, 0.1)

    def move(request: RequestStarted) -> None:
        if request.operation == "BatchGetItem":
            writer.put(Marker(id="moves", lat=51.601, lng=-0.1))

    reader = connect(engine, hooks=[move])

    for query in (
        Marker.on_map.inside(region).hydrate(),
        Marker.on_map.closest(51.55, -0.1, 2, within=500).hydrate(),
    ):
        writer.put(Marker(id="moves", lat=51.55, lng=-0.1))
        assert [each.id for each in reader.run(query)] == ["stays"]


class Report(Entity, table=Table("reports")):
    id: str
    lat: float | None = None
    lng: float | None = None
    cell: Annotated[str, CellLevel(5, of=("lat", "lng"))]

    primary = Key("REPORT#{cell[:-3]}", "{cell[-3:]}#{id}")


def test_an_item_without_a_position_is_found_by_its_cell() -> None:
    cell = encode(51.55, -0.1, 5)
    with connect("memory:") as db:
        db.create_tables(Report.__pksk__.table)
        db.batch_put([Report(id="placed", lat=51.55, lng=-0.1, cell=cell), Report(id="somewhere", cell=cell)])

        assert [each.id for each in db.run(Report.primary.inside(AREA))] == ["placed", "somewhere"]
        assert db.run(Report.primary.inside(Box(10, 10, 11, 11))) == []
        assert {each.id for each in db.run(Report.primary.closest(51.55, -0.1, 2))} == {"placed", "somewhere"}
