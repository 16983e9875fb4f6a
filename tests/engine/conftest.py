"""The ways into engines that tests take, and shops on every storage, for tests of calls that overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pksk.engine import Engine
from tests.transports.selection import transports_of
from tests.transports.transports import Transports

from .operations.shop import Shop

_OPEN: dict[str, Callable[[Path, bool], Engine]] = {
    "memory": lambda _, conflicts: Engine.open(conflicts=conflicts),
    "file": lambda folder, conflicts: Engine.open(folder / "shop.db", durable=False, conflicts=conflicts),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    ways = transports_of(metafunc.definition.path)
    if len(ways) > 1:
        metafunc.parametrize("way", ways, indirect=True)


@pytest.fixture(scope="session")
def ways() -> Iterator[Transports]:
    """All ways into engines."""
    ways = Transports()
    yield ways
    ways.close()


@pytest.fixture(autouse=True)
def way(request: pytest.FixtureRequest, ways: Transports) -> Iterator[None]:
    """The way that all calls of a test go."""
    with ways.through(getattr(request, "param", "call")):
        yield


@pytest.fixture(params=_OPEN)
def waiting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    """A shop where overlapping calls wait for each other, as they do by default."""
    with _OPEN[request.param](tmp_path, False) as engine:
        yield Shop(engine)


@pytest.fixture(params=_OPEN)
def conflicting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    """A shop where overlapping calls fail."""
    with _OPEN[request.param](tmp_path, True) as engine:
        yield Shop(engine)
