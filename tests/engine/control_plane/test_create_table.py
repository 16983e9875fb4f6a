"""CreateTable: its checks, their messages, and the response."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import (
    ARN,
    NAME,
    START,
    Opened,
    defined,
    index,
    key,
    key_types,
    searched,
    table,
    units,
    vector,
)

INVALID = "One or more parameter values were invalid: "


def error_of(**members: Any) -> str:
    return Opened().invalid("CreateTable", table(**members))


# Serialisation.


def test_create_table_returns_a_complete_description_with_status_creating() -> None:
    description = Opened().create()

    table_id = description.pop("TableId")
    assert len(table_id) == 36
    assert description == {
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "TableName": NAME,
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "TableStatus": "CREATING",
        "CreationDateTime": START,
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": 0,
            "WriteCapacityUnits": 0,
        },
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "TableArn": ARN,
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "TableThroughputModeSummary": {"TableThroughputMode": "PAY_PER_REQUEST"},
        "DeletionProtectionEnabled": False,
        "WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "CREATING"},
    }


def test_a_table_can_be_named_by_an_arn_of_this_account_and_region() -> None:
    opened = Opened()

    description = opened.create(TableName=ARN)

    assert description["TableName"] == NAME
    assert opened.call("ListTables") == {"TableNames": [NAME]}


def test_an_arn_of_another_region_is_rejected() -> None:
    arn = ARN.replace("us-east-1", "eu-west-1")

    assert error_of(TableName=arn) == f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"


def test_an_arn_of_another_account_is_denied() -> None:
    arn = ARN.replace("000000000000", "111111111111")

    code, _ = Opened().error_of("CreateTable", table(TableName=arn))

    assert code == "AccessDeniedException"


# Validation: members that the service's model no longer requires.


def test_key_schema_and_attribute_definitions_are_required() -> None:
    message = error_of(KeySchema=None, AttributeDefinitions=None)

    assert message == (
        "2 validation errors detected: Value null at 'attributeDefinitions' failed to satisfy constraint: "
        "Member must not be null; Value null at 'keySchema' failed to satisfy constraint: Member must not be null"
    )


def test_global_tables_are_rejected() -> None:
    assert error_of(GlobalTableSourceArn=ARN) == f"{INVALID}Global tables are not supported"


# Validation: billing.


def test_capacity_units_are_rejected_on_demand() -> None:
    assert error_of(ProvisionedThroughput=units()) == (
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST"
    )


@pytest.mark.parametrize("mode", ["PROVISIONED", None])
def test_a_provisioned_table_needs_capacity_units(mode: str | None) -> None:
    assert error_of(BillingMode=mode) == (
        f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
    )


def test_billing_mode_takes_precedence_over_table_throughput_mode() -> None:
    opened = Opened()
    opened.create(BillingMode=None, TableThroughputMode="PAY_PER_REQUEST")
    opened.create(TableName="others", TableThroughputMode="PROVISIONED")

    for name in (NAME, "others"):
        assert opened.describe(name)["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_on_demand_limits_are_rejected_for_a_provisioned_table() -> None:
    message = error_of(
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(),
        OnDemandThroughput={"MaxReadRequestUnits": 5},
    )

    assert message == (
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is "
        "PROVISIONED."
    )


def test_empty_on_demand_limits_are_rejected() -> None:
    message = error_of(OnDemandThroughput={})

    assert "MaxReadRequestUnits, MaxWriteRequestUnits, or both" in message


@pytest.mark.parametrize("limit", [0, -1, -5])
def test_on_demand_limits_are_at_least_one(limit: int) -> None:
    message = error_of(OnDemandThroughput={"MaxReadRequestUnits": 5, "MaxWriteRequestUnits": limit})

    assert message == (
        f"{INVALID}Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range"
    )


def test_warm_throughput_cannot_be_below_the_minimum() -> None:
    message = error_of(WarmThroughput={"ReadUnitsPerSecond": 11999, "WriteUnitsPerSecond": 4000})

    assert message.startswith(f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput")


# Validation: keys.


def test_the_first_element_of_a_key_is_hash() -> None:
    schema = [{"AttributeName": "pk", "KeyType": "RANGE"}]

    assert (
        error_of(KeySchema=schema) == "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
    )


def test_the_second_element_of_a_key_is_range() -> None:
    schema = [{"AttributeName": name, "KeyType": "HASH"} for name in ("pk", "sk")]

    message = error_of(KeySchema=schema, AttributeDefinitions=defined("pk", "sk"))

    assert message == "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"


def test_an_attribute_is_defined_once() -> None:
    definitions = [*defined("pk"), *defined(pk="N")]

    assert error_of(AttributeDefinitions=definitions) == "Attribute Name is duplicated: pk"


def test_fewer_definitions_than_keys_are_rejected() -> None:
    message = error_of(KeySchema=key("pk", "sk"))

    assert message == "Invalid KeySchema: Some index key attribute have no definition"


def test_another_definition_than_the_key_is_rejected() -> None:
    message = error_of(AttributeDefinitions=defined("other"))

    assert message == (
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. Keys: [pk], "
        "AttributeDefinitions: [other]"
    )


def test_an_unused_definition_is_rejected() -> None:
    assert error_of(AttributeDefinitions=defined("pk", "other")) == (
        f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions"
    )


# Validation: the rest.


def test_a_stream_needs_a_view_type_if_and_only_if_it_is_enabled() -> None:
    view = {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}

    assert error_of(StreamSpecification=view) == (
        f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be specified"
    )
    assert error_of(StreamSpecification={"StreamEnabled": True}) == (
        f"{INVALID}Table is being created with a stream enabled, UpdateViewType must be specified"
    )


@pytest.mark.parametrize(
    "encryption",
    [{"Enabled": True, "SSEType": "AES256"}, {"Enabled": False, "SSEType": "KMS"}, {"KMSMasterKeyId": "k"}],
)
def test_encryption_settings_need_kms(encryption: dict[str, Any]) -> None:
    assert "can only be specified when SSEType is KMS and SSE is enabled" in error_of(
        SSESpecification=encryption
    )


def test_the_policy_of_a_new_table_is_checked() -> None:
    assert (
        error_of(ResourcePolicy="{") == f"{INVALID}Invalid policy document: This policy contains invalid Json"
    )


def test_a_table_that_exists_is_not_created_again() -> None:
    opened = Opened()
    opened.create()

    assert opened.error_of("CreateTable", table()) == (
        "ResourceInUseException",
        f"Table already exists: {NAME}",
    )


def test_an_invalid_definition_is_rejected_before_the_table_is_looked_up() -> None:
    opened = Opened()
    opened.create()

    assert opened.invalid("CreateTable", table(ProvisionedThroughput=units()))


# Behaviour.


def test_without_delays_a_table_is_active_by_the_next_call() -> None:
    opened = Opened()
    opened.create()

    description = opened.describe()

    assert description["TableStatus"] == "ACTIVE"
    assert description["WarmThroughput"]["Status"] == "ACTIVE"
    assert description["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] == START


def test_a_table_is_creating_for_its_delay() -> None:
    opened = Opened(create_table=2.5)
    opened.create(GlobalSecondaryIndexes=[index("by-pk", "pk")])

    opened.clock.now += 2.4
    before = opened.describe()
    get = opened.error_of("GetItem", {"TableName": NAME, "Key": {"pk": {"S": "1"}}})
    again = opened.error_of("CreateTable", table())
    opened.clock.now += 0.2
    after = opened.describe()

    assert before["TableStatus"] == "CREATING"
    assert before["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    assert "Backfilling" not in before["GlobalSecondaryIndexes"][0]
    assert get == ("ResourceNotFoundException", "Requested resource not found")
    assert again == (
        "ResourceInUseException",
        f"Attempt to change a resource which is still in use: Table is being created: {NAME}",
    )
    assert after["TableStatus"] == "ACTIVE"
    assert after["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"


def test_a_provisioned_table_shows_its_units_and_no_billing_mode() -> None:
    opened = Opened()
    opened.create(
        BillingMode=None,
        ProvisionedThroughput=units(7, 3),
        AttributeDefinitions=defined("pk", "a"),
        GlobalSecondaryIndexes=[index("by-a", "a", ProvisionedThroughput=units(2, 1))],
    )

    description = opened.describe()

    assert "BillingModeSummary" not in description
    assert description["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(7, 3)}
    assert description["WarmThroughput"] == {
        "ReadUnitsPerSecond": 7,
        "WriteUnitsPerSecond": 3,
        "Status": "ACTIVE",
    }
    (by_a,) = description["GlobalSecondaryIndexes"]
    assert by_a["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(2, 1)}
    assert by_a["WarmThroughput"]["ReadUnitsPerSecond"] == 2
    assert by_a["IndexArn"] == f"{ARN}/index/by-a"


def test_every_setting_is_described_also_after_reopening() -> None:
    opened = Opened()
    opened.create(
        KeySchema=key("pk", "sk"),
        AttributeDefinitions=defined("pk", "sk", "a", tenant="N"),
        LocalSecondaryIndexes=[index("local", "pk", "a", Projection={"ProjectionType": "KEYS_ONLY"})],
        GlobalSecondaryIndexes=[
            index(
                "global",
                "a",
                Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]},
                OnDemandThroughput={"MaxReadRequestUnits": 9},
                WarmThroughput={"ReadUnitsPerSecond": 15000},
            )
        ],
        VectorIndexes=[vector(SearchSchema=searched(tenant="HASH"))],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        SSESpecification={"Enabled": True, "KMSMasterKeyId": "1234"},
        TableClass="STANDARD_INFREQUENT_ACCESS",
        DeletionProtectionEnabled=True,
        OnDemandThroughput={"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20},
        WarmThroughput={"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000},
    )

    description = opened.describe()

    assert description["LocalSecondaryIndexes"] == [
        {
            "IndexName": "local",
            "KeySchema": key("pk", "a"),
            "Projection": {"ProjectionType": "KEYS_ONLY"},
            "IndexSizeBytes": 0,
            "ItemCount": 0,
            "IndexArn": f"{ARN}/index/local",
        }
    ]
    (made,) = description["GlobalSecondaryIndexes"]
    assert made["OnDemandThroughput"] == {"MaxReadRequestUnits": 9}
    assert made["WarmThroughput"] == {
        "ReadUnitsPerSecond": 15000,
        "WriteUnitsPerSecond": 4000,
        "Status": "ACTIVE",
    }
    assert description["VectorIndexes"] == [
        {
            **vector(SearchSchema=searched(tenant="HASH")),
            "IndexStatus": "ACTIVE",
            "IndexSizeBytes": 0,
            "ItemCount": 0,
            "IndexArn": f"{ARN}/index/near",
        }
    ]
    assert description["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    assert description["LatestStreamLabel"] == "2026-09-21T14:13:20.000"
    assert description["LatestStreamArn"] == f"{ARN}/stream/2026-09-21T14:13:20.000"
    assert description["SSEDescription"] == {
        "Status": "ENABLED",
        "SSEType": "KMS",
        "KMSMasterKeyArn": "arn:aws:kms:us-east-1:000000000000:key/1234",
    }
    assert description["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert description["DeletionProtectionEnabled"] is True
    assert description["OnDemandThroughput"] == {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}
    assert description["WarmThroughput"]["ReadUnitsPerSecond"] == 13000
    assert opened.again().describe() == description


def test_a_new_table_has_the_spaces_that_writes_update() -> None:
    opened = Opened()
    opened.create(
        KeySchema=key("pk", "sk"),
        AttributeDefinitions=defined("pk", sk="N", a="B"),
        LocalSecondaryIndexes=[index("local", "pk", "a", Projection={"ProjectionType": "KEYS_ONLY"})],
        GlobalSecondaryIndexes=[
            index("global", "a", Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]})
        ],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    )

    found = opened.catalogue.table(NAME)

    assert key_types(found) == {"pk": "S", "sk": "N", "a": "B"}
    assert found.indexes["local"].projected == frozenset({"pk", "sk", "a"})
    assert found.indexes["global"].projected == frozenset({"pk", "sk", "a", "x"})
    assert [base.name for base in found.indexes["global"].base] == ["pk", "sk"]
    assert found.stream_view == "NEW_IMAGE"
    spaces = [found.layout.space, found.collection_space, found.change_space]
    spaces += [rows.space for rows in found.indexes.values()]
    assert len(set(spaces)) == 5
    assert None not in spaces


def test_changing_the_request_or_response_does_not_change_the_table() -> None:
    opened = Opened()
    request = table()
    opened.call("CreateTable", request)

    request["KeySchema"][0]["AttributeName"] = "other"

    assert opened.describe()["KeySchema"] == key("pk")
