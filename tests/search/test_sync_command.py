"""`pksk sync` fills, follows, verifies and repairs an index in a file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import orjson
import pytest

from pksk import connect
from tests.cli.run_pksk import pksk
from tests.search.places import Park
from tests.search.places_file import PLACES, fill_places

pytestmark = pytest.mark.usefixtures("workplace")


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("places.py").write_text(PLACES)
    fill_places("pksk.db")


def test_run_applies_changes_and_status_says_how_far() -> None:
    assert (
        pksk("sync", "run", "places.py", "--no-follow").out
        == "3 items written, 0 superseded, 0 dead letters.\n"
    )

    status = orjson.loads(pksk("sync", "status", "places.py", "--json").out)
    assert (status["items"], status["dead_letters"], status["tables"][0]["condition"]) == (3, 0, "reading")
    assert "reference  search-places  reading" in pksk("sync", "status", "places.py").out


def test_a_backfill_fills_a_new_index() -> None:
    pksk("sync", "run", "places.py", "--no-follow")

    filled = orjson.loads(pksk("sync", "backfill", "places.py", "--file", "new.db", "--json").out)

    assert (filled["items"], filled["applied"]) == (3, 3)
    assert pksk("sync", "verify", "places.py", "--file", "new.db").code == 0


def test_a_rebuild_goes_on_until_it_is_complete() -> None:
    pksk("sync", "run", "places.py", "--no-follow")
    with connect("pksk.db") as db:
        db.batch_put(Park(id=str(number), name="Some park" * 50) for number in range(10, 60))

    first = pksk("sync", "rebuild", "places.py", "--max-read-units", "2").out
    assert "not complete yet: run it again." in first
    assert "complete." in pksk("sync", "rebuild", "places.py").out
    assert pksk("sync", "verify", "places.py").code == 0


def test_verify_lists_what_differs_and_repairs_it() -> None:
    pksk("sync", "run", "places.py", "--no-follow")
    with sqlite3.connect("places.search.db") as connection:
        connection.execute("UPDATE items SET digest = 0 WHERE id = 'PARK%231#META'")
    connection.close()

    found = pksk("sync", "verify", "places.py", "--settle", "0")
    assert found.code == 1
    assert "stale" in found.out
    assert "PARK%231#META" in found.out
    assert "3 items, 1 differ" in found.out
    repaired = pksk("sync", "verify", "places.py", "--settle", "0", "--repair")
    assert repaired.code == 0
    assert "1 repaired." in repaired.out
    assert "none differ" in pksk("sync", "verify", "places.py").out


def test_dead_letters_are_listed_and_retried() -> None:
    with connect("pksk.db") as db:
        db.put(Park(id="9", name="Large", visits=2**64))
    pksk("sync", "run", "places.py", "--no-follow")

    listed = orjson.loads(pksk("sync", "dead-letters", "places.py", "--json").out)
    assert [each["id"] for each in listed["dead_letters"]] == ["PARK%239#META"]
    with connect("pksk.db") as db:
        db.put(Park(id="9", name="Small"))
    assert pksk("sync", "dead-letters", "places.py", "--retry").out == "1 written, 0 left.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("places.py:plcaes",), "did you mean 'places'?"),
        (("empty.py",), "empty.py has 0 search indexes."),
        (("places.py", "--on", "missing.db"), "missing.db"),
        (("places.py", "--file", "places.py"), "is not the file of a search index"),
    ],
)
def test_a_wrong_argument_is_explained(arguments: tuple[str, ...], message: str) -> None:
    Path("empty.py").write_text("")

    ran = pksk("sync", "status", *arguments)

    assert ran.code == 2
    assert message in ran.err
