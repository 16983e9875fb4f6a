"""Invalid stream records, records of other tables, and items that do not fit their entity raise with their position."""

from __future__ import annotations

import copy
import pickle
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk import Entity, InvalidValue, Key, PkskError, Put, Table, change_of, changes_of
from pksk.errors import ItemUnreadable

from .shop import Order, Streams, shop

ORDER = Order(customer="7", number=1)
KEYS = {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000001"}}
RECORD: dict[str, Any] = {
    "eventID": "e-1",
    "eventName": "MODIFY",
    "eventSource": "aws:dynamodb",
    "eventSourceARN": "arn:aws:dynamodb:us-east-1:123456789012:table/shop/stream/2026-10-01T00:00:00.000",
    "dynamodb": {
        "Keys": KEYS,
        "OldImage": Put(ORDER).item,
        "NewImage": Put(ORDER).item,
        "SequenceNumber": "100",
        "SizeBytes": 26,
        "ApproximateCreationDateTime": 1_790_000_000,
    },
}


def changed(member: str, value: Any) -> dict[str, Any]:
    """The record with one member replaced; those of `dynamodb` are named with a dot."""
    record = copy.deepcopy(RECORD)
    place = record["dynamodb"] if member.startswith("dynamodb.") else record
    place[member.removeprefix("dynamodb.")] = value
    return record


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("eventName", "UPSERT"),
        ("eventName", None),
        ("eventName", ["INSERT"]),
        ("eventSource", "aws:sqs"),
        ("eventSourceARN", "arn:aws:kinesis:us-east-1:123456789012:stream/shop"),
        ("dynamodb", None),
        ("dynamodb", []),
        ("dynamodb.Keys", None),
        ("dynamodb.Keys", {}),
        ("dynamodb.Keys", {"pk": {"S": 5}, "sk": {"S": "x"}}),
        ("dynamodb.Keys", {"pk": None, "sk": {"S": "x"}}),
        ("dynamodb.NewImage", "x"),
        ("dynamodb.SizeBytes", "many"),
        ("dynamodb.SizeBytes", 0.5),
        ("dynamodb.ApproximateCreationDateTime", "yesterday"),
        ("dynamodb.ApproximateCreationDateTime", 1.79e12),
        ("dynamodb.ApproximateCreationDateTime", float("nan")),
    ],
)
def test_a_record_of_another_shape_raises(member: str, value: Any) -> None:
    with pytest.raises(InvalidValue) as caught:
        change_of(changed(member, value), shop)

    assert caught.value.code == "change-record"
    assert caught.value.problem.startswith("This is not a record of a DynamoDB stream. ")


@pytest.mark.parametrize("member", ["eventID", "eventSource", "eventSourceARN", "userIdentity"])
def test_members_that_a_change_does_not_need_may_be_missing(member: str) -> None:
    record = {name: value for name, value in RECORD.items() if name != member}

    assert getattr(change_of(record, shop), "new", None) == ORDER
    assert getattr(change_of(changed(member, None), shop), "new", None) == ORDER


@pytest.mark.parametrize("records", [5, "Records", b"x", {}, {"Records": "x"}, {"Records": {}}, None, RECORD])
def test_a_value_without_records_raises_at_once(records: Any) -> None:
    with pytest.raises(InvalidValue) as caught:
        changes_of(records, shop)

    assert caught.value.code == "change-record"
    assert ("change_of" in caught.value.fix) == (records is RECORD)


@pytest.mark.parametrize("record", [5, None, "x", [], RECORD.items()])
def test_a_record_that_is_not_a_mapping_raises(record: Any) -> None:
    with pytest.raises(InvalidValue, match="not a record"):
        list(changes_of([record], shop))


def test_a_record_of_an_unknown_table_raises() -> None:
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/shops/stream/2026"

    with pytest.raises(InvalidValue, match=r"belongs to table 'shops', which was not passed") as caught:
        change_of(changed("eventSourceARN", arn), shop)

    assert caught.value.code == "change-table"
    assert caught.value.fix == "did you mean 'shop'?"


def test_a_record_that_names_no_table_needs_one_table() -> None:
    record = {name: value for name, value in RECORD.items() if name != "eventSourceARN"}

    with pytest.raises(InvalidValue, match="does not name its table") as caught:
        change_of(record, shop, Table("other"))

    assert caught.value.code == "change-table"
    assert change_of(record, shop, Order) is not None


