"""The transports of engine tests, and shops on every storage for tests of overlapping calls."""

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
    definition = metafunc.definition
    marked = definition.get_closest_marker("every_transport") is not None
    transports = transports_of(definition.path, definition.name, marked=marked)
    if len(transports) > 1:
        metafunc.parametrize("transport", transports, indirect=True)


@pytest.fixture(scope="session")
def transports() -> Iterator[Transports]:
    """All transports to engines."""
    transports = Transports()
    yield transports
    transports.close()


@pytest.fixture(autouse=True)
def transport(request: pytest.FixtureRequest, transports: Transports) -> Iterator[None]:
    """The transport of all calls of a test."""
    with transports.through(getattr(request, "param", "call")):
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
