"""Cells in keys: fields that are cells, the exact keys of levels 3 to 8, and suffixes of one length in a partition."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from pksk import GSI, Entity, Key, KeyPair, Table, Template, connect
from pksk.cells import CellLevel, encode
from pksk.errors import PkskError, TemplateError

ANY: dict[str, Any] = {"cell": Annotated[str, CellLevel(3, 8)], "id": str}
SMALLEST: dict[str, Any] = {"cell": Annotated[str, CellLevel(8)], "id": str}


def pair(partition: str, sort: str, fields: dict[str, Any]) -> KeyPair:
    return KeyPair(Template(partition, fields), Template(sort, fields, role="sort"))


@given(st.floats(-90, 90), st.floats(-180, 180), st.integers(3, 8))
def test_a_cell_of_any_level_is_read_back_from_its_keys(lat: float, lng: float, level: int) -> None:
    cells, cell = pair("ShCe#{cell[:-3]}", "{cell[-3:]}", ANY), encode(lat, lng, level)

    keys = cells.render({"cell": cell})

    assert keys == (f"ShCe#{cell[:-3]}", cell[-3:])
    assert cells.match(*keys) == {"cell": cell}


def test_several_items_are_in_one_cell_and_other_attributes_are_around_it() -> None:
    cells = pair("Sh#Ma#{cell[:-3]}", "{cell[-3:]}#{id}", SMALLEST)

    assert cells.render({"cell": "gcpjfy6d", "id": "7"}) == ("Sh#Ma#gcpjf", "y6d#7")


@pytest.mark.parametrize(
    ("partition", "sort", "fields"),
    [
        ("ShCe#{cell[:-3]}", "{cell[-3:]}", ANY),
        ("ShCe#{cell[:-2]}", "{cell[-2:]}#{id}", ANY),
        ("ShCe#{cell[:5]}", "{cell[5:]}", SMALLEST),
        ("ShCe", "{cell}", SMALLEST),
        ("ShCe#{cell}", "{cell[-3:]}", ANY),
        ("ShCe#{id}", "{cell:.3}", ANY),
    ],
)
def test_suffixes_of_one_length_in_each_partition_are_accepted(
    partition: str, sort: str, fields: dict[str, Any]
) -> None:
    assert pair(partition, sort, fields).fields


@pytest.mark.parametrize(
    ("partition", "sort", "lengths"),
    [
        ("ShCe", "{cell}", "3 or 4"),
        ("ShCe#{id}", "{cell}", "3 or 4"),
        ("ShCe#{cell[:2]}", "{cell[2:]}", "1 or 2"),
        ("ShCe#{cell:.3}", "{cell[3:]}", "0 or 1"),
        ("ShCe#{id}", "{cell[-4:]}", "3 or 4"),
    ],
)
def test_suffixes_of_several_lengths_in_a_partition_are_rejected(
    partition: str, sort: str, lengths: str
) -> None:
    with pytest.raises(TemplateError, match=f"can have {lengths} characters of 'cell'") as caught:
        pair(partition, sort, ANY)

    assert caught.value.code == "template-cell-suffix"
    assert "a range would return cells of other sizes" in str(caught.value)


def test_an_entity_with_such_a_key_or_index_is_rejected_when_its_class_is_made() -> None:
    table = Table("cells", indexes=[GSI("by-place", pk="place", sk="cell_key")])

    with pytest.raises(TemplateError, match=r"Bad\.primary: sort keys of one partition"):

        class Bad(Entity, table=table):
            cell: Annotated[str, CellLevel(3, 8)]

            primary = Key("ShCe", "{cell}")

    with pytest.raises(TemplateError, match=r"Worse\.by_place: sort keys of one partition"):

        class Worse(Entity, table=table):
            cell: Annotated[str, CellLevel(3, 8)]

            primary = Key("ShCe#{cell[:-3]}", "{cell[-3:]}")
            by_place = Key("PLACE", "{cell}", index="by-place")


def test_an_entity_with_cells_is_stored_and_read_by_its_cell() -> None:
    table = Table("cells")

    class Cell(Entity, table=table):
        cell: Annotated[str, CellLevel(3, 8)]
        reports: int = 0

        primary = Key("ShCe#{cell[:-3]}", "{cell[-3:]}")

    with connect("memory:") as db:
        db.create_tables(table)
        for level in range(3, 9):
            db.put(Cell(cell="gcpjfy6d"[:level], reports=level))

        assert db.get(Cell.primary.get(cell="gcpj")) == Cell(cell="gcpj", reports=4)
        stored = db.client.call("Scan", {"TableName": "cells"})["Items"]
    assert {(item["pk"]["S"], item["sk"]["S"]) for item in stored} == {
        ("ShCe#", "gcp"),
        ("ShCe#g", "cpj"),
        ("ShCe#gc", "pjf"),
        ("ShCe#gcp", "jfy"),
        ("ShCe#gcpj", "fy6"),
        ("ShCe#gcpjf", "y6d"),
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("GCPJFY6D", "Write 'gcpjfy6d'"),
        ("gcpjfy6a", "'a' is not a character of geohashes"),
        ("gcpjfy6", "has level 7, and this field has cells of level 8"),
        ("gcpjfy6dh", "has level 9"),
        ("", "no cells of level 0"),
    ],
)
def test_a_value_that_is_not_a_cell_of_the_level_is_rejected(value: str, text: str) -> None:
    class Place(BaseModel):
        cell: Annotated[str, CellLevel(8)]

    with pytest.raises(ValidationError, match=text):
        Place(cell=value)


@pytest.mark.parametrize(
    "levels", [(0, None), (13, None), (5, 3), (0, 3), (8, 13), ("6", None), (None, 6), (6.0, None), (3, "8")]
)
def test_levels_that_do_not_exist_are_rejected(levels: tuple[Any, Any]) -> None:
    with pytest.raises(PkskError, match="has no cells") as caught:
        CellLevel(*levels)

    assert caught.value.code == "template-cell-level"
