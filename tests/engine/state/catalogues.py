"""Engines for tests of tables: on a storage that can be reopened, with a clock that tests move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine.core import Core
from pksk.engine.engine import Engine
from pksk.engine.settings import Delays, Settings
from pksk.engine.state import Catalogue, Conflicts, Table, Tokens
from pksk.engine.storage import MemoryStorage, Storage

START = 1_790_000_000.0
NAME = "orders"
ARN = f"arn:aws:dynamodb:us-east-1:000000000000:table/{NAME}"


@dataclass
class Clock:
    """A clock that is moved by hand."""

    now: float = START

    def __call__(self) -> float:
        return self.now


class Opened:
    """An engine with its storage and clock."""

    def __init__(
        self, storage: Storage | None = None, clock: Clock | None = None, /, **delays: float
    ) -> None:
        self.storage: Storage = storage or MemoryStorage()
        self.clock = clock or Clock()
        settings = Settings(clock=self.clock, delays=Delays(**delays))
        self.catalogue = Catalogue(self.storage, settings)
        self.core = Core(self.storage, self.catalogue, settings, Conflicts(), Tokens(self.storage))
        self._engine = Engine(self.core)

    def call(self, operation: str, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return self._engine.call(operation, request or {})

    def error_of(self, operation: str, request: Mapping[str, Any] | None = None) -> tuple[str, str | None]:
        with pytest.raises(ServiceError) as caught:
            self.call(operation, request)
        return caught.value.code, caught.value.message

    def invalid(self, operation: str, request: Mapping[str, Any] | None = None) -> str:
        code, message = self.error_of(operation, request)
        assert code == "ValidationException"
        assert message is not None
        return message

    def again(self) -> Opened:
        """The same storage, opened anew."""
        opened = Opened(self.storage, self.clock)
        opened.core.settings = self.core.settings
        return opened

    def create(self, **members: Any) -> dict[str, Any]:
        description: dict[str, Any] = self.call("CreateTable", table(**members))["TableDescription"]
        return description

    def update(self, **members: Any) -> dict[str, Any]:
        description: dict[str, Any] = self.call("UpdateTable", {"TableName": NAME, **members})[
            "TableDescription"
        ]
        return description

    def describe(self, name: str = NAME) -> dict[str, Any]:
        description: dict[str, Any] = self.call("DescribeTable", {"TableName": name})["Table"]
        return description

    def put(self, **attributes: Any) -> None:
        """Put an item of texts and numbers, without the help of operations on items."""
        item = {
            name: {"S": value} if isinstance(value, str) else {"N": str(value)}
            for name, value in attributes.items()
        }
        self.put_item(item)

    def put_item(self, item: dict[str, Any]) -> None:
        self.call("PutItem", {"TableName": NAME, "Item": item})


def key(*names: str) -> list[dict[str, str]]:
    """A key schema: a partition key, and perhaps a sort key."""
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def defined(*names: str, **types: str) -> list[dict[str, str]]:
    """Attribute definitions: texts by name, others by name and type."""
    all_types = {**dict.fromkeys(names, "S"), **types}
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in all_types.items()]


def table(*names: str, **members: Any) -> dict[str, Any]:
    """A CreateTable request on demand, with the members given; a member that is None is left out."""
    request = {
        "TableName": NAME,
        "KeySchema": key(*(names or ("pk",))),
        "AttributeDefinitions": defined(*(names or ("pk",))),
        "BillingMode": "PAY_PER_REQUEST",
        **members,
    }
    return {name: value for name, value in request.items() if value is not None}


def index(name: str, *names: str, **members: Any) -> dict[str, Any]:
    """An index that projects everything, with the members given."""
    return {
        "IndexName": name,
        "KeySchema": key(*names),
        "Projection": {"ProjectionType": "ALL"},
        **members,
    }


def units(reads: int = 5, writes: int = 5) -> dict[str, int]:
    """Provisioned throughput."""
    return {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}


def vector(name: str = "near", **members: Any) -> dict[str, Any]:
    """A vector index of three dimensions, with the members given."""
    return {
        "IndexName": name,
        "VectorAttribute": {"AttributeName": "embedding"},
        "Projection": {"ProjectionType": "KEYS_ONLY"},
        "Dimensions": 3,
        "DistanceFunction": "COSINE",
        **members,
    }


def searched(**kinds: str) -> list[dict[str, str]]:
    """A search schema."""
    return [{"AttributeName": name, "SearchSchemaElementType": kind} for name, kind in kinds.items()]


def key_types(found: Table) -> dict[str, str]:
    """The type of each attribute that is part of any key of a table."""
    return {key.name: key.type for rows in (found.layout, *found.indexes.values()) for key in rows.keys}
