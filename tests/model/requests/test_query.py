"""Queries: their requests, filters, and the values that they compare with."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import AfterValidator, AwareDatetime, StringConstraints

from pksk import (
    GSI,
    DesignError,
    Entity,
    ExpressionError,
    F,
    Key,
    PkskError,
    Shard,
    Table,
    begins,
    between,
    gt,
)
from pksk.keys import Operator
from pksk.model import BoundKey
from pksk.schema import B, N
from tests.model.requests.shop import Order
from tests.model.table_model import shelf_of


def test_a_query_can_read_backwards_and_consistently() -> None:
    request = Order.primary(customer="7").reverse().consistently().plan.requests[0]

    assert request == {
        "TableName": "shop",
        "KeyConditionExpression": "pk = :v0 AND begins_with(sk, :v1)",
        "ExpressionAttributeValues": {":v0": {"S": "CUST#7"}, ":v1": {"S": "ORDER#"}},
        "ScanIndexForward": False,
        "ConsistentRead": True,
    }


def test_a_query_never_changes() -> None:
    query = Order.primary(customer="7")
    query.reverse().filter(F.total > 5)

    assert query == Order.primary(customer="7")
    assert "FilterExpression" not in query.plan.requests[0]


def test_filters_are_joined_with_and() -> None:
    request = Order.primary(customer="7").filter(F.total > 5).filter(F.number < 3).plan.requests[0]

    assert request["FilterExpression"] == "#n0 > :v2 AND #n1 < :v3"
    assert request["ExpressionAttributeNames"] == {"#n0": "total", "#n1": "number"}


def test_binary_keys_are_bytes_in_requests() -> None:
    class Blob(Entity, table=Table("blobs", sk=B("b"))):
        id: str
        b: bytes
        primary = Key("BLOB#{id}", "{b}")

    assert Blob.primary.get(id="1", b=b"x").request["Key"]["b"] == {"B": b"x"}
    assert Blob.primary(id="1", b=b"x").plan.requests[0]["ExpressionAttributeValues"][":v1"] == {"B": b"x"}


def test_an_entity_with_plain_fields_as_keys_of_an_index_is_filtered_out() -> None:
    table = Table("mixed", indexes=[GSI("by-status", pk="status", sk="sk")])

    class Ticket(Entity, table=table):
        id: str
        status: str
        primary = Key("T#{id}", "META")

    class Bill(Entity, table=table):
        id: str
        status: str
        primary = Key("O#{id}", "META")
        by_status = Key("{status}", index="by-status")

    shelf = shelf_of(table, Ticket(id="1", status="x"), Bill(id="1", status="x"))

    assert [item["type"]["S"] for item in shelf.answer(Bill.by_status(status="x").plan)] == ["Bill"]


class Row(Entity, table=Table("rows", indexes=[GSI("by-note", pk="g1", sk="g2")])):
    c: str
    n: int
    note: str | None = None
    total: int = 0
    flag: bool = False
    other: UUID | None = None
    at: AwareDatetime = datetime(2025, 1, 1, tzinfo=UTC)
    ratio: float = 0.5
    primary = Key("C#{c}", "{n:03d}")
    by_note = Key("N#{note}", "{n:03d}", index="by-note")


def test_none_matches_absent_attributes() -> None:
    shelf = shelf_of(Row.__pksk__.table, Row(c="1", n=1), Row(c="1", n=2, note="x"))

    assert len(shelf.answer(Row.where(c="1", note=None).plan)) == 1
    assert len(shelf.answer(Row.primary(c="1").filter(F.note == None).plan)) == 1  # noqa: E711
    assert len(shelf.answer(Row.primary(c="1").filter(F.note != None).plan)) == 1  # noqa: E711


@pytest.mark.parametrize(
    ("field", "condition"),
    [
        ("total", between(9, 1)),
        ("total", between(1, "a")),
        ("flag", gt(False)),
        ("total", begins("5")),
        ("total", "5"),
        ("n", begins(None)),  # type: ignore[arg-type]
        ("flag", "yes"),
    ],
)
def test_a_filter_that_no_row_can_pass_raises(field: str, condition: Any) -> None:
    with pytest.raises(PkskError) as caught:
        _ = Row.where(c="1", **{field: condition}).plan

    assert caught.value.fix


def test_ranges_and_conditions_pass_the_validators_of_their_fields() -> None:
    class Team(Entity, table=Table("teams")):
        id: str
        name: Annotated[str, AfterValidator(str.lower)]
        primary = Key("T#{id}", "{name}")

    queried = Team.primary(id="1", name=between("A", "Z")).plan.requests[0]["ExpressionAttributeValues"]
    scanned = Team.scan().filter(F.name == "VAN").plan.requests[0]["ExpressionAttributeValues"]

    assert queried[":v1"] == {"S": "a"}
    assert scanned[":v0"] == {"S": "van"}


def test_a_mistyped_key_raises_with_a_suggestion() -> None:
    with pytest.raises(AttributeError, match=r"Row has no 'by_notes'.\nFix: did you mean 'by_note'"):
        Row.by_notes(note="x")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "fix"), [("custmer", "did you mean 'customer'?"), ("x", "filter by it, or use where().")]
)
def test_a_field_that_is_not_in_the_key_raises_with_a_suggestion(name: str, fix: str) -> None:
    with pytest.raises(PkskError, match=f"field '{name}' is not a part of this key") as caught:
        Order.primary(**{name: "x"})

    assert caught.value.fix == fix


def test_conditions_compare_with_stored_values() -> None:
    shelf = shelf_of(Row.__pksk__.table, Row(c="1", n=1, ratio=0.1))

    assert len(shelf.answer(Row.primary(c="1").filter(F.ratio == 0.1).plan)) == 1
    assert len(shelf.answer(Row.primary(c="1").filter(F.at == datetime(2025, 1, 1, tzinfo=UTC)).plan)) == 1
    assert len(shelf.answer(Row.primary(c="1").filter(F.at > datetime(2024, 12, 31, tzinfo=UTC)).plan)) == 1
    assert not shelf.answer(Row.primary(c="1").filter(F.at > datetime(2025, 1, 1, tzinfo=UTC)).plan)
    with pytest.raises(PkskError, match="no item would match"):
        Row.primary(c="1").filter(F.total == "5")
    with pytest.raises(PkskError, match="did you mean 'total'"):
        Row.primary(c="1").filter(F.totl == 5)


@pytest.mark.parametrize("wrong", ["x = 1", True, F.total, None, 5])
def test_a_value_that_is_not_a_condition_raises(wrong: Any) -> None:
    with pytest.raises(PkskError, match="is not a condition"):
        Row.primary(c="1").filter(wrong)


def test_requests_share_no_mutable_values() -> None:
    condition = F.total == 5
    query = Row.primary(c="1").filter(condition)
    query.plan.requests[0]["ExpressionAttributeValues"][":v1"]["N"] = "77"
    query.plan.requests[0]["TableName"] = "other"
    Row.primary.get(c="1", n=1).request["Key"].clear()

    assert query.plan.requests[0]["ExpressionAttributeValues"][":v1"] == {"N": "5"}
    assert query.plan.requests[0]["TableName"] == "rows"
    with pytest.raises(TypeError, match="immutable"):
        query.key_queries[0].values["c"] = "2"


def test_queries_and_gets_are_hashable_and_can_be_pickled() -> None:
    query = Row.primary(c="1").filter(F.total == 5).reverse()
    _ = query.plan

    assert len({query, Row.primary(c="1").filter(F.total == 5).reverse()}) == 1
    assert pickle.loads(pickle.dumps(query)) == query
    assert pickle.loads(pickle.dumps(Row.primary.get(c="1", n=1))) == Row.primary.get(c="1", n=1)
    assert len({Row.primary.get(c="1", n=1), Row.primary.get(c="1", n=1)}) == 1


def test_a_partition_key_that_is_too_long_raises_with_shards_too() -> None:
    class Event(Entity, table=Table("events")):
        id: str
        n: int
        primary = Key("O#{id}#{shard}", "{n:03d}", shard=Shard(2, of="n"))

    with pytest.raises(PkskError, match="2048"):
        Event.primary(id="x" * 3000)


def test_a_prefix_that_is_too_short_for_its_template_raises() -> None:
    class Place(Entity, table=Table("places")):
        name: str
        primary = Key("place#{name:.2}", "{name}")

    with pytest.raises(PkskError) as caught:
        Place.primary(name=begins("v"))

    assert caught.value.fix == "pass at least 2 characters."


@pytest.mark.parametrize(
    ("values", "code"),
    [({"sensor": between(1, 2)}, "plan-partition-operator"), ({"at": "noon"}, "plan-missing-part")],
)
def test_a_numeric_partition_key_takes_a_single_value(values: dict[str, Any], code: str) -> None:
    class Reading(Entity, table=Table("readings", pk=N("sensor"))):
        sensor: int
        at: str
        primary = Key("{sensor}", "AT#{at}")

    with pytest.raises(PkskError, match=r"^Reading\.primary: .*'sensor'") as caught:
        Reading.primary(**values)

    assert caught.value.code == code


def test_a_field_of_the_partition_key_may_come_after_a_range_in_the_sort_key() -> None:
    class Visit(Entity, table=Table("visits")):
        user: str
        number: int
        primary = Key("USER#{user}", "{number:03d}#{user}")

    assert Visit.primary(user="a", number=gt(5)).plan.requests[0]["ExpressionAttributeValues"] == {
        ":v0": {"S": "USER#a"},
        ":v1": {"S": "005$"},
    }


def test_queries_with_other_conditions_on_the_second_sort_key_attribute_are_planned_apart() -> None:
    table = Table("things", indexes=[GSI("by-size", pk="owner", sk=("colour", N("size")))])

    class Thing(Entity, table=table):
        id: str
        owner: str = "a"
        colour: str = "red"
        size: int
        primary = Key("THING#{id}", "META")
        by_size = Key("{owner}", ("{colour}", "{size}"), index="by-size")

    shelf = shelf_of(table, *(Thing(id=str(n), size=n) for n in range(1, 8)))

    def sizes(condition: Any) -> list[int]:
        plan = Thing.by_size(owner="a", colour="red", size=condition).plan
        return [int(item["size"]["N"]) for item in shelf.answer(plan)]

    assert sizes(gt(5)) == [6, 7]
    assert sizes(between(2, 4)) == [2, 3, 4]
    assert sizes(3) == [3]
    assert sizes(gt(6)) == [7]


def test_a_key_by_name_is_the_bound_key() -> None:
    assert BoundKey(Row, "primary")(c="1") == Row.primary(c="1")


def test_an_invalid_expression_raises_as_in_dynamodb() -> None:
    with pytest.raises(ExpressionError):
        Row.primary(c="1").filter(F.total == F.total)


def test_key_values_pass_the_validators_of_their_fields() -> None:
    class User(Entity, table=Table("users")):
        email: Annotated[str, AfterValidator(str.lower)]
        name: Annotated[str, StringConstraints(strip_whitespace=True)]
        primary = Key("U#{email}", "{name}")

    values = User.primary(email="Bob@X.com", name=" Bob ").plan.requests[0]["ExpressionAttributeValues"]

    assert values == {":v0": {"S": "U#bob@x.com"}, ":v1": {"S": "Bob"}}
    assert User.where(email="BOB@x.com").plan.requests[0]["ExpressionAttributeValues"][":v0"] == {
        "S": "U#bob@x.com"
    }


@pytest.mark.parametrize("use", [list, tuple, set, iter])
def test_a_request_is_not_its_results(use: Any) -> None:
    for request, call in (
        (Order.primary(customer="7"), "db.iter(...), page(...) or first(...)"),
        (Order.scan(), "db.scan(...)"),
    ):
        with pytest.raises(TypeError, match="has no results until a store runs it") as caught:
            use(request)

        assert isinstance(caught.value, DesignError)
        assert caught.value.code == "request-not-run"
        assert call in caught.value.fix


def test_an_equality_given_as_an_operator_is_planned_as_a_value() -> None:
    equal = Order.primary(customer=Operator("eq", ("7",)), number=Operator("eq", (1,)))

    assert equal.plan.requests == Order.primary(customer="7", number=1).plan.requests
