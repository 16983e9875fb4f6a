"""Stores with the tables of the heatmap, each test on its own engine with a fixed clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from examples.heatmap.cells import heatmap
from examples.heatmap.comparisons import loose
from examples.heatmap.data import NOW
from pksk import Clock, Store, connect


@dataclass
class Day:
    """A clock that the store and the test share."""

    clock: Clock

    def later(self, **span: float) -> datetime:
        """Let time go by, and say when it is."""
        self.clock.advance(timedelta(**span).total_seconds())
        return self.now

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)


@pytest.fixture
def day() -> Day:
    return Day(Clock(NOW.timestamp()))


@pytest.fixture
def db(day: Day) -> Iterator[Store]:
    with connect("memory:", clock=day.clock) as store:
        store.create_tables(heatmap, loose)
        yield store
