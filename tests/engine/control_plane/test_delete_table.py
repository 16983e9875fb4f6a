"""DeleteTable: the response, the checks, and that nothing is left."""

from __future__ import annotations

import pytest

from pksk.engine.storage import SpaceMissing
from tests.engine.state.catalogues import ARN, NAME, START, Opened, defined, index, key

IN_USE = "Attempt to change a resource which is still in use: "


def delete(opened: Opened) -> dict[str, object]:
    description: dict[str, object] = opened.call("DeleteTable", {"TableName": NAME})["TableDescription"]
    return description


def test_delete_table_returns_only_name_size_and_billing() -> None:
    opened = Opened()
    table_id = opened.create()["TableId"]
    opened.put(pk="1")

    since = {"LastUpdateToPayPerRequestDateTime": START}
    assert delete(opened) == {
        "TableName": NAME,
        "TableStatus": "DELETING",
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": 0,
            "WriteCapacityUnits": 0,
        },
        "TableSizeBytes": 3,
        "ItemCount": 1,
        "TableArn": ARN,
        "TableId": table_id,
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST", **since},
        "TableThroughputModeSummary": {"TableThroughputMode": "PAY_PER_REQUEST", **since},
        "DeletionProtectionEnabled": False,
    }


def test_a_protected_table_cannot_be_deleted() -> None:
    opened = Opened()
    opened.create(DeletionProtectionEnabled=True)

    message = opened.invalid("DeleteTable", {"TableName": NAME})

    assert message == (
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection "
        "first."
    )
    assert opened.describe()["TableStatus"] == "ACTIVE"


@pytest.mark.parametrize(
    ("delays", "done"), [({"create_table": 9}, "created"), ({"update_table": 9}, "updated")]
)
def test_an_updating_table_cannot_be_deleted(delays: dict[str, float], done: str) -> None:
    opened = Opened(**delays)
    opened.create()
    if done == "updated":
        opened.update(DeletionProtectionEnabled=False)

    assert opened.error_of("DeleteTable", {"TableName": NAME}) == (
        "ResourceInUseException",
        f"{IN_USE}Table is being {done}: {NAME}",
    )


def test_a_table_cannot_be_deleted_during_a_backfill() -> None:
    opened = Opened(backfill=9)
    opened.create()
    opened.update(
        AttributeDefinitions=defined("a"), GlobalSecondaryIndexUpdates=[{"Create": index("by-a", "a")}]
    )

    assert opened.error_of("DeleteTable", {"TableName": NAME}) == (
        "ResourceInUseException",
        f"{IN_USE}Cannot delete table while indexes are being created, updated, or deleted.",
    )


def test_without_delays_a_deleted_table_is_gone_by_the_next_call() -> None:
    opened = Opened()
    first = opened.create()
    opened.put(pk="1")

    delete(opened)

    assert opened.call("ListTables") == {"TableNames": []}
    assert opened.error_of("GetItem", {"TableName": NAME, "Key": {"pk": {"S": "1"}}})[0] == (
        "ResourceNotFoundException"
    )
    second = opened.create()
    assert second["TableId"] != first["TableId"]
    assert opened.describe()["ItemCount"] == 0


def test_a_table_is_deleting_for_the_delay_and_can_be_deleted_twice() -> None:
    opened = Opened(delete_table=5)
    opened.create()
    delete(opened)

    opened.clock.now += 4
    description = opened.describe()
    twice = delete(opened)
    update = opened.error_of("UpdateTable", {"TableName": NAME, "DeletionProtectionEnabled": True})
    create = opened.error_of(
        "CreateTable",
        {
            "TableName": NAME,
            "KeySchema": key("pk"),
            "AttributeDefinitions": defined("pk"),
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    get = opened.error_of("GetItem", {"TableName": NAME, "Key": {"pk": {"S": "1"}}})
    opened.clock.now += 1

    busy = ("ResourceInUseException", f"{IN_USE}Table is being deleted: {NAME}")
    assert description["TableStatus"] == twice["TableStatus"] == "DELETING"
    assert "KeySchema" not in description
    assert update == create == busy
    assert get == ("ResourceNotFoundException", "Requested resource not found")
    assert opened.call("ListTables") == {"TableNames": []}


def test_a_deleting_table_is_still_deleting_after_reopening() -> None:
    opened = Opened(delete_table=5)
    opened.create()
    delete(opened)

    assert opened.again().describe()["TableStatus"] == "DELETING"
    opened.clock.now += 5
    assert opened.again().call("ListTables") == {"TableNames": []}


def test_all_spaces_of_a_table_are_dropped() -> None:
    opened = Opened()
    opened.create(
        KeySchema=key("pk", "sk"),
        AttributeDefinitions=defined("pk", "sk", "a"),
        LocalSecondaryIndexes=[index("local", "pk", "a")],
        GlobalSecondaryIndexes=[index("global", "a")],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    )
    found = opened.catalogue.table(NAME)
    spaces = [found.layout.space, found.collection_space, found.change_space]
    spaces += [rows.space for rows in found.indexes.values()]

    delete(opened)
    # The stream can be read for a day.
    opened.clock.now += 24 * 3600
    opened.call("ListStreams")

    assert not found.exists
    for space in spaces:
        assert space is not None
        with pytest.raises(SpaceMissing):
            opened.storage.get(space, b"")


def test_a_deleted_table_leaves_no_note() -> None:
    for delay in (0.0, 5.0):
        opened = Opened(delete_table=delay)
        opened.create()
        delete(opened)
        opened.clock.now += delay

        opened.create(TableName="another")

        assert list(opened.storage.notes("table/")) == ["table/another"]


def test_a_disabled_stream_past_retention_is_dropped_with_its_table() -> None:
    opened = Opened()
    opened.create(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    space = opened.catalogue.table(NAME).change_space
    assert space is not None
    opened.update(StreamSpecification={"StreamEnabled": False})
    opened.clock.now += 24 * 3600

    delete(opened)

    assert opened.storage.notes("stream/") == {}
    with pytest.raises(SpaceMissing):
        opened.storage.get(space, b"")
