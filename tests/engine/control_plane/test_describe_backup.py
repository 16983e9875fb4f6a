"""DescribeBackup: the backup, its table at that time, and the features of the table."""

from __future__ import annotations

import pytest

from tests.engine.state.catalogues import ARN, NAME, START, Opened, defined, index, table, units

from .backups import backup


@pytest.fixture
def opened() -> Opened:
    return Opened()


def test_an_arn_is_required_and_has_a_minimum_length(opened: Opened) -> None:
    assert "'backupArn' failed to satisfy constraint: Member must not be null" in opened.invalid(
        "DescribeBackup", {}
    )
    assert "Member must have length greater than or equal to 37" in opened.invalid(
        "DescribeBackup", {"BackupArn": "arn:short"}
    )


@pytest.mark.parametrize(
    "arn",
    [
        f"{ARN}/backup/01790000000000-0123abcd",
        f"{ARN}/stream/2026-01-01T00:00:00.000",
        ARN,
        ARN.replace("us-east-1", "eu-west-1") + "/backup/01790000000000-0123abcd",
        "x" * 40,
    ],
)
def test_the_error_about_a_missing_backup_names_it(opened: Opened, arn: str) -> None:
    opened.create()
    backup(opened)

    assert opened.error_of("DescribeBackup", {"BackupArn": arn}) == (
        "BackupNotFoundException",
        f"Backup not found: {arn}",
    )


def test_a_backup_of_another_account_is_denied(opened: Opened) -> None:
    arn = f"{ARN}/backup/01790000000000-0123abcd".replace("000000000000:", "123456789012:")

    assert opened.error_of("DescribeBackup", {"BackupArn": arn})[0] == "AccessDeniedException"


def test_the_backup_of_a_plain_table_describes_it(opened: Opened) -> None:
    table_id = opened.create()["TableId"]
    opened.put(pk="a", n=1)
    opened.clock.now += 10
    arn = backup(opened)
    opened.put(pk="b", n=1)

    assert opened.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"] == {
        "BackupDetails": {
            "BackupArn": arn,
            "BackupName": "first",
            "BackupSizeBytes": 6,
            "BackupStatus": "AVAILABLE",
            "BackupType": "USER",
            "BackupCreationDateTime": START + 10,
        },
        "SourceTableDetails": {
            "TableName": NAME,
            "TableId": table_id,
            "TableArn": ARN,
            "TableSizeBytes": 6,
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "TableCreationDateTime": START,
            "ItemCount": 1,
            "BillingMode": "PAY_PER_REQUEST",
            "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        },
        "SourceTableFeatureDetails": {},
    }


def test_indexes_stream_expiry_and_encryption_are_described(opened: Opened) -> None:
    gsi, lsi = index("by-a", "a", ProvisionedThroughput=units(1, 2)), index("by-b", "pk", "b")
    opened.call(
        "CreateTable",
        table(
            "pk",
            "sk",
            BillingMode="PROVISIONED",
            ProvisionedThroughput=units(3, 4),
            AttributeDefinitions=defined("pk", "sk", "a", "b"),
            GlobalSecondaryIndexes=[gsi],
            LocalSecondaryIndexes=[lsi],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
            SSESpecification={"Enabled": True},
        ),
    )
    setting = {"Enabled": True, "AttributeName": "until"}
    opened.call("UpdateTimeToLive", {"TableName": NAME, "TimeToLiveSpecification": setting})

    described = opened.call("DescribeBackup", {"BackupArn": backup(opened)})["BackupDescription"]

    features = described["SourceTableFeatureDetails"]
    assert features.pop("SSEDescription")["SSEType"] == "KMS"
    assert features == {
        "GlobalSecondaryIndexes": [gsi],
        "LocalSecondaryIndexes": [lsi],
        "StreamDescription": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"},
    }
    assert described["SourceTableDetails"]["ProvisionedThroughput"] == units(3, 4)
    assert described["SourceTableDetails"]["BillingMode"] == "PROVISIONED"


def test_limits_of_a_table_on_demand_are_described(opened: Opened) -> None:
    limits = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}
    opened.create(OnDemandThroughput=limits)

    described = opened.call("DescribeBackup", {"BackupArn": backup(opened)})["BackupDescription"]

    assert described["SourceTableDetails"]["OnDemandThroughput"] == limits
