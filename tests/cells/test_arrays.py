"""Arrays have the same results as single positions and cells."""

from __future__ import annotations

import subprocess
import sys
from math import nan, nextafter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import cells
from pksk.cells import arrays
from pksk.cells.geohash import ALPHABET, LEVELS
from pksk.errors import InvalidValue
from tests.cells.random_regions import random_position

levels = st.sampled_from(LEVELS)
positions = st.lists(st.tuples(st.floats(-90, 90), st.floats(-180, 180)), max_size=20)


@given(positions, levels)
def test_positions_have_the_same_cells(places: list[tuple[float, float]], level: int) -> None:
    lats, lngs = [lat for lat, _ in places], [lng for _, lng in places]

    found = arrays.encode(lats, lngs, level)

    assert found.tolist() == [cells.encode(*each, level) for each in places]


@pytest.mark.parametrize("level", LEVELS)
def test_positions_at_borders_poles_and_the_180th_meridian_have_the_same_cells(level: int) -> None:
    random = Random()
    places = [random_position(random) for _ in range(200)]
    corners = [cells.decode(cells.encode(*each, level)) for each in places]
    places += [(each.south, each.west) for each in corners] + [(each.north, each.east) for each in corners]
    places += [(nextafter(lat, -90), nextafter(lng, -180)) for lat, lng in places]

    found = arrays.encode([lat for lat, _ in places], [lng for _, lng in places], level)

    assert found.tolist() == [cells.encode(*each, level) for each in places]


@given(st.data(), levels)
def test_cells_have_the_same_areas_parents_children_and_neighbours(data: st.DataObject, level: int) -> None:
    names = data.draw(st.lists(st.text(ALPHABET, min_size=level, max_size=level), min_size=1, max_size=10))

    areas = [cells.decode(name) for name in names]
    assert arrays.decode(names).tolist() == [[each.south, each.west, each.north, each.east] for each in areas]
    around = [[each for each in row if each] for row in arrays.neighbours(names).tolist()]
    assert around == [list(cells.neighbours(name)) for name in names]
    if level < LEVELS[-1]:
        assert arrays.children(names).tolist() == [list(cells.children(name)) for name in names]
    for larger in range(1, level + 1):
        assert arrays.parent(names, larger).tolist() == [cells.parent(name, larger) for name in names]


def test_arrays_keep_their_shape() -> None:
    lats = np.zeros((2, 3))

    found = arrays.encode(lats, lats, 4)

    assert found.shape == (2, 3)
    assert arrays.decode(found).shape == (2, 3, 4)
    assert arrays.children(found).shape == (2, 3, 32)
    assert arrays.encode([], [], 4).tolist() == arrays.parent(np.array([], "U4"), 2).tolist() == []


@pytest.mark.parametrize(
    ("call", "code", "text"),
    [
        (lambda: arrays.encode([0, 91], [0, 0], 5), "cell-position", "Latitude 91"),
        (lambda: arrays.encode([0, 10], [0, 181], 5), "cell-position", "Longitude 181"),
        (lambda: arrays.encode([139.7], [35.7], 5), "cell-position", "did you swap latitude and longitude?"),
        (lambda: arrays.encode([nan], [0], 5), "cell-position", "must be finite"),
        (lambda: arrays.encode([1, 2], [1], 5), "cell-array", "2 latitudes and 1 longitudes"),
        (lambda: arrays.encode([1], [1], 13), "cell-level", "no cells of level 13"),
        (lambda: arrays.decode(["gcp", "GCQ"]), "cell-name", "write 'gcq'"),
        (lambda: arrays.decode(["gcp", "gca"]), "cell-name", "'a' is not a character"),
        (lambda: arrays.decode(["gcp", "gcé"]), "cell-name", "is not a cell"),
        (lambda: arrays.decode(["gcp", "gc"]), "cell-array", "another one level 3"),
        (lambda: arrays.children(["0" * 12]), "cell-level", "no cells of level 13"),
        (lambda: arrays.parent(["gcp"], 4), "cell-level", "no parents of level 4"),
    ],
)
def test_bad_arrays_are_rejected_as_single_values_are(call: object, code: str, text: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        call()  # type: ignore[operator]

    assert caught.value.code == code
    assert text in str(caught.value)


def test_only_arrays_need_numpy_and_say_so() -> None:
    code = (
        "import sys\nsys.modules['numpy'] = None\nfrom pksk.cells import Box, cover, encode\n"
        "cover(Box(0, 0, 1, 1), 4), encode(1, 2, 3)\ntry:\n    from pksk.cells import arrays\n"
        "except Exception as error:\n    print(error)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert 'pip install "pksk[geo]"' in done.stdout
    assert "cell-numpy" in done.stdout
