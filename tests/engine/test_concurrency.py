"""Calls that overlap: transactions are seen whole or not at all, and conflicts wait or fail as they are told to."""

from __future__ import annotations

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
from tests.engine.tables.opened import defined, index

from .together import Call, held, together

_ACCOUNTS = 6
_EACH = 100
_OPEN: dict[str, Callable[[Path, bool], Engine]] = {
    "memory": lambda _, conflicts: Engine.open(conflicts=conflicts),
    "file": lambda folder, conflicts: Engine.open(folder / "shop.db", durable=False, conflicts=conflicts),
}


@pytest.fixture(params=_OPEN)
def waiting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    """A shop where overlapping calls wait for each other, as they do by default."""
    with _OPEN[request.param](tmp_path, False) as engine:
        yield Shop(engine)


@pytest.fixture(params=_OPEN)
def conflicting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    """A shop where overlapping calls fail."""
    with _OPEN[request.param](tmp_path, True) as engine:
        yield Shop(engine)


def _number(value: int) -> Item:
    return {"N": str(value)}


# Transfers between accounts: whatever happens, their sum stays.


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


def _move_about(shop: Shop, seed: int, rounds: int) -> dict[str, int]:
    """Transfer again and again; how often each thing happened."""
    random = Random(seed)
    happened: dict[str, int] = {}
    for _ in range(rounds):
        try:
            shop.transact(*_transfer(random))
            outcome = "done"
        except ServiceError as error:
            assert error.code == "TransactionCanceledException"
            outcome = next(
                reason["Code"] for reason in error.fields["CancellationReasons"] if reason["Code"] != "None"
            )
        happened[outcome] = happened.get(outcome, 0) + 1
    return happened


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

    happened = together(*(lambda seed=seed: _move_about(waiting, seed, 40) for seed in range(6)))

    assert _sum(_together_got(waiting)) == _ACCOUNTS * _EACH
    # They wait for each other: only a balance that is too low stops a transfer.
    assert {outcome for each in happened for outcome in each} <= {"done", "ConditionalCheckFailed"}
    assert all(each["done"] for each in happened)


def test_transfers_that_conflict_keep_the_sum_too(conflicting: Shop) -> None:
    _open_accounts(conflicting)

    happened = together(*(lambda seed=seed: _move_about(conflicting, seed, 40) for seed in range(6)))

    assert _sum(_together_got(conflicting)) == _ACCOUNTS * _EACH
    assert {outcome for each in happened for outcome in each} <= {
        "done",
        "ConditionalCheckFailed",
        "TransactionConflict",
    }


def test_who_reads_beside_transfers_sees_each_of_them_whole(waiting: Shop) -> None:
    _open_accounts(waiting)
    over = Event()

    def write(seed: int) -> None:
        for round_ in count():
            if over.is_set():
                return
            _move_about(waiting, seed * 1000 + round_, 1)

    def look() -> None:
        for _ in range(25):
            assert _sum(_together_got(waiting)) == _ACCOUNTS * _EACH
            assert _sum(_queried(waiting)) == _ACCOUNTS * _EACH
            assert _sum(_queried(waiting, ScanIndexForward=False, ConsistentRead=True)) == _ACCOUNTS * _EACH
            by_index = _queried(waiting, IndexName="lsi-all")
            assert _sum(by_index) == _ACCOUNTS * _EACH

    writers = [Call(lambda seed=seed: write(seed)) for seed in range(2)]  # type: ignore[misc]
    try:
        together(look, look)
    finally:
        over.set()
    for writer in writers:
        writer.result()


def test_one_item_that_many_threads_count_up_loses_no_step(waiting: Shop) -> None:
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

    together(*[count_up] * 5)

    assert waiting.orders() == [{**order(), "n": _number(200)}]


