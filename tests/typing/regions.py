"""What type checkers infer of queries by region."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, ClassVar, Self, assert_type

from pydantic import BaseModel

from pksk import AsyncStore, Entity, GeoQuery, Key, Page, Plan, Store, Table, access
from pksk.cells import Box, CellLevel, CellStatistics, Circle, Union


class Place(Entity, table=Table("places")):
    id: str
    lat: float
    lng: float
    cell: Annotated[str, CellLevel(8, of=("lat", "lng"))]

    primary: ClassVar[Key] = Key("PLACE#{cell[:-3]}", "{cell[-3:]}#{id}")

    @access(rate=1, items=20)
    @classmethod
    def around(cls, lat: float, lng: float) -> GeoQuery[Self]:
        """The places near a position."""
        return cls.primary.near(lat, lng, 500)


class Name(BaseModel):
    """What a list of places shows."""

    id: str


VIEW = Box(51.4, -0.3, 51.6, 0.1)


def a_query_by_region_is_of_the_entity_of_its_key() -> None:
    assert_type(Place.primary.inside(VIEW), GeoQuery[Place])
    assert_type(Place.primary.inside(Union([VIEW, Circle(51, 0, 50)]), level=8), GeoQuery[Place])
    assert_type(Place.primary.view(VIEW, 15, pixels=48), GeoQuery[Place])
    assert_type(Place.primary.near(51.5, -0.1, 500), GeoQuery[Place])
    assert_type(Place.primary.closest(51.5, -0.1, 10, within=5000), GeoQuery[Place])
    assert_type(Place.primary.inside(VIEW).by_distance(51.5, -0.1).limit(5), GeoQuery[Place])
    assert_type(Place.primary.inside(VIEW).consistently().hydrate().into(Name), GeoQuery[Name])
    assert_type(Place.primary.inside(VIEW).using(CellStatistics(), most_queries=9), GeoQuery[Place])
    assert_type(Place.primary.inside(VIEW).plan, Plan)
    assert_type(Place.around(51.5, -0.1), GeoQuery[Place])


def a_store_runs_it(db: Store) -> None:
    query = Place.primary.inside(VIEW)
    assert_type(db.run(query), list[Place])
    assert_type(db.run(query.into(Name)), list[Name])
    assert_type(db.iter(query), Iterator[Place])
    assert_type(db.page(query.limit(5)), Page[Place])
    assert_type(db.page(query.into(Name).limit(5), after=""), Page[Name])


async def an_asynchronous_store_runs_it(db: AsyncStore) -> None:
    query = Place.primary.inside(VIEW)
    assert_type(await db.run(query), list[Place])
    assert_type(db.iter(query.into(Name)), AsyncIterator[Name])
    assert_type(await db.page(query.limit(5)), Page[Place])
