"""Two cautions, shown on a real table: suffixes of several lengths, and capitals."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from examples.heatmap.cells import Cell
from examples.heatmap.comparisons import LooseCell
from examples.heatmap.views import LENGTHS
from pksk import Store
from pksk.cells import ALPHABET


def suffixes_between(db: Store, suffixes: list[str], first: str, last: str) -> list[str]:
    db.batch_put(*(LooseCell(prefix="gcpjf", suffix=each) for each in suffixes))
    return [each.suffix for each in db.iter(LooseCell.within("gcpjf", first, last))]


def test_all_shorter_suffixes_but_the_first_sort_among_the_longer_ones(db: Store) -> None:
    shorter = [f"w{each}" for each in ALPHABET]

    returned = suffixes_between(db, ["w", "x", *shorter, "w00", "wzz"], "w00", "wzz")

    assert [each for each in returned if len(each) == 2] == shorter[1:]
    assert "w0" not in returned
    assert "w" not in returned


def test_capitals_are_missed_by_the_range_of_their_cell(db: Store) -> None:
    assert suffixes_between(db, ["w00", "wzz", "W00", "W5D", "WZZ"], "w00", "wzz") == ["w00", "wzz"]


def test_capitals_are_in_ranges_of_other_cells(db: Store) -> None:
    assert suffixes_between(db, ["W5D", "wZ0", "9zz", "b00"], "000", "zzz") == ["9zz", "W5D", "b00", "wZ0"]
    assert suffixes_between(db, [], "w00", "wzz") == ["wZ0"]


@pytest.mark.parametrize(
    "cell", ["", "gc", "gcpjfy6d0", "GCP", "gcpjfW00", "gcpjfw0A", "gcpjfwa0", "gcpjfwi0", "gcp w0"]
)
def test_a_cell_requires_three_to_eight_characters_of_the_alphabet(cell: str) -> None:
    with pytest.raises(ValidationError):
        Cell(cell=cell, half=4050, expires=1)


def test_all_sort_keys_of_a_partition_have_three_characters(db: Store) -> None:
    cells = [Cell(cell="gcpjfy6d"[:length], half=4050, expires=1) for length in LENGTHS]

    assert {len(Cell.__pksk__.to_item(each)["SK"]["S"]) for each in cells} == {3}
