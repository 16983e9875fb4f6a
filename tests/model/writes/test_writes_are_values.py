"""Writes are values: nothing that is done to a request changes them, and they are hashed, copied and pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import pytest

from pksk import Entity, F, Key, Put, Table, batch, transaction
from tests.model.writes.running import problems
from tests.model.writes.shop import KEY, Order, order

THE = Order.primary
GID = "00000000-0000-0000-0000-000000000001"
MAKE: dict[str, Callable[[], Any]] = {
    "put": lambda: Put(order(gid=GID, log=["a"])).when(F.total > 5),
    "update": lambda: THE.update(id="7").set(log=["a"], tags={"b"}).when(F.kind == "x"),
    "an update with what was read": lambda: (
        THE.update(id="7").set(status="x").with_read({"day": "2025-03-01"})
    ),
    "upsert": lambda: THE.update(id="7").set(day="2025-03-01", status="x", kind="y", gid=GID).upsert(),
    "delete": lambda: THE.delete(id="7").when(F.total == 5),
    "check": lambda: THE.check(id="7").when(F.total == 5),
    "batch of gets": lambda: batch(THE.get(id="7")),
    "batch of writes": lambda: batch(THE.delete(id="7")),
    "transaction": lambda: transaction(THE.delete(id="7"), THE.update(id="8").set(log=["a"]), token="t"),
}


def requests(write: Any) -> Any:
    return write.requests if hasattr(write, "requests") else write.request


def spoil(tree: Any) -> None:
    """Change everything in a request that can be changed."""
    members = list(tree.values()) if isinstance(tree, dict) else list(tree)
    for each in members:
        if isinstance(each, (dict, list)):
            spoil(each)
    if isinstance(tree, dict):
        tree["spoiled"] = True
    elif isinstance(tree, list):
        tree.append("spoiled")


@pytest.mark.parametrize("kind", MAKE)
def test_changing_a_request_does_not_change_its_write(kind: str) -> None:
    write, other = MAKE[kind](), MAKE[kind]()
    before = requests(write)
    spoil(requests(write))

    assert requests(write) == before == requests(other)
    assert write == other


def test_changing_an_item_or_key_does_not_change_its_write() -> None:
    put, delete = Put(order()), THE.delete(id="7")
    spoil(put.item)
    spoil(put.item_key)
    spoil(delete.item_key)
    put.request["Item"]["pk"] = {"S": "HACK"}

    assert put.item_key == put.if_absent().item_key == delete.item_key == KEY
    assert put.item == Order.__pksk__.to_item(put.value)


@pytest.mark.parametrize("kind", MAKE)
def test_equal_writes_have_one_hash(kind: str) -> None:
    assert len({MAKE[kind](), MAKE[kind]()}) == 1


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("again", [copy, deepcopy, lambda write: pickle.loads(pickle.dumps(write))])
def test_a_copy_is_equal_and_makes_the_same_request(kind: str, again: Callable[[Any], Any]) -> None:
    write = MAKE[kind]()
    made = requests(write)

    assert again(write) == write
    assert requests(again(write)) == made


class Sealed(Entity, table=Table("sealed")):
    id: bytes
    data: bytes = b""
    primary = Key("SEALED#{id}", "META")


def test_binary_content_is_bytes_in_a_request_and_base64_in_an_item() -> None:
    put = Put(Sealed(id=b"\x01", data=b"\xff"))
    update = Sealed.primary.update(id=b"\x01").set(data=b"\xff")

    assert put.item["data"] == {"B": "/w=="}
    assert put.request["Item"]["data"] == {"B": b"\xff"}
    assert batch(put).requests[0]["RequestItems"]["sealed"][0]["PutRequest"]["Item"]["data"] == {"B": b"\xff"}
    assert update.request["ExpressionAttributeValues"] == {":v0": {"B": b"\xff"}}
    assert problems("PutItem", put.request) == problems("UpdateItem", update.request) == ""


def test_an_item_as_boto3_gives_it_can_be_read() -> None:
    found = {"day": {"S": "2025-03-01"}}

    assert THE.update(id="7").set(status="x").with_item(found).request["ExpressionAttributeValues"]
