"""RestoreTableFromBackup: a new table with the items of a backup, and the overrides of the request."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state.catalogues import ARN, NAME, START, Opened, defined, index, table, units, vector

from .backups import backup, scanned

GSI = index("by-a", "a")
OTHER_GSI = index("by-b", "b", Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]})
LSI = index("by-c", "pk", "c")


@pytest.fixture
def opened() -> Opened:
    """A table with every kind of setting, two items in it, and a backup."""
    made = Opened()
    made.call(
        "CreateTable",
        table(
            "pk",
            "sk",
            AttributeDefinitions=defined("pk", "sk", "a", "b", "c"),
            GlobalSecondaryIndexes=[GSI, OTHER_GSI],
            LocalSecondaryIndexes=[LSI],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
            Tags=[{"Key": "team", "Value": "shop"}],
            DeletionProtectionEnabled=True,
        ),
    )
    setting = {"Enabled": True, "AttributeName": "until"}
    made.call("UpdateTimeToLive", {"TableName": NAME, "TimeToLiveSpecification": setting})
    made.call("PutResourcePolicy", {"ResourceArn": ARN, "Policy": '{"Statement": []}'})
    made.put(pk="1", sk="1", a="x", b="y", c="z")
    made.put(pk="1", sk="2", a="x", until=int(START) + 60)
    return made


def request(arn: str, **members: Any) -> dict[str, Any]:
    return {"TargetTableName": "again", "BackupArn": arn, **members}


def restored(opened: Opened, **members: Any) -> dict[str, Any]:
    opened.call("RestoreTableFromBackup", request(backup(opened), **members))
    return opened.describe("again")


@pytest.mark.parametrize(
    ("members", "code", "text"),
    [
        ({"TargetTableName": 1}, "SerializationException", "NUMBER_VALUE cannot be converted to String"),
        ({"GlobalSecondaryIndexOverride": {}}, "SerializationException", None),
        ({"TargetTableName": None}, "ValidationException", "The parameter 'TargetTableName' is required"),
        ({"TargetTableName": "ab"}, "ValidationException", "TableName must be at least 3 characters"),
        ({"TargetTableName": "my table"}, "ValidationException", "[a-zA-Z0-9_.-]+"),
        ({"BackupArn": None}, "ValidationException", "'backupArn' failed to satisfy constraint"),
        ({"BillingModeOverride": "FREE"}, "ValidationException", "'billingModeOverride' failed"),
    ],
)
def test_an_invalid_request_is_rejected(opened: Opened, members: Any, code: str, text: str | None) -> None:
    found, message = opened.error_of("RestoreTableFromBackup", request(backup(opened), **members))

    assert found == code
    assert text is None or text in str(message)


def test_a_table_that_exists_is_not_overwritten(opened: Opened) -> None:
    arn = backup(opened)
    opened.put(pk="later", sk="1")
    before = scanned(opened)

    assert opened.error_of("RestoreTableFromBackup", request(arn, TargetTableName=NAME)) == (
        "TableAlreadyExistsException",
        f"Table already exists: {NAME}",
    )
    assert scanned(opened) == before


def test_a_table_that_is_being_created_or_deleted_is_in_use() -> None:
    opened = Opened(create_table=5, delete_table=5)
    opened.create()
    opened.clock.now += 5
    arn = backup(opened)
    text = "A target table with the specified name is either being created or deleted."

    opened.clock.now += 5
    opened.create(TableName="again")
    assert opened.error_of("RestoreTableFromBackup", request(arn)) == ("TableInUseException", text)
    opened.clock.now += 5
    opened.call("DeleteTable", {"TableName": "again"})
    assert opened.error_of("RestoreTableFromBackup", request(arn)) == ("TableInUseException", text)


def test_a_backup_that_is_being_created_is_in_use() -> None:
    opened = Opened(create_table=5)
    opened.create()
    opened.clock.now += 5

    assert opened.error_of("RestoreTableFromBackup", request(backup(opened)))[0] == "BackupInUseException"


def test_a_restored_table_has_the_items_and_indexes(opened: Opened) -> None:
    restored(opened)

    assert scanned(opened, "again") == scanned(opened)
    for name, count in (("by-a", 2), ("by-b", 1), ("by-c", 1)):
        assert scanned(opened, "again", IndexName=name) == scanned(opened, IndexName=name)
        assert len(scanned(opened, "again", IndexName=name)) == count


def test_settings_that_restores_reset_are_missing(opened: Opened) -> None:
    described = restored(opened)

    assert not {"StreamSpecification", "LatestStreamArn"} & described.keys()
    assert described["DeletionProtectionEnabled"] is False
    arn = described["TableArn"]
    assert opened.call("ListTagsOfResource", {"ResourceArn": arn}) == {"Tags": []}
    assert opened.error_of("GetResourcePolicy", {"ResourceArn": arn})[0] == "PolicyNotFoundException"
    expiry = opened.call("DescribeTimeToLive", {"TableName": "again"})["TimeToLiveDescription"]
    assert expiry == {"TimeToLiveStatus": "DISABLED"}


def test_the_restored_table_is_independent_of_its_source(opened: Opened) -> None:
    described = restored(opened)
    opened.call("DeleteItem", {"TableName": "again", "Key": {"pk": {"S": "1"}, "sk": {"S": "1"}}})

    assert described["TableId"] != opened.describe()["TableId"]
    assert len(scanned(opened)) == 2
    assert len(scanned(opened, "again")) == len(scanned(opened, "again", IndexName="by-a")) == 1


def test_a_restored_table_names_its_source() -> None:
    opened = Opened(create_table=5)
    opened.create()
    opened.clock.now += 5
    arn = backup(opened)
    opened.clock.now += 5

    begun = opened.call("RestoreTableFromBackup", request(arn))["TableDescription"]
    summary = {
        "SourceBackupArn": arn,
        "SourceTableArn": ARN,
        "RestoreDateTime": START + 10,
        "RestoreInProgress": True,
    }
    assert (begun["TableStatus"], begun["RestoreSummary"]) == ("CREATING", summary)
    assert opened.error_of("Scan", {"TableName": "again"})[0] == "ResourceNotFoundException"
    opened.clock.now += 5

    done = opened.again().describe("again")
    assert (done["TableStatus"], done["RestoreSummary"]["RestoreInProgress"]) == ("ACTIVE", False)


def test_a_deleted_table_can_be_restored_under_its_name(opened: Opened) -> None:
    before, arn = scanned(opened), backup(opened)
    opened.update(DeletionProtectionEnabled=False)
    opened.call("DeleteTable", {"TableName": NAME})

    opened.call("RestoreTableFromBackup", request(arn, TargetTableName=NAME))

    assert scanned(opened.again()) == before


def test_the_system_backup_of_a_deleted_table_can_be_restored() -> None:
    opened = Opened()
    opened.create()
    opened.put(pk="a")
    setting = {"PointInTimeRecoveryEnabled": True}
    opened.call("UpdateContinuousBackups", {"TableName": NAME, "PointInTimeRecoverySpecification": setting})
    opened.call("DeleteTable", {"TableName": NAME})
    left = opened.again().call("ListBackups", {"BackupType": "SYSTEM"})["BackupSummaries"][0]

    opened.call("RestoreTableFromBackup", request(left["BackupArn"], TargetTableName=NAME))

    assert scanned(opened) == [{"pk": {"S": "a"}}]


def test_indexes_can_be_left_out(opened: Opened) -> None:
    reordered = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["y", "x"]}
    described = restored(
        opened,
        GlobalSecondaryIndexOverride=[{**OTHER_GSI, "Projection": reordered}],
        LocalSecondaryIndexOverride=[],
    )

    assert [each["IndexName"] for each in described["GlobalSecondaryIndexes"]] == ["by-b"]
    assert "LocalSecondaryIndexes" not in described
    assert [each["AttributeName"] for each in described["AttributeDefinitions"]] == ["pk", "sk", "b"]
    assert scanned(opened, "again", IndexName="by-b") == scanned(opened, IndexName="by-b")


def test_an_empty_override_restores_no_global_indexes(opened: Opened) -> None:
    assert "GlobalSecondaryIndexes" not in restored(opened, GlobalSecondaryIndexOverride=[])


@pytest.mark.parametrize(
    "override",
    [
        {"GlobalSecondaryIndexOverride": [index("other", "a")]},
        {"GlobalSecondaryIndexOverride": [index("by-a", "a", "b")]},
        {"GlobalSecondaryIndexOverride": [{**GSI, "Projection": {"ProjectionType": "KEYS_ONLY"}}]},
        {"LocalSecondaryIndexOverride": [index("by-c", "pk", "a")]},
        {"VectorIndexOverride": [vector("near")]},
    ],
)
def test_an_index_that_the_source_does_not_have_is_rejected(opened: Opened, override: Any) -> None:
    before = opened.storage.notes("table/")

    message = opened.invalid("RestoreTableFromBackup", request(backup(opened), **override))

    assert "does not match an index of the source table" in message
    assert opened.storage.notes("table/") == before


def test_one_index_twice_is_rejected(opened: Opened) -> None:
    message = opened.invalid(
        "RestoreTableFromBackup", request(backup(opened), GlobalSecondaryIndexOverride=[GSI, GSI])
    )

    assert "Duplicate index name: by-a" in message


def test_a_restore_can_override_the_billing_mode_with_provisioned(opened: Opened) -> None:
    arn = backup(opened)
    missing = opened.invalid("RestoreTableFromBackup", request(arn, BillingModeOverride="PROVISIONED"))
    indexes = [{**GSI, "ProvisionedThroughput": units(1, 1)}]
    opened.call(
        "RestoreTableFromBackup",
        request(
            arn,
            BillingModeOverride="PROVISIONED",
            ProvisionedThroughputOverride=units(7, 8),
            GlobalSecondaryIndexOverride=indexes,
        ),
    )

    described = opened.describe("again")
    assert "ReadCapacityUnits and WriteCapacityUnits must both be specified" in missing
    assert described["ProvisionedThroughput"] == {**units(7, 8), "NumberOfDecreasesToday": 0}
    assert described["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 1


def test_a_provisioned_table_keeps_its_units_or_goes_on_demand() -> None:
    opened = Opened()
    gsi = {**GSI, "ProvisionedThroughput": units(1, 2)}
    definitions = defined("pk", "a")
    opened.create(
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(3, 4),
        AttributeDefinitions=definitions,
        GlobalSecondaryIndexes=[gsi],
    )
    arn = backup(opened)
    opened.call("RestoreTableFromBackup", request(arn))
    opened.call(
        "RestoreTableFromBackup",
        request(arn, TargetTableName="free", BillingModeOverride="PAY_PER_REQUEST"),
    )

    again, free = opened.describe("again"), opened.describe("free")
    assert again["ProvisionedThroughput"]["WriteCapacityUnits"] == 4
    assert again["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"] == 2
    assert free["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert free["ProvisionedThroughput"]["WriteCapacityUnits"] == 0


def test_a_restored_table_on_demand_cannot_have_units(opened: Opened) -> None:
    message = opened.invalid(
        "RestoreTableFromBackup", request(backup(opened), ProvisionedThroughputOverride=units())
    )

    assert "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified" in message


def test_on_demand_limits_are_kept_or_overridden() -> None:
    opened = Opened()
    opened.create(OnDemandThroughput={"MaxReadRequestUnits": 5})
    arn = backup(opened)
    opened.call("RestoreTableFromBackup", request(arn))
    other = {"MaxWriteRequestUnits": 9}
    opened.call(
        "RestoreTableFromBackup", request(arn, TargetTableName="other", OnDemandThroughputOverride=other)
    )

    assert opened.describe("again")["OnDemandThroughput"] == {"MaxReadRequestUnits": 5}
    assert opened.describe("other")["OnDemandThroughput"] == other


def test_encryption_is_kept_or_overridden() -> None:
    opened = Opened()
    key = "0123abcd-0000-1111-2222-333344445555"
    opened.create(SSESpecification={"Enabled": True, "KMSMasterKeyId": key})
    arn = backup(opened)
    opened.call("RestoreTableFromBackup", request(arn))
    opened.call(
        "RestoreTableFromBackup",
        request(arn, TargetTableName="plain", SSESpecificationOverride={"Enabled": False}),
    )

    assert opened.describe("again")["SSEDescription"]["KMSMasterKeyArn"].endswith(key)
    assert "SSEDescription" not in opened.describe("plain")


def test_units_above_the_quota_of_a_table_are_rejected(opened: Opened) -> None:
    wanted = {"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": units(50_000, 1)}

    code, _ = opened.error_of(
        "RestoreTableFromBackup", request(backup(opened), **wanted, GlobalSecondaryIndexOverride=[])
    )

    assert code == "LimitExceededException"


def test_vector_indexes_are_restored_or_left_out() -> None:
    opened = Opened()
    opened.create(VectorIndexes=[vector("near")])
    # As a list of numbers, this vector has another size than in an index.
    numbers = {"L": [{"N": "0.123456789"}] * 3}
    opened.put_item({"pk": {"S": "a"}, "embedding": numbers})
    arn = backup(opened)
    opened.call("RestoreTableFromBackup", request(arn))
    opened.call("RestoreTableFromBackup", request(arn, TargetTableName="plain", VectorIndexOverride=[]))

    again, plain = opened.describe("again"), opened.describe("plain")
    assert [each["IndexName"] for each in again["VectorIndexes"]] == ["near"]
    assert again["VectorIndexes"][0]["ItemCount"] == 1
    assert again["TableSizeBytes"] == opened.describe()["TableSizeBytes"]
    assert "VectorIndexes" not in plain
    opened.create(TableName="fresh")
    opened.call("PutItem", {"TableName": "fresh", "Item": {"pk": {"S": "a"}, "embedding": numbers}})
    assert plain["TableSizeBytes"] == opened.describe("fresh")["TableSizeBytes"] > again["TableSizeBytes"]


def test_restored_index_entries_with_vectors_have_their_sizes() -> None:
    opened = Opened()
    opened.create(
        AttributeDefinitions=defined("pk", "kind"),
        GlobalSecondaryIndexes=[index("by-kind", "kind")],
        VectorIndexes=[vector("near")],
    )
    numbers = {"L": [{"N": "0.123456789"}] * 3}
    opened.put_item({"pk": {"S": "a"}, "kind": {"S": "b"}, "embedding": numbers})
    opened.call("RestoreTableFromBackup", request(backup(opened)))

    (before,), (after,) = (opened.describe(name)["GlobalSecondaryIndexes"] for name in (NAME, "again"))
    assert after["IndexSizeBytes"] == before["IndexSizeBytes"]
    assert after["IndexSizeBytes"] > opened.describe("again")["TableSizeBytes"]
