"""Searches during writes see only whole writes, and every write that was answered before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.agreement import check_agreement

from .pictures import Pictures, picture


@pytest.fixture(params=["memory", "file"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return ":memory:" if request.param == "memory" else str(tmp_path / "pictures.db")


def pair(number: int) -> list[dict[str, Any]]:
    """Two pictures of the same place, written together."""
    both = [picture(f"{side}{number}", (number, 1, 0), artist="kim") for side in ("left", "right")]
    return [{"Put": {"TableName": "pictures", "Item": item}} for item in both]


def test_searches_see_whole_transactions_and_no_rolled_back_writes(path: str, arithmetic: str) -> None:
    pictures = Pictures.at(path)
    done = Event()
    never = {
        "ConditionCheck": {
            "TableName": "pictures",
            "Key": {"id": {"S": "x"}},
            "ConditionExpression": "attribute_exists(id)",
        }
    }

    def write() -> None:
        for number in range(40):
            pictures.engine.call("TransactWriteItems", {"TransactItems": pair(number)})
            with suppress(ServiceError):
                pictures.engine.call("TransactWriteItems", {"TransactItems": [*pair(number + 1000), never]})
        done.set()

    writer = Thread(target=write)
    writer.start()
    halves = 0
    while not done.is_set():
        names = pictures.names((0, 0, 0), 100)
        assert not [name for name in names if int(name.lstrip("lefright")) >= 1000]
        halves += len(names) % 2
    writer.join()

    assert halves == 0
    assert len(pictures.names((0, 0, 0), 100)) == 80
    check_agreement(pictures.engine)
    pictures.engine.close()


def test_a_search_sees_every_write_that_was_answered_before_it(path: str, arithmetic: str) -> None:
    pictures = Pictures.at(path, divided=True)

    def work(worker: int) -> None:
        random, mine = Random(worker), dict[str, float]()
        for step in range(40):
            name = f"{worker}-{random.randrange(6)}"
            if random.random() < 0.3:
                pictures.call("DeleteItem", Key={"id": {"S": name}})
                mine.pop(name, None)
            else:
                pictures.put(picture(name, (step, 0, 0), shop=f"shop-{worker}"))
                mine[name] = float(step)

            found = pictures.search((0, 0, 0), 100, shop=f"shop-{worker}")
            assert dict(found) == mine

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(work, worker) for worker in range(4)]:
            each.result()
    check_agreement(pictures.engine)
    pictures.engine.close()


def test_indexes_can_be_created_and_deleted_during_searches_and_writes(path: str) -> None:
    pictures = Pictures.at(path)
    pictures.put(*(picture(f"{number}", (number, 0, 0)) for number in range(20)))
    done = Event()
    problems: list[BaseException] = []

    def use() -> None:
        number = 0
        try:
            while not done.is_set():
                number += 1
                pictures.put(picture(f"{number % 20}", (number % 20, 0, 0)))
                try:
                    found = pictures.search((0, 0, 0), 5)
                except ServiceError as error:
                    # The table is there all the time.
                    assert error.code == "ValidationException"  # noqa: PT017
                else:
                    assert [each for _, each in found] == [0.0, 1.0, 2.0, 3.0, 4.0]
        except BaseException as problem:  # reported by the waiting thread
            problems.append(problem)

    users = [Thread(target=use) for _ in range(3)]
    for user in users:
        user.start()
    for _ in range(10):
        pictures.call("UpdateTable", VectorIndexUpdates=[{"Delete": {"IndexName": "near"}}])
        pictures.call("UpdateTable", VectorIndexUpdates=[{"Create": pictures.index}])
    done.set()
    for user in users:
        user.join()

    assert problems == []
    check_agreement(pictures.engine)
    pictures.engine.close()
