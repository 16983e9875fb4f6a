"""UpdateTable: the settings of the table itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import ARN, NAME, START, Opened, defined, index, units

INVALID = "One or more parameter values were invalid: "
IN_USE = "Attempt to change a resource which is still in use: "


def on_demand(**delays: float) -> Opened:
    opened = Opened(**delays)
    opened.create()
    opened.clock.now += delays.get("create_table", 0)
    return opened


def provisioned(reads: int = 5, writes: int = 5) -> Opened:
    opened = Opened()
    opened.create(BillingMode="PROVISIONED", ProvisionedThroughput=units(reads, writes))
    return opened


def error_of(opened: Opened, **members: Any) -> str:
    return opened.invalid("UpdateTable", {"TableName": NAME, **members})


# What a request may be.


ALONE: dict[str, tuple[Any, str]] = {
    "DeletionProtectionEnabled": (True, "DeletionProtection modification"),
    "SSESpecification": ({"Enabled": True}, "Server-Side Encryption modification"),
    "TableClass": ("STANDARD", "TableClass modification"),
    "WarmThroughput": ({"ReadUnitsPerSecond": 20_000}, "WarmThroughput"),
}


@pytest.mark.parametrize("member", ALONE)
@pytest.mark.parametrize(
    "other",
    [
        {"BillingMode": "PAY_PER_REQUEST"},
        {"ProvisionedThroughput": units()},
        {"OnDemandThroughput": {"MaxReadRequestUnits": 5}},
        {"StreamSpecification": {"StreamEnabled": False}},
        {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-a"}}]},
    ],
)
def test_some_settings_need_a_request_of_their_own(member: str, other: dict[str, Any]) -> None:
    value, name = ALONE[member]

    message = error_of(on_demand(), **{member: value}, **other)

    assert message == f"{INVALID}{name} must be the only operation in the request"


def test_two_settings_that_need_their_own_requests_cannot_be_combined() -> None:
    both = {member: ALONE[member][0] for member in ("TableClass", "SSESpecification")}

    assert error_of(on_demand(), **both).startswith(f"{INVALID}Server-Side Encryption modification must be")


@pytest.mark.parametrize("members", [{"ProvisionedThroughput": units()}, {"BillingMode": "PAY_PER_REQUEST"}])
def test_a_stream_and_throughput_cannot_be_changed_together(members: dict[str, Any]) -> None:
    message = error_of(on_demand(), StreamSpecification={"StreamEnabled": False}, **members)

    assert message == f"{INVALID}You cannot modify stream status while updating table IOPS"


def test_replicas_in_other_regions_are_rejected() -> None:
    message = error_of(on_demand(), ReplicaUpdates=[{"Create": {"RegionName": "eu-west-1"}}])

    assert message == f"{INVALID}Global tables are not supported"


def test_a_table_can_be_named_by_its_arn() -> None:
    opened = on_demand()

    opened.update(TableName=ARN, DeletionProtectionEnabled=True)

    assert opened.describe()["DeletionProtectionEnabled"] is True


# States.


def test_a_table_is_updating_for_the_delay_and_can_be_used_meanwhile() -> None:
    opened = on_demand(update_table=3)

    answer = opened.update(OnDemandThroughput={"MaxReadRequestUnits": 7})
    opened.put(pk="1")
    during = opened.describe()
    again = opened.error_of("UpdateTable", {"TableName": NAME, "DeletionProtectionEnabled": True})
    reopened = opened.again().describe()
    opened.clock.now += 3

    assert answer["TableStatus"] == during["TableStatus"] == reopened["TableStatus"] == "UPDATING"
    assert "OnDemandThroughput" not in during
    assert again == ("ResourceInUseException", f"{IN_USE}Table is being updated: {NAME}")
    for engine in (opened, opened.again()):
        assert engine.describe()["TableStatus"] == "ACTIVE"
        assert engine.describe()["OnDemandThroughput"] == {"MaxReadRequestUnits": 7}


def test_a_table_that_is_being_created_is_in_use() -> None:
    opened = Opened(create_table=5)
    opened.create()

    assert opened.error_of("UpdateTable", {"TableName": NAME, "DeletionProtectionEnabled": True}) == (
        "ResourceInUseException",
        f"{IN_USE}Table is being created: {NAME}",
    )


# Throughput.


def test_update_table_returns_the_previous_capacity_units() -> None:
    opened = provisioned()
    opened.clock.now += 10

    answer = opened.update(ProvisionedThroughput=units(10, 6))

    assert answer["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(5, 5)}
    assert opened.describe()["ProvisionedThroughput"] == {
        "LastIncreaseDateTime": START + 10,
        "NumberOfDecreasesToday": 0,
        **units(10, 6),
    }
    assert opened.describe()["WarmThroughput"]["ReadUnitsPerSecond"] == 10


def test_decreases_are_counted_by_day_and_keep_the_warm_throughput() -> None:
    opened = provisioned(5, 5)

    opened.update(ProvisionedThroughput=units(4, 5))
    opened.update(ProvisionedThroughput=units(3, 9))

    description = opened.describe()
    assert description["ProvisionedThroughput"] == {
        "LastIncreaseDateTime": START,
        "LastDecreaseDateTime": START,
        "NumberOfDecreasesToday": 2,
        **units(3, 9),
    }
    assert description["WarmThroughput"]["ReadUnitsPerSecond"] == 5
    opened.clock.now += 86400
    assert opened.describe()["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0


def test_unchanged_capacity_units_are_rejected() -> None:
    assert error_of(provisioned(300, 301), ProvisionedThroughput=units(300, 301)) == (
        "The provisioned throughput for the table will not change. The requested value equals the current value. "
        "Current ReadCapacityUnits provisioned for the table: 300. Requested ReadCapacityUnits: 300. "
        "Current WriteCapacityUnits provisioned for the table: 301. Requested WriteCapacityUnits: 301. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


@pytest.mark.parametrize("mode", [{}, {"BillingMode": "PAY_PER_REQUEST"}])
def test_capacity_units_are_rejected_on_demand(mode: dict[str, str]) -> None:
    assert error_of(on_demand(), ProvisionedThroughput=units(), **mode) == (
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST"
    )


@pytest.mark.parametrize("opened", [on_demand(), provisioned()])
def test_switching_to_provisioned_needs_capacity_units(opened: Opened) -> None:
    assert error_of(opened, BillingMode="PROVISIONED") == (
        f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
    )


@pytest.mark.parametrize("member", ["BillingMode", "TableThroughputMode"])
def test_a_table_can_switch_to_on_demand_and_back(member: str) -> None:
    opened = provisioned(7, 8)
    opened.clock.now += 60

    opened.update(**{member: "PAY_PER_REQUEST"})
    there = opened.describe()
    opened.clock.now += 60
    opened.update(**{member: "PROVISIONED"}, ProvisionedThroughput=units(2, 3))
    back = opened.describe()

    since = {"LastUpdateToPayPerRequestDateTime": START + 60}
    assert there["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST", **since}
    assert there["ProvisionedThroughput"] == {
        "LastDecreaseDateTime": START + 60,
        "NumberOfDecreasesToday": 0,
        **units(0, 0),
    }
    assert there["WarmThroughput"]["ReadUnitsPerSecond"] == 12000
    assert back["BillingModeSummary"] == {"BillingMode": "PROVISIONED", **since}
    assert back["TableThroughputModeSummary"] == {"TableThroughputMode": "PROVISIONED", **since}
    assert back["ProvisionedThroughput"]["ReadCapacityUnits"] == 2


@pytest.mark.every_transport
def test_a_change_of_the_billing_mode_is_described_at_once() -> None:
    opened = Opened(update_table=5)
    by_a = index("by-a", "a", ProvisionedThroughput=units(3, 4))
    opened.create(
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(7, 8),
        AttributeDefinitions=defined("pk", "a"),
        GlobalSecondaryIndexes=[by_a],
    )

    there = opened.update(BillingMode="PAY_PER_REQUEST")
    opened.clock.now += 5
    by_a_again = {"Update": {"IndexName": "by-a", "ProvisionedThroughput": units(5, 6)}}
    back = opened.update(
        BillingMode="PROVISIONED", ProvisionedThroughput=units(2, 3), GlobalSecondaryIndexUpdates=[by_a_again]
    )

    assert [_billed(each) for each in (there, back, opened.describe())] == [
        ("UPDATING", "PAY_PER_REQUEST", (0, 0), (0, 0)),
        ("UPDATING", "PROVISIONED", (2, 3), (5, 6)),
        ("UPDATING", "PROVISIONED", (2, 3), (5, 6)),
    ]
    assert there["TableThroughputModeSummary"]["TableThroughputMode"] == "PAY_PER_REQUEST"


def _billed(description: dict[str, Any]) -> tuple[Any, ...]:
    entries = (description, description["GlobalSecondaryIndexes"][0])
    provisioned = (
        (
            each["ProvisionedThroughput"]["ReadCapacityUnits"],
            each["ProvisionedThroughput"]["WriteCapacityUnits"],
        )
        for each in entries
    )
    return description["TableStatus"], description["BillingModeSummary"]["BillingMode"], *provisioned


def test_on_demand_limits_are_merged_and_removed_by_minus_one() -> None:
    opened = on_demand()

    opened.update(OnDemandThroughput={"MaxReadRequestUnits": 5})
    opened.update(OnDemandThroughput={"MaxWriteRequestUnits": 6})
    both = opened.describe()["OnDemandThroughput"]
    opened.update(OnDemandThroughput={"MaxReadRequestUnits": -1})
    one = opened.describe()["OnDemandThroughput"]
    opened.update(OnDemandThroughput={"MaxWriteRequestUnits": -1})

    assert both == {"MaxReadRequestUnits": 5, "MaxWriteRequestUnits": 6}
    assert one == {"MaxWriteRequestUnits": 6}
    assert "OnDemandThroughput" not in opened.describe()


@pytest.mark.parametrize("limit", [0, -2])
def test_on_demand_limits_are_at_least_one(limit: int) -> None:
    assert error_of(on_demand(), OnDemandThroughput={"MaxReadRequestUnits": limit}) == (
        f"{INVALID}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"
    )


def test_on_demand_limits_are_rejected_for_a_provisioned_table() -> None:
    assert error_of(provisioned(), OnDemandThroughput={"MaxReadRequestUnits": 5}) == (
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is "
        "PROVISIONED"
    )


def test_warm_throughput_never_decreases() -> None:
    opened = on_demand(update_table=2)

    opened.update(WarmThroughput={"ReadUnitsPerSecond": 20000})
    during = opened.describe()["WarmThroughput"]
    opened.clock.now += 2
    after = opened.describe()["WarmThroughput"]

    assert during == {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "UPDATING"}
    assert after == {"ReadUnitsPerSecond": 20000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}
    assert error_of(opened, WarmThroughput={"ReadUnitsPerSecond": 19999}) == (
        f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, "
        "decreasing WarmThroughput is not supported"
    )


def test_the_current_warm_throughput_can_be_sent_again() -> None:
    opened = on_demand()

    opened.update(WarmThroughput={"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000})

    assert opened.describe()["WarmThroughput"]["Status"] == "ACTIVE"


# Other settings.


def test_a_table_class_has_the_time_of_its_change() -> None:
    opened = on_demand()

    opened.update(TableClass="STANDARD_INFREQUENT_ACCESS")

    assert opened.describe()["TableClassSummary"] == {
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "LastUpdateDateTime": START,
    }


def test_deletion_protection_can_be_enabled_and_disabled() -> None:
    opened = on_demand()

    opened.update(DeletionProtectionEnabled=True)
    on = opened.describe()["DeletionProtectionEnabled"]
    opened.update(DeletionProtectionEnabled=False)

    assert (on, opened.describe()["DeletionProtectionEnabled"]) == (True, False)


def test_encryption_with_kms_can_be_enabled_and_disabled() -> None:
    opened = on_demand()

    opened.update(SSESpecification={"Enabled": True, "SSEType": "KMS"})
    arn = opened.describe()["SSEDescription"]["KMSMasterKeyArn"]
    opened.update(SSESpecification={"Enabled": False})

    assert arn.startswith("arn:aws:kms:us-east-1:000000000000:key/")
    assert "SSEDescription" not in opened.describe()


def test_encryption_is_updating_for_as_long_as_the_table_is() -> None:
    opened = on_demand(update_table=2)
    key = "arn:aws:kms:us-east-1:000000000000:key/1234"
    kms = {"SSEType": "KMS", "KMSMasterKeyArn": key}

    descriptions = []
    for encryption in ({"Enabled": True, "KMSMasterKeyId": key}, {"Enabled": False}):
        opened.update(SSESpecification=encryption)
        descriptions.append(opened.describe().get("SSEDescription"))
        opened.clock.now += 2
        descriptions.append(opened.describe().get("SSEDescription"))

    assert descriptions == [
        {"Status": "UPDATING", **kms},
        {"Status": "ENABLED", **kms},
        {"Status": "UPDATING", **kms},
        None,
    ]


@pytest.mark.parametrize(
    ("kms_key", "arn"),
    [
        ("1234-abcd", "arn:aws:kms:us-east-1:000000000000:key/1234-abcd"),
        ("arn:aws:kms:us-east-1:000000000000:key/5", "arn:aws:kms:us-east-1:000000000000:key/5"),
    ],
)
def test_a_kms_key_is_set_by_id_or_arn_and_described_by_arn(kms_key: str, arn: str) -> None:
    opened = on_demand()

    opened.update(SSESpecification={"Enabled": True, "KMSMasterKeyId": kms_key})

    assert opened.describe()["SSEDescription"]["KMSMasterKeyArn"] == arn


@pytest.mark.parametrize("kms_key", ["alias/mine", "arn:aws:kms:us-east-1:000000000000:alias/mine"])
def test_a_kms_key_set_by_alias_is_described_by_the_arn_of_a_key(kms_key: str) -> None:
    opened = on_demand()

    opened.update(SSESpecification={"Enabled": True, "KMSMasterKeyId": kms_key})

    arn = opened.describe()["SSEDescription"]["KMSMasterKeyArn"]
    assert arn.startswith("arn:aws:kms:us-east-1:000000000000:key/")


def test_changing_the_table_class_does_not_change_indexes() -> None:
    opened = Opened()
    opened.create(TableClass="STANDARD_INFREQUENT_ACCESS", GlobalSecondaryIndexes=[index("by-pk", "pk")])
    before = opened.describe()["GlobalSecondaryIndexes"]

    opened.clock.now += 5
    opened.update(TableClass="STANDARD")

    assert opened.describe()["TableClassSummary"] == {
        "TableClass": "STANDARD",
        "LastUpdateDateTime": START + 5,
    }
    assert opened.describe()["GlobalSecondaryIndexes"] == before


def test_a_protected_table_can_be_updated_and_not_deleted() -> None:
    opened = on_demand()
    opened.update(DeletionProtectionEnabled=True)

    opened.update(OnDemandThroughput={"MaxReadRequestUnits": 5})
    kept = opened.invalid("DeleteTable", {"TableName": NAME})
    opened.update(DeletionProtectionEnabled=False)
    opened.call("DeleteTable", {"TableName": NAME})

    assert kept.startswith("Resource cannot be deleted as it is currently protected against deletion.")


def test_a_switch_to_provisioned_removes_on_demand_limits() -> None:
    opened = on_demand()
    opened.update(OnDemandThroughput={"MaxReadRequestUnits": 5})

    opened.update(BillingMode="PROVISIONED", ProvisionedThroughput=units())
    provisioned_ = opened.describe()
    opened.update(BillingMode="PAY_PER_REQUEST", OnDemandThroughput={"MaxWriteRequestUnits": 6})

    assert "OnDemandThroughput" not in provisioned_
    assert opened.describe()["OnDemandThroughput"] == {"MaxWriteRequestUnits": 6}


def test_a_rejected_update_changes_nothing() -> None:
    opened = on_demand()
    before = opened.describe()
    notes = opened.storage.notes("table/")

    error_of(
        opened,
        OnDemandThroughput={"MaxReadRequestUnits": 5},
        AttributeDefinitions=defined("a"),
        GlobalSecondaryIndexUpdates=[{"Create": index("by-a", "a", ProvisionedThroughput=units())}],
    )

    assert opened.describe() == before
    assert opened.storage.notes("table/") == notes
