"""A table in memory with the indexes that a test needs, read and written without an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, cast

import orjson
import pytest

from pksk.client import ServiceError
from pksk.engine.core import Core
from pksk.engine.items.perform import perform
from pksk.engine.operations.query import query
from pksk.engine.operations.scan import scan
from pksk.engine.row_layout import KeyAttribute, RowLayout
from pksk.engine.service_errors import service_error
from pksk.engine.settings import Settings
from pksk.engine.state import Conflicts, Lag, Table, Tokens, Write
from pksk.engine.storage import MemoryStorage
from pksk.values.size import item_size

Item = dict[str, Any]


class Only:
    """A catalogue of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def table(self, name: str) -> Table:
        if name != self._table.name:
            raise service_error("ResourceNotFoundException", "Requested resource not found")
        return self._table


class Shelf:
    """One table named "shelf"; keys are written as "name:type", separated by spaces."""

    def __init__(
        self,
        partition: str = "pk:S",
        sort: str = "sk:S",
        *,
        lag: float = 0.0,
        clock: Callable[[], float] = float,
    ) -> None:
        storage = MemoryStorage()
        with storage.writing() as writer:
            rows = RowLayout(None, "table", writer.make_space(), _attributes(partition), _attributes(sort))
        self.table = Table(
            "shelf", "arn:aws:dynamodb:us-east-1:000000000000:table/shelf", cast(Any, {}), rows
        )
        settings = Settings(clock=clock)
        self.core = Core(storage, cast(Any, Only(self.table)), settings, Conflicts(), Tokens(storage))
        self.core.lag = Lag(lag, clock) if lag else None

    def index(self, name: str, partition: str, sort: str = "", *, keeps: Iterable[str] | None = None) -> None:
        """Add an index: a local one where its partition key is the table's; `keeps` what else than keys."""
        base = self.table.layout.keys
        kind: Literal["gsi", "lsi"] = (
            "lsi" if _attributes(partition) == self.table.layout.partition else "gsi"
        )
        with self.core.storage.writing() as writer:
            space = writer.make_space()
        own = _attributes(partition), _attributes(sort)
        keys = {attribute.name for attribute in (*own[0], *own[1], *base)}
        projected = None if keeps is None else frozenset(keys | set(keeps))
        self.table.indexes[name] = RowLayout(name, kind, space, *own, base, projected)

    def put(self, *items: Item) -> None:
        """Write items as they are."""
        for item in items:
            self._write(item, (item, item_size(item)))

    def delete(self, key: Item) -> None:
        """Remove the item with this key."""
        self._write(key, (None, 0))

    def _write(self, key: Item, new: tuple[Item | None, int]) -> None:
        write = Write(self.table, self.table.layout.key_of(key), key, lambda _old: new, reads_old=True)
        with self.core.storage.writing() as writer:
            perform(self.core, writer, write)

    def query(self, condition: str, values: Mapping[str, Any] | None = None, **rest: Any) -> dict[str, Any]:
        """The answer to a query with this key condition, where each `:name` has a value."""
        request = {"KeyConditionExpression": condition, **rest}
        if values is not None:
            request["ExpressionAttributeValues"] = values
        return self.run(query, **request)

    def scan(self, **rest: Any) -> dict[str, Any]:
        """The answer to a scan."""
        return self.run(scan, **rest)

    def run(self, operation: Callable[[Core, Mapping[str, Any]], Any], **request: Any) -> dict[str, Any]:
        """The answer of an operation, as its reader gets it."""
        answer = operation(self.core, {"TableName": "shelf", **request})
        return cast(dict[str, Any], orjson.loads(orjson.dumps(answer)))


def _attributes(text: str) -> tuple[KeyAttribute, ...]:
    return tuple(KeyAttribute(*part.split(":")) for part in text.split())


def text(**attributes: str) -> Item:
    """An item of strings."""
    return {name: {"S": value} for name, value in attributes.items()}


PK: Final = {":p": {"S": "p"}}


def error_of(shelf: Shelf, condition: str, values: dict[str, Any], **rest: Any) -> str:
    """The error message of a query."""
    with pytest.raises(ServiceError) as caught:
        shelf.query(condition, values, **rest)
    assert caught.value.code == "ValidationException"
    return caught.value.message or ""


def shelf_of(*sorts: str) -> Shelf:
    """A table with these sort keys under one partition key, p."""
    shelf = Shelf()
    shelf.put(*(text(pk="p", sk=sort) for sort in sorts))
    return shelf


def sorts(answer: dict[str, Any], name: str = "sk") -> list[str]:
    """One attribute of each item that was found."""
    return [next(iter(item[name].values())) for item in answer["Items"]]
