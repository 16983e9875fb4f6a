"""Concurrent calls: transactions are carried out and read whole, and every call finishes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.operations.shop import Item, Shop, check, delete, get, order, person, put, update
from tests.engine.state.catalogues import defined, index, table

from .overlapping_calls import Call, after_write, before_read, before_write, in_threads

_ACCOUNTS = 6
_EACH = 100


@pytest.fixture(autouse=True)
def _restless() -> Iterator[None]:
    """Threads take turns far more often than they would."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def _number(value: int) -> Item:
    return {"N": str(value)}


# Transfers between accounts never change their sum.


def _account(number: int) -> Item:
    return order("accounts", str(number))


def _open_accounts(shop: Shop) -> None:
    for number in range(_ACCOUNTS):
        shop.put({**_account(number), "balance": _number(_EACH), "lsiSk": {"S": str(number)}})


def _transfer(random: Random) -> list[Item]:
    source, target = random.sample(range(_ACCOUNTS), 2)
    amount = _number(random.randrange(1, 60))
    enough = "balance >= :amount"
    return [
        update("ADD balance :less", _account(source), ConditionExpression=enough, amount=amount,
               less={"N": f"-{amount['N']}"}),
        update("ADD balance :amount", _account(target), amount=amount),
    ]  # fmt: skip


def _move_about(shop: Shop, number: int, rounds: int) -> dict[str, int]:
    """Transfer again and again; how often each thing happened."""
    random = Random(number)
    happened: dict[str, int] = {}
    for _ in range(rounds):
        outcome = _outcome(shop, _transfer(random))
        happened[outcome] = happened.get(outcome, 0) + 1
    return happened


def _outcome(shop: Shop, actions: list[Item]) -> str:
    """What becomes of a transaction: the first reason against it, or none."""
    try:
        shop.transact(*actions)
    except ServiceError as error:
        codes: list[str] = [reason["Code"] for reason in error.fields["CancellationReasons"]]
        return next(code for code in codes if code != "None")
    return "done"


def _sum(items: list[Item]) -> int:
    assert len(items) == _ACCOUNTS
    balances = [int(item["balance"]["N"]) for item in items]
    assert min(balances) >= 0
    return sum(balances)


def _together_got(shop: Shop) -> list[Item]:
    gets = [get(_account(number)) for number in range(_ACCOUNTS)]
    return [one["Item"] for one in shop.call("TransactGetItems", TransactItems=gets)["Responses"]]


def _queried(shop: Shop, **members: Any) -> list[Item]:
    values = {":p": {"S": "accounts"}}
    answer = shop.call(
        "Query",
        TableName="orders",
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues=values,
        **members,
    )
    found: list[Item] = answer["Items"]
    return found


def test_transfers_of_many_threads_keep_the_sum(waiting: Shop) -> None:
    _open_accounts(waiting)

    happened = in_threads(*(lambda number=number: _move_about(waiting, number, 40) for number in range(6)))

    assert _sum(_together_got(waiting)) == _ACCOUNTS * _EACH
    # They wait for each other: only a balance that is too low stops a transfer.
    assert {outcome for each in happened for outcome in each} <= {"done", "ConditionalCheckFailed"}
    assert all(each["done"] for each in happened)


def test_transfers_that_conflict_keep_the_sum_too(conflicting: Shop) -> None:
    _open_accounts(conflicting)

    happened = in_threads(
        *(lambda number=number: _move_about(conflicting, number, 40) for number in range(6))
    )

    assert _sum(_together_got(conflicting)) == _ACCOUNTS * _EACH
    assert {outcome for each in happened for outcome in each} <= {
        "done",
        "ConditionalCheckFailed",
        "TransactionConflict",
    }


def test_concurrent_readers_see_whole_transfers(waiting: Shop) -> None:
    _open_accounts(waiting)
    over = Event()

    def write(number: int) -> None:
        for round_ in count():
            if over.is_set():
                return
            _move_about(waiting, number * 1000 + round_, 1)

    def look() -> None:
        for _ in range(25):
            assert _sum(_together_got(waiting)) == _ACCOUNTS * _EACH
            assert _sum(_queried(waiting)) == _ACCOUNTS * _EACH
            assert _sum(_queried(waiting, ScanIndexForward=False, ConsistentRead=True)) == _ACCOUNTS * _EACH
            by_index = _queried(waiting, IndexName="lsi-all")
            assert _sum(by_index) == _ACCOUNTS * _EACH

    writers = [Call(lambda number=number: write(number)) for number in range(2)]  # type: ignore[misc]
    try:
        in_threads(look, look)
    finally:
        over.set()
    for writer in writers:
        writer.result()


