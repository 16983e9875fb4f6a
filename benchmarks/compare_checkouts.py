"""Whether this checkout is slower than another one: both run in turns, and each row has the ratio of their times.

python -m benchmarks.compare_checkouts OTHER/src [--rounds N] [--only TEXT]

The interval holds 95 % of the medians of resampled ratios. A row is marked where all of it is above 1.05.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, sleep
from typing import Any

HERE = Path(__file__).parent
SLOWER = 1.05
CALLS = ("PutItem", "GetItem", "Query 100", "Query index 10", "UpdateItem ADD", "BatchWriteItem 25")
SUBJECTS = (
    *(f"{call}, {place}" for place in ("memory", "file") for call in (*CALLS, "TransactWriteItems 4")),
    *("store put", "store get", "store iter 100", "store update", "build a put"),
    *("PutItem, HTTP", "GetItem, HTTP"),
)


class Checkout:
    """A worker and a server of one checkout."""

    def __init__(self, worker: subprocess.Popen[str], connection: socket.socket) -> None:
        self._worker = worker
        self._connection = connection
        self._turn = 0

    def time(self, subject: str) -> float:
        """The microseconds of one call."""
        if subject.endswith(", HTTP"):
            return self._time_http(subject.removesuffix(", HTTP"))
        assert self._worker.stdin
        assert self._worker.stdout
        print(subject, file=self._worker.stdin, flush=True)
        return float(self._worker.stdout.readline())

    def send(self, operation: str, request: dict[str, Any]) -> None:
        """Send a request over HTTP and read its answer."""
        body = json.dumps(request).encode()
        head = (
            f"POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
            f"Content-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._connection.sendall(head.encode() + body)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._connection.recv(65536)
        headers, _, content = answer.partition(b"\r\n\r\n")
        assert b" 200 " in headers.splitlines()[0], answer
        length = next(line for line in headers.lower().splitlines() if line.startswith(b"content-length:"))
        while len(content) < int(length.partition(b":")[2]):
            content += self._connection.recv(65536)

    def _time_http(self, operation: str) -> float:
        self._turn += 1
        table = {"TableName": "shop"}
        keys = [{"pk": {"S": str(number)}} for number in range(100)]
        value = {"text": {"S": "x" * 1000}, "n": {"N": str(self._turn)}}
        member = "Item" if operation == "PutItem" else "Key"
        requests = [{**table, member: {**key, **value} if member == "Item" else key} for key in keys]
        start = perf_counter()
        for request in requests:
            self.send(operation, request)
        return (perf_counter() - start) / len(requests) * 1e6


@contextmanager
def opened(source: Path) -> Iterator[Checkout]:
    """A checkout whose worker and server run on the first core."""
    environment = os.environ | {"PYTHONPATH": str(source)}
    command = [sys.executable, str(HERE / "checkout_worker.py")]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    serve = [sys.executable, "-m", "pksk", "serve", "--port", str(port)]
    quiet = subprocess.DEVNULL
    worker = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    server = subprocess.Popen(serve, env=environment, stdout=quiet, stderr=quiet)
    try:
        with connected(port) as connection:
            for process in (worker, server):
                os.sched_setaffinity(process.pid, {0})
            checkout = Checkout(worker, connection)
            key = {"AttributeName": "pk"}
            schema = {
                "AttributeDefinitions": [{**key, "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            }
            table = {"TableName": "shop", "KeySchema": [{**key, "KeyType": "HASH"}], **schema}
            checkout.send("CreateTable", table)
            yield checkout
    finally:
        for process in (worker, server):
            process.terminate()
            process.wait()


def connected(port: int) -> socket.socket:
    """A connection to a server that is about to listen."""
    for _ in range(1000):
        try:
            connection = socket.create_connection(("127.0.0.1", port))
        except OSError:
            sleep(0.01)
        else:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
    raise TimeoutError(f"no server listens on port {port}")


def compare(
    other: Path, subjects: list[str], rounds: int, starts: int = 3
) -> dict[str, list[tuple[float, float]]]:
    """The times of the other checkout and of this one, side by side, from several processes of each."""
    times: dict[str, list[tuple[float, float]]] = {subject: [] for subject in subjects}
    for _ in range(starts):
        with ExitStack() as stack:
            theirs, ours = (stack.enter_context(opened(source)) for source in (other, HERE.parent / "src"))
            for subject in subjects:  # nothing is compiled or cached while it is measured
                theirs.time(subject), ours.time(subject)
            for number in range(max(1, rounds // starts)):
                for subject in subjects:
                    if number % 2:
                        first = theirs.time(subject)
                        times[subject].append((first, ours.time(subject)))
                    else:
                        first = ours.time(subject)
                        times[subject].append((theirs.time(subject), first))
    return times


def interval(ratios: list[float]) -> tuple[float, float]:
    """The range that holds 95 % of the medians of resampled ratios."""
    random = Random(0)
    medians = sorted(median(random.choices(ratios, k=len(ratios))) for _ in range(1000))
    return medians[25], medians[975]


def main() -> None:
    """Print a row for each subject."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the folder src of the other checkout")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", default="", help="measure only subjects with this text")
    options = parser.parse_args()
    subjects = [subject for subject in SUBJECTS if options.only in subject]
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{'µs a call':<30}{'other':>10}{'this':>10}{'ratio':>8}   95 % interval")
    for subject, pairs in compare(options.other.resolve(), subjects, options.rounds).items():
        low, high = interval([ours / theirs for theirs, ours in pairs])
        theirs, ours = (median(each) for each in zip(*pairs, strict=True))
        ratio = median(ours / theirs for theirs, ours in pairs)
        mark = "  slower" if low > SLOWER else ""
        print(f"{subject:<30}{theirs:>10.1f}{ours:>10.1f}{ratio:>8.3f}   {low:.3f} to {high:.3f}{mark}")


if __name__ == "__main__":
    main()
