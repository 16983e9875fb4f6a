"""ListTables: names in order, in pages."""

from __future__ import annotations

import pytest

from tests.engine.state.catalogues import Opened


def named(*names: str) -> Opened:
    opened = Opened()
    for name in names:
        opened.create(TableName=name)
    return opened


def test_a_new_engine_has_no_tables() -> None:
    assert Opened().call("ListTables") == {"TableNames": []}


def test_names_are_sorted_by_their_bytes() -> None:
    opened = named("bbb", "Zzz", "aaa", "a.b", "a-b", "a_b")

    assert opened.call("ListTables")["TableNames"] == ["Zzz", "a-b", "a.b", "a_b", "aaa", "bbb"]


def test_only_the_last_page_has_no_last_evaluated_key() -> None:
    opened = named("aaa", "bbb", "ccc")

    first = opened.call("ListTables", {"Limit": 2})
    second = opened.call(
        "ListTables", {"Limit": 2, "ExclusiveStartTableName": first["LastEvaluatedTableName"]}
    )

    assert first == {"TableNames": ["aaa", "bbb"], "LastEvaluatedTableName": "bbb"}
    assert second == {"TableNames": ["ccc"]}
    assert opened.call("ListTables", {"Limit": 3}) == {"TableNames": ["aaa", "bbb", "ccc"]}


def test_a_page_can_start_after_a_missing_table() -> None:
    opened = named("aaa", "ccc")

    assert opened.call("ListTables", {"ExclusiveStartTableName": "bbb"}) == {"TableNames": ["ccc"]}
    assert opened.call("ListTables", {"ExclusiveStartTableName": "zzz"}) == {"TableNames": []}


def test_a_page_without_a_limit_has_100_names() -> None:
    opened = named(*(f"table-{number:03}" for number in range(101)))

    page = opened.call("ListTables")

    assert len(page["TableNames"]) == 100
    assert page["LastEvaluatedTableName"] == "table-099"


@pytest.mark.parametrize("limit", [0, 101, -1])
def test_a_limit_is_between_one_and_a_hundred(limit: int) -> None:
    assert "at 'limit' failed to satisfy constraint" in Opened().invalid("ListTables", {"Limit": limit})


def test_tables_in_every_state_are_listed() -> None:
    opened = Opened(create_table=5, delete_table=5)
    opened.create(TableName="leaving")
    opened.clock.now += 5
    opened.call("DeleteTable", {"TableName": "leaving"})
    opened.create(TableName="coming")

    assert opened.call("ListTables")["TableNames"] == ["coming", "leaving"]
