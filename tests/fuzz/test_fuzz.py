"""Whatever is sent to a server: a result, an error that DynamoDB has, or a 4xx; and the server stays as it was."""

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

# They take minutes, whatever the slice of a long run is; `.ci/run` has a step of its own for fewer requests.
very_long = pytest.mark.skipif(SLICE_SECONDS > 0, reason="takes longer than a slice of the long run")
MARK = Body(
    "mark", "GetItem", b'{"TableName": "marks", "Key": {"n": {"N": "7"}}}', b'{"Item":{"n":{"N":"7"}}}'
)


@pytest.mark.parametrize("name", ["memory", "file"])
def test_a_server_takes_bad_input_well(name: str) -> None:
    start = SystemRandom().randrange(10**9)
    try:
        live(LIFETIMES[name], 500, start)
    except Failure as failure:
        pytest.fail(failure_text(failure, f"--server {name}"))
    except Wrong as wrong:
        pytest.fail(f"from exchange {start} on: {wrong}")


@pytest.mark.long
@very_long
def test_servers_take_a_million_bad_requests_well() -> None:
    assert main(["--requests", "1000000"]) == 0


@pytest.mark.long
@very_long
@pytest.mark.parametrize("data", [None, Path("tables.db")], ids=["memory", "file"])
def test_memory_stays_as_it_is_after_ten_minutes_of_full_load(data: Path | None) -> None:
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
def test_a_request_may_break_off_at_any_byte(server: Running, world: SampleTables, end: Act) -> None:
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


def test_a_request_may_be_cut_in_two_at_any_byte(server: Running, world: SampleTables) -> None:
    request = plain(world, MARK)
    lane = FuzzConnection(server.port)
    for cut in range(1, len(request.data)):
        lane.begin(Exchange.in_order("cut", [request.data[:cut], request.data[cut:]], [request.expected]))
        assert lane.step()

        judge(lane.collect()[0], request.expected)
    lane.close()


def test_a_number_gives_the_same_exchange_again(world: SampleTables) -> None:
    for number in range(300):
        first, second = exchange_of(number, world), exchange_of(number, world)

        assert (first.kind, list(first.steps)) == (second.kind, list(second.steps))


# That what is wrong would be seen.

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
        (_answer("200 OK", b"[]", *SERVICE, "x-amz-crc32: 223132457"), "no JSON object"),
        (_answer("200 OK", b"{}", *SERVICE, "x-amz-crc32: 5"), "checksum"),
        (_answer("200 OK", b"{}", SERVICE[0], "x-amz-crc32: 2745614147"), "no request id"),
        (_answer("400 Bad Request", b"{}", *SERVICE, "x-amz-crc32: 2745614147"), "without __type"),
        (_answer("400 Bad Request", b"Oh\n"), "no JSON"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "no Content-Length"),
        (b"<html>\r\n\r\n", "no status line"),
        (b"HTTP/1.1 200 OK\r\nA: b\r\na: c\r\n\r\n", "there already"),
    ],
)
def test_answers_that_no_client_should_see_are_seen(sent: bytes, reason: str) -> None:
    answers = Answers()
    answers.buffer += sent

    with pytest.raises(Wrong, match=reason):
        judge(answers.next(), CALL)  # type: ignore[arg-type]


def test_an_answer_that_is_missing_or_too_much_is_seen(server: Running, world: SampleTables) -> None:
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


def test_memory_that_grows_is_seen() -> None:
    samples = [Sample(float(n), n, Usage(100_000 + 1000 * n, 20, 5)) for n in range(60)]

    with pytest.raises(Wrong, match="memory grows"):
        check_flat(samples)
    check_flat([Sample(float(n), n, Usage(100_000, 20, 5)) for n in range(60)])


def test_a_failing_request_is_made_smaller() -> None:
    body = b'{"TableName": "orders", "Key": {"pk": {"S": "a"}}, "Limit": 5}'

    assert shrunk(body, lambda each: b"Limit" in each) == b'{"Limit":5}'
    assert shrunk(b"{{{{x}}}", lambda each: b"x" in each) == b"x"
