"""Places on the map: one design with cells in its table and in two indexes, and random items anywhere on Earth."""

from __future__ import annotations

from random import Random
from typing import Annotated

from pydantic import computed_field

from pksk import GSI, Attribute, Entity, Key, Table
from pksk.cells import CellLevel, encode
from tests.cells.random_regions import random_position

places = Table(
    "places",
    indexes=[
        GSI("by-whole-cell", pk="g1", sk="g1s"),
        GSI("by-kind", pk="g2", sk="g2s", projection=["lat", "lng"]),
    ],
)


class Place(Entity, table=places):
    """An item with a position: by cells of level 4 in the table, and by whole cells of level 8 in an index."""

    app: str = "a"
    kind: str = "shop"
    id: str
    lat: float
    lng: float
    stars: int = 0

    primary = Key("PLACE#{app}#{cell[:-3]}", "{cell[-3:]}#{id}")
    by_whole_cell = Key("ALL#{app}", "{small}#{id}", index="by-whole-cell")
    by_kind = Key("KIND#{app}", "{kind}#{cell}", index="by-kind")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cell(self) -> Annotated[str, CellLevel(4, of=("lat", "lng"))]:
        """The cell of the position."""
        return encode(self.lat, self.lng, 4)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def small(self) -> Annotated[str, CellLevel(8, of=("lat", "lng"))]:
        """The small cell of the position."""
        return encode(self.lat, self.lng, 8)


class Count(Entity, table=places):
    """A count of each cell, at levels 3 to 5."""

    cell: Annotated[str, CellLevel(3, 5), Attribute("c")]
    n: int = 0

    primary = Key("COUNT#{cell[:-3]}", "{cell[-3:]}")


def random_places(random: Random, count: int) -> list[Place]:
    """Places anywhere, often at poles, the 180th meridian and borders of cells, and some at one position."""
    found: list[Place] = []
    for number in range(count):
        lat, lng = random_position(random)
        if found and random.random() < 0.1:
            other = random.choice(found)
            lat, lng = other.lat, other.lng
        kind = random.choice(["shop", "park"])
        found.append(Place(id=f"{number:05d}", lat=lat, lng=lng, kind=kind, stars=random.randrange(6)))
    return found
