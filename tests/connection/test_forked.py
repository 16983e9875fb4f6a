"""A process that is forked: it goes on with a store over the network, and is refused one on an engine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pksk import Engine, Entity, Key, Store, StoreError, Table, connect, connect_async

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]

notes = Table("notes")


class Note(Entity, table=notes):
    id: str
    primary = Key("NOTE#{id}", "META")


def of_child(act: Callable[[], Any]) -> str:
    """What a forked process says of what it does: its result, or its error."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            told = repr(act())
        except BaseException as error:
            told = f"{type(error).__name__}: {error}"
        os.write(writer, told.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return said


FORKED_ERROR = f"""StoreError: The store uses an engine in process {os.getpid()}, and this process was forked from it.
Only one process can use an engine in memory or in a file.
Fix: connect after the fork; or start pksk serve, and connect all processes to it.  (pksk explain store-forked)"""


@pytest.fixture(params=["memory:", "shop.db", "engine"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with Engine.open() as engine:
        targets: dict[str, Any] = {"memory:": "memory:", "engine": engine, "shop.db": tmp_path / "shop.db"}
        with connect(targets[request.param]) as store:
            store.create_tables(notes)
            store.put(Note(id="1"))
            yield store


@pytest.mark.parametrize(
    "act",
    [
        lambda db: db.get(Note.primary.get(id="1")),
        lambda db: db.put(Note(id="2")),
        lambda db: list(db.iter(Note.primary(id="1"))),
        lambda db: list(db.scan(Note.scan(), segments=4)),
        lambda db: db.client.call("ListTables", {}),
    ],
    ids=["get", "put", "iter", "scan", "client"],
)
def test_a_forked_process_cannot_use_a_store_on_an_engine(db: Store, act: Callable[[Store], Any]) -> None:
    assert of_child(lambda: act(db)) == FORKED_ERROR

    # The process that it belongs to goes on.
    assert db.get(Note.primary.get(id="2")) is None
    db.put(Note(id="2"))
    assert db.get(Note.primary.get(id="2")) == Note(id="2")


def test_closing_it_leaves_the_file_alone(db: Store) -> None:
    assert of_child(db.close) == "None"

    db.put(Note(id="2"))
    assert db.count(Note.primary(id="2")) == 1


def test_a_process_forked_twice_sees_the_process_of_the_store(db: Store) -> None:
    assert of_child(lambda: of_child(lambda: db.get(Note.primary.get(id="1")))) == repr(FORKED_ERROR)


def test_a_store_that_is_opened_after_the_fork_is_used() -> None:
    def use() -> Any:
        with connect("memory:") as own:
            own.create_tables(notes)
            own.put(Note(id="1"))
            return own.get(Note.primary.get(id="1"))

    assert of_child(use) == "Note(id='1')"


@pytest.mark.parametrize("target", ["memory:", "shop.db"])
def test_a_forked_process_cannot_use_an_asynchronous_store(target: str, tmp_path: Path) -> None:
    db = connect_async("memory:" if target == "memory:" else tmp_path / target)
    with asyncio.Runner() as runner:
        runner.run(db.create_tables(notes))
        said = of_child(lambda: asyncio.new_event_loop().run_until_complete(db.get(Note.primary.get(id="1"))))
        assert said == FORKED_ERROR
        assert of_child(lambda: asyncio.new_event_loop().run_until_complete(db.close())) == "None"

        runner.run(db.put(Note(id="1")))
        assert runner.run(db.get(Note.primary.get(id="1"))) == Note(id="1")
        runner.run(db.close())


def test_a_store_closed_before_the_fork_stays_closed() -> None:
    db = connect("memory:")
    db.close()

    def act() -> None:
        with pytest.raises(StoreError):
            db.get(Note.primary.get(id="1"))

    assert of_child(act) == "None"
