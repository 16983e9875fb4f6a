"""A synchronous client in an asynchronous store, or the reverse, raises before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pksk import PkskError, connect, connect_async


class Waiting:
    sent = 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.sent += 1
        return {}


class Awaited:
    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return {}


def test_connect_async_rejects_a_synchronous_client() -> None:
    client = Waiting()
    with pytest.raises(PkskError, match="its method call is not asynchronous") as caught:
        connect_async(client)

    assert caught.value.code == "connect-target"
    assert client.sent == 0


def test_connect_rejects_an_asynchronous_client() -> None:
    with pytest.raises(PkskError, match="use connect_async"):
        connect(Awaited())  # type: ignore[arg-type]


def test_an_object_with_a_call_that_is_not_callable_is_not_a_client() -> None:
    class Phone:
        call = "555-0100"

    with pytest.raises(PkskError, match="this is not a target"):
        connect(Phone())  # type: ignore[arg-type]


def test_a_secret_may_be_any_text() -> None:
    connect("memory:", cursor_secret="\ud800").close()
