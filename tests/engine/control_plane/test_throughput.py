"""Capacity units: their quotas, and how often they can change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import NAME, START, Opened, defined, index, table, units

EXCEEDED = "Subscriber limit exceeded: "
HOUR = 3600


def provisioned(reads: int = 5, writes: int = 5, **members: Any) -> dict[str, Any]:
    return table(BillingMode="PROVISIONED", ProvisionedThroughput=units(reads, writes), **members)


def indexed(reads: int, **members: Any) -> dict[str, Any]:
    """A table of five units with an index of some."""
    return provisioned(
        AttributeDefinitions=defined("pk", "a"),
        GlobalSecondaryIndexes=[index("by-a", "a", ProvisionedThroughput=units(reads, 5))],
        **members,
    )


def made(request: dict[str, Any], **delays: float) -> Opened:
    opened = Opened(**delays)
    opened.call("CreateTable", request)
    return opened


def limited(opened: Opened, **members: Any) -> str:
    code, message = opened.error_of("UpdateTable", {"TableName": NAME, **members})
    assert code == "LimitExceededException"
    assert message is not None
    return message


# How many.


def test_a_table_and_an_index_have_at_most_40000_units() -> None:
    for request in (provisioned(40_000, 40_000), indexed(40_000)):
        made(request)
    for request in (provisioned(40_001, 1), provisioned(1, 40_001), indexed(40_001)):
        code, message = Opened().error_of("CreateTable", request)
        assert code == "LimitExceededException"
        assert message is not None
        assert message.startswith(EXCEEDED)


def test_a_table_does_not_grow_beyond_its_quota() -> None:
    opened = made(indexed(5))
    update = {"IndexName": "by-a", "ProvisionedThroughput": units(5, 40_001)}

    own = limited(opened, ProvisionedThroughput=units(40_001, 5))
    of_index = limited(opened, GlobalSecondaryIndexUpdates=[{"Update": update}])
    added = limited(
        opened,
        AttributeDefinitions=defined("b"),
        GlobalSecondaryIndexUpdates=[{"Create": index("by-b", "b", ProvisionedThroughput=units(40_001, 1))}],
    )

    assert "ReadCapacityUnits of 40001 for the table exceeds" in own
    assert "WriteCapacityUnits of 40001 for the index by-a exceeds" in of_index
    assert "for the index by-b" in added
    assert opened.describe()["ProvisionedThroughput"]["ReadCapacityUnits"] == 5


def test_all_tables_and_indexes_share_the_quota_of_the_account() -> None:
    opened = made(provisioned(40_000, 5))
    opened.call("CreateTable", indexed(20_000, TableName="others"))

    more = provisioned(20_000, 5, TableName="third")
    code, message = opened.error_of("CreateTable", more)
    opened.call("UpdateTable", {"TableName": NAME, "ProvisionedThroughput": units(30_000, 5)})
    opened.call("CreateTable", more)

    assert (code, message) == (
        "LimitExceededException",
        f"{EXCEEDED}Requested ReadCapacityUnits would bring the account to 80005, above its limit of 80000",
    )


def test_pending_units_count_and_those_of_a_deleting_table_do_not() -> None:
    opened = made(provisioned(5, 5), update_table=10, delete_table=10)
    opened.update(ProvisionedThroughput=units(40_000, 5))
    opened.call("CreateTable", provisioned(40_000, 5, TableName="others"))
    third = provisioned(1, 1, TableName="third")

    code, _ = opened.error_of("CreateTable", third)
    opened.call("DeleteTable", {"TableName": "others"})
    opened.call("CreateTable", third)

    assert code == "LimitExceededException"


def test_tables_on_demand_do_not_count_for_the_quota() -> None:
    opened = made(provisioned(40_000, 40_000))
    opened.call("CreateTable", provisioned(40_000, 40_000, TableName="others"))

    opened.call("CreateTable", table(TableName="third"))
    opened.update(BillingMode="PAY_PER_REQUEST")
    opened.call("CreateTable", provisioned(40_000, 40_000, TableName="fourth"))


def test_other_changes_are_not_checked_against_the_quotas() -> None:
    opened = made(provisioned(40_000, 40_000))
    opened.call("CreateTable", provisioned(40_000, 40_000, TableName="others"))

    opened.update(DeletionProtectionEnabled=True)
    opened.update(ProvisionedThroughput=units(39_999, 40_000))


@pytest.mark.parametrize(
    ("request_", "owner"),
    [(provisioned(10**12 + 1, 1), f"table {NAME}"), (indexed(10**12 + 1), f"index by-a for table {NAME}")],
)
def test_units_above_any_quota_are_out_of_bounds(request_: dict[str, Any], owner: str) -> None:
    message = Opened().invalid("CreateTable", request_)

    assert message == f"Given value 1000000000001 for ReadCapacityUnits is out of bounds for {owner}"


def test_units_above_any_quota_are_out_of_bounds_in_updates() -> None:
    update = {"IndexName": "by-a", "ProvisionedThroughput": units(5, 10**13)}
    members = (
        {"ProvisionedThroughput": units(1, 10**13)},
        {"GlobalSecondaryIndexUpdates": [{"Update": update}]},
    )

    for each in members:
        message = made(indexed(5)).invalid("UpdateTable", {"TableName": NAME, **each})
        assert message.startswith("Given value 10000000000000 for WriteCapacityUnits is out of bounds for ")


@pytest.mark.parametrize("units_", [units(0, 5), units(5, -1)])
def test_at_least_one_unit_is_provisioned(units_: dict[str, int]) -> None:
    request = table(BillingMode="PROVISIONED", ProvisionedThroughput=units_)

    assert "Member must have value greater than or equal to 1" in Opened().invalid("CreateTable", request)


# How often.


def lowered(opened: Opened, *reads: int) -> None:
    for each in reads:
        opened.update(ProvisionedThroughput=units(each, 5))
        opened.clock.now += 1


def test_after_four_decreases_in_a_day_one_an_hour_is_allowed() -> None:
    opened = made(provisioned(20, 5), update_table=1)
    lowered(opened, 19, 18, 17, 16)

    fifth = limited(opened, ProvisionedThroughput=units(15, 5))
    opened.update(ProvisionedThroughput=units(17, 5))
    opened.clock.now += HOUR - 1
    lowered(opened, 15)
    sixth = limited(opened, ProvisionedThroughput=units(14, 9))

    # 14:13:20 is when the clock of these tests begins.
    assert fifth == (
        f"{EXCEEDED}Provisioned throughput decreases are limited within a given UTC day. After the first 4 decreases, "
        "each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. Number of "
        "decreases today: 4. Last decrease at Monday, September 21, 2026 at 2:13:23 PM Coordinated Universal Time. "
        "Next decrease can be made at Monday, September 21, 2026 at 3:13:23 PM Coordinated Universal Time"
    )
    assert "Number of decreases today: 5." in sixth
    assert opened.describe()["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 5


def test_each_day_in_utc_allows_four_decreases() -> None:
    opened = made(provisioned(20, 5), update_table=1)
    opened.clock.now = START - START % 86400 + 86400 - 5
    lowered(opened, 19, 18, 17, 16)

    at_night = limited(opened, ProvisionedThroughput=units(15, 5))
    opened.clock.now += 1
    lowered(opened, 15)

    assert "11:59:58 PM" in at_night
    assert "12:59:58 AM" in at_night
    assert opened.describe()["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 1


def test_decreases_of_an_index_and_of_its_table_are_counted_separately() -> None:
    opened = made(indexed(20), update_table=1)

    def lower(reads: int) -> dict[str, Any]:
        update = {"IndexName": "by-a", "ProvisionedThroughput": units(reads, 5)}
        return {"GlobalSecondaryIndexUpdates": [{"Update": update}]}

    for reads in (19, 18, 17, 16):
        opened.update(**lower(reads))
        opened.clock.now += 1
    message = limited(opened, **lower(15))
    opened.update(ProvisionedThroughput=units(4, 5))

    assert "Number of decreases today: 4." in message


def test_a_table_can_switch_to_on_demand_four_times_a_day() -> None:
    opened = made(provisioned(), update_table=1)
    for _ in range(4):
        opened.update(BillingMode="PAY_PER_REQUEST")
        opened.clock.now += HOUR
        opened.update(BillingMode="PROVISIONED", ProvisionedThroughput=units())
        opened.clock.now += HOUR

    message = limited(opened, BillingMode="PAY_PER_REQUEST")
    opened.clock.now = START + 24 * HOUR
    opened.update(BillingMode="PAY_PER_REQUEST")

    assert message == (
        f"{EXCEEDED}Update to PayPerRequest mode are limited to 4 times in 1 day(s). Last update at "
        "Mon Sep 21 20:13:20 UTC 2026. Next update can be made at Tue Sep 22 14:13:20 UTC 2026"
    )


def test_without_delays_the_number_of_changes_is_not_limited() -> None:
    opened = made(provisioned(20, 5))

    lowered(opened, *range(19, 9, -1))
    for _ in range(6):
        opened.update(BillingMode="PAY_PER_REQUEST")
        opened.update(BillingMode="PROVISIONED", ProvisionedThroughput=units(9, 5))

    assert opened.describe()["ProvisionedThroughput"] == {
        "LastDecreaseDateTime": START + 10,
        "LastIncreaseDateTime": START + 10,
        "NumberOfDecreasesToday": 10,
        **units(9, 5),
    }
