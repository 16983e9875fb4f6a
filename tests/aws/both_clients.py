"""Both clients as one `Client`, so that one test is for both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import pytest

from pksk.aws import AsyncAwsClient, AwsClient, AwsOptions
from pksk.client import Client, ServiceError

__all__ = ["KINDS", "BlockingClient", "Open", "error_of", "open_client", "outcome"]

KINDS: Final = ("threads", "tasks")
# Opens a client with options, to be closed when the test is over.
Open: TypeAlias = Callable[..., Client]


class BlockingClient:
    """A synchronous wrapper of `AsyncAwsClient`, on its own event loop."""

    def __init__(self, options: AwsOptions) -> None:
        self._runner = asyncio.Runner()
        self._client = AsyncAwsClient(options)

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return self._runner.run(self._client.call(operation, request))

    def close(self) -> None:
        self._runner.run(self._client.close())
        self._runner.close()


def open_client(kind: str, **options: Any) -> AwsClient | BlockingClient:
    """A client of one kind."""
    settings = AwsOptions(**options)
    return AwsClient(settings) if kind == "threads" else BlockingClient(settings)


def outcome(client: Client, operation: str, request: Any) -> object:
    """The response, or every field of the error."""
    try:
        return client.call(operation, request)
    except ServiceError as error:
        return error.code, error.message, error.status, error.fields


def error_of(client: Client, operation: str = "ListTables", request: Any = None) -> ServiceError:
    """The error that a call ends with."""
    with pytest.raises(ServiceError) as raised:
        client.call(operation, {} if request is None else request)
    return raised.value
