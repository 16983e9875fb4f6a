"""DescribeTable: what it takes, what it refuses, and that its figures are live."""

from __future__ import annotations

from tests.engine.state.catalogues import ARN, NAME, Opened, defined, index


def test_a_table_is_described_by_name_and_by_arn() -> None:
    opened = Opened()
    opened.create()

    assert opened.describe(NAME) == opened.describe(ARN)


def test_a_table_that_is_missing_is_named() -> None:
    text = f"Requested resource not found: Table: {NAME} not found"

    for name in (NAME, ARN):
        assert Opened().error_of("DescribeTable", {"TableName": name}) == ("ResourceNotFoundException", text)


def test_an_arn_of_something_else_is_rejected() -> None:
    arn = "arn:aws:s3:us-east-1:000000000000:table/orders"

    message = Opened().invalid("DescribeTable", {"TableName": arn})

    assert message == f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"


def test_counts_and_sizes_are_those_of_this_moment() -> None:
    opened = Opened()
    opened.create(AttributeDefinitions=defined("pk", "a"), GlobalSecondaryIndexes=[index("by-a", "a")])

    opened.put(pk="1", a="xyz")
    opened.put(pk="2")

    shown = opened.describe()
    assert (shown["ItemCount"], shown["TableSizeBytes"]) == (2, 3 + 4 + 3)
    (by_a,) = shown["GlobalSecondaryIndexes"]
    assert (by_a["ItemCount"], by_a["IndexSizeBytes"]) == (1, 7)


def test_a_table_keeps_its_id() -> None:
    opened = Opened()
    created = opened.create()

    opened.update(DeletionProtectionEnabled=True)

    assert opened.describe()["TableId"] == created["TableId"]
    assert opened.again().describe()["TableId"] == created["TableId"]
