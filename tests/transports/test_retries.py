"""Over HTTP, botocore tries again where a server says that it failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import botocore.session
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from pksk.engine import Engine
from pksk.server import Server

_FAILED = 500, b'{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}'


class Flaky:
    """An engine that fails a few times before it answers."""

    def __init__(self, engine: Engine, times: int) -> None:
        self._engine = engine
        self.times = times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def answer(self, operation: str, body: bytes) -> tuple[int, bytes]:
        if self.times:
            self.times -= 1
            return _FAILED
        return self._engine.answer(operation, body)

    def answers(self, requests: Sequence[tuple[str, bytes]]) -> list[tuple[int, bytes]]:
        return [self.answer(*request) for request in requests]


def _listed(engine: Flaky, attempts: int) -> dict[str, Any]:
    with Server(cast("Engine", engine)) as server:
        client = botocore.session.Session().create_client(
            "dynamodb",
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
            endpoint_url=server.url,
            config=Config(retries={"total_max_attempts": attempts}),
        )
        try:
            answer: dict[str, Any] = client.list_tables()
        finally:
            client.close()
    return answer


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)


def test_a_call_that_fails_twice_succeeds() -> None:
    answer = _listed(Flaky(Engine.open(), times=2), attempts=3)

    assert answer["TableNames"] == []
    assert answer["ResponseMetadata"]["RetryAttempts"] == 2


def test_a_call_that_fails_more_often_raises() -> None:
    with pytest.raises(ClientError) as caught:
        _listed(Flaky(Engine.open(), times=9), attempts=3)

    assert caught.value.response["Error"]["Code"] == "InternalServerError"
    assert caught.value.response["ResponseMetadata"]["RetryAttempts"] == 2
