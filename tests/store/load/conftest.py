"""The crowds of the tests: threads and tasks, in memory, on a file, over HTTP, and with conflicts as on AWS."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pksk import Engine, Store, connect
from pksk.server import Server
from tests.store.load.bank import bank
from tests.store.load.crowd import Crowd

# With the rounds of work that take less than a second there.
PLACES = {"memory": 2, "file": 1, "http": 1, "conflicts": 1}
ALL = tuple(f"{place}-{who}" for place in PLACES for who in ("threads", "tasks"))
# Where the short run looks; the long one looks everywhere.
SOME = ("memory-threads", "memory-tasks", "file-threads", "conflicts-threads")


@pytest.fixture(autouse=True)
def _restless() -> Iterator[None]:
    """Threads take turns far more often than they would."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(params=[each if each in SOME else pytest.param(each, marks=pytest.mark.long) for each in ALL])
def crowd(request: pytest.FixtureRequest) -> Iterator[Crowd]:
    """Fifty workers on an empty table."""
    place, who = request.param.split("-")
    path = ":memory:"
    if place == "file":
        folder: Path = request.getfixturevalue("tmp_path")
        path = str(folder / "bank.db")
    with ExitStack() as stack:
        engine = stack.enter_context(Engine.open(path, conflicts=place == "conflicts"))
        connect(engine).create_tables(bank)
        target = stack.enter_context(Server(engine)).url if place == "http" else engine
        yield Crowd(engine, target, awaits=who == "tasks", rounds=PLACES[place])


@pytest.fixture
def db(crowd: Crowd) -> Store:
    """A store of the test itself, past the crowd's way."""
    return connect(crowd.engine)
