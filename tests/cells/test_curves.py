"""What every curve must do; a new one joins the list."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.cells import GEOHASH, Curve
from pksk.cells.curve import Block
from tests.cells.hilbert import HILBERT

each_curve = pytest.mark.parametrize("curve", [GEOHASH, HILBERT], ids=["geohash", "hilbert"])


@each_curve
@given(data=st.data())
def test_a_cell_is_in_one_column_and_row_and_has_one_number(curve: Curve, data: st.DataObject) -> None:
    level = data.draw(st.sampled_from(curve.levels))
    columns, rows = curve.grid(level)
    place = data.draw(st.integers(0, (1 << columns) - 1)), data.draw(st.integers(0, (1 << rows) - 1))

    cell = curve.at(*place, level)

    assert len(cell) == level
    assert curve.position(cell) == place
    assert curve.name(curve.number(cell), level) == cell


@each_curve
@given(data=st.data())
def test_names_sort_like_numbers(curve: Curve, data: st.DataObject) -> None:
    level = data.draw(st.sampled_from(curve.levels))
    numbers = st.integers(0, (1 << sum(curve.grid(level))) - 1)
    one, other = data.draw(numbers), data.draw(numbers)

    names = curve.name(one, level), curve.name(other, level)

    assert (names[0] < names[1]) == (one < other) == (names[0].encode() < names[1].encode())


@each_curve
@given(data=st.data())
def test_the_name_of_a_cell_begins_with_the_name_of_the_cell_around_it(
    curve: Curve, data: st.DataObject
) -> None:
    level = data.draw(st.sampled_from(curve.levels[1:]))
    number = data.draw(st.integers(0, (1 << sum(curve.grid(level))) - 1))
    cell = curve.name(number, level)
    (columns, rows), (wider, higher) = curve.grid(level - 1), curve.grid(level)

    column, row = curve.position(cell)
    around = column >> wider - columns, row >> higher - rows

    assert curve.position(cell[:-1]) == around
    assert curve.number(cell[:-1]) == number >> curve.bits


@each_curve
@given(data=st.data())
def test_halves_have_the_cells_of_a_block_in_their_order(curve: Curve, data: st.DataObject) -> None:
    level = data.draw(st.sampled_from(curve.levels))
    block = curve.world(level)
    turns = data.draw(st.lists(st.integers(0, 1), max_size=sum(block[3:5]) - 1))
    for turn in turns:
        block = curve.halves(block)[turn]

    low, high = curve.halves(block)

    assert low[0] == block[0]
    assert high[0] == block[0] + _size(low)
    assert _size(low) == _size(high) == _size(block) // 2
    sides = [_sides(each) for each in (low, high)]
    assert _joined(*sides) == _sides(block)


@each_curve
def test_a_block_has_exactly_the_cells_of_its_numbers(curve: Curve) -> None:
    level = 2
    waiting = [curve.world(level)]
    while waiting:
        block = waiting.pop()
        (west, right), (south, top) = _sides(block)
        names = {curve.at(column, row, level) for column in range(west, right) for row in range(south, top)}

        numbers = range(block[0], block[0] + _size(block))
        assert names == {curve.name(number, level) for number in numbers}
        if _size(block) > 1:
            waiting += curve.halves(block)


@each_curve
def test_the_numbers_of_a_level_have_no_gaps(curve: Curve) -> None:
    columns, rows = curve.grid(2)
    numbers = sorted(
        curve.number(curve.at(column, row, 2)) for column in range(1 << columns) for row in range(1 << rows)
    )

    assert numbers[0] == 0
    assert all(other == one + 1 for one, other in pairwise(numbers))


def _size(block: Block) -> int:
    return 1 << block[3] + block[4]


def _sides(block: Block) -> tuple[tuple[int, int], tuple[int, int]]:
    _, column, row, columns, rows, _ = block
    return (column, column + (1 << columns)), (row, row + (1 << rows))


def _joined(
    one: tuple[tuple[int, int], tuple[int, int]], other: tuple[tuple[int, int], tuple[int, int]]
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The rectangle that two rectangles form, if they do."""
    across, up = (sorted(pair) for pair in zip(one, other, strict=True))
    if across[0] == across[1] and up[0][1] == up[1][0]:
        return across[0], (up[0][0], up[1][1])
    if up[0] == up[1] and across[0][1] == across[1][0]:
        return (across[0][0], across[1][1]), up[0]
    return None
