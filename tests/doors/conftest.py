"""The ways into engines, for tests of the ways themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .ways import WAYS, Ways


@pytest.fixture(scope="module")
def ways() -> Iterator[Ways]:
    ways = Ways()
    yield ways
    ways.close()


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, ways: Ways) -> Iterator[str]:
    """A block in which calls go one of the ways."""
    with ways.through(request.param):
        yield request.param
