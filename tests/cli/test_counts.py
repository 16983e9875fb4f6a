"""`pksk counts verify`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.counted_cells import write_counted_cells
from tests.cli.run_pksk import pksk


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_cells_that_differ_are_listed_and_repaired() -> None:
    write_counted_cells("pksk.db", gcp00=3, gcp01=2, gcp0=4, u00=7)

    found = pksk("counts", "verify", "cells.py")
    repaired = pksk("counts", "verify", "cells.py", "--repair")
    again = pksk("counts", "verify", "cells.py")

    assert (found.code, found.err) == (1, "")
    assert sorted(found.out.splitlines()) == [
        "  extra u00: reports is 7 and should be 0",
        "  missing gcp: reports should be 4",
        "  wrong gcp0: reports is 4 and should be 5",
        "Cell: 3 cells compared: 1 missing, 1 wrong, 1 extra",
    ]
    assert repaired.code == 0
    assert "written" in repaired.out.splitlines()[0]
    assert (again.code, again.out) == (0, "Cell: 3 cells compared: 0 missing, 0 wrong, 0 extra\n")


def test_json_has_every_difference() -> None:
    write_counted_cells("heat.db", gcp00=3, gcp0=3)

    found = pksk("counts", "verify", "cells.py", "--on", "heat.db", "--json")

    assert found.code == 1
    [counts] = json.loads(found.out)["counts"]
    assert counts["differences"] == [
        {"kind": "missing", "cell": "gcp", "scope": {}, "stored": None, "expected": {"reports": 3}}
    ]
    assert (counts["entity"], counts["cells"], counts["missing"]) == ("Cell", 2, 1)


def test_more_differences_than_are_listed_are_counted() -> None:
    names = [f"gc{first}{second}" for first in "0123456789bcdef" for second in "0123456789"]
    write_counted_cells("pksk.db", **dict.fromkeys(names, 1))

    found = pksk("counts", "verify", "cells.py").out.splitlines()

    assert found[0] == "Cell: 165 cells compared: 15 missing, 0 wrong, 150 extra"
    assert (len(found), found[-1]) == (102, "  and 65 more")


def test_a_design_without_counts_and_a_missing_file_are_errors() -> None:
    pksk("new", "shop")
    write_counted_cells()

    no_counts = pksk("counts", "verify", "shop/shop.py")
    no_file = pksk("counts", "verify", "cells.py", "--on", "nothing.db")

    assert (no_counts.code, no_file.code) == (2, 2)
    assert "there are no counts in 'shop/shop.py'" in no_counts.err
    assert "nothing.db" in no_file.err
