"""The nearest items are those of sorting all by great-circle distance, also where many are equally far away."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from pksk import Store, connect
from pksk.cells import distance_m
from tests.conftest import LONG
from tests.store.places import Place, places

_CASES: Final = 1000 if LONG else 30
# Both poles, both sides of the 180th meridian, and pairs that are equally far from a position between them.
_LATITUDES: Final = (-90.0, -89.99, -45.0, -0.001, 0.0, 0.001, 45.0, 89.99, 90.0)
_LONGITUDES: Final = (-180.0, -179.999, -90.0, -0.001, 0.0, 0.001, 90.0, 179.999, 180.0)


def _tied_places(random: Random) -> list[Place]:
    """Places of which many are equally far from a position, and some at the same one."""
    positions = [
        (lat, lng) for lat in _LATITUDES for lng in _LONGITUDES for _ in range(random.choice([1, 2]))
    ]
    positions += [(random.uniform(-90, 90), random.uniform(-180, 180)) for _ in range(60)]
    random.shuffle(positions)
    return [Place(id=f"{number:04d}", lat=lat, lng=lng) for number, (lat, lng) in enumerate(positions)]


ITEMS: Final = _tied_places(Random(21))


@pytest.fixture(scope="module")
def db() -> Iterator[Store]:
    with connect("memory:") as store:
        store.create_tables(places)
        store.batch_put(ITEMS)
        yield store


def _centre(random: Random) -> tuple[float, float]:
    if random.random() < 0.7:
        return random.choice([*_LATITUDES, 22.5]), random.choice([*_LONGITUDES, 45.0])
    return random.uniform(-90, 90), random.uniform(-180, 180)


def test_the_nearest_items_are_those_of_sorting_all_items_by_distance_and_key(db: Store) -> None:
    random = Random(22)
    for _ in range(_CASES):
        lat, lng = _centre(random)
        count = random.choice([1, 2, 3, 10, 40, 400])
        within: dict[str, Any] = {"within": 10 ** random.uniform(2, 7.3)} if random.random() < 0.3 else {}
        key, cell = random.choice([(Place.primary, "cell"), (Place.by_whole_cell, "small")])

        found = db.run(key.closest(lat, lng, count, app="a", **within))

        ranked = sorted(
            (distance_m(lat, lng, each.lat, each.lng), getattr(each, cell), each.id) for each in ITEMS
        )
        near = [each for distance, _, each in ranked if distance <= within.get("within", 1e9)]
        assert [each.id for each in found] == near[:count], (lat, lng, count, within, key)
