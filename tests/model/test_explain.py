"""Explanations: the requests as they are sent, and in words."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest

from pksk import Entity, F, Key, Put, Query, Reference, Table, Unique, access, batch, transaction
from tests.model.writes.running import problems

shop = Table("shop")


class Customer(Entity, table=shop):
    customer: str
    email: Annotated[str | None, Unique()] = None
    note: str = ""
    primary = Key("CUST#{customer}", "PROFILE")


class Order(Entity, table=shop):
    customer: Annotated[str, Reference(Customer)]
    id: str
    total: int = 0
    seal: bytes = b""
    primary = Key("CUST#{customer}", "ORDER#{id}")

    @access(items=25, item_size=400)
    @classmethod
    def of_customer(cls, customer: str) -> Query[Order]:
        return cls.primary(customer=customer)


PUT = Put(Order(customer="7", id="1", seal=b"\xff"))
CHECK = Customer.primary.check(customer="7")
GETS = [Order.primary.get(customer="7", id=str(n)) for n in range(5)]


def labelled(request: Any, label: str) -> list[str]:
    return [text for name, text in request.explain().lines() if name == label]


def test_the_explanation_of_a_transaction_is_the_request_that_is_sent() -> None:
    made = transaction(
        PUT, Order.primary.update(customer="7", id="2").set(total=5), CHECK, token="once"
    ).explain()

    ((sent),) = made.calls
    assert (sent.operation, problems(sent.operation, dict(sent.request))) == ("TransactWriteItems", "")
    assert sent.request["ClientRequestToken"] == "once"
    ((shown),) = made.data()["requests"]
    assert [list(each) for each in shown["request"]["TransactItems"]] == [
        ["Put"],
        ["Update"],
        ["ConditionCheck"],
    ]
    assert str(made).startswith(
        "TransactWriteItems: 3 items of Order, Customer\n"
        "  member    1 of 3: Put in table 'shop'\n"
        "  item      customer = '7', id = '1', total = 0, seal = b'\\xff', type = 'Order', "
    )
    assert "  token     once\n" in str(made)


def test_the_explanation_of_a_transaction_of_reads_is_the_request_that_is_sent() -> None:
    made = transaction(GETS[0].consistently()).explain()

    assert made.title == "TransactGetItems: 1 item of Order"
    assert made.data()["requests"] == [
        {
            "operation": "TransactGetItems",
            "request": {
                "TransactItems": [
                    {"Get": {"TableName": "shop", "Key": {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#0"}}}}
                ]
            },
        }
    ]
    assert [text for label, text in made.lines() if label == "consistent"] == []


def test_an_explanation_of_binary_content_is_json() -> None:
    shown = json.loads(json.dumps(PUT.explain().data()))

    assert shown["requests"][0]["request"]["Item"]["seal"] == {"B": "/w=="}
    assert PUT.explain().calls[0].request["Item"]["seal"] == {"B": b"\xff"}


def test_a_batch_shows_its_first_keys_and_items() -> None:
    assert labelled(batch(*GETS), "get") == [
        "pk = 'CUST#7', sk = 'ORDER#0'",
        "pk = 'CUST#7', sk = 'ORDER#1'",
        "pk = 'CUST#7', sk = 'ORDER#2'",
        "and 2 more",
    ]
    writes = batch(PUT, Customer.primary.delete(customer="7"))
    assert labelled(writes, "put")[0].startswith("customer = '7', id = '1'")
    assert labelled(writes, "delete") == ["pk = 'CUST#7', sk = 'PROFILE'"]


def test_a_limit_that_dynamodb_cannot_keep_is_shown() -> None:
    rows = Order.of_customer("7")

    assert labelled(rows.limit(10), "limit") == ["10"]
    assert labelled(rows.limit(10).filter(F.total > 5), "limit") == ["10 results, applied after reading"]
    assert labelled(rows.limit(1).filter(F.total > 5), "limit") == ["1 result, applied after reading"]
    filtered = rows.limit(10).filter(F.total > 5)
    assert labelled(filtered.pages(100), "limit") == ["100", "10 results, applied after reading"]
    assert filtered.explain().data()["limit_after_reading"] == 10


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (
            Put(Customer(customer="7", email="a@b")),
            "Customer.email is unique: a store makes a transaction of it",
        ),
        (PUT, "Order.customer is a reference: a store makes a transaction of it"),
        (
            Customer.primary.update(customer="7").set(email="c@d"),
            "Customer.email is unique: a store makes a transaction of it",
        ),
        (
            Customer.primary.delete(customer="7"),
            "Customer.email is unique: a store makes a transaction of it",
        ),
        (transaction(PUT), "Order.customer is a reference: a store adds to the transaction for it"),
        (Customer.primary.update(customer="7").set(note="x"), ""),
        (Order.primary.delete(customer="7", id="1"), ""),
        (CHECK, "it is sent as a member of a transaction"),
    ],
)
def test_a_write_that_markers_turn_into_a_transaction_notes_it(write: Any, expected: str) -> None:
    notes = " ".join(write.explain().notes)

    assert notes.startswith(expected)
    assert bool(notes) == bool(expected)


def test_an_explanation_of_many_requests_shows_the_first_and_counts_the_others() -> None:
    scanned = str(Order.scan().segments(5).explain())

    assert "request   3 of 5: Scan" in scanned
    assert "request   and 2 more" in scanned
    assert "more" not in str(Order.scan().segments(3).explain())
