"""The doors that the tests of the store go through, each to a DynamoDB of its own."""

from __future__ import annotations

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, cast

from pksk import Delays, Engine, RequestStarted, Store, Table, connect, connect_async
from pksk.aws import AsyncAwsClient, AwsClient, AwsOptions
from pksk.server import Server
from tests.store.async_as_sync import awaited

__all__ = ["ENDPOINT", "Door", "Doors", "doors_of"]

# A DynamoDB of others, or a server that passes for one; all tests then run there, and nowhere else. LAGGING is our own
# engine with indexes that lag: what a test does not wait for fails there each time, and elsewhere once in a while.
ENDPOINT: Final = os.environ.get("PKSK_ENDPOINT", "")
LAGGING: Final = "lagging"
NAMES: Final = ("endpoint",) if ENDPOINT else ("memory", "file", "http", "async")
# Those in this process. The others take longer: for modules in which a file or a network may make a difference, and for
# all of them if requested, as .ci/run does.
_NEAR: Final = ("memory", "async")
_FAR_MODULES: Final = (
    "test_put", "test_transactions", "test_batches", "test_vectors", "test_errors", "test_closing",
    "test_tables", "test_pages",
)  # fmt: skip
# What both of the last two have, and takes longest: for some modules of tests, or for all of them if requested.
AWAITED_OVER_HTTP: Final = "async-http"
_AWAITED_MODULES: Final = ("test_put", "test_transactions", "test_batches")
_ALL_TRANSPORTS: Final = os.environ.get("PKSK_TRANSPORTS") == "all"

_PAUSE_SECONDS: Final = 0.01
_MOST_SECONDS: Final = 30.0
_LAG_SECONDS: Final = 0.05
_WRITES: Final = frozenset(("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"))
# What is written last before a test, for each type of a key.
_LAST: Final[dict[str, Any]] = {"S": {"S": "last"}, "N": {"N": "0"}, "B": {"B": "bGFzdA=="}}


def doors_of(module: str) -> tuple[str, ...]:
    """The names of the doors that the tests of a module go through."""
    name = module.rpartition(".")[2]
    if ENDPOINT:
        return NAMES
    names = NAMES if _ALL_TRANSPORTS or name in _FAR_MODULES else _NEAR
    return (*names, AWAITED_OVER_HTTP) if _ALL_TRANSPORTS or name in _AWAITED_MODULES else names


class Door(ABC):
    """A way to a DynamoDB with the tables of a design, and nothing in them."""

    # Whether global indexes may show what was there a moment ago.
    lags = False

    @abstractmethod
    def begin(self, tables: Iterable[Table], **options: Any) -> Store:
        """The store of a test, on empty tables."""

    @abstractmethod
    def open(self, **options: Any) -> Store:
        """Another store on the same data."""

    @abstractmethod
    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Past the store: what DynamoDB itself says."""

    def settle(self, table: Table) -> None:  # noqa: B027 - where nothing lags there is nothing to wait for
        """Wait until the indexes show all that the table holds."""

    def close(self) -> None:  # noqa: B027 - some have nothing to let go of
        """Let go of what the test was given."""


class _OnEngine(Door):
    """A door with an engine behind it that is made for each test."""

    engine: Engine

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return self.engine.call(operation, request)

    def make(self, tables: Iterable[Table]) -> None:
        # Without time to live: expired items must stay, to see whether the store hides them.
        for table in tables:
            self.engine.call("CreateTable", table.create_request())


class Embedded(_OnEngine):
    """The engine in this process, for programs that wait."""

    def __init__(self, target: str | Path) -> None:
        self._target = target

    def begin(self, tables: Iterable[Table], **options: Any) -> Store:
        self.store = connect(self._target, **options)
        self.engine = cast("Engine", self.store.client)
        self.make(tables)
        return self.store

    def open(self, **options: Any) -> Store:
        return connect(self.engine, **options)

    def close(self) -> None:
        self.store.close()


class InFile(Embedded):
    """The engine in a file: each test has a copy of one in which the tables were made."""

    def __init__(self, target: Path, prepared: dict[tuple[Table, ...], bytes]) -> None:
        super().__init__(target)
        self._file, self._prepared = target, prepared

    def begin(self, tables: Iterable[Table], **options: Any) -> Store:
        wanted = tuple(tables)
        if wanted not in self._prepared:
            super().begin(wanted).close()
            self._prepared[wanted] = self._file.read_bytes()
        self._file.write_bytes(self._prepared[wanted])
        return super().begin((), **options)


class EmbeddedAwaited(_OnEngine):
    """The engine in this process, for programs that await."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner

    def begin(self, tables: Iterable[Table], **options: Any) -> Store:
        store = connect_async("memory:", **options)
        self.client, self.store = store.client, awaited(store, self._runner)
        self.engine = self.client.engine  # type: ignore[attr-defined]
        self.make(tables)
        return self.store

    def open(self, **options: Any) -> Store:
        return awaited(connect_async(self.client, **options), self._runner)

    def close(self) -> None:
        self.store.close()


class Served(_OnEngine):
    """Our server, by botocore; engines take turns behind it, since starting a server takes longer than a test."""

    def __init__(self, turns: Turns, opened: Callable[..., Store]) -> None:
        self._turns, self._opened = turns, opened

    def begin(self, tables: Iterable[Table], **options: Any) -> Store:
        self.engine = self._turns.now = Engine.open(clock=options.get("clock"))
        self.make(tables)
        return self._opened(**options)

    def open(self, **options: Any) -> Store:
        return self._opened(**options)

    def close(self) -> None:
        self.engine.close()


