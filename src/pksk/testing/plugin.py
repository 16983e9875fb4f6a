"""The fixtures and options of pksk for pytest."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pksk

# pytest loads it in every run where pksk is installed: `pksk` imports its names on first use, by a fixture.
if TYPE_CHECKING:
    import boto3

    from pksk.server import Server

    from .budget import Budgets
    from .design_review import DesignReview

_ROWS = 5
_BUDGETS: pytest.StashKey[Budgets] = pytest.StashKey()


@pytest.fixture
def pksk_settings() -> dict[str, Any]:
    """The keyword arguments of `Engine.open` for `pksk_engine`; override it."""
    return {}


@pytest.fixture
def pksk_engine(pksk_settings: dict[str, Any]) -> Iterator[pksk.Engine]:
    """A new engine for each test, in memory unless `pksk_settings` says otherwise."""
    from .engine_observer import observe

    with pksk.Engine.open(**pksk_settings) as engine, observe(engine):
        yield engine


@pytest.fixture
def pksk_tables() -> pksk.Table | Iterable[pksk.Table]:
    """The tables of `pksk_store`; override it to return your table, or a list of tables."""
    return ()


@pytest.fixture
def _pksk_created_tables(pksk_engine: pksk.Engine, pksk_tables: pksk.Table | Iterable[pksk.Table]) -> None:
    # Once for each test, however many stores it has.
    with pksk.connect(pksk_engine) as store:
        store.create_tables(*tables_of(pksk_tables))


@pytest.fixture
def pksk_store(pksk_engine: pksk.Engine, _pksk_created_tables: None) -> Iterator[pksk.Store]:
    """A store on `pksk_engine` with the empty tables of `pksk_tables`."""
    with pksk.connect(pksk_engine) as store:
        yield store


@pytest.fixture
def pksk_async_store(pksk_engine: pksk.Engine, _pksk_created_tables: None) -> Iterator[pksk.AsyncStore]:
    """An asynchronous store on `pksk_engine` with the empty tables of `pksk_tables`."""
    from pksk.connection.engine_client import AsyncEngineClient

    store = pksk.connect_async(pksk_engine)
    yield store
    if isinstance(store.client, AsyncEngineClient):
        store.client.stop_threads()


@pytest.fixture
def pksk_intercept(pksk_engine: pksk.Engine) -> Iterator[pksk.Engine]:
    """Send the requests of boto3, aiobotocore and libraries built on them to `pksk_engine`; returns it."""
    from .interception import intercept

    with intercept(pksk_engine):
        yield pksk_engine


@pytest.fixture
def pksk_boto3(pksk_intercept: pksk.Engine) -> boto3.Session:
    """A boto3 session; its clients and resources use `pksk_engine`, as those of all other sessions do."""
    from .boto3_session import new_boto3_session

    return new_boto3_session(pksk_intercept.settings.region)


@pytest.fixture
def pksk_server(pksk_engine: pksk.Engine) -> Iterator[Server]:
    """A server of `pksk_engine`, at `pksk_server.url` on a free port."""
    from pksk.server import Server

    with Server(pksk_engine) as server:
        yield server


@pytest.fixture
def pksk_budget(request: pytest.FixtureRequest, pksk_engine: pksk.Engine) -> Iterator[Budgets]:
    """Fails the test if `pksk_engine` consumes more: `pksk_budget(read_units=2, requests=1)`.

    The budget is for the rest of the test, or for a block: `with pksk_budget(write_units=1): ...`.
    """
    from .budget import Budgets

    budgets = Budgets(pksk_engine)
    request.node.stash[_BUDGETS] = budgets
    yield budgets
    budgets.close()


@pytest.fixture
def pksk_review(request: pytest.FixtureRequest) -> DesignReview:
    """Fails the test if the review of some tables has new findings: `pksk_review(shop, baseline="known.json")`."""
    from .design_review import DesignReview

    return DesignReview(request.config.rootpath)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Check the budgets of a test after its last line, so that it fails there and not in its teardown."""
    yield
    budgets = item.stash.get(_BUDGETS, None)
    if budgets is not None:
        budgets.check()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options --pksk-heat and --pksk-trace."""
    group = parser.getgroup("pksk")
    group.addoption(
        "--pksk-trace",
        metavar="FILE",
        help="record the calls of all tests in a file, for pksk check --traffic FILE",
    )
    group.addoption(
        "--pksk-heat",
        nargs="?",
        const=_ROWS,
        type=_rows,
        metavar="N",
        help="at the end, show the N hottest keys of each table (default: 5), scans, and queries without a Limit",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register what --pksk-heat and --pksk-trace need."""
    path = config.getoption("--pksk-trace", None)
    if path is not None:
        from .trace_file import TraceFile

        config.pluginmanager.register(TraceFile(config, Path(path).absolute()), "pksk-trace")
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


def tables_of(value: Any) -> tuple[pksk.Table, ...]:
    """The tables that the fixture `pksk_tables` returns: one, or several."""
    from pksk.errors import quote

    if isinstance(value, pksk.Table):
        return (value,)
    verb = "returns"
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | type):
        tables = tuple(value)
        others = [each for each in tables if not isinstance(each, pksk.Table)]
        if not others:
            return tables
        value, verb = others[0], "returns a list with"
    raise pksk.DesignError(
        "testing-tables",
        f"The fixture pksk_tables {verb} {quote(value)}, which is not a Table.",
        expected="It returns the tables of the entities.",
        fix="write return [shop], with shop = Table(...); without tables, return [].",
    )
