"""`pksk map`: what it shows by itself, what it says about it, and what it rejects."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pksk import connect
from pksk.cli.target import load
from tests.cli.run_pksk import forget_modules, pksk
from tests.geo.map_files import CELLS, write_map_files


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_map_files()


def data(file: str = "map.html") -> Any:
    """What the page has for its script."""
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', Path(file).read_text("utf-8")
    )
    assert found
    return json.loads(found[1])


def test_the_shortest_call_shows_the_only_number_of_the_only_entity_with_a_cell() -> None:
    ran = pksk("map", "heat.py", "--on", "heat.db")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "map.html: 5 cells. Open it in a browser.\n  5 items of Cell in heat.db.\n"
    page = data()
    assert {name: total for name, total, _ in page["levels"]["8"]} == CELLS
    assert page["valueName"] == "reports"
    assert page["keys"] == {
        "names": ["pk", "sk"], "partition": ["ShCe#", ""], "sort": ["", ""], "suffix": 3, "beyond": 0,
    }  # fmt: skip
    assert page["statistics"]["8"]["partitionItems"] == {"gcpvj": 3, "u09tu": 1, "xn76u": 1}


def test_items_of_a_file_give_the_same_page_as_those_of_a_database() -> None:
    pksk("map", "heat.py", "--on", "heat.db")
    ran = pksk("map", "heat.py", "--items", "cells.jsonl", "-o", "file.html")

    assert (ran.code, ran.err) == (0, "")
    assert data("file.html")["levels"] == data()["levels"]


def test_standard_input_is_a_file_of_items() -> None:
    ran = pksk("map", "heat.py", "--items", "-", stdin=Path("cells.jsonl").read_text())

    assert (ran.code, ran.err) == (0, "")
    assert "5 items of Cell in standard input." in ran.out


def test_positions_are_points_with_their_names_and_values() -> None:
    ran = pksk("map", "spots.py", "--on", "spots.db", "--entity", "Spot", "--value", "visits")

    assert (ran.code, ran.err) == (0, "")
    assert sorted(data()["points"])[3] == [53, 3, "Spot 3", 3]
    assert data()["keys"] is None


def test_a_note_names_the_numbers_if_there_are_several() -> None:
    ran = pksk("map", "spots.py:Spot", "--on", "spots.db")

    assert ran.code == 0
    assert "All points have one colour. For values: --value visits or rating." in ran.out


def test_several_values_are_added_up() -> None:
    pksk("map", "heat.py", "--on", "heat.db", "--value", "reports", "--value", "reports")

    assert data()["levels"]["8"][0][1] == 2 * CELLS[data()["levels"]["8"][0][0]]
    assert data()["valueName"] == "reports + reports"


def test_a_property_can_be_the_cell() -> None:
    Path("heat.py").write_text(
        Path("heat.py").read_text().replace("cell: Annotated[str, CellLevel(3, 8)]", "cell: str")
    )
    without = pksk("map", "heat.py", "--on", "heat.db")
    ran = pksk("map", "heat.py", "--on", "heat.db", "--cell", "cell")

    assert without.code == 2
    assert (
        "Fix: declare such a field, or name the field or property that is a cell: --cell NAME." in without.err
    )
    assert (ran.code, ran.err) == (0, "")


def test_shapes_are_drawn_with_or_without_items() -> None:
    alone = pksk("map", "--shapes", "park.geojson", "-o", "park.html")
    both = pksk("map", "heat.py", "--on", "heat.db", "--shapes", "park.geojson")

    assert alone.out.startswith("park.html: 1 shape. ")
    assert both.out.startswith("map.html: 5 cells, 1 shape. ")
    assert data("park.html")["shapes"] == data()["shapes"]
    assert data()["shapes"][0]["name"] == "Stanley Park"


def test_json_says_what_was_written() -> None:
    ran = pksk("map", "heat.py", "--on", "heat.db", "--json")
    found = json.loads(ran.out)

    assert found.pop("bytes") == Path("map.html").stat().st_size
    assert found == {
        "file": "map.html", "items": 5, "cells": 5, "points": 0, "shapes": 0, "value": "reports",
        "notes": ["5 items of Cell in heat.db."],
    }  # fmt: skip


def test_the_view_is_what_the_page_shows_first() -> None:
    pksk("map", "heat.py", "--on", "heat.db", "--view", "51", "-1", "52", "1")

    assert data()["view"] == [51, -1, 52, 1]


def test_a_table_is_read_up_to_the_units_that_are_allowed() -> None:
    with forget_modules(), connect("heat.db") as db:
        module = load("heat.py").module
        db.batch_put(
            *(
                module.Cell(cell=f"gcp{a}{b}{c}00")
                for a in "0123456789"
                for b in "0123456789"
                for c in "0123456789bcdefghjkm"
            )
        )
    ran = pksk("map", "heat.py", "--on", "heat.db", "--units", "1")

    assert ran.code == 0
    assert "Only a part was read: after " in ran.out
    assert "1,000 items of Cell in heat.db." in ran.out


@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        (["heat.py"], None, "Name a database with --on, or a file with --items."),
        ([], None, "Name a TARGET"),
        (["--on", "heat.db"], None, "--on needs a TARGET"),
        (["heat.py", "--on", "heat.db", "--items", "cells.jsonl"], None, "--on and --items are both given"),
        (["heat.py", "--on", "haet.db"], "file-missing", "did you mean 'heat.db'?"),
        (["heat.py", "--items", "cell.jsonl"], "file-missing", "did you mean 'cells.jsonl'?"),
        (["heat.py", "--on", "empty.db"], "map-no-items", "There is no item of Cell in empty.db."),
        (["shop.py", "--on", "heat.db"], "map-no-place", "No entity of the design has a cell or a position."),
        (["shop.py", "--on", "heat.db", "--entity", "Order"], "map-no-place", "Order has no cell and no position."),
        (["spots.py", "--on", "spots.db"], "map-several-entities", "Cell and Spot can be shown on a map."),
        (["spots.py", "--on", "spots.db", "--entity", "Spto"], "map-entity", "did you mean 'Spot'?"),
        (["heat.py", "--on", "heat.db", "--value", "report"], "map-field", "did you mean 'reports'?"),
        (["heat.py", "--on", "heat.db", "--value", "cell"], "map-field", "which is not a number"),
        (["heat.py", "--on", "heat.db", "--cell", "cel"], "map-field", "did you mean 'cell'?"),
        (["heat.py", "--on", "heat.db", "--cell", "reports"], "map-field", "is 5, which is not the name of a cell"),
        (["spots.py", "--on", "spots.db", "--cell", "pk"], "map-field", "No entity has a field 'pk'."),
        (["heat.py", "--on", "heat.db", "--key", "primry"], "map-key", "did you mean 'primary'?"),
        (["heat.py", "--on", "heat.db", "-o", "missing/map.html"], "file-unwritable", "-o FILE"),
        (["--shapes", "prk.geojson"], "file-missing", "did you mean 'park.geojson'?"),
        (["--shapes", "cells.jsonl"], "geometry-json", "cells.jsonl"),
        (["heat.py", "--on", "heat.db", "--view", "1", "2", "0", "3"], "cell-box", "north"),
        (["heat.py", "--on", "heat.db", "--view", "nan", "2", "0", "3"], "cell-position", "finite"),
    ],
)  # fmt: skip
def test_bad_input_is_rejected_with_a_fix(arguments: list[str], code: str | None, hint: str) -> None:
    ran = pksk("map", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert hint in ran.err
    assert code is None or ran.err.endswith(f"(pksk explain {code})\n")
    assert not Path("map.html").exists()


def test_a_cell_that_is_not_a_geohash_is_rejected() -> None:
    Path("heat.py").write_text(
        Path("heat.py").read_text().replace("cell: Annotated[str, CellLevel(3, 8)]", "cell: str")
    )
    Path("bad.jsonl").write_text('{"pk": "ShCe#GCPJ", "sk": "FY6", "cell": "GCPJFY6", "type": "Cell"}')
    ran = pksk("map", "heat.py", "--items", "bad.jsonl", "--cell", "cell")

    assert ran.code == 2
    assert "names are lower case" in ran.err
