"""The store of each test, through every door to a DynamoDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pksk import Clock, Store, Table
from tests.store.differences import expected_difference
from tests.store.doors import NAMES, Door, Doors
from tests.store.eventually import Eventually
from tests.store.eventually import eventually as asked_until
from tests.store.shop import TABLES


@pytest.fixture(scope="session")
def doors() -> Iterator[Doors]:
    doors = Doors()
    yield doors
    doors.close()


@pytest.fixture
def tables() -> Iterable[Table]:
    """The tables of a test's design; a module of tests may have others."""
    return TABLES


@pytest.fixture
def clock() -> Clock:
    """The store's time, which stands still until a test moves it; it begins with the present."""
    return Clock()


@pytest.fixture(params=NAMES)
def door(request: pytest.FixtureRequest, doors: Doors) -> Door:
    """A way to a DynamoDB."""

    def folder() -> Path:
        made: Path = request.getfixturevalue("tmp_path")
        return made

    return doors.door(request.param, folder)


@pytest.fixture
def db(door: Door, tables: Iterable[Table], clock: Clock) -> Iterator[Store]:
    """A store on empty tables."""
    yield door.begin(tables, clock=clock)
    door.close()


@pytest.fixture
def eventually(door: Door) -> Eventually:
    """Asserts that a read gives what is expected, after a while where indexes lag."""
    return asked_until(lags=door.lags)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        difference = expected_difference(item)
        if difference is not None:
            item.add_marker(pytest.mark.xfail(reason=str(difference), strict=True))
