"""The ways into engines, for tests of the ways themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .transports import TRANSPORTS, Transports


@pytest.fixture(scope="module")
def ways() -> Iterator[Transports]:
    ways = Transports()
    yield ways
    ways.close()


@pytest.fixture(params=TRANSPORTS)
def way(request: pytest.FixtureRequest, ways: Transports) -> Iterator[str]:
    """A block in which calls go one of the ways."""
    with ways.through(request.param):
        yield request.param