def test_an_item_that_may_be_made_only_once_is_made_once(waiting: Shop) -> None:
    def make(number: int) -> str:
        try:
            waiting.transact(
                put(order(note=str(number)), ConditionExpression="attribute_not_exists(pk)"),
                put(person(number), "people"),
            )
        except ServiceError as error:
            return error.fields["CancellationReasons"][0]["Code"]  # type: ignore[no-any-return]
        return "done"

    outcomes = together(*(lambda number=number: make(number) for number in range(12)))

    assert sorted(outcomes) == ["ConditionalCheckFailed"] * 11 + ["done"]
    assert waiting.orders() == [order(note=str(outcomes.index("done")))]
    assert waiting.people() == [person(outcomes.index("done"))]


def test_the_same_token_at_the_same_time_is_done_once(waiting: Shop) -> None:
    def send() -> dict[str, Any]:
        return waiting.transact(
            update("ADD n :one", one=_number(1)), ClientRequestToken="t", ReturnConsumedCapacity="TOTAL"
        )

    answers = together(*[send] * 12)

    assert waiting.orders() == [{**order(), "n": _number(1)}]
    sides = [
        next(iter(set(answer["ConsumedCapacity"][0]) - {"TableName", "CapacityUnits"})) for answer in answers
    ]
    assert sorted(sides) == ["ReadCapacityUnits"] * 11 + ["WriteCapacityUnits"]


# Waiting is the default: an overlapping call comes to its end once the other has.


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("PutItem", {"TableName": "orders", "Item": order(note="second")}),
        ("TransactWriteItems", {"TransactItems": [put(order(note="second"))]}),
        ("BatchWriteItem", {"RequestItems": {"orders": [{"PutRequest": {"Item": order(note="second")}}]}}),
    ],
)
def test_a_call_waits_for_a_transaction_with_the_same_item(
    waiting: Shop, operation: str, request_: Item
) -> None:
    with held(waiting.engine, "TransactWriteItems", {"TransactItems": [put(order(note="first"))]}):
        second = Call.of(waiting.engine, operation, request_)
        assert second.waits()

    second.result()
    assert waiting.orders() == [order(note="second")]


def test_reads_of_a_file_do_not_wait_and_see_what_was_before(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "shop.db", durable=False) as engine:
        shop = Shop(engine)
        shop.put(order(note="before"))

        with held(engine, "TransactWriteItems", {"TransactItems": [put(order(note="after"))]}):
            found = Call.of(engine, "TransactGetItems", {"TransactItems": [get()]}).result()
            assert found["Responses"] == [{"Item": order(note="before")}]

        assert shop.orders() == [order(note="after")]


# Conflicts: an overlapping call fails as on AWS.


_CONFLICT = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
_FINE = {"Code": "None"}
_PUT = {"TableName": "orders", "Item": order()}
_TRANSACTION = {"TransactItems": [put(order("z")), put(), check("attribute_not_exists(pk)", order("c"))]}
_BATCH = {"RequestItems": {"orders": [{"PutRequest": {"Item": order()}}]}}


