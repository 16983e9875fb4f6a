"""What people, load balancers and watchers are shown."""

from __future__ import annotations

import re

import pytest

from pksk.engine import Engine
from pksk.server import Server
from tests.server.raw_http import call, exchange, get

HTML = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"


@pytest.fixture
def engine() -> object:
    with Engine.open(region="eu-west-1", account="123456789012") as opened:
        yield opened


def test_the_root_reports_health_as_aws_does(engine: Engine) -> None:
    with Server(engine) as server:
        for path in ("/", "/ping"):
            answer = exchange(server, get(path))

            assert (answer.status, answer.body) == (200, b"healthy: dynamodb.eu-west-1.amazonaws.com ")
            assert "x-amz-crc32" in answer.headers


def test_a_browser_gets_a_page_about_the_server_and_how_to_connect(engine: Engine) -> None:
    with Server(engine, data="<shop>.db") as server:
        answer = exchange(server, get("/", HTML))
        text = answer.body.decode()

        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert server.url in text
        for part in ("eu-west-1", "123456789012", "&lt;shop&gt;.db", "aws_access_key_id=&quot;any&quot;"):
            assert part in text


def test_the_page_of_a_server_with_credentials_mentions_signatures(engine: Engine) -> None:
    with Server(engine, verify=lambda _: None) as server:
        text = exchange(server, get("/", HTML)).body.decode()

    assert "must be signed" in text
    assert "aws_access_key_id" not in text


def test_health_is_that_of_the_engine(engine: Engine) -> None:
    with Server(engine) as server:
        well = exchange(server, get("/health"))
        with engine._core.storage.writing():  # a long write is not a failure
            busy = exchange(server, get("/health"))
        engine.close()
        ill = exchange(server, get("/health"))

    assert (well.status, well.json()["status"]) == (busy.status, busy.json()["status"]) == (200, "healthy")
    assert (ill.status, ill.json()["status"]) == (503, "failing")


def test_metrics_count_responses(engine: Engine) -> None:
    with Server(engine) as server:
        for operation in ("ListTables", "ListTables", 'No"such{thing}\\', "DescribeTable"):
            exchange(server, call(operation))
        answer = exchange(server, get("/metrics"))
    found = dict(
        line.rsplit(" ", 1) for line in answer.body.decode().splitlines() if not line.startswith("#")
    )

    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert found['pksk_requests_total{operation="ListTables",status="200"}'] == "2"
    assert found['pksk_requests_total{operation="",status="400"}'] == "1"
    assert found['pksk_requests_total{operation="DescribeTable",status="400"}'] == "1"
    assert found['pksk_request_seconds_count{operation="ListTables"}'] == "2"
    assert found["pksk_connections"] == "1"
    assert (found["pksk_received_bytes_total"], found["pksk_batches_total"]) == ("8", "3")
    assert float(found["pksk_uptime_seconds"]) > 0
    assert all(re.fullmatch(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})?', name) for name in found)
