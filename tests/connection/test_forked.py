"""Forked processes: a store over HTTP works in them, and one on an engine raises."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pksk import Engine, Entity, Key, Store, StoreError, Table, connect, connect_async
from pksk.server import Server

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]

notes = Table("notes")


class Note(Entity, table=notes):
    id: str
    number: int = 0
    primary = Key("NOTE#{id}", "META")


def in_forked_process(act: Callable[[], Any]) -> str:
    """The result of a function in a forked process, or its error, as text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            outcome = repr(act())
        except BaseException as error:
            outcome = f"{type(error).__name__}: {error}"
        os.write(writer, outcome.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return text


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
    assert in_forked_process(lambda: act(db)) == FORKED_ERROR

    # The process that it belongs to goes on.
    assert db.get(Note.primary.get(id="2")) is None
    db.put(Note(id="2"))
    assert db.get(Note.primary.get(id="2")) == Note(id="2")


def test_closing_in_a_forked_process_does_not_touch_the_file(db: Store) -> None:
    assert in_forked_process(db.close) == "None"

    db.put(Note(id="2"))
    assert db.count(Note.primary(id="2")) == 1


def test_a_process_forked_twice_sees_the_process_of_the_store(db: Store) -> None:
    assert in_forked_process(lambda: in_forked_process(lambda: db.get(Note.primary.get(id="1")))) == repr(
        FORKED_ERROR
    )


def test_a_store_opened_after_the_fork_can_be_used() -> None:
    def use() -> Any:
        with connect("memory:") as own:
            own.create_tables(notes)
            own.put(Note(id="1"))
            return own.get(Note.primary.get(id="1"))

    assert in_forked_process(use) == "Note(id='1', number=0)"


@pytest.mark.parametrize("target", ["memory:", "shop.db"])
def test_a_forked_process_cannot_use_an_asynchronous_store(target: str, tmp_path: Path) -> None:
    db = connect_async("memory:" if target == "memory:" else tmp_path / target)
    with asyncio.Runner() as runner:
        runner.run(db.create_tables(notes))
        text = in_forked_process(
            lambda: asyncio.new_event_loop().run_until_complete(db.get(Note.primary.get(id="1")))
        )
        assert text == FORKED_ERROR
        assert in_forked_process(lambda: asyncio.new_event_loop().run_until_complete(db.close())) == "None"

        runner.run(db.put(Note(id="1")))
        assert runner.run(db.get(Note.primary.get(id="1"))) == Note(id="1")
        runner.run(db.close())


def test_a_store_closed_before_the_fork_stays_closed() -> None:
    db = connect("memory:")
    db.close()

    def act() -> None:
        with pytest.raises(StoreError):
            db.get(Note.primary.get(id="1"))

    assert in_forked_process(act) == "None"


def test_a_forked_process_uses_connections_of_its_own() -> None:
    with Engine.open() as engine, Server(engine) as server, connect(server.url) as db:
        db.create_tables(notes)
        db.batch_put(*(Note(id=str(number), number=number) for number in range(40)))
        children = [_child(db, number) for number in range(3)]
        own = [_reads_note(db, number % 40) for number in range(200)]

        assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
        assert all(own)


def _child(db: Store, number: int) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if all(_reads_note(db, (number * 7 + n) % 40) for n in range(200)) else 2
        finally:
            os._exit(status)
    return child


def _reads_note(db: Store, number: int) -> bool:
    note = db.get(Note.primary.get(id=str(number)))
    return note is not None and note.number == number