def test_a_transaction_fails_beside_another_with_one_of_its_items(conflicting: Shop) -> None:
    with held(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        reasons = conflicting.reasons(put(order("b")), delete(), put(order("d")), put(order("z")))

    assert reasons == [_FINE, _CONFLICT, _FINE, _CONFLICT]
    assert conflicting.orders() == [order(), order("z")]


def test_an_item_that_is_only_checked_is_taken_too(conflicting: Shop) -> None:
    with held(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        assert conflicting.codes(put(order("c"))) == ["TransactionConflict"]
        assert conflicting.codes(check("attribute_exists(pk)")) == ["TransactionConflict"]


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("PutItem", _PUT),
        ("DeleteItem", {"TableName": "orders", "Key": order()}),
        ("UpdateItem", {"TableName": "orders", "Key": order(), "UpdateExpression": "REMOVE a"}),
    ],
)
def test_a_single_write_fails_beside_a_transaction_with_its_item(
    conflicting: Shop, operation: str, request_: Item
) -> None:
    with held(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        error = conflicting.error(operation, **request_)

    assert (error.code, error.message, error.status) == (
        "TransactionConflictException",
        "Transaction is ongoing for the item",
        400,
    )
    assert conflicting.orders() == [order(), order("z")]


def test_a_batch_leaves_out_what_a_transaction_holds(conflicting: Shop) -> None:
    left = {"PutRequest": {"Item": order(note="batch")}}
    batch = {
        "orders": [{"DeleteRequest": {"Key": order("b")}}, left, {"PutRequest": {"Item": order("d")}}],
        "people": [{"PutRequest": {"Item": person(1)}}],
    }
    conflicting.put(order("b"))

    with held(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        call = Call.of(
            conflicting.engine, "BatchWriteItem", {"RequestItems": batch, "ReturnConsumedCapacity": "TOTAL"}
        )
        assert call.waits()
    answer = call.result()

    assert answer["UnprocessedItems"] == {"orders": [left]}
    assert [each["CapacityUnits"] for each in answer["ConsumedCapacity"]] == [2.0, 1.0]
    assert conflicting.orders() == [order(), order("d"), order("z")]
    assert conflicting.people() == [person(1)]

    assert (
        conflicting.call("BatchWriteItem", RequestItems=answer["UnprocessedItems"])["UnprocessedItems"] == {}
    )
    assert conflicting.orders() == [order(note="batch"), order("d"), order("z")]


@pytest.mark.parametrize(
    ("operation", "request_"),
    [("TransactWriteItems", _TRANSACTION), ("PutItem", _PUT), ("BatchWriteItem", _BATCH)],
)
def test_a_transaction_that_reads_fails_beside_any_write_of_its_items(
    conflicting: Shop, operation: str, request_: Item
) -> None:
    with held(conflicting.engine, operation, request_):
        error = conflicting.error("TransactGetItems", TransactItems=[get(order("b")), get()])

    assert error.code == "TransactionCanceledException"
    assert error.message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, TransactionConflict]"
    )
    assert error.fields["CancellationReasons"] == [_FINE, _CONFLICT]


@pytest.mark.parametrize(("operation", "request_"), [("PutItem", _PUT), ("BatchWriteItem", _BATCH)])
def test_a_transaction_that_writes_fails_beside_a_write_of_its_items(
    conflicting: Shop, operation: str, request_: Item
) -> None:
    with held(conflicting.engine, operation, request_):
        assert conflicting.codes(put(order("b")), put(order(note="other"))) == ["None", "TransactionConflict"]

    assert conflicting.orders() == [order()]


@pytest.mark.parametrize(("operation", "request_"), [("PutItem", _PUT), ("BatchWriteItem", _BATCH)])
def test_single_writes_of_one_item_wait_for_each_other(
    conflicting: Shop, operation: str, request_: Item
) -> None:
    with held(conflicting.engine, operation, request_):
        second = Call.of(conflicting.engine, "PutItem", {"TableName": "orders", "Item": order(note="second")})
        assert second.waits()

    second.result()
    assert conflicting.orders() == [order(note="second")]


def test_transactions_on_other_items_wait_for_each_other(conflicting: Shop) -> None:
    with held(conflicting.engine, "TransactWriteItems", _TRANSACTION):
        second = Call.of(
            conflicting.engine,
            "TransactWriteItems",
            {"TransactItems": [put(order("b")), put(person(1), "people")]},
        )
        assert second.waits()

    second.result()
    assert conflicting.orders() == [order(), order("b"), order("z")]


def test_an_item_is_free_once_the_transaction_is_over_however_it_ends(conflicting: Shop) -> None:
    conflicting.put(order("c"))
    engine = conflicting.engine

    with (
        pytest.raises(ServiceError, match="ConditionalCheckFailed"),
        held(engine, "TransactWriteItems", _TRANSACTION),
    ):
        assert conflicting.codes(put()) == ["TransactionConflict"]

    conflicting.transact(put())
    conflicting.put(order("z"))
    assert conflicting.call("TransactGetItems", TransactItems=[get()])["Responses"] == [{"Item": order()}]


def test_reading_transactions_do_not_conflict_with_each_other_nor_keep_writers_off(conflicting: Shop) -> None:
    conflicting.put(order())

    def read() -> None:
        for _ in range(30):
            conflicting.call("TransactGetItems", TransactItems=[get(), get(order("b"))])

    together(*[read] * 4)


