"""UpdateTable: global indexes are added to tables with items, changed, and deleted."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from pksk.engine.row_layout import RowLayout
from tests.engine.state.catalogues import ARN, NAME, START, Opened, defined, index, key_types, units

INVALID = "One or more parameter values were invalid: "
IN_USE = "Attempt to change a resource which is still in use: "


def opened(**delays: float) -> Opened:
    made = Opened(**delays)
    made.create()
    return made


def adding(name: str = "by-a", *names: str, **members: Any) -> dict[str, Any]:
    names = names or ("a",)
    return {
        "TableName": NAME,
        "AttributeDefinitions": defined(*names),
        "GlobalSecondaryIndexUpdates": [{"Create": index(name, *names, **members)}],
    }


def removing(name: str = "by-a") -> dict[str, Any]:
    return {"TableName": NAME, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}


def changing(name: str = "by-a", **members: Any) -> dict[str, Any]:
    return {"TableName": NAME, "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": name, **members}}]}


def described(engine: Opened) -> list[dict[str, Any]]:
    indexes: list[dict[str, Any]] = engine.describe().get("GlobalSecondaryIndexes", [])
    return indexes


def stored(engine: Opened, rows: RowLayout) -> list[dict[str, Any]]:
    with engine.storage.reading() as reader:
        return [orjson.loads(row.data) for row in reader.rows(rows.space, b"", None)]


# Adding.


def test_a_new_index_is_created_and_then_active() -> None:
    engine = opened()

    answer = engine.call("UpdateTable", adding())["TableDescription"]

    (made,) = answer["GlobalSecondaryIndexes"]
    assert answer["TableStatus"] == "UPDATING"
    assert (made["IndexStatus"], made["Backfilling"]) == ("CREATING", False)
    assert made["IndexArn"] == f"{ARN}/index/by-a"
    (after,) = described(engine)
    assert after["IndexStatus"] == "ACTIVE"
    assert "Backfilling" not in after
    assert engine.describe()["AttributeDefinitions"] == defined("pk", "a")
    assert engine.again().describe() == engine.describe()


def test_a_new_index_is_allocated_then_backfilled_then_readable() -> None:
    engine = opened(update_table=2, backfill=3)
    engine.put(pk="1", a="x")
    query = {
        "TableName": NAME,
        "IndexName": "by-a",
        "KeyConditionExpression": "a = :a",
        "ExpressionAttributeValues": {":a": {"S": "x"}},
    }
    engine.call("UpdateTable", adding())

    states = []
    for seconds in (0, 2, 3):
        engine.clock.now += seconds
        description = engine.describe()
        (made,) = description["GlobalSecondaryIndexes"]
        states.append((description["TableStatus"], made["IndexStatus"], made.get("Backfilling")))
        if made["IndexStatus"] == "CREATING":
            message = engine.invalid("Query", query)
            assert message == "Cannot read from backfilling global secondary index: by-a"

    assert states == [
        ("UPDATING", "CREATING", False),
        ("ACTIVE", "CREATING", True),
        ("ACTIVE", "ACTIVE", None),
    ]
    assert engine.call("Query", query)["Count"] == 1


def test_a_backfill_skips_items_without_a_valid_index_key() -> None:
    engine = opened()
    fitting = [{"pk": {"S": str(number)}, "a": {"S": f"a{number}"}} for number in range(25)]
    others: list[dict[str, Any]] = [
        {"pk": {"S": "none"}},
        {"pk": {"S": "type"}, "a": {"N": "1"}},
        {"pk": {"S": "empty"}, "a": {"S": ""}},
        {"pk": {"S": "list"}, "a": {"L": []}},
        {"pk": {"S": "long"}, "a": {"S": "x" * 2049}},
    ]
    for item in (*fitting, *others):
        engine.put_item(item)

    engine.call("UpdateTable", adding())

    rows = engine.catalogue.table(NAME).index("by-a")
    assert sorted(stored(engine, rows), key=str) == sorted(fitting, key=str)
    assert described(engine)[0]["ItemCount"] == 25


def test_an_index_added_later_equals_one_created_with_the_table() -> None:
    projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}
    first, second = opened(), Opened()
    second.create(
        AttributeDefinitions=defined("pk", "a"),
        GlobalSecondaryIndexes=[index("by-a", "a", Projection=projection)],
    )
    for engine in (first, second):
        for number in range(10):
            engine.put(pk=str(number), a=str(number % 3), x=number, y="not projected")

    first.call("UpdateTable", adding(Projection=projection))

    kept = []
    for engine in (first, second):
        rows = engine.catalogue.table(NAME).index("by-a")
        with engine.storage.reading() as reader:
            kept.append(list(reader.rows(rows.space, b"", None)))
    assert kept[0] == kept[1]
    assert len(kept[0]) == 10


def test_writes_update_an_index_during_its_backfill() -> None:
    engine = opened(backfill=5)
    engine.call("UpdateTable", adding())

    engine.put(pk="1", a="x")

    rows = engine.catalogue.table(NAME).indexes["by-a"]
    assert stored(engine, rows) == [{"pk": {"S": "1"}, "a": {"S": "x"}}]


def test_keys_of_a_new_index_are_defined_in_the_request_itself() -> None:
    request = adding("by-a", "a", "pk")
    request["AttributeDefinitions"] = defined("a")

    assert opened().invalid("UpdateTable", request) == (
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [a, pk], "
        "AttributeDefinitions: [a]"
    )


def test_new_definitions_are_added_and_unused_ones_dropped() -> None:
    engine = opened()
    request = adding("by-a", "a", "pk")
    request["AttributeDefinitions"] = defined(a="N", pk="S", unused="S")

    engine.call("UpdateTable", request)

    assert engine.describe()["AttributeDefinitions"] == defined("pk", a="N")


def test_an_attribute_cannot_be_defined_twice() -> None:
    request = adding()
    request["AttributeDefinitions"] = [*defined("a"), *defined("a")]

    assert opened().invalid("UpdateTable", request) == "Attribute Name is duplicated: a"


def test_an_existing_index_cannot_be_created_again() -> None:
    engine = opened()
    engine.call("UpdateTable", adding())

    assert engine.invalid("UpdateTable", adding()) == "Attempting to create an index which already exists"


def test_a_21st_index_is_rejected() -> None:
    engine = Opened()
    engine.create(
        AttributeDefinitions=defined("pk", "a"),
        GlobalSecondaryIndexes=[index(f"by-{number}", "a") for number in range(20)],
    )

    message = engine.invalid("UpdateTable", adding())

    assert message == f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of 20"


def test_keys_and_projections_of_a_new_index_are_checked() -> None:
    assert opened().invalid("UpdateTable", adding(Projection={})) == f"{INVALID}Unknown ProjectionType: null"
    request = adding(KeySchema=[{"AttributeName": "a", "KeyType": "RANGE"}])
    assert opened().invalid("UpdateTable", request).startswith("Invalid KeySchema: The first")


def test_a_new_index_has_capacity_units_if_and_only_if_its_table_has() -> None:
    engine = Opened()
    engine.create(BillingMode="PROVISIONED", ProvisionedThroughput=units())

    missing = engine.invalid("UpdateTable", adding())
    engine.call("UpdateTable", adding(ProvisionedThroughput=units(2, 3)))
    error_text = opened().invalid("UpdateTable", adding(ProvisionedThroughput=units()))

    assert missing == f"{INVALID}ProvisionedThroughput is not specified for index: by-a"
    assert described(engine)[0]["ProvisionedThroughput"]["WriteCapacityUnits"] == 3
    assert error_text == (
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: by-a when "
        "BillingMode is PAY_PER_REQUEST"
    )


# One at a time.


def test_only_one_index_is_created_or_deleted_in_a_request() -> None:
    request = adding()
    request["GlobalSecondaryIndexUpdates"] += removing("other")["GlobalSecondaryIndexUpdates"]

    assert opened().error_of("UpdateTable", request) == (
        "LimitExceededException",
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
    )


@pytest.mark.parametrize(
    "update", [{"Create": index("by-a", "a")}, {"Delete": {"IndexName": "by-a"}}], ids=["create", "delete"]
)
@pytest.mark.parametrize(
    ("other", "text"),
    [
        ({"ProvisionedThroughput": units()}, "updating table IOPS"),
        (
            {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}},
            "changing stream status",
        ),
    ],
)
def test_index_changes_cannot_be_combined_with_throughput_or_a_stream(
    update: dict[str, Any], other: dict[str, Any], text: str
) -> None:
    engine = opened()
    request = {
        "TableName": NAME,
        "AttributeDefinitions": defined("a"),
        "GlobalSecondaryIndexUpdates": [update],
    }

    assert engine.invalid("UpdateTable", {**request, **other}) == (
        f"{INVALID}You cannot create or delete index while {text}"
    )
    assert "LatestStreamArn" not in engine.describe()


def test_an_index_is_changed_with_its_table_and_with_a_stream() -> None:
    engine = provisioned()

    engine.call(
        "UpdateTable",
        {**changing(ProvisionedThroughput=units(2, 2)), "ProvisionedThroughput": units(3, 3)},
    )
    engine.call(
        "UpdateTable",
        {
            **changing(ProvisionedThroughput=units(4, 4)),
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        },
    )

    assert engine.describe()["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    assert described(engine)[0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 4


def test_a_table_can_switch_to_on_demand_together_with_a_new_index() -> None:
    engine = Opened()
    engine.create(BillingMode="PROVISIONED", ProvisionedThroughput=units())

    engine.call("UpdateTable", {**adding(), "BillingMode": "PAY_PER_REQUEST"})

    assert engine.describe()["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert described(engine)[0]["IndexStatus"] == "ACTIVE"


def test_only_one_index_is_created_or_deleted_at_a_time() -> None:
    engine = opened(backfill=5)
    engine.call("UpdateTable", adding())

    code, _ = engine.error_of("UpdateTable", adding("by-b", "b"))
    engine.clock.now += 5
    engine.call("UpdateTable", adding("by-b", "b"))

    assert code == "LimitExceededException"
    assert [each["IndexName"] for each in described(engine)] == ["by-a", "by-b"]


def test_an_update_names_each_index_once() -> None:
    twice = changing()
    twice["GlobalSecondaryIndexUpdates"] *= 2
    assert opened().invalid("UpdateTable", twice) == (
        f"{INVALID}Only one global secondary index update per index is allowed simultaneously. Index: by-a"
    )


# Removing.


def test_deleting_an_index_removes_its_rows_and_definitions() -> None:
    engine = opened(update_table=2)
    engine.call("UpdateTable", adding())
    engine.clock.now += 2
    engine.put(pk="1", a="x")

    answer = engine.call("UpdateTable", removing())["TableDescription"]
    engine.put(pk="2", a="y")

    assert answer["GlobalSecondaryIndexes"] == [
        {
            "IndexName": "by-a",
            "IndexStatus": "DELETING",
            "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, **units(0, 0)},
            "IndexSizeBytes": 0,
            "ItemCount": 0,
            "IndexArn": f"{ARN}/index/by-a",
        }
    ]
    assert engine.catalogue.table(NAME).indexes == {}
    assert engine.again().describe() == engine.describe()
    engine.clock.now += 2
    assert described(engine) == []
    assert engine.describe()["AttributeDefinitions"] == defined("pk")


def test_an_attribute_can_get_another_type_once_no_index_uses_it() -> None:
    engine = opened()
    engine.call("UpdateTable", adding())
    engine.call("UpdateTable", removing())
    request = adding()
    request["AttributeDefinitions"] = defined(a="N")

    engine.call("UpdateTable", request)

    assert key_types(engine.catalogue.table(NAME)) == {"pk": "S", "a": "N"}


def test_a_missing_index_cannot_be_deleted_or_changed() -> None:
    for request in (removing(), changing(ProvisionedThroughput=units())):
        assert opened().error_of("UpdateTable", request) == (
            "ResourceNotFoundException",
            "Requested resource not found: Index: by-a not found",
        )


def test_an_index_can_be_deleted_during_its_backfill_but_not_earlier() -> None:
    engine = opened(update_table=2, backfill=5)
    engine.call("UpdateTable", adding())

    early = engine.error_of("UpdateTable", removing())
    engine.clock.now += 2
    engine.call("UpdateTable", removing())

    assert early[0] == "ResourceInUseException"
    assert early[1] is not None
    assert early[1].startswith(f"{IN_USE}Index creation is in resource allocation phase.")
    assert described(engine)[0]["IndexStatus"] == "DELETING"
    assert engine.catalogue.table(NAME).backfilling == frozenset()


# Changing.


def provisioned(**delays: float) -> Opened:
    engine = Opened(**delays)
    engine.create(
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(),
        AttributeDefinitions=defined("pk", "a", "b"),
        GlobalSecondaryIndexes=[
            index(f"by-{name}", name, ProvisionedThroughput=units(1, 1)) for name in ("a", "b")
        ],
    )
    return engine


def test_an_index_has_new_capacity_units_once_it_is_updated() -> None:
    engine = provisioned(update_table=2)

    engine.call("UpdateTable", changing(ProvisionedThroughput=units(4, 1)))
    during, other = described(engine)
    engine.clock.now += 2
    after, _ = described(engine)

    assert (during["IndexStatus"], other["IndexStatus"], after["IndexStatus"]) == (
        "UPDATING",
        "ACTIVE",
        "ACTIVE",
    )
    assert during["ProvisionedThroughput"]["ReadCapacityUnits"] == 1
    assert after["ProvisionedThroughput"] == {
        "LastIncreaseDateTime": START,
        "NumberOfDecreasesToday": 0,
        **units(4, 1),
    }


def test_capacity_units_of_an_index_that_do_not_change_are_rejected() -> None:
    message = provisioned().invalid("UpdateTable", changing(ProvisionedThroughput=units(1, 1)))

    assert message.startswith(
        "The provisioned throughput for the index by-a will not change. The requested value equals the current "
        "value. Current ReadCapacityUnits provisioned for the index: 1."
    )


def test_indexes_switch_billing_mode_with_their_table() -> None:
    engine = provisioned()
    engine.update(BillingMode="PAY_PER_REQUEST")
    there = [each["ProvisionedThroughput"]["ReadCapacityUnits"] for each in described(engine)]

    back = {"TableName": NAME, "BillingMode": "PROVISIONED", "ProvisionedThroughput": units()}
    missing = engine.invalid("UpdateTable", back)
    updates = [
        {"Update": {"IndexName": f"by-{name}", "ProvisionedThroughput": units(6, 6)}} for name in ("a", "b")
    ]
    engine.call("UpdateTable", {**back, "GlobalSecondaryIndexUpdates": updates})

    assert there == [0, 0]
    assert missing == f"{INVALID}ProvisionedThroughput must be specified for index: by-a,by-b"
    assert [each["ProvisionedThroughput"]["ReadCapacityUnits"] for each in described(engine)] == [6, 6]


def test_on_demand_limits_and_warm_throughput_of_an_index_can_be_changed() -> None:
    engine = opened()
    engine.call("UpdateTable", adding())

    engine.call(
        "UpdateTable",
        changing(OnDemandThroughput={"MaxReadRequestUnits": 5}, WarmThroughput={"ReadUnitsPerSecond": 13000}),
    )
    error_text = engine.invalid("UpdateTable", changing(ProvisionedThroughput=units()))

    (made,) = described(engine)
    assert made["OnDemandThroughput"] == {"MaxReadRequestUnits": 5}
    assert made["WarmThroughput"]["ReadUnitsPerSecond"] == 13000
    assert "for index: by-a when BillingMode is PAY_PER_REQUEST" in error_text