class Noting:
    """A client that notes which tables were written to."""

    def __init__(self, client: AwsClient | Engine) -> None:
        self._client = client
        self.written: set[str] = set()

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation in _WRITES:
            self.written.update(RequestStarted(operation, request).tables)
        return self._client.call(operation, request)

    def close(self) -> None:
        self._client.close()


class Elsewhere(Door):
    """A DynamoDB of others, whose tables are made once and emptied for each test."""

    lags = True

    def __init__(self) -> None:
        self._made: dict[str, Table] = {}
        lagging = Delays(global_index=_LAG_SECONDS)
        self._client = Noting(
            Engine.open(delays=lagging) if ENDPOINT == LAGGING else AwsClient(AwsOptions(endpoint=ENDPOINT))
        )
        self.call = self._client.call  # type: ignore[method-assign]

    def begin(self, tables: Iterable[Table], **options: Any) -> Store:
        for table in tables:
            if table.name not in self._made:
                self._make(table)
            elif self._made[table.name] is not table:
                raise AssertionError(f"{table.name}: another module of tests has a table of this name")
            elif table.name in self._client.written:
                self._empty(table)
        return self.open(**options)

    def open(self, **options: Any) -> Store:
        return connect(self._client, **options)

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def settle(self, table: Table) -> None:
        self._wait_for_indexes(table, self._items(table))

    def end(self) -> None:
        """Leave nothing behind."""
        with self.open() as store:
            store.drop_tables(*self._made)
        self._client.close()

    def _make(self, table: Table) -> None:
        assert table.name.startswith("pksk-test-"), f"{table.name}: other processes have a table of this name"
        with self.open() as store:
            if table.name in self.call("ListTables", {})["TableNames"]:
                store.drop_tables(table.name)
            store.create_tables(Table.from_description(table.create_request()))
        self._made[table.name] = table

    def _empty(self, table: Table) -> None:
        while items := self._items(table):
            for item in items:
                self._delete(table, item)
        # An index that shows nothing may yet come to show what was put and deleted a moment ago; one that shows what
        # was written last has caught up.
        last: Any = {name: _LAST[kind] for name, kind in table.attribute_types.items() if kind in _LAST}
        self.call("PutItem", {"TableName": table.name, "Item": last})
        self._wait_for_indexes(table, [last])
        self._delete(table, last)
        self._wait_for_indexes(table, [])
        self._client.written.discard(table.name)

    def _delete(self, table: Table, item: Mapping[str, Any]) -> None:
        key = {name: item[name] for name in table.key_attributes}
        self.call("DeleteItem", {"TableName": table.name, "Key": key})

    def _items(self, table: Table, index: str | None = None) -> list[Any]:
        request = {"IndexName": index} if index else {"ConsistentRead": True}
        found: list[Any] = self.call("Scan", {"TableName": table.name, **request})["Items"]
        return found

    def _wait_for_indexes(self, table: Table, items: list[Any]) -> None:
        """Until each index shows just those of the items that have its keys."""
        until = monotonic() + _MOST_SECONDS
        for index in table.queryable:
            belong = [item for item in items if item.keys() >= set(index.keys)]
            while index.name and _keys(table, self._items(table, index.name)) != _keys(table, belong):
                assert monotonic() < until, f"{table.name}: {index.name} does not show what the table holds"
                sleep(_PAUSE_SECONDS)


def _keys(table: Table, items: list[Any]) -> list[str]:
    """The primary keys of some items, in any order."""
    return sorted(str([item[name] for name in table.key_attributes]) for item in items)


class Turns:
    """Passes for the engine of a server, and has that of one test after the other behind it."""

    def __init__(self) -> None:
        self.now = Engine.open()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.now, name)


class Doors:
    """All doors; servers, clients and loops are made when they are needed, and used again."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._prepared: dict[tuple[Table, ...], bytes] = {}

    def door(self, name: str, folder: Callable[[], Path]) -> Door:
        if name == "memory":
            return Embedded("memory:")
        if name == "file":
            return InFile(folder() / "store.db", self._prepared)
        if name == "async":
            return EmbeddedAwaited(self._runner)
        if name == "endpoint":
            return self._elsewhere
        return Served(self._served[0], self._waiting if name == "http" else self._awaiting)

    def close(self) -> None:
        self._stack.close()

    @cached_property
    def _runner(self) -> asyncio.Runner:
        return self._stack.enter_context(asyncio.Runner())

    @cached_property
    def _elsewhere(self) -> Elsewhere:
        made = Elsewhere()
        self._stack.callback(made.end)
        return made

    @cached_property
    def _served(self) -> tuple[Turns, str]:
        turns = Turns()
        server = self._stack.enter_context(Server(cast("Engine", turns)))
        return turns, server.url

    @cached_property
    def _threads(self) -> AwsClient:
        return self._stack.enter_context(AwsClient(AwsOptions(endpoint=self._served[1])))

    @cached_property
    def _tasks(self) -> AsyncAwsClient:
        runner, url = self._runner, self._served[1]
        client = AsyncAwsClient(AwsOptions(endpoint=url))
        self._stack.callback(lambda: runner.run(client.close()))
        return client

    def _waiting(self, **options: Any) -> Store:
        return connect(self._threads, **options)

    def _awaiting(self, **options: Any) -> Store:
        return awaited(connect_async(self._tasks, **options), self._runner)
