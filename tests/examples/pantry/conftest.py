"""A pantry that is open: its tables, the kinds of services, and two clients."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from examples.pantry.clients import Client
from examples.pantry.data import SERVICE_TYPES
from examples.pantry.operations.clients import enrol
from examples.pantry.system import system
from pksk import Store, Table

NOON = datetime(2022, 12, 20, 12)


@pytest.fixture
def pksk_tables() -> list[Table]:
    return list(system.tables)


@pytest.fixture
def db(pksk_store: Store) -> Store:
    pksk_store.batch_put(*SERVICE_TYPES)
    return pksk_store


@pytest.fixture
def ana(db: Store) -> Client:
    return enrol(
        db, "Ana", "Lopez", date(1980, 2, 29), adults=2, children=3, postcode="40112", street="1 Oak Street"
    )


@pytest.fixture
def juan(db: Store) -> Client:
    return enrol(db, "Juan", "Garcia", date(1951, 7, 1), adults=0, seniors=1, postcode="40116")
