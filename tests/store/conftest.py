"""The store of each test, through every door to a DynamoDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pksk import Clock, Store, Table
from tests.store.differences import expected_difference
from tests.store.doors import ENDPOINT, Door, Doors, doors_of
from tests.store.eventually import Eventually
from tests.store.eventually import eventually as eventually_on
from tests.store.shop import TABLES

HERE = Path(__file__).parent


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
    """The store's clock, which only a test advances; it starts at the current time."""
    return Clock()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "one_door: what does not depend on the connection runs through one door"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "door" in metafunc.fixturenames:
        names = doors_of(metafunc.module.__name__)
        alone = metafunc.definition.get_closest_marker("one_door")
        metafunc.parametrize("door", names[:1] if alone else names, indirect=True)


@pytest.fixture
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
    return eventually_on(lags=door.lags)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    for item in ours:
        difference = expected_difference(item)
        if difference is not None:
            item.add_marker(pytest.mark.xfail(reason=str(difference), strict=True))
    if ENDPOINT:
        # Tests without a door are the same everywhere, so they do not run here.
        others = [item for item in ours if "door" not in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]
