"""What `ensure_tables` takes away only where it is told to."""

from __future__ import annotations

import pytest

from pksk import GSI, Store, Table, TableDiffers, connect

BY_DAY = GSI("by-day", pk="day")


def _made(table: Table) -> Store:
    db = connect("memory:")
    db.create_tables(table)
    return db


def test_a_stream_that_is_not_declared_stays() -> None:
    with _made(Table("shop", stream=True)) as db:
        done = db.ensure_tables(Table("shop"))
        described = db.client.call("DescribeTable", {"TableName": "shop"})["Table"]

    assert (done, described["StreamSpecification"]["StreamEnabled"]) == ([], True)


def test_a_stream_that_is_not_declared_goes_where_it_may() -> None:
    with _made(Table("shop", stream=True)) as db:
        done = db.ensure_tables(Table("shop"), destructive=True)

    assert done == ["table 'shop': switch the stream of 'NEW_AND_OLD_IMAGES' off"]


@pytest.mark.parametrize(
    ("there", "declared"),
    [
        (Table("shop", indexes=[BY_DAY]), Table("shop", indexes=[GSI("by-day", pk="other")])),
        (
            Table("shop", indexes=[BY_DAY]),
            Table("shop", indexes=[GSI("by-day", pk="day", projection="keys")]),
        ),
        (Table("shop", stream=True), Table("shop", stream="KEYS_ONLY")),
    ],
)
def test_what_must_be_made_again_is_refused_unless_it_may_go(there: Table, declared: Table) -> None:
    with _made(there) as db:
        before = db.client.call("DescribeTable", {"TableName": "shop"})
        with pytest.raises(TableDiffers, match="destructive=True"):
            db.ensure_tables(Table("other"), declared)
        after = db.client.call("DescribeTable", {"TableName": "shop"})
        made = db.client.call("ListTables", {})["TableNames"]
        done = db.ensure_tables(declared, destructive=True)

        assert (before, made) == (after, ["shop"])
        assert len(done) == 2
        assert db.ensure_tables(declared) == []