def test_concurrent_increments_of_an_item_are_not_lost(waiting: Shop) -> None:
    def count_up() -> None:
        for _ in range(20):
            waiting.call(
                "UpdateItem",
                TableName="orders",
                Key=order(),
                UpdateExpression="ADD n :one",
                ExpressionAttributeValues={":one": _number(1)},
            )
            waiting.transact(update("ADD n :one", one=_number(1)))

    in_threads(*[count_up] * 5)

    assert waiting.orders() == [{**order(), "n": _number(200)}]


def test_a_conditional_put_by_many_threads_succeeds_once(waiting: Shop) -> None:
    def make(number: int) -> str:
        once = put(order(note=str(number)), ConditionExpression="attribute_not_exists(pk)")
        return _outcome(waiting, [once, put(person(number), "people")])

    outcomes = in_threads(*(lambda number=number: make(number) for number in range(12)))

    assert sorted(outcomes) == ["ConditionalCheckFailed"] * 11 + ["done"]
    assert waiting.orders() == [order(note=str(outcomes.index("done")))]
    assert waiting.people() == [person(outcomes.index("done"))]


def test_concurrent_transactions_with_one_token_are_carried_out_once(waiting: Shop) -> None:
    def send() -> dict[str, Any]:
        return waiting.transact(
            update("ADD n :one", one=_number(1)), ClientRequestToken="t", ReturnConsumedCapacity="TOTAL"
        )

    answers = in_threads(*[send] * 12)

    assert waiting.orders() == [{**order(), "n": _number(1)}]
    sides = [
        next(iter(set(answer["ConsumedCapacity"][0]) - {"TableName", "CapacityUnits"})) for answer in answers
    ]
    assert sorted(sides) == ["ReadCapacityUnits"] * 11 + ["WriteCapacityUnits"]


# Tables and indexes that change between two steps of one call.


def _delete_table(shop: Shop) -> None:
    shop.call("DeleteTable", TableName="people")


def _replace_table(shop: Shop) -> None:
    _delete_table(shop)
    shop.call("CreateTable", **table("id", TableName="people", AttributeDefinitions=defined(id="N")))


def _add_index(shop: Shop) -> None:
    shop.call(
        "UpdateTable",
        TableName="people",
        AttributeDefinitions=defined("town", id="N"),
        GlobalSecondaryIndexUpdates=[{"Create": index("by-town", "town")}],
    )


def _remove_index(shop: Shop) -> None:
    removed = {"Delete": {"IndexName": "by-town"}}
    shop.call("UpdateTable", TableName="people", GlobalSecondaryIndexUpdates=[removed])


_ANN = person(1, town="Ulm")
_WRITES: list[tuple[str, Item]] = [
    ("PutItem", {"TableName": "people", "Item": _ANN}),
    ("BatchWriteItem", {"RequestItems": {"people": [{"PutRequest": {"Item": _ANN}}]}}),
    ("TransactWriteItems", {"TransactItems": [put(_ANN, "people"), put(order())]}),
]
_READS: list[tuple[str, Item]] = [
    ("GetItem", {"TableName": "people", "Key": person(1)}),
    ("BatchGetItem", {"RequestItems": {"people": {"Keys": [person(1)]}}}),
    ("TransactGetItems", {"TransactItems": [get(person(1), "people")]}),
    ("Scan", {"TableName": "people"}),
]


@pytest.mark.parametrize("change", [_delete_table, _replace_table])
@pytest.mark.parametrize(("operation", "request_"), _WRITES)
def test_a_write_finds_that_its_table_was_deleted_meanwhile(
    waiting: Shop, operation: str, request_: Item, change: Callable[[Shop], None]
) -> None:
    with before_write(waiting.engine, lambda: change(waiting)):
        error = waiting.error(operation, **request_)

    assert (error.code, error.message) == ("ResourceNotFoundException", "Requested resource not found")
    assert waiting.orders() == []
    if change is _replace_table:
        assert waiting.people() == []


