"""All five systems end to end: every access pattern is run, answers are right, prices are what was consumed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from examples.tour import System
from examples.tour.loading import LoadConflict
from pksk import Engine, Store, Table, connect
from pksk.server import Server
from tests.examples.example_requests import patterns
from tests.examples.recorded_tour import RecordedTour

NAMES = ("parks", "pantry", "heatmap", "records", "lessons")
# A server of others can be named; ours is started for tests over HTTP.
TARGETS = os.environ.get("PKSK_SYSTEMS", "memory").split(",")
ITEMS = 200
ROOT = Path(__file__).parents[2]


def system(name: str) -> System:
    found: System = import_module(f"examples.{name}.system").system
    return found


@contextmanager
def target_of(name: str, folder: Path) -> Iterator[Any]:
    if name == "memory":
        yield "memory:"
    elif name == "file":
        yield folder / "tour.db"
    elif name == "http":
        with Engine.open() as engine, Server(engine) as server:
            yield server.url
    else:
        yield name


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_a_tour_runs_every_access_pattern_and_nothing_is_wrong(
    name: str, target: str, tmp_path: Path
) -> None:
    seen = RecordedTour()
    with target_of(target, tmp_path) as place:
        system(name).take_tour(place, seen, ITEMS)

    assert seen.wrong == []
    assert sorted(patterns(system(name).tables).keys() - seen.requested) == []
    assert seen.stored > 0


@pytest.mark.parametrize("name", NAMES)
def test_generated_data_is_the_same_each_time_and_has_no_duplicate_keys(name: str) -> None:
    size = 2 * ITEMS
    made, again = (list(system(name).generate(size)) for _ in range(2))

    assert made == again
    keys = [(type(each).__pksk__.table.name, *_key(each)) for each in made]
    assert len(set(keys)) == len(keys)
    assert 0.5 * size <= len(made) <= 2 * size


@pytest.mark.parametrize("name", NAMES)
def test_a_load_that_was_interrupted_anywhere_resumes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is cut off in several places: before the first item, between two slices, and in the midst of one."""
    one = system(name)
    monkeypatch.setattr(sys.modules["examples.tour.loading"], "_SLICE", 60)
    with connect("memory:") as db:
        whole = Cut(db.client, 1_000_000)
        one.load(connect(whole), ITEMS)
        stored = {table.name: keys(db, table) for table in one.tables}

    for cut in range(0, whole.writes, max(1, whole.writes // 4)):
        with connect("memory:") as db:
            with pytest.raises(KeyboardInterrupt):
                one.load(connect(Cut(db.client, cut)), ITEMS)
            one.load(db, ITEMS)

            assert {table.name: keys(db, table) for table in one.tables} == stored


class Cut:
    """A client that is cut off after so many requests that write items."""

    def __init__(self, client: Any, after: int) -> None:
        self._client, self._after, self.writes = client, after, 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation in ("BatchWriteItem", "PutItem", "TransactWriteItems", "UpdateItem"):
            if self.writes == self._after:
                raise KeyboardInterrupt
            self.writes += 1
        answer: dict[str, Any] = self._client.call(operation, request)
        return answer


@pytest.mark.parametrize("name", NAMES)
def test_a_completed_load_changes_nothing_even_if_its_items_changed(name: str) -> None:
    one = system(name)
    with connect("memory:") as db:
        done = one.load(db, ITEMS)
        for table in one.tables:
            for item in everything(db, table)[::3]:
                key = {attribute: item[attribute] for attribute in table.key_attributes}
                db.client.call("DeleteItem", {"TableName": table.name, "Key": key})
        before = {table.name: everything(db, table) for table in one.tables}

        assert one.load(db, ITEMS) == done

        assert {table.name: everything(db, table) for table in one.tables} == before


@pytest.mark.parametrize("name", NAMES)
def test_a_load_of_another_size_is_not_mixed_with_the_first(name: str) -> None:
    one = system(name)
    with connect("memory:") as db:
        one.load(db, ITEMS)
        before = {table.name: everything(db, table) for table in one.tables}

        with pytest.raises(
            LoadConflict, match=f"a load of {ITEMS} items was started here.*\n.*give --items {ITEMS},"
        ):
            one.load(db, 2 * ITEMS)

        assert {table.name: everything(db, table) for table in one.tables} == before


def test_the_later_of_two_concurrent_loads_continues() -> None:
    one = system("pantry")
    with connect("memory:") as db:
        with pytest.raises(
            LoadConflict, match="Another load of pantry is running here, so this one has stopped"
        ):
            one.load(db, ITEMS, lambda _: print(one.load(db, ITEMS)))
        before = {table.name: everything(db, table) for table in one.tables}

        assert one.load(db, ITEMS) == len([*one.generate(ITEMS)])
        assert {table.name: everything(db, table) for table in one.tables} == before


def test_a_load_that_was_killed_before_its_first_item_does_not_look_complete(tmp_path: Path) -> None:
    one, file = system("parks"), tmp_path / "parks.db"
    for cut in (0, 1):
        with connect(file) as db, pytest.raises(KeyboardInterrupt):
            one.load(connect(Cut(db.client, cut)), ITEMS)
        command = [sys.executable, "-m", "examples.parks", "--target", str(file), "balance"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)

        assert ran.returncode == 1
        assert f"Fix: python -m examples.parks --target {file} load" in ran.stderr


def test_a_resumed_load_checks_only_items_of_the_interrupted_slice() -> None:
    one = system("heatmap")
    with connect("memory:") as db:
        with pytest.raises(KeyboardInterrupt):
            one.load(connect(Cut(db.client, 30)), 3000)
        rest = Cut(db.client, 1_000_000)
        one.load(connect(rest), 3000)

    assert rest.writes < 800


def test_a_load_is_not_mixed_with_existing_items() -> None:
    one = system("pantry")
    with connect("memory:") as db:
        db.ensure_tables(*one.tables)
        db.put(next(one.generate(ITEMS)))

        with pytest.raises(LoadConflict, match="has items that no load has stored"):
            one.load(db, ITEMS)


def keys(db: Store, table: Table) -> list[Any]:
    """The keys of all items of a table, which do not have the time of their writing in them."""
    return [[item[name] for name in table.key_attributes] for item in everything(db, table)]


def everything(db: Store, table: Table) -> list[Any]:
    """All items of a table."""
    return sorted(db.client.call("Scan", {"TableName": table.name})["Items"], key=repr)


def _key(entity: Any) -> list[str]:
    item = entity.to_item()
    return [repr(item[name]) for name in entity.__pksk__.table.key_attributes]


def test_all_systems_can_share_one_target() -> None:
    names = [table.name for name in NAMES for table in system(name).tables]

    assert sorted(names) == sorted(set(names))
