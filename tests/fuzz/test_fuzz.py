"""Anything sent to a server leads to a result, one of DynamoDB's errors or a 4xx, and the server keeps working."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom

import pytest

from tests.conftest import SLICE_SECONDS

from .__main__ import main
from .answer_checks import judge
from .answers import Answers, Wrong
from .bodies import Body
from .connection import FuzzConnection
from .exchange import ANY, Act, Exchange, Expected
from .exchange_kinds import exchange_of
from .framing import plain
from .fuzz import Failure
from .report import failure_text
from .sample_tables import SampleTables
from .server_lifetime import LIFETIMES, live
from .server_process import Running, Usage
from .shrink import shrunk
from .soak import Sample, check_flat, soak

# They take minutes even in a slice of the long run; `.ci/run` has its own step with fewer requests.
very_long = pytest.mark.skipif(SLICE_SECONDS > 0, reason="takes longer than a slice of the long run")
MARK = Body(
    "mark", "GetItem", b'{"TableName": "marks", "Key": {"n": {"N": "7"}}}', b'{"Item":{"n":{"N":"7"}}}'
)


@pytest.mark.parametrize("name", ["memory", "file"])
def test_a_server_answers_bad_input_with_proper_errors(name: str) -> None:
    start = SystemRandom().randrange(10**9)
    try:
        live(LIFETIMES[name], 500, start)
    except Failure as failure:
        pytest.fail(failure_text(failure, f"--server {name}"))
    except Wrong as wrong:
        pytest.fail(f"from exchange {start} on: {wrong}")


@pytest.mark.long
@very_long
def test_servers_answer_a_million_bad_requests_with_proper_errors() -> None:
    assert main(["--requests", "1000000"]) == 0


@pytest.mark.long
@very_long
@pytest.mark.parametrize("data", [None, Path("tables.db")], ids=["memory", "file"])
def test_memory_does_not_grow_in_ten_minutes_of_full_load(data: Path | None) -> None:
    soak(600.0, data)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("server") / "log") as running:
        yield running
        running.stop()


@pytest.fixture(scope="module")
def world(server: Running) -> Iterator[SampleTables]:
    made = SampleTables(server.port, signed=False)
    made.renew()
    yield made
    made.close()


@pytest.mark.parametrize("end", [Act.HALF_CLOSE, Act.CLOSE, Act.RESET])
def test_a_request_can_end_at_any_byte(server: Running, world: SampleTables, end: Act) -> None:
    request = plain(world, MARK)
    lane = FuzzConnection(server.port)
    for cut in range(len(request.data)):
        lane.begin(Exchange("cut", [request.data[:cut], end], [ANY], ends=True))
        while lane.step():
            pass
        lane.collect()
    lane.begin(Exchange.in_order("whole", [request.data], [request.expected]))

    judge(lane.collect()[0], request.expected)
    lane.close()
    server.await_no_connections(but=1)  # that of the world


def test_a_request_can_be_split_at_any_byte(server: Running, world: SampleTables) -> None:
    request = plain(world, MARK)
    lane = FuzzConnection(server.port)
    for cut in range(1, len(request.data)):
        lane.begin(Exchange.in_order("cut", [request.data[:cut], request.data[cut:]], [request.expected]))
        assert lane.step()

        judge(lane.collect()[0], request.expected)
    lane.close()


def test_a_number_always_gives_the_same_exchange(world: SampleTables) -> None:
    for number in range(300):
        first, second = exchange_of(number, world), exchange_of(number, world)

        assert (first.kind, list(first.steps)) == (second.kind, list(second.steps))


# The checks detect wrong responses.

CALL = Expected("valid", frozenset({200, 400}), "GetItem")


def _answer(status: str, body: bytes, *lines: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *lines]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


SERVICE = ("Content-Type: application/x-amz-json-1.0", "x-amzn-RequestId: A")
NONE = b'{"__type":"a#ValidationException"}'


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (_answer("500 Oh", b"{}"), "status 500"),
        (_answer("200 OK", b"[]", *SERVICE, "x-amz-crc32: 223132457"), "not a JSON object"),
        (_answer("200 OK", b"{}", *SERVICE, "x-amz-crc32: 5"), "checksum"),
        (_answer("200 OK", b"{}", SERVICE[0], "x-amz-crc32: 2745614147"), "no request id"),
        (_answer("400 Bad Request", b"{}", *SERVICE, "x-amz-crc32: 2745614147"), "without __type"),
        (_answer("400 Bad Request", b"Oh\n"), "not JSON"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "no Content-Length"),
        (b"<html>\r\n\r\n", "no status line"),
        (b"HTTP/1.1 200 OK\r\nA: b\r\na: c\r\n\r\n", "there already"),
    ],
)
def test_invalid_responses_are_detected(sent: bytes, reason: str) -> None:
    answers = Answers()
    answers.buffer += sent

    with pytest.raises(Wrong, match=reason):
        judge(answers.next(), CALL)  # type: ignore[arg-type]


def test_missing_and_surplus_responses_are_detected(server: Running, world: SampleTables) -> None:
    request = plain(world, MARK)
    lane = FuzzConnection(server.port)
    lane.begin(Exchange("cut", [request.data[:-1], Act.HALF_CLOSE], [request.expected], 1, ends=True))
    while lane.step():
        pass
    with pytest.raises(Wrong, match="closed after 0 answers of 1"):
        lane.collect()
    lane.begin(Exchange("two", [request.data * 2, Act.HALF_CLOSE], [request.expected], 1, ends=True))
    while lane.step():
        pass
    with pytest.raises(Wrong, match="came more"):
        lane.collect()
    lane.close()


def test_growing_memory_is_detected() -> None:
    samples = [Sample(float(n), n, Usage(100_000 + 1000 * n, 20, 5)) for n in range(60)]

    with pytest.raises(Wrong, match="memory grows"):
        check_flat(samples)
    check_flat([Sample(float(n), n, Usage(100_000, 20, 5)) for n in range(60)])


def test_a_failing_request_is_shrunk() -> None:
    body = b'{"TableName": "orders", "Key": {"pk": {"S": "a"}}, "Limit": 5}'

    assert shrunk(body, lambda each: b"Limit" in each) == b'{"Limit":5}'
    assert shrunk(b"{{{{x}}}", lambda each: b"x" in each) == b"x"
