"""Every sink, empty, for the tests of their contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pksk import Clock
from pksk.search import EmbeddedSink, SearchIndex

MakeSink = Callable[[SearchIndex], EmbeddedSink]


@pytest.fixture
def clock() -> Clock:
    """The time of a sink, which stands still until a test moves it."""
    return Clock(1_790_000_000)


@pytest.fixture(params=["memory", "file"])
def make_sink(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[MakeSink]:
    """Makes a sink for an index. A new implementation of the contract is one more parameter."""
    opened = []

    def make(index: SearchIndex) -> EmbeddedSink:
        path = None if request.param == "memory" else tmp_path / "index.db"
        opened.append(EmbeddedSink(index, path, clock=clock))
        return opened[-1]

    yield make
    for each in opened:
        each.close()