@pytest.mark.parametrize("change", [_delete_table, _replace_table])
@pytest.mark.parametrize(("operation", "request_"), _READS)
def test_a_read_finds_that_its_table_was_deleted_meanwhile(
    waiting: Shop, operation: str, request_: Item, change: Callable[[Shop], None]
) -> None:
    waiting.put(_ANN, table="people")

    with before_read(waiting.engine, lambda: change(waiting)):
        error = waiting.error(operation, **request_)

    assert (error.code, error.message) == ("ResourceNotFoundException", "Requested resource not found")


@pytest.mark.parametrize(("operation", "request_"), _WRITES)
def test_a_write_updates_an_index_that_was_added_meanwhile(
    waiting: Shop, operation: str, request_: Item
) -> None:
    with before_write(waiting.engine, lambda: _add_index(waiting)):
        waiting.call(operation, **request_)

    assert waiting.call("Scan", TableName="people", IndexName="by-town")["Items"] == [_ANN]


@pytest.mark.parametrize(("operation", "request_"), _WRITES)
def test_a_write_ignores_an_index_that_was_deleted_meanwhile(
    waiting: Shop, operation: str, request_: Item
) -> None:
    _add_index(waiting)

    with before_write(waiting.engine, lambda: _remove_index(waiting)):
        answer = waiting.call(operation, **request_, ReturnConsumedCapacity="INDEXES")

    assert waiting.people() == [_ANN]
    assert "GlobalSecondaryIndexes" not in str(answer)


@pytest.mark.parametrize(("operation", "request_"), _WRITES[1:])
def test_units_of_an_index_are_returned_though_it_was_deleted_meanwhile(
    waiting: Shop, operation: str, request_: Item
) -> None:
    _add_index(waiting)

    with after_write(waiting.engine, lambda: _remove_index(waiting)):
        answer = waiting.call(operation, **request_, ReturnConsumedCapacity="INDEXES")

    assert answer["ConsumedCapacity"][0]["GlobalSecondaryIndexes"]["by-town"]["CapacityUnits"] == 1.0


# Tables and indexes that change while many write.


def _attempted(work: Callable[[], Any], until: Event) -> set[str]:
    """Repeat a function, and return the codes of all errors."""
    codes = set()
    while not until.is_set():
        try:
            work()
        except ServiceError as error:
            codes.add(error.code)
    return codes


def test_a_table_recreated_during_transactions_has_only_whole_ones(waiting: Shop) -> None:
    over = Event()
    numbers = count()

    def write() -> None:
        number = next(numbers)
        waiting.transact(
            put(order("left", str(number), gsiPk="g")),
            put(order("right", str(number), gsiPk="g")),
            ReturnConsumedCapacity="INDEXES",
        )

    def read() -> None:
        waiting.call("Scan", TableName="orders", IndexName="gsi-inc")

    callers = [Call(lambda work=work: _attempted(work, over)) for work in (write, write, read)]  # type: ignore[misc]
    description = waiting.call("DescribeTable", TableName="orders")["Table"]
    for _ in range(15):
        waiting.call("DeleteTable", TableName="orders")
        waiting.call(
            "CreateTable",
            TableName="orders",
            BillingMode="PAY_PER_REQUEST",
            KeySchema=description["KeySchema"],
            AttributeDefinitions=defined("pk", "sk", "gsiPk"),
            GlobalSecondaryIndexes=[index("gsi-inc", "gsiPk")],
        )
        next(numbers)
    over.set()

    assert set().union(*(caller.result() for caller in callers)) <= {"ResourceNotFoundException"}
    numbers_of = {
        side: {item["sk"]["S"] for item in waiting.orders() if item["pk"]["S"] == side}
        for side in ("left", "right")
    }
    assert numbers_of["left"] == numbers_of["right"]
    by_index = waiting.call("Scan", TableName="orders", IndexName="gsi-inc")["Items"]
    assert sorted(by_index, key=str) == waiting.orders()


