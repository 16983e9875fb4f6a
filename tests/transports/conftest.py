"""The transports into engines, for tests of the transports themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .transports import TRANSPORTS, Transports


@pytest.fixture(scope="module")
def transports() -> Iterator[Transports]:
    transports = Transports()
    yield transports
    transports.close()


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest, transports: Transports) -> Iterator[str]:
    """A block in which calls go one of the transports."""
    with transports.through(request.param):
        yield request.param
