"""UpdateTable: settings of a table itself; its indexes have a module of their own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.tables.opened import ARN, NAME, START, Opened, defined, index, units

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


def refused(opened: Opened, **members: Any) -> str:
    return opened.invalid("UpdateTable", {"TableName": NAME, **members})


# What a request may be.


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"GlobalSecondaryIndexUpdates": []},
        {"AttributeDefinitions": defined("pk")},
        {"VectorIndexUpdates": []},
    ],
)
def test_a_request_changes_something(members: dict[str, Any]) -> None:
    assert refused(Opened(), **members) == (
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
        "SSESpecification or ReplicaUpdates is required"
    )


def test_a_table_class_is_changed_alone() -> None:
    message = refused(on_demand(), TableClass="STANDARD", DeletionProtectionEnabled=True)

    assert message == f"{INVALID}TableClass modification must be the only operation in the request"


@pytest.mark.parametrize("members", [{"ProvisionedThroughput": units()}, {"BillingMode": "PAY_PER_REQUEST"}])
def test_a_stream_is_not_changed_with_throughput(members: dict[str, Any]) -> None:
    message = refused(on_demand(), StreamSpecification={"StreamEnabled": False}, **members)

    assert message == f"{INVALID}You cannot modify stream status while updating table IOPS"


def test_there_are_no_other_regions() -> None:
    message = refused(on_demand(), ReplicaUpdates=[{"Create": {"RegionName": "eu-west-1"}}])

    assert message == f"{INVALID}Global tables are not supported"


def test_a_table_that_is_missing_is_named() -> None:
    assert Opened().refused("UpdateTable", {"TableName": NAME, "DeletionProtectionEnabled": True}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_a_table_is_found_by_its_arn() -> None:
    opened = on_demand()

    opened.update(TableName=ARN, DeletionProtectionEnabled=True)

    assert opened.describe()["DeletionProtectionEnabled"] is True


# States.


def test_a_table_is_updating_for_as_long_as_it_is_told_and_usable_all_the_while() -> None:
    opened = on_demand(update_table=3)

    answer = opened.update(OnDemandThroughput={"MaxReadRequestUnits": 7})
    opened.put(pk="1")
    during = opened.describe()
    again = opened.refused("UpdateTable", {"TableName": NAME, "DeletionProtectionEnabled": True})
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

    assert opened.refused("UpdateTable", {"TableName": NAME, "DeletionProtectionEnabled": True}) == (
        "ResourceInUseException",
        f"{IN_USE}Table is being created: {NAME}",
    )


# Throughput.


def test_capacity_units_are_old_in_the_answer_and_new_by_the_next_call() -> None:
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


def test_decreases_are_counted_by_the_day_and_leave_the_table_warm() -> None:
    opened = provisioned(5, 5)

    opened.update(ProvisionedThroughput=units(4, 5))
    opened.update(ProvisionedThroughput=units(3, 9))

    shown = opened.describe()
    assert shown["ProvisionedThroughput"] == {
        "LastIncreaseDateTime": START,
        "LastDecreaseDateTime": START,
        "NumberOfDecreasesToday": 2,
        **units(3, 9),
    }
    assert shown["WarmThroughput"]["ReadUnitsPerSecond"] == 5
    opened.clock.now += 86400
    assert opened.describe()["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0


def test_capacity_units_that_do_not_change_are_refused() -> None:
    assert refused(provisioned(300, 301), ProvisionedThroughput=units(300, 301)) == (
        "The provisioned throughput for the table will not change. The requested value equals the current value. "
        "Current ReadCapacityUnits provisioned for the table: 300. Requested ReadCapacityUnits: 300. "
        "Current WriteCapacityUnits provisioned for the table: 301. Requested WriteCapacityUnits: 301. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


@pytest.mark.parametrize("mode", [{}, {"BillingMode": "PAY_PER_REQUEST"}])
def test_capacity_units_are_refused_on_demand(mode: dict[str, str]) -> None:
    assert refused(on_demand(), ProvisionedThroughput=units(), **mode) == (
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST"
    )


@pytest.mark.parametrize("opened", [on_demand(), provisioned()])
def test_a_table_does_not_become_provisioned_without_capacity_units(opened: Opened) -> None:
    assert refused(opened, BillingMode="PROVISIONED") == (
        f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
    )


@pytest.mark.parametrize("member", ["BillingMode", "TableThroughputMode"])
def test_a_table_goes_on_demand_and_back(member: str) -> None:
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


def test_on_demand_limits_are_merged_and_taken_away_by_minus_one() -> None:
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
    assert refused(on_demand(), OnDemandThroughput={"MaxReadRequestUnits": limit}) == (
        f"{INVALID}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"
    )


def test_on_demand_limits_are_refused_of_a_provisioned_table() -> None:
    assert refused(provisioned(), OnDemandThroughput={"MaxReadRequestUnits": 5}) == (
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is "
        "PROVISIONED"
    )


def test_warm_throughput_rises_and_never_sinks() -> None:
    opened = on_demand(update_table=2)

    opened.update(WarmThroughput={"ReadUnitsPerSecond": 20000})
    during = opened.describe()["WarmThroughput"]
    opened.clock.now += 2
    after = opened.describe()["WarmThroughput"]

    assert during == {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "UPDATING"}
    assert after == {"ReadUnitsPerSecond": 20000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}
    assert "WarmThroughput" in refused(opened, WarmThroughput={"ReadUnitsPerSecond": 19999})


# Other settings.


def test_a_table_class_has_the_time_of_its_change() -> None:
    opened = on_demand()

    opened.update(TableClass="STANDARD_INFREQUENT_ACCESS")

    assert opened.describe()["TableClassSummary"] == {
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "LastUpdateDateTime": START,
    }


def test_deletion_protection_is_switched_on_and_off() -> None:
    opened = on_demand()

    opened.update(DeletionProtectionEnabled=True)
    on = opened.describe()["DeletionProtectionEnabled"]
    opened.update(DeletionProtectionEnabled=False)

    assert (on, opened.describe()["DeletionProtectionEnabled"]) == (True, False)


def test_encryption_with_kms_is_switched_on_and_off() -> None:
    opened = on_demand()

    opened.update(SSESpecification={"Enabled": True, "SSEType": "KMS"})
    arn = opened.describe()["SSEDescription"]["KMSMasterKeyArn"]
    opened.update(SSESpecification={"Enabled": False})

    assert arn.startswith("arn:aws:kms:us-east-1:000000000000:key/")
    assert "SSEDescription" not in opened.describe()


# Streams.


def stream(view: str | None = "NEW_IMAGE", *, enabled: bool = True) -> dict[str, Any]:
    specification: dict[str, Any] = {"StreamEnabled": enabled}
    return {"StreamSpecification": {**specification, "StreamViewType": view} if view else specification}


def test_a_stream_is_there_from_the_answer_on() -> None:
    opened = on_demand()

    answer = opened.update(**stream())

    assert answer["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    assert answer["LatestStreamArn"] == f"{ARN}/stream/{answer['LatestStreamLabel']}"
    found = opened.catalogue.table(NAME)
    assert found.stream_view == "NEW_IMAGE"
    assert found.changes is not None


def test_a_stream_that_was_switched_off_leaves_its_label_and_the_next_has_another() -> None:
    opened = on_demand()
    first = opened.update(**stream())["LatestStreamLabel"]

    off = opened.update(**stream(None, enabled=False))
    second = opened.update(**stream("OLD_IMAGE"))["LatestStreamLabel"]

    assert "StreamSpecification" not in off
    assert off["LatestStreamLabel"] == first
    assert second > first
    assert opened.catalogue.table(NAME).stream_view == "OLD_IMAGE"
    assert opened.again().describe() == opened.describe()


def test_without_a_stream_no_changes_are_kept() -> None:
    opened = on_demand()
    opened.update(**stream())

    opened.update(**stream(None, enabled=False))

    found = opened.catalogue.table(NAME)
    assert (found.changes, found.stream_view) == (None, None)


def test_a_stream_is_not_changed_nor_switched_to_what_it_is() -> None:
    opened = on_demand()

    none = refused(opened, **stream(None, enabled=False))
    view = refused(opened, **stream("NEW_IMAGE", enabled=False))
    bare = refused(opened, **stream(None))
    opened.update(**stream())
    other = refused(opened, **stream("OLD_IMAGE"))

    assert none == f"Table has no stream to disable: TableName: {NAME}"
    assert view == f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified"
    assert bare == f"{INVALID}If stream is being enabled, then UpdateViewType must be specified"
    assert other == f"Table already has an enabled stream: TableName: {NAME}"


def test_records_of_a_stream_can_be_read_for_a_day_after_it_was_closed() -> None:
    opened = on_demand()
    opened.update(**stream())
    first = opened.catalogue.table(NAME).changes
    assert first is not None
    opened.update(**stream(None, enabled=False))

    opened.clock.now += 86399
    opened.update(**stream())
    kept = opened.storage.get(first, b"")
    opened.update(**stream(None, enabled=False))
    opened.clock.now += 1
    opened.update(**stream())

    assert kept is None  # an empty space, and no error
    assert [each["closed"] for each in opened.catalogue.table(NAME).settings["streams"][:-1]] == [
        START + 86399
    ]


def test_a_refused_update_changes_nothing() -> None:
    opened = on_demand()
    before = opened.describe()
    notes = opened.storage.notes("table/")

    refused(
        opened,
        DeletionProtectionEnabled=True,
        AttributeDefinitions=defined("a"),
        GlobalSecondaryIndexUpdates=[{"Create": index("by-a", "a", ProvisionedThroughput=units())}],
    )

    assert opened.describe() == before
    assert opened.storage.notes("table/") == notes