def test_an_index_created_during_writes_has_the_items_of_the_table(waiting: Shop) -> None:
    over = Event()
    random = Random(5)

    def write() -> None:
        number = random.randrange(20)
        waiting.transact(
            put(person(number, town=random.choice("abc"))
                if random.random() < 0.7 else person(number), "people"),
            delete(person(number + 100), "people"),
            ReturnConsumedCapacity="INDEXES",
        )  # fmt: skip

    def write_batch() -> None:
        puts = [{"PutRequest": {"Item": person(number, town="d")}} for number in random.sample(range(20), 5)]
        waiting.call("BatchWriteItem", RequestItems={"people": puts}, ReturnConsumedCapacity="INDEXES")

    def read() -> None:
        waiting.call("Scan", TableName="people", IndexName="by-town")

    callers = [Call(lambda work=work: _attempted(work, over)) for work in (write, write_batch, read)]  # type: ignore[misc]
    for _ in range(8):
        waiting.call(
            "UpdateTable",
            TableName="people",
            AttributeDefinitions=defined("town", id="N"),
            GlobalSecondaryIndexUpdates=[{"Create": index("by-town", "town")}],
        )
        seen = waiting.call("Scan", TableName="people", IndexName="by-town")["Items"]
        assert all("town" in item for item in seen)
        waiting.call(
            "UpdateTable",
            TableName="people",
            GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-town"}}],
        )
    waiting.call(
        "UpdateTable",
        TableName="people",
        AttributeDefinitions=defined("town", id="N"),
        GlobalSecondaryIndexUpdates=[{"Create": index("by-town", "town")}],
    )
    over.set()

    codes = set().union(*(caller.result() for caller in callers))
    assert codes <= {"ValidationException", "ResourceNotFoundException"}
    by_index = waiting.call("Scan", TableName="people", IndexName="by-town")["Items"]
    assert sorted(by_index, key=str) == [item for item in waiting.people() if "town" in item]


# Everything at once.


_ERRANDS: list[Callable[[Shop, list[Item]], Any]] = [
    lambda shop, keys: shop.put(*keys),
    lambda shop, keys: shop.call("DeleteItem", TableName="orders", Key=keys[0]),
    lambda shop, keys: shop.transact(put(keys[0]), delete(keys[1])),
    lambda shop, keys: shop.transact(check("attribute_exists(pk)", keys[0]), update("SET a = pk", keys[1])),
    lambda shop, keys: shop.call("TransactGetItems", TransactItems=[get(key) for key in keys]),
    lambda shop, keys: shop.call("BatchGetItem", RequestItems={"orders": {"Keys": keys}}),
    lambda shop, keys: shop.call(
        "BatchWriteItem",
        RequestItems={"orders": [{"PutRequest": {"Item": keys[0]}}, {"DeleteRequest": {"Key": keys[1]}}]},
    ),
    lambda shop, _keys: shop.call("Scan", TableName="orders"),
    lambda shop, _keys: shop.call("DescribeTable", TableName="orders"),
]


def _errands(shop: Shop, number: int) -> list[str]:
    """All kinds of calls on a few items, and their outcomes."""
    random = Random(number)
    codes = []
    for _ in range(30):
        keys = [order("x", str(number)) for number in random.sample(range(5), 2)]
        try:
            random.choice(_ERRANDS)(shop, keys)
            codes.append("done")
        except ServiceError as error:
            codes.append(error.code)
    return codes


def test_concurrent_calls_of_all_kinds_finish(waiting: Shop) -> None:
    codes = in_threads(*(lambda number=number: _errands(waiting, number) for number in range(8)))

    assert {code for each in codes for code in each} == {"done", "TransactionCanceledException"}


def test_concurrent_calls_of_all_kinds_finish_with_conflicts(conflicting: Shop) -> None:
    codes = in_threads(*(lambda number=number: _errands(conflicting, number) for number in range(8)))

    assert {code for each in codes for code in each} <= {
        "done",
        "TransactionCanceledException",
        "TransactionConflictException",
    }
    # No call holds an item any more.
    conflicting.transact(*(put(order("x", str(number))) for number in range(5)))


def test_a_file_written_by_many_threads_is_complete_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with Engine.open(path) as engine:
        shop = Shop(engine)
        _open_accounts(shop)
        in_threads(*(lambda number=number: _move_about(shop, number, 10) for number in range(8)))
        before = shop.orders()

    with Engine.open(path) as engine:
        after = engine.call("Scan", {"TableName": "orders"})["Items"]

    assert sorted(after, key=str) == before
    assert _sum(after) == _ACCOUNTS * _EACH
