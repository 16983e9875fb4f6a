"""Every test of an operation runs through `call`, through botocore in process, and through botocore over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doors.ways import WAYS, through


@pytest.fixture(autouse=True, params=WAYS)
def door(request: pytest.FixtureRequest) -> Iterator[None]:
    with through(request.param):
        yield
