"""The embedded engine: a DynamoDB in this process, in memory or in one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from types import TracebackType
from typing import Any, Final

import orjson

from .conflicts import Conflicts
from .core import Core
from .dispatch import dispatch
from .faults import ServiceError, serialization
from .reading.lag import Lag
from .settings import Delays, Partitioning, Settings
from .storage import Storage, open_storage
from .tables.catalogue import Catalogue
from .transactions.tokens import Tokens
from .wire import error_body

__all__ = ["Engine"]

_OK: Final = 200


class Engine:
    """A DynamoDB of one account and region.

    Example:
        >>> with Engine.open(":memory:") as engine:
        ...     created = engine.call("CreateTable", {
        ...         "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        ...         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        ...         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        ...     put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "7"}, "n": {"N": "1e2"}}})
        ...     engine.call("GetItem", {"TableName": "orders", "Key": {"pk": {"S": "7"}}})
        {'Item': {'pk': {'S': '7'}, 'n': {'N': '100'}}}
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    @classmethod
    def open(
        cls,
        path: str | PathLike[str] = ":memory:",
        *,
        account: str | None = None,
        region: str | None = None,
        durable: bool = True,
        delays: Delays | None = None,
        conflicts: bool = False,
        clock: Callable[[], float] | None = None,
        partitioning: Partitioning | None = None,
    ) -> Engine:
        """An engine on the file at `path`, which is made where it is missing, or in memory.

        What a call has answered is on disk, unless `durable` is False. Tables change their state
        at once, or as `delays` say. Overlapping calls on an item wait for each other; with
        `conflicts` they fail as on AWS. The account is 000000000000 and the region us-east-1
        where none is given.

        Example:
            >>> Engine.open(region="eu-west-1").call("ListTables", {})
            {'TableNames': []}
        """
        settings = Settings.of(
            account=account,
            region=region,
            clock=clock,
            delays=delays,
            conflicts=conflicts,
            partitioning=partitioning,
        )
        return cls.on(open_storage(path, durable=durable), settings)

    @classmethod
    def on(cls, storage: Storage, settings: Settings | None = None) -> Engine:
        """An engine on a storage that was opened already, which is its own from now on.

        Example:
            >>> from pksk.engine.storage import MemoryStorage
            >>> Engine.on(MemoryStorage()).call("ListTables", {})
            {'TableNames': []}
        """
        try:
            return cls(_core(storage, settings or Settings()))
        except BaseException:
            storage.close()
            raise

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request, both in DynamoDB's JSON; raises `ServiceError` and nothing else.

        Example:
            >>> Engine.open().call("GetItem", {"TableName": "orders", "Key": {"pk": {"S": "7"}}})
            Traceback (most recent call last):
            pksk.client.ServiceError: ResourceNotFoundException: Requested resource not found
        """
        answer = dispatch(self._core, operation, request)
        if not answer:
            return {}
        # Stored items stand in it as bytes; and what a caller gets is his own.
        fresh: dict[str, Any] = orjson.loads(orjson.dumps(answer))
        return fresh

    def answer(self, operation: str, body: bytes) -> tuple[int, bytes]:
        """The status and body that answer a request's body; raises nothing.

        Example:
            >>> Engine.open().answer("ListTables", b"{}")
            (200, b'{"TableNames":[]}')
        """
        try:
            return _OK, orjson.dumps(dispatch(self._core, operation, _parsed(body)))
        except ServiceError as error:
            return error.status, error_body(error)

    def close(self) -> None:
        """Give the file back; further calls fail.

        Example:
            >>> engine = Engine.open()
            >>> engine.close()
        """
        self._core.closed = True
        self._core.storage.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _core(storage: Storage, settings: Settings) -> Core:
    lag = settings.delays.global_index
    return Core(
        storage,
        Catalogue(storage, settings),
        settings,
        Conflicts(),
        Tokens(storage),
        Lag(lag, settings.clock) if lag else None,
    )


def _parsed(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except ValueError:
        raise serialization() from None
