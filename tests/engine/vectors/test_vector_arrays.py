"""Vector arrays of both kinds return the same as comparing every vector."""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.engine.vectors.distance import SearchVector
from pksk.engine.vectors.vector_array import ArrayEntry, PlainVectorArray, VectorArray
from tests.conftest import LONG

from .brute_force import DISTANCES, brute_force

Make = Callable[[int], VectorArray]

EXTREME = [0.0, 1e-45, 1e-30, 1e-19, 1.0, 1 + 2**-23, 3.25, 1e19, 1e30, 3.4e38]
FLOATS = st.one_of(
    st.floats(-2, 2, width=32),
    st.sampled_from([sign * number for number in EXTREME for sign in (1, -1)]),
)


def _numpy_array(dimensions: int) -> VectorArray:
    pytest.importorskip("numpy")
    from pksk.engine.vectors.numpy_vector_array import NumpyVectorArray

    return NumpyVectorArray(dimensions)


@pytest.fixture(params=["numpy", "plain"], scope="module")
def make(request: pytest.FixtureRequest) -> Make:
    if request.param == "numpy":
        pytest.importorskip("numpy")
    return _numpy_array if request.param == "numpy" else PlainVectorArray


def packed(vector: list[float]) -> bytes:
    return struct.pack(f"<{len(vector)}f", *vector)


def entry(name: str, vector: list[float], *filters: Hashable) -> ArrayEntry:
    return ArrayEntry(name.encode(), packed(vector), filters)


def found(
    array: VectorArray, distance: str, vector: list[float], count: int, **wanted: Hashable
) -> list[tuple[str, float]]:
    filters = {int(position[1:]): value for position, value in wanted.items()}
    nearest = array.nearest(SearchVector(distance, packed(vector)), count, filters)
    return [(each.key.decode(), each.score) for each in nearest]


@pytest.mark.parametrize("distance", DISTANCES)
@settings(max_examples=1000 if LONG else 30, deadline=None)
@given(data=st.data())
def test_the_nearest_vectors_equal_a_full_comparison(make: Make, distance: str, data: st.DataObject) -> None:
    dimensions = data.draw(st.integers(1, 5))
    vectors = data.draw(st.lists(st.lists(FLOATS, min_size=dimensions, max_size=dimensions), max_size=40))
    query = data.draw(st.lists(FLOATS, min_size=dimensions, max_size=dimensions))
    count = data.draw(st.integers(1, 12))
    named = [(f"{position:03}", vector) for position, vector in enumerate(vectors)]
    array = make(dimensions)
    array.extend([entry(name, vector) for name, vector in named])

    expected = [each for _, each in brute_force(distance, query, named, count)]
    assert [each for _, each in found(array, distance, query, count)] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("distance", DISTANCES)
def test_random_vectors_are_ranked_like_a_full_comparison(make: Make, distance: str) -> None:
    random = Random(7)
    named = [(f"{position:04}", [random.gauss(0, 1) for _ in range(16)]) for position in range(300)]
    array = make(16)
    array.extend([entry(name, vector) for name, vector in named])
    for _ in range(5):
        query = [random.gauss(0, 1) for _ in range(16)]

        names = [name for name, _ in found(array, distance, query, 20)]
        assert names == [name for name, _ in brute_force(distance, query, named, 20)]


@pytest.mark.parametrize("distance", DISTANCES)
def test_vectors_that_differ_in_the_last_bits_are_ranked_exactly(make: Make, distance: str) -> None:
    far = [1000.0] * 8
    named = [(f"{position:04}", [*far[:7], 1000.0 + position * 2**-14]) for position in range(300)]
    Random(1).shuffle(named)
    array = make(8)
    array.extend([entry(name, vector) for name, vector in named])

    names = [name for name, _ in found(array, distance, far, 5)]
    assert names == [name for name, _ in brute_force(distance, far, named, 5)]


def test_equal_scores_are_in_the_order_of_their_keys(make: Make) -> None:
    names = [f"{position:04}" for position in range(400)]
    Random(2).shuffle(names)
    array = make(3)
    array.extend([entry(name, [1.0, 2.0, 3.0]) for name in names])

    assert [name for name, _ in found(array, "COSINE", [3.0, 1.0, 2.0], 7)] == sorted(names)[:7]


@settings(max_examples=300 if LONG else 20, deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.one_of(st.none(), st.integers(-3, 3)), st.booleans()),
        max_size=60,
    )
)
def test_an_array_follows_changes(make: Make, changes: list[tuple[str, int | None, bool]]) -> None:
    array, expected = make(2), dict[str, tuple[list[float], bool]]()
    for name, number, flag in changes:
        if number is None:
            array.remove(name.encode())
            expected.pop(name, None)
        else:
            vector = [float(number), 1.0]
            array.put(entry(name, vector, flag))
            expected[name] = vector, flag

    assert len(array) == len(expected)
    for name, (vector, flag) in expected.items():
        assert array.get(name.encode()) == entry(name, vector, flag)
    for flag in (True, False):
        candidates = sorted((name, vector) for name, (vector, own) in expected.items() if own is flag)
        assert found(array, "EUCLIDEAN", [0.0, 1.0], 3, f0=flag) == brute_force(
            "EUCLIDEAN", [0.0, 1.0], candidates, 3
        )


def test_an_array_frees_space_and_grows_again(make: Make) -> None:
    array = make(2)
    array.extend([entry(f"{position:05}", [float(position), 0.0]) for position in range(9000)])
    for position in range(50, 9000):
        array.remove(f"{position:05}".encode())
    array.extend([entry(f"{position:05}", [float(position), 0.0]) for position in range(9000, 9100)])

    assert [name for name, _ in found(array, "EUCLIDEAN", [9050.0, 0.0], 1)] == ["09050"]
    assert [name for name, _ in found(array, "EUCLIDEAN", [49.0, 0.0], 2)] == ["00049", "00048"]


def test_zero_vectors_have_no_direction(make: Make) -> None:
    array = make(2)
    array.extend(
        [entry("a", [0.0, 0.0]), entry("b", [1.0, 0.0]), entry("c", [-1.0, 0.0]), entry("d", [0.0, 1.0])]
    )

    assert found(array, "COSINE", [2.0, 0.0], 3) == [("b", 0.0), ("a", 1.0), ("d", 1.0)]
    assert [score for _, score in found(array, "COSINE", [0.0, 0.0], 3)] == [1.0, 1.0, 1.0]