def test_a_token_that_is_in_use_fails(conflicting: Shop) -> None:
    request = {"TransactItems": [update("ADD n :one", one=_number(1))], "ClientRequestToken": "t"}

    with held(conflicting.engine, "TransactWriteItems", request):
        error = conflicting.error("TransactWriteItems", **request)
    again = conflicting.call("TransactWriteItems", **request)

    assert (error.code, error.message) == (
        "TransactionInProgressException",
        "Transaction from previous request is still in progress",
    )
    assert again == {}
    assert conflicting.orders() == [{**order(), "n": _number(1)}]


def test_a_transaction_sent_again_is_answered_though_its_items_are_held(conflicting: Shop) -> None:
    request = {"TransactItems": [put()], "ClientRequestToken": "t"}
    conflicting.call("TransactWriteItems", **request)

    with held(conflicting.engine, "TransactWriteItems", {"TransactItems": [delete()]}):
        # In memory it waits for its turn to look.
        again = Call.of(conflicting.engine, "TransactWriteItems", request)

    assert again.result() == {}
    assert conflicting.orders() == []


# Tables and indexes that change under way.


def _attempted(work: Callable[[], Any], until: Event) -> set[str]:
    """Do something again and again; all codes of errors that it met."""
    codes = set()
    while not until.is_set():
        try:
            work()
        except ServiceError as error:
            assert error.status == 400, error
            codes.add(error.code)
    return codes


def test_a_table_that_is_deleted_and_made_again_under_way_has_whole_transactions_only(waiting: Shop) -> None:
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


def test_an_index_that_is_added_and_removed_under_way_holds_what_the_table_holds(waiting: Shop) -> None:
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


def _errands(shop: Shop, seed: int) -> int:
    """All kinds of calls on a few items; how many of them were done."""
    random = Random(seed)
    done = 0
    for _ in range(30):
        keys = [order("x", str(number)) for number in random.sample(range(5), 2)]
        work: list[Callable[[], Any]] = [
            lambda: shop.put(keys[0]),
            lambda: shop.call("DeleteItem", TableName="orders", Key=keys[0]),
            lambda: shop.transact(put(keys[0]), delete(keys[1])),
            lambda: shop.transact(check("attribute_exists(pk)", keys[0]), update("SET a = pk", keys[1])),
            lambda: shop.call("TransactGetItems", TransactItems=[get(key) for key in keys]),
            lambda: shop.call("BatchGetItem", RequestItems={"orders": {"Keys": keys}}),
            lambda: shop.call(
                "BatchWriteItem", RequestItems={"orders": [{"PutRequest": {"Item": key}} for key in keys]}
            ),
            lambda: shop.call("Scan", TableName="orders"),
            lambda: shop.call("DescribeTable", TableName="orders"),
        ]
        try:
            random.choice(work)()
            done += 1
        except ServiceError as error:
            assert error.code in {"TransactionCanceledException", "TransactionConflictException"}
    return done


def test_all_kinds_of_calls_at_once_come_to_their_end(waiting: Shop) -> None:
    assert sum(together(*(lambda seed=seed: _errands(waiting, seed) for seed in range(8)))) > 0


def test_all_kinds_of_calls_at_once_come_to_their_end_with_conflicts_too(conflicting: Shop) -> None:
    assert sum(together(*(lambda seed=seed: _errands(conflicting, seed) for seed in range(8)))) > 0

    # Nothing is held by anyone any more.
    conflicting.transact(*(put(order("x", str(number))) for number in range(5)))


def test_a_file_that_many_threads_wrote_is_whole_when_it_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with Engine.open(path) as engine:
        shop = Shop(engine)
        _open_accounts(shop)
        together(*(lambda seed=seed: _move_about(shop, seed, 10) for seed in range(8)))
        before = shop.orders()

    with Engine.open(path) as engine:
        after = engine.call("Scan", {"TableName": "orders"})["Items"]

    assert sorted(after, key=str) == before
    assert _sum(after) == _ACCOUNTS * _EACH
