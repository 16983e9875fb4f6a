"""What tests of the store find otherwise on servers of others; docs/endpoints.md tells it to users.

Each is run all the same, and must fail: one that is gone is to be taken out here and there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

import pytest

__all__ = ["DIFFERENCES", "Difference", "expected_difference"]

# Which server the endpoint is, by its name below; without it no difference is expected.
SERVER: Final = os.environ.get("PKSK_ENDPOINT_IS", "")


@dataclass(frozen=True)
class Difference:
    """What a server does otherwise than AWS documents, and the tests that show it."""

    what: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return self.what


DIFFERENCES: Final[dict[str, tuple[Difference, ...]]] = {"extenddb": ()}


def expected_difference(item: pytest.Item) -> Difference | None:
    """The difference that a test is expected to show on the server that it runs on."""
    name = f"{item.path.name}::{getattr(item, 'originalname', item.name)}"
    return next((each for each in DIFFERENCES.get(SERVER, ()) if name in each.tests), None)
