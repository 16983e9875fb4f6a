"""A client of the other kind, awaited or not, is refused before it is sent anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pksk import F, PkskError, connect, connect_async


class Waiting:
    sent = 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.sent += 1
        return {}


class Awaited:
    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return {}


def test_a_client_that_waits_is_not_for_connect_async() -> None:
    client = Waiting()
    with pytest.raises(PkskError, match="its method call is not asynchronous") as caught:
        connect_async(client)

    assert caught.value.code == "connect-target"
    assert client.sent == 0


def test_a_client_that_is_awaited_is_not_for_connect() -> None:
    with pytest.raises(PkskError, match="use connect_async"):
        connect(Awaited())  # type: ignore[arg-type]


def test_what_has_a_call_that_cannot_be_called_is_no_client() -> None:
    with pytest.raises(PkskError, match="this is not a target"):
        connect(F.total)  # type: ignore[arg-type]


def test_a_secret_may_be_any_text() -> None:
    connect("memory:", cursor_secret="\ud800").close()
