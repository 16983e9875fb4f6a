"""DescribeTable: the table by name and ARN, errors, and current figures."""

from __future__ import annotations

from tests.engine.state.catalogues import ARN, NAME, Opened, defined, index


def test_a_table_is_described_by_name_and_by_arn() -> None:
    opened = Opened()
    opened.create()

    assert opened.describe(NAME) == opened.describe(ARN)


def test_an_arn_of_another_resource_is_rejected() -> None:
    arn = "arn:aws:s3:us-east-1:000000000000:table/orders"

    message = Opened().invalid("DescribeTable", {"TableName": arn})

    assert message == f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"


def test_counts_and_sizes_are_current() -> None:
    opened = Opened()
    opened.create(AttributeDefinitions=defined("pk", "a"), GlobalSecondaryIndexes=[index("by-a", "a")])

    opened.put(pk="1", a="xyz")
    opened.put(pk="2")

    description = opened.describe()
    assert (description["ItemCount"], description["TableSizeBytes"]) == (2, 3 + 4 + 3)
    (by_a,) = description["GlobalSecondaryIndexes"]
    assert (by_a["ItemCount"], by_a["IndexSizeBytes"]) == (1, 7)


def test_a_table_keeps_its_id() -> None:
    opened = Opened()
    created = opened.create()

    opened.update(DeletionProtectionEnabled=True)

    assert opened.describe()["TableId"] == created["TableId"]
    assert opened.again().describe()["TableId"] == created["TableId"]
