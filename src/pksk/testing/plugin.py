"""The fixtures and options that pksk brings to pytest."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

# It is loaded in every run where pksk is installed: nothing else may be imported before a fixture is used.
if TYPE_CHECKING:
    import boto3

    from pksk.engine import Engine
    from pksk.schema import Table
    from pksk.server import Server
    from pksk.store import AsyncStore, Store

_ROWS = 5


@pytest.fixture
def pksk_settings() -> dict[str, Any]:
    """What `pksk_engine` is opened with: keyword arguments of `Engine.open`. Yours to override."""
    return {}


@pytest.fixture
def pksk_engine(pksk_settings: dict[str, Any]) -> Iterator[Engine]:
    """A DynamoDB of this test's own, in memory unless `pksk_settings` says otherwise."""
    from pksk.engine import Engine

    from .engine_observer import observe

    with Engine.open(**pksk_settings) as engine, observe(engine):
        yield engine


@pytest.fixture
def pksk_tables() -> Table | Iterable[Table]:
    """The tables that `pksk_store` begins with. Yours to override: return those of your design, or the only one."""
    return ()


@pytest.fixture
def _pksk_made(pksk_engine: Engine, pksk_tables: Table | Iterable[Table]) -> None:
    # Once in a test, however many stores it has.
    from pksk.connection import connect

    from .tables import tables_of

    with connect(pksk_engine) as store:
        store.create_tables(*tables_of(pksk_tables))


@pytest.fixture
def pksk_store(pksk_engine: Engine, _pksk_made: None) -> Iterator[Store]:
    """A store on `pksk_engine` with the tables of `pksk_tables`, empty."""
    from pksk.connection import connect

    with connect(pksk_engine) as store:
        yield store


@pytest.fixture
def pksk_async_store(pksk_engine: Engine, _pksk_made: None) -> Iterator[AsyncStore]:
    """The same for code that awaits."""
    from pksk.connection import connect_async
    from pksk.connection.engine_client import EngineClient

    store = connect_async(pksk_engine)
    yield store
    if isinstance(store.client, EngineClient):
        store.client.let_go()


@pytest.fixture
def pksk_intercept(pksk_engine: Engine) -> Iterator[Engine]:
    """Requests of boto3, aiobotocore and what stands on them go to `pksk_engine`, which this is."""
    from .interception import intercept

    with intercept(pksk_engine):
        yield pksk_engine


@pytest.fixture
def pksk_boto3(pksk_intercept: Engine) -> boto3.Session:
    """A session of boto3 whose clients and resources speak to `pksk_engine`, as all others do meanwhile."""
    from .boto3_session import new_boto3_session

    return new_boto3_session(pksk_intercept.settings.region)


@pytest.fixture
def pksk_server(pksk_engine: Engine) -> Iterator[Server]:
    """`pksk_engine` over HTTP, at `pksk_server.url`, on a port of its own."""
    from pksk.server import Server

    with Server(pksk_engine) as server:
        yield server


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --pksk-heat."""
    parser.getgroup("pksk").addoption(
        "--pksk-heat",
        nargs="?",
        const=_ROWS,
        type=_rows,
        metavar="N",
        help="at the end, show the N hottest keys of each table (default: 5), scans, and queries without a Limit",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect what engines consume, where that was asked for."""
    rows = config.getoption("--pksk-heat", None)
    if rows is not None:
        from .heat_report import HeatReport

        config.pluginmanager.register(HeatReport(config, rows), "pksk-heat")


def _rows(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no number of rows. Write --pksk-heat=5, or put --pksk-heat last.")
