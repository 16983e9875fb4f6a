"""Changes: a consumer beside bare loops over GetRecords, its lag under load, and its requests when idle."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from statistics import median, quantiles
from time import perf_counter, sleep
from typing import Any

import boto3

from benchmarks.timing import Row
from pksk import Entity, Key, Store, Table, changes_of, connect
from pksk.client import Client
from pksk.engine import Engine, Partitioning
from pksk.server import Server

table = Table("events", stream=True)
ROUNDS = 5
IDLE_SECONDS = 10.0
LAG_SECONDS = 10.0
RATE = 1000


class Event(Entity, table=table):
    """An item of about 250 bytes."""

    customer: str
    number: int
    total: int = 0
    note: str = "x" * 200
    primary = Key("CUST#{customer}", "N#{number:06d}")


def run(quick: bool = False) -> list[Row]:
    """Changes per second over HTTP, lag under load, and requests per minute without changes."""
    records, rounds = (500, 2) if quick else (40_000, ROUNDS)
    with Engine.open(partitioning=Partitioning(partitions=4)) as engine, connect(engine) as near:
        near.create_tables(table)
        near.batch_put(Event(customer=f"c{number % 200}", number=number) for number in range(records))
        with Server(engine) as server, connect(server.url) as db:
            rows = list(_speeds(db, server.url, records, rounds))
            rows.append(_lag(near, db, seconds=0.5 if quick else LAG_SECONDS))
            rows.append(_idle(engine, seconds=0.5 if quick else IDLE_SECONDS))
    return rows


def _speeds(db: Store, url: str, records: int, rounds: int) -> Iterator[Row]:
    boto = _Boto3(url)
    contestants: dict[str, Callable[[], int]] = {
        "one worker": lambda: _consume(db, records, workers=1),
        "four workers": lambda: _consume(db, records, workers=4),
        "a loop over GetRecords, boto3": lambda: _loop(boto, len),
        "the same, client of pksk": lambda: _loop(db.client, len),
        "that with changes_of": lambda: _loop(db.client, lambda page: len(list(changes_of(page, Event)))),
    }
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds):
        names = list(contestants)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            began = perf_counter()
            assert contestants[name]() == records
            seconds[name].append(perf_counter() - began)
    boto_loop, bare, typed = (median(seconds[name]) for name in list(contestants)[2:])
    for name, times in seconds.items():
        low, _, high = quantiles(times, n=4, method="inclusive")
        yield {
            "name": name,
            "ours_us": median(times) / records * 1e6,
            "changes/s": round(records / median(times)),
            "of boto3": round(boto_loop / median(times), 2),
            "of our client": round(bare / median(times), 2),
            "of changes_of": round(typed / median(times), 2),
            "spread": (high - low) / median(times),
        }


class _Boto3:
    """The clients of boto3 as one."""

    def __init__(self, url: str) -> None:
        keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "region_name": "us-east-1"}
        session = boto3.Session(**keys)
        self._clients = [session.client(name, endpoint_url=url) for name in ("dynamodb", "dynamodbstreams")]

    def call(self, operation: str, request: Mapping[str, Any], /) -> dict[str, Any]:
        client = self._clients[operation != "DescribeTable"]
        method = client.meta.method_to_api_mapping
        name = next(each for each, api in method.items() if api == operation)
        answer: dict[str, Any] = getattr(client, name)(**request)
        return answer


_names = count()


def _consume(db: Store, records: int, workers: int) -> int:
    """Run workers until they have read everything."""
    consumer, done, stop = f"bench-{next(_names)}", [0] * workers, threading.Event()

    def work(number: int) -> None:
        def handle(changes: list[Any]) -> None:
            done[number] += len(changes)
            if sum(done) >= records:
                stop.set()

        db.changes(Event, consumer=consumer).run(handle, batch_size=1000, stop=stop)

    threads = [threading.Thread(target=work, args=[number]) for number in range(1, workers)]
    for thread in threads:
        thread.start()
    work(0)
    for thread in threads:
        thread.join()
    return sum(done)


def _loop(client: Client, use: Callable[[list[Any]], int]) -> int:
    stream = client.call("DescribeTable", {"TableName": table.name})["Table"]["LatestStreamArn"]
    found = 0
    for shard in client.call("DescribeStream", {"StreamArn": stream})["StreamDescription"]["Shards"]:
        begin = {"StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = client.call("GetShardIterator", begin)["ShardIterator"]
        while iterator:
            page = client.call("GetRecords", {"ShardIterator": iterator})
            found += use(page["Records"])
            iterator = page.get("NextShardIterator") if page["Records"] else None
    return found


def _lag(near: Store, db: Store, seconds: float) -> Row:
    """From the write of a change to its handler, at 1,000 changes a second."""
    written: dict[int, float] = {}
    lags: list[float] = []
    stop = threading.Event()

    def handle(changes: list[Any]) -> None:
        now = perf_counter()
        lags.extend(now - written[change.new.number] for change in changes if change.new.number in written)

    consumer = db.changes(Event, consumer="lag")
    for _ in consumer:  # what is there already
        pass
    worker = threading.Thread(target=consumer.run, args=[handle], kwargs={"stop": stop})
    worker.start()
    began = perf_counter()
    for number in range(round(seconds * RATE)):
        sleep(max(0.0, began + number / RATE - perf_counter()))
        written[number] = perf_counter()
        near.put(Event(customer=f"lag{number % 200}", number=number))
    sleep(2.0)
    stop.set()
    worker.join()
    return {
        "name": "lag at 1,000 changes a second",
        "ours_us": median(lags) * 1e6,
        "p99, ms": round(quantiles(lags, n=100)[98] * 1000),
    }


def _idle(engine: Engine, seconds: float) -> Row:
    calls: dict[str, int] = {}

    class Counting:
        def call(self, operation: str, request: Any) -> dict[str, Any]:
            calls[operation] = calls.get(operation, 0) + 1
            return engine.call(operation, request)

    stop, seen = threading.Event(), list[Any]()
    with connect(Counting()) as db:
        consumer = db.changes(Event, consumer="lag")
        worker = threading.Thread(target=consumer.run, args=[seen.extend], kwargs={"stop": stop})
        worker.start()
        sleep(seconds / 2)  # until it has its leases
        calls.clear()
        sleep(seconds)
        idle = sum(calls.values())
        stop.set()
        worker.join()
    shards = 4
    return {
        "name": "requests a minute and shard, idle",
        "requests": round(idle / shards / seconds * 60),
    }


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["changes", *sys.argv[1:]]))
