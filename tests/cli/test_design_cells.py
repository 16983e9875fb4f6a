"""The table of levels that `pksk design` prints for keys with cells."""

from __future__ import annotations

from typing import Annotated

import pytest

from pksk import Entity, Key, Table
from pksk.cells import CellLevel
from pksk.cli.design import FORMATS
from pksk.cli.design_cells import cell_levels
from pksk.cli.design_data import design_data

heat = Table("heat")


class Cell(Entity, table=heat):
    cell: Annotated[str, CellLevel(3, 8)]

    primary = Key("ShCe#{cell[:-3]}", "{cell[-3:]}")


class Shop(Entity, table=heat):
    app: str
    id: str
    cell: Annotated[str, CellLevel(8)]

    primary = Key("Sh#{app}", "AT#{cell}#{id}")


class Plain(Entity, table=heat):
    id: str

    primary = Key("PLAIN#{id}", "META")


def test_each_level_has_its_size_its_keys_and_the_cells_of_a_partition() -> None:
    levels = cell_levels(Cell.__pksk__, Cell.__pksk__.primary)

    assert [(each["level"], each["partition_key"], each["sort_key"]) for each in levels] == [
        (3, "ShCe#", "gcp"),
        (4, "ShCe#g", "cpj"),
        (5, "ShCe#gc", "pjf"),
        (6, "ShCe#gcp", "jfy"),
        (7, "ShCe#gcpj", "fy6"),
        (8, "ShCe#gcpjf", "y6d"),
    ]
    assert levels[0]["degrees"] == [1.40625, 1.40625]
    assert {each["cells_per_partition"] for each in levels} == {32_768}


def test_a_key_with_a_whole_cell_has_all_cells_in_one_partition() -> None:
    (level,) = cell_levels(Shop.__pksk__, Shop.__pksk__.primary)

    assert (level["partition_key"], level["sort_key"]) == ("Sh#app", "AT#gcpjfy6d#")
    assert level["cells_per_partition"] == 32**8


def test_a_key_without_cells_has_no_levels() -> None:
    assert cell_levels(Plain.__pksk__, Plain.__pksk__.primary) == []


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_a_design_shows_the_table(form: str) -> None:
    text = FORMATS[form](design_data([heat]))

    assert "Cells of Cell.primary" in text
    assert "0.000343 x 0.000172" in text
    assert "38.2 m x 19.1 m" in text
    assert "Plain.primary" not in text
