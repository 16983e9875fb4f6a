"""Stores for the tests of the records system: an empty one, and one with generated data."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from examples.records.system import system
from examples.records.tables import records
from pksk import Store, connect

ITEMS = 400


@pytest.fixture
def db() -> Iterator[Store]:
    """A store with the empty table."""
    with connect("memory:") as store:
        store.create_tables(records)
        yield store


@pytest.fixture
def loaded_store() -> Iterator[Store]:
    """A store with generated data."""
    with connect("memory:") as store:
        system.load(store, ITEMS)
        yield store