def test_a_record_with_another_key_than_its_table_raises() -> None:
    with pytest.raises(InvalidValue, match=r"its key is 'pk', 'sk', but the record has id = '7'") as caught:
        change_of(changed("dynamodb.Keys", {"id": {"S": "7"}}), shop)

    assert caught.value.code == "change-table"


@pytest.mark.parametrize("about", [[], [5], ["shop"], [Entity], [shop, Table("shop")], [dict]])
def test_a_filter_that_is_not_an_entity_or_table_raises_at_once(about: list[Any]) -> None:
    with pytest.raises(PkskError) as caught:
        changes_of([], *about)

    assert caught.value.code == ("entity-no-table" if about == [Entity] else "change-table")
    assert caught.value.fix


def test_an_invalid_option_for_unknown_items_raises() -> None:
    with pytest.raises(InvalidValue) as caught:
        changes_of([], shop, unknown="ignore")  # type: ignore[call-overload]

    assert caught.value.code == "change-option"


def test_an_item_that_does_not_fit_its_entity_is_an_error_with_key_and_fields() -> None:
    item = {**KEYS, "type": {"S": "Order"}, "customer": {"S": "7"}, "number": {"S": "x"}, "t": {"S": "many"}}

    with pytest.raises(ItemUnreadable) as caught:
        change_of(changed("dynamodb.NewImage", item), shop)

    assert caught.value.code == "item-unreadable"
    assert caught.value.problem.startswith(
        "The item pk = 'CUST#7', sk = 'ORDER#000001' of table 'shop' does not fit Order:\n  number: stored as 'x' (S)"
    )
    assert caught.value.key == KEYS
    assert caught.value.item == item
    assert set(caught.value.fields) == {"number", "total"}
    assert isinstance(caught.value.__cause__, InvalidValue)
    assert pickle.loads(pickle.dumps(caught.value)).key == KEYS


def test_unreadable_records_are_collected_and_the_others_continue() -> None:
    streams, unreadable = Streams(), list[Any]()
    streams.put(ORDER)
    streams.put_item({"pk": {"S": "x"}, "sk": {"S": "y"}, "type": {"S": "Order"}})
    streams.put(ORDER.model_copy(update={"note": "paid"}))

    found = list(changes_of(streams.answer(), shop, unreadable=unreadable))

    assert [change.kind for change in found] == ["insert", "modify"]
    assert [(record["eventID"], error.code) for record, error in unreadable] == [
        (streams.records()[1]["eventID"], "item-unreadable")
    ]


def test_a_record_of_another_shape_raises_with_unreadable_too() -> None:
    with pytest.raises(InvalidValue):
        list(changes_of([RECORD, {}], shop, unreadable=[]))


JSON = st.recursive(
    st.none() | st.floats() | st.sampled_from(["x", "Order", "S", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["S", "N", "B", "BS", "L", "M", "pk", "type", "x"]), inner, max_size=3
        )
    ),
    max_leaves=5,
)
MEMBERS = [*RECORD, *(f"dynamodb.{member}" for member in RECORD["dynamodb"]), "userIdentity"]


@settings(max_examples=max(100, settings().max_examples), deadline=None)
@given(st.sampled_from(MEMBERS), JSON, st.sampled_from(["skip", "raise"]))
def test_random_records_raise_only_errors_of_pksk(member: str, value: Any, unknown: Any) -> None:
    with suppress(PkskError):
        change_of(changed(member, value), shop, unknown=unknown)


@settings(max_examples=max(80, settings().max_examples), deadline=None)
@given(st.sampled_from(["OldImage", "NewImage"]), st.sampled_from([*Put(ORDER).item, "raw", "tags"]), JSON)
def test_a_random_image_is_an_unreadable_item(image: str, attribute: str, value: Any) -> None:
    record = copy.deepcopy(RECORD)
    record["dynamodb"][image] = {**Put(ORDER).item, attribute: value}
    with suppress(ItemUnreadable):
        change_of(record, shop)


def test_a_class_with_a_mistake_does_not_affect_changes() -> None:
    table = Table("rejected", stream=True)
    with pytest.raises(PkskError):

        class Wrong(Entity, table=table):
            id: str
            primary = Key("WRONG#{nothing}", "META")

    assert list(changes_of([], table)) == []
