"""The fixtures and options of pksk for pytest."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

# pytest loads it in every run where pksk is installed: it imports nothing else before a fixture is used.
if TYPE_CHECKING:
    import boto3

    from pksk.engine import Engine
    from pksk.schema import Table
    from pksk.server import Server
    from pksk.store import AsyncStore, Store

_ROWS = 5


@pytest.fixture
def pksk_settings() -> dict[str, Any]:
    """The keyword arguments of `Engine.open` for `pksk_engine`; override it."""
    return {}


@pytest.fixture
def pksk_engine(pksk_settings: dict[str, Any]) -> Iterator[Engine]:
    """A new engine for each test, in memory unless `pksk_settings` says otherwise."""
    from pksk.engine import Engine

    from .engine_observer import observe

    with Engine.open(**pksk_settings) as engine, observe(engine):
        yield engine


@pytest.fixture
def pksk_tables() -> Table | Iterable[Table]:
    """The tables of `pksk_store`; override it to return your table, or a list of tables."""
    return ()


@pytest.fixture
def _pksk_created_tables(pksk_engine: Engine, pksk_tables: Table | Iterable[Table]) -> None:
    # Once for each test, however many stores it has.
    from pksk.connection import connect

    with connect(pksk_engine) as store:
        store.create_tables(*tables_of(pksk_tables))


@pytest.fixture
def pksk_store(pksk_engine: Engine, _pksk_created_tables: None) -> Iterator[Store]:
    """A store on `pksk_engine` with the empty tables of `pksk_tables`."""
    from pksk.connection import connect

    with connect(pksk_engine) as store:
        yield store


@pytest.fixture
def pksk_async_store(pksk_engine: Engine, _pksk_created_tables: None) -> Iterator[AsyncStore]:
    """An asynchronous store on `pksk_engine` with the empty tables of `pksk_tables`."""
    from pksk.connection import connect_async
    from pksk.connection.engine_client import AsyncEngineClient

    store = connect_async(pksk_engine)
    yield store
    if isinstance(store.client, AsyncEngineClient):
        store.client.stop_threads()


@pytest.fixture
def pksk_intercept(pksk_engine: Engine) -> Iterator[Engine]:
    """Send the requests of boto3, aiobotocore and libraries built on them to `pksk_engine`; returns it."""
    from .interception import intercept

    with intercept(pksk_engine):
        yield pksk_engine


@pytest.fixture
def pksk_boto3(pksk_intercept: Engine) -> boto3.Session:
    """A boto3 session; its clients and resources use `pksk_engine`, as those of all other sessions do."""
    from .boto3_session import new_boto3_session

    return new_boto3_session(pksk_intercept.settings.region)


@pytest.fixture
def pksk_server(pksk_engine: Engine) -> Iterator[Server]:
    """A server of `pksk_engine`, at `pksk_server.url` on a free port."""
    from pksk.server import Server

    with Server(pksk_engine) as server:
        yield server


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option --pksk-heat."""
    parser.getgroup("pksk").addoption(
        "--pksk-heat",
        nargs="?",
        const=_ROWS,
        type=_rows,
        metavar="N",
        help="at the end, show the N hottest keys of each table (default: 5), scans, and queries without a Limit",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the heat report for --pksk-heat."""
    rows = config.getoption("--pksk-heat", None)
    if rows is not None:
        from .heat_report import HeatReport

        config.pluginmanager.register(HeatReport(config, rows), "pksk-heat")


def _rows(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise ArgumentTypeError(
        f"{text!r} is not a number of rows. Write --pksk-heat=5, or put --pksk-heat last."
    )


def tables_of(value: Any) -> tuple[Table, ...]:
    """The tables that the fixture `pksk_tables` returns: one, or several.

    Example:
        >>> from pksk import Table
        >>> tables_of(Table("shop")) == tables_of([Table("shop")])
        True
    """
    from pksk.errors import DesignError, quote
    from pksk.schema import Table

    if isinstance(value, Table):
        return (value,)
    verb = "returns"
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | type):
        tables = tuple(value)
        others = [each for each in tables if not isinstance(each, Table)]
        if not others:
            return tables
        value, verb = others[0], "returns a list with"
    raise DesignError(
        "testing-tables",
        f"The fixture pksk_tables {verb} {quote(value)}, which is not a Table.",
        expected="It returns the tables of the entities.",
        fix="write return [shop], with shop = Table(...); without tables, return [].",
    )
