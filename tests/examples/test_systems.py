"""All five systems end to end: every access pattern is asked, answers are right, prices are what was consumed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from examples.tour import System
from examples.tour.there import OtherData
from pksk import Engine, Store, Table, connect
from pksk.server import Server
from tests.examples.seen import Seen
from tests.examples.told import patterns

NAMES = ("parks", "pantry", "heatmap", "records", "lessons")
# A server of others can be named; ours is started where HTTP is asked for.
TARGETS = os.environ.get("PKSK_SYSTEMS", "memory").split(",")
ITEMS = 400


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
def test_a_tour_asks_every_question_and_nothing_is_wrong(name: str, target: str, tmp_path: Path) -> None:
    seen = Seen()
    with target_of(target, tmp_path) as place:
        system(name).show(place, seen, ITEMS)

    assert seen.wrong == []
    assert sorted(patterns(system(name).tables).keys() - seen.asked) == []
    assert seen.stored > 0


@pytest.mark.parametrize("name", NAMES)
def test_generated_data_is_the_same_each_time_and_has_no_key_twice(name: str) -> None:
    made, again = (list(system(name).generate(ITEMS)) for _ in range(2))

    assert made == again
    keys = [(type(each).__pksk__.table.name, *_key(each)) for each in made]
    assert len(set(keys)) == len(keys)
    assert 0.5 * ITEMS <= len(made) <= 2 * ITEMS


@pytest.mark.parametrize("name", NAMES)
def test_a_load_that_was_interrupted_is_run_again(name: str) -> None:
    one = system(name)
    with connect("memory:") as whole, connect("memory:") as broken:
        one.load(whole, ITEMS)
        with pytest.raises(KeyboardInterrupt):
            one.load(broken, ITEMS, _interrupt)
        one.load(broken, ITEMS)

        for table in one.tables:
            scan = {"TableName": table.name, "Select": "COUNT"}
            assert broken.client.call("Scan", scan) == whole.client.call("Scan", scan)


@pytest.mark.parametrize("name", NAMES)
def test_a_load_that_is_run_again_changes_nothing(name: str) -> None:
    one = system(name)
    with connect("memory:") as db:
        done = one.load(db, ITEMS)
        before = {table.name: everything(db, table) for table in one.tables}
        told: list[int] = []

        assert one.load(db, ITEMS, told.append) == done

        assert {table.name: everything(db, table) for table in one.tables} == before
        assert told[-1] == done


def test_a_larger_load_of_which_the_first_is_a_part_ends_as_if_it_had_been_the_only_one() -> None:
    one = system("lessons")
    with connect("memory:") as grown, connect("memory:") as whole:
        one.load(grown, ITEMS)
        assert one.load(grown, 2 * ITEMS) == one.load(whole, 2 * ITEMS)

        for table in one.tables:
            assert everything(grown, table) == everything(whole, table)


@pytest.mark.parametrize("name", ["parks", "pantry", "heatmap", "records"])
def test_a_load_of_another_size_is_not_mixed_with_the_first(name: str) -> None:
    one = system(name)
    with connect("memory:") as db:
        one.load(db, ITEMS)
        before = {table.name: everything(db, table) for table in one.tables}

        with pytest.raises(OtherData, match=r"They would be mixed\. Fix: load as many --items"):
            one.load(db, 2 * ITEMS)

        assert {table.name: everything(db, table) for table in one.tables} == before


def everything(db: Store, table: Table) -> list[Any]:
    """All items of a table."""
    return sorted(db.client.call("Scan", {"TableName": table.name})["Items"], key=repr)


def _interrupt(done: int) -> None:
    raise KeyboardInterrupt


def _key(entity: Any) -> list[str]:
    item = entity.to_item()
    return [repr(item[name]) for name in entity.__pksk__.table.key_attributes]


def test_all_systems_can_stand_in_one_place() -> None:
    names = [table.name for name in NAMES for table in system(name).tables]

    assert sorted(names) == sorted(set(names))
