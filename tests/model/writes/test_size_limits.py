"""What is larger than DynamoDB's limits raises with its size, the limit and a fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import Field

from pksk import Entity, F, InvalidValue, Key, Put, Table, batch, transaction
from pksk.limits import ITEM_BYTES
from pksk.values import item_size


class Note(Entity, table=Table("notes")):
    id: str
    text: str = ""
    more: str = ""
    log: list[str] = Field(default_factory=list)
    tags: set[str] = Field(default_factory=set)
    primary = Key("NOTE#{id}", "META")


HALF = "x" * 210_000
THE = Note.primary.update(id="1")
FULL = ITEM_BYTES - item_size(Put(Note(id="1")).item)

REJECTED: dict[str, Callable[[], Any]] = {
    "put": lambda: Put(Note(id="1", text="x" * (FULL + 1))),
    "set": lambda: THE.set(text="x" * ITEM_BYTES),
    "two fields": lambda: THE.set(text=HALF, more=HALF),
    "two fields, one after the other": lambda: THE.set(text=HALF).set(more=HALF),
    "append": lambda: THE.append(log=[HALF, HALF]),
    "members": lambda: THE.add(tags={HALF, HALF + "y"}),
    "apply": lambda: THE.apply(F.text.set("x" * ITEM_BYTES)),
}


@pytest.mark.parametrize("what", REJECTED)
def test_an_item_that_is_too_large_raises(what: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        REJECTED[what]()

    assert caught.value.code == "write-item-size"
    assert "409,600" in caught.value.expected
    assert " bytes." in caught.value.problem


def test_an_item_of_exactly_the_limit_is_accepted() -> None:
    assert Put(Note(id="1", text="x" * FULL)).size == ITEM_BYTES
    assert THE.set(text=HALF).append(log=["x"]).request


def test_a_transaction_that_is_too_large_raises() -> None:
    large = [Put(Note(id=str(n), text="x" * 400_000)) for n in range(10)]
    update = Note.primary.update(id="more").set(text="x" * 200_000)

    assert len(transaction(*large).members) == 10
    with pytest.raises(InvalidValue) as caught:
        transaction(*large, update)
    assert caught.value.code == "write-transaction-bytes"
    assert "4,194,304" in caught.value.expected


def test_a_batch_of_the_largest_items_is_split_by_size() -> None:
    made = batch(*(Put(Note(id=str(n), text="x" * 400_000)) for n in range(26)))

    sizes = [
        sum(item_size(each["PutRequest"]["Item"]) for each in request["RequestItems"]["notes"])
        for request in made.requests
    ]
    assert len(sizes) == 2
    assert max(sizes) < 16 * 1024 * 1024
