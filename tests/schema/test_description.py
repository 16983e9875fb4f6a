"""Tables from descriptions, and their differences from the declaration."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from pksk.errors import SchemaError
from pksk.schema import GSI, LSI, N, OnDemand, Provisioned, Table, VectorIndex

UNITS = {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
KEY = "arn:aws:kms:eu-west-1:123456789012:key/0b1c"
ON = {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}}
OFF = {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}

# A response of DescribeTable, with members that are not part of a declaration.
ANSWER: dict[str, Any] = {
    "Table": {
        "AttributeDefinitions": [
            {"AttributeName": "sk", "AttributeType": "S"},
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "day", "AttributeType": "N"},
        ],
        "TableName": "orders",
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "TableStatus": "ACTIVE",
        "CreationDateTime": datetime(2026, 11, 1, tzinfo=UTC),
        "ProvisionedThroughput": UNITS,
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "TableArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/orders",
        "TableId": "6a1f",
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "OnDemandThroughput": {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 50},
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by-day",
                "KeySchema": [{"AttributeName": "day", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total", "note"]},
                "IndexStatus": "ACTIVE",
                "ProvisionedThroughput": UNITS,
                "IndexSizeBytes": 0,
                "ItemCount": 0,
                "IndexArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/orders/index/by-day",
                "WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000},
            }
        ],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        "LatestStreamLabel": "2026-11-01T00:00:00.000",
        "SSEDescription": {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": KEY},
        "TableClassSummary": {"TableClass": "STANDARD_INFREQUENT_ACCESS"},
        "DeletionProtectionEnabled": True,
    },
    "ResponseMetadata": {"HTTPStatusCode": 200},
}
DECLARED = Table(
    "orders",
    indexes=[GSI("by-day", pk=N("day"), projection=["note", "total"])],
    stream="KEYS_ONLY",
    ttl="expires",
    billing=OnDemand(max_write=50),
    table_class="infrequent-access",
    deletion_protection=True,
    encryption=KEY,
)


@pytest.mark.parametrize(
    "description",
    [ANSWER, ANSWER["Table"], {"TableDescription": ANSWER["Table"]}],
    ids=["whole", "inner", "made"],
)
def test_a_table_is_read_from_a_description(description: dict[str, Any]) -> None:
    assert Table.from_description(description, describe_ttl=ON) == DECLARED


@pytest.mark.parametrize("ttl", [None, {}, OFF, {"TimeToLiveStatus": "DISABLED"}])
def test_a_ttl_that_is_off_is_none(ttl: dict[str, Any] | None) -> None:
    assert Table.from_description(ANSWER, describe_ttl=ttl).ttl is None


def test_a_description_without_a_billing_mode_is_of_a_provisioned_table() -> None:
    units = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 2}
    plain = Table("orders", indexes=[GSI("by-day", pk="day")], billing=Provisioned(7, 2)).create_request()
    description = {member: value for member, value in plain.items() if member != "BillingMode"}
    table = Table.from_description(
        description | {"ProvisionedThroughput": units | {"NumberOfDecreasesToday": 0}}
    )

    assert table.billing == Provisioned(read=7, write=2)
    assert repr(table.indexes) == "(GSI('by-day', pk='day'),)"


def test_units_of_zero_mean_on_demand() -> None:
    description = Table("orders").create_request() | {"BillingMode": None, "ProvisionedThroughput": UNITS}

    assert Table.from_description(description).billing == OnDemand()


def test_a_request_may_name_its_table_by_arn() -> None:
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders"

    assert Table.from_description(Table("orders").create_request() | {"TableName": arn}).name == "orders"


def test_a_table_whose_key_has_the_name_of_the_discriminator_is_read_without_one() -> None:
    request = Table("catalogue", pk="type", discriminator=None).create_request()

    assert Table.from_description(request).discriminator is None
    assert Table.from_description(request, discriminator="kind").discriminator == "kind"


REQUEST = Table("orders", indexes=[LSI("by-day", sk="day")], stream=True).create_request()
NO_TYPES: dict[str, Any] = {"AttributeDefinitions": []}


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({}, "It lacks 'AttributeDefinitions'"),
        ({"Table": {"TableName": "orders", "TableStatus": "DELETING"}}, "It lacks"),
        (REQUEST | NO_TYPES, "'pk', which AttributeDefinitions does not define"),
        (REQUEST | {"KeySchema": 7}, "another shape"),
        (REQUEST | {"StreamSpecification": {"StreamEnabled": True}}, "It lacks 'StreamViewType'"),
        (REQUEST | {"BillingMode": "PROVISIONED"}, "It lacks 'ProvisionedThroughput'"),
        (REQUEST | {"LocalSecondaryIndexes": [{"IndexName": "by-day", "KeySchema": []}]}, "another shape"),
        ([], "another shape"),
        (REQUEST | {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "L"}]}, "type 'L'"),
    ],
)
def test_an_invalid_description_raises(description: Any, message: str) -> None:
    with pytest.raises(SchemaError, match="schema-description") as raised:
        Table.from_description(description)

    assert message in str(raised.value)


@pytest.mark.parametrize("ttl", [[1], {"TimeToLiveStatus": "ENABLED"}])
def test_an_invalid_ttl_description_raises(ttl: Any) -> None:
    with pytest.raises(SchemaError, match="schema-description"):
        Table.from_description(ANSWER, describe_ttl=ttl)


def test_a_table_as_declared_has_no_differences() -> None:
    assert DECLARED.differences(ANSWER, ON) == []


def test_tags_and_an_undeclared_ttl_are_not_compared() -> None:
    tagged = Table("orders", tags={"team": "shop"}, ttl="expires")

    assert tagged.differences(Table("orders").create_request()) == []


def near(dimensions: int, *filters: str) -> VectorIndex:
    return VectorIndex("near", attribute="vector", dimensions=dimensions, filters=filters)


@pytest.mark.parametrize(
    ("declared", "found", "line"),
    [
        ({"name": "orders-2"}, {}, "name: declared 'orders-2', the table has 'orders'"),
        ({"pk": N("pk")}, {}, "pk: declared N('pk'), the table has 'pk'"),
        ({"sk": None}, {}, "sk: declared None, the table has 'sk'"),
        (
            {"billing": Provisioned(1, 2)},
            {},
            "billing: declared Provisioned(read=1, write=2), the table has OnDemand(max_read=None, max_write=None)",
        ),
        ({}, {"stream": True}, "stream: declared None, the table has 'NEW_AND_OLD_IMAGES'"),
        ({"ttl": "a"}, {"ttl": "b"}, "ttl: declared 'a', the table has 'b'"),
        (
            {"table_class": "infrequent-access"},
            {},
            "table_class: declared 'infrequent-access', the table has 'standard'",
        ),
        ({"deletion_protection": True}, {}, "deletion_protection: declared True, the table has False"),
        ({"encryption": "1a"}, {"encryption": KEY}, f"encryption: declared '1a', the table has {KEY!r}"),
        ({"indexes": [near(3)]}, {}, "index 'near': declared, the table lacks it"),
        ({}, {"indexes": [near(3)]}, "index 'near': not declared, the table has it"),
        (
            {"indexes": [near(3)]},
            {"indexes": [GSI("near", pk="a")]},
            "index 'near' kind: declared vector, the table has gsi",
        ),
        (
            {"indexes": [near(3)]},
            {"indexes": [near(4)]},
            "index 'near' dimensions: declared 3, the table has 4",
        ),
        (
            {"indexes": [near(3, "a")]},
            {"indexes": [near(3)]},
            "index 'near' filters: declared ('a',), the table has ()",
        ),
        (
            {"indexes": [GSI("by-day", pk="day", sk="id")]},
            {"indexes": [GSI("by-day", pk="day", sk=("id", N("n")))]},
            "index 'by-day' sk: declared 'id', the table has ('id', N('n'))",
        ),
        (
            {"indexes": [LSI("by-day", sk="day")]},
            {"indexes": [LSI("by-day", sk="day", projection=["a"])]},
            "index 'by-day' projection: declared 'all', the table has ('a',)",
        ),
        (
            {"indexes": [GSI("by-day", pk="day", billing=OnDemand(max_read=1))]},
            {"indexes": [GSI("by-day", pk="day")]},
            "index 'by-day' billing: declared OnDemand(max_read=1, max_write=None), "
            "the table has OnDemand(max_read=None, max_write=None)",
        ),
    ],
)
def test_each_difference_is_one_line(declared: dict[str, Any], found: dict[str, Any], line: str) -> None:
    table = Table(**{"name": "orders"} | declared)
    other = Table("orders", **found)

    assert table.differences(other.create_request(), other.ttl_request() or OFF) == [line]


@pytest.mark.parametrize("declared", ["0b1c", KEY, "alias/orders", "aws-managed"])
def test_an_encryption_key_that_can_be_the_declared_one_is_not_a_difference(declared: str) -> None:
    description = Table("orders").create_request() | {"SSEDescription": ANSWER["Table"]["SSEDescription"]}

    assert Table("orders", encryption=declared).differences(description) == []
