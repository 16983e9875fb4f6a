"""The heat of several engines as one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pksk.engine import Engine, Heat
from pksk.engine.heat.collect_heat import merge_heat
from tests.engine.operations.shop import Shop


def _gets(*keys: str) -> Heat:
    shop = Shop()
    for key in keys:
        shop.call("GetItem", TableName="orders", Key={"pk": {"S": key}, "sk": {"S": "1"}})
    return shop.engine.heat()


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=4))
def test_calls_on_several_engines_are_those_of_one(calls: list[list[str]]) -> None:
    together = merge_heat([_gets(*keys) for keys in calls]).tables["orders"]
    alone = _gets(*(key for keys in calls for key in keys)).tables["orders"]

    assert (together.reads.units, together.reads.calls) == (alone.reads.units, alone.reads.calls)
    assert {str(each) for each in together.reads.keys} == {str(each) for each in alone.reads.keys}
    assert together.partitions == alone.partitions
    assert (together.reads.top_share, together.reads.error) == (alone.reads.top_share, 0.0)


def test_merging_one_heat_does_not_change_it() -> None:
    heat = _gets("a", "a", "b")

    assert merge_heat([heat]).to_dict() == heat.to_dict()


def test_merging_no_heats_is_empty() -> None:
    assert merge_heat([]) == Heat({})
    assert str(merge_heat([Engine.open().heat()])) == "no calls"


def test_merged_lists_have_the_hottest_keys_up_to_the_limit() -> None:
    heat = merge_heat([_gets("a", "b", "b"), _gets("a", "a", "c")], keys=2)

    assert [(each.key["pk"]["S"], each.units) for each in heat.tables["orders"].reads.keys] == [
        ("a", 1.5),
        ("b", 1.0),
    ]


def test_keys_that_may_be_cut_off_count_as_error() -> None:
    long = _gets(*(f"{number:03}" for number in range(150)))

    assert merge_heat([long]).tables["orders"].reads.error == 0.0
    assert merge_heat([long, _gets("000")]).tables["orders"].reads.error == 0.5


def test_scans_and_indexes_and_skew_are_merged_too() -> None:
    shops = [Shop(), Shop()]
    for shop in shops:
        shop.call("Scan", TableName="orders")
        shop.call("Scan", TableName="orders", IndexName="gsi-inc")
        for _ in range(50):
            shop.call("PutItem", TableName="orders", Item={"pk": {"S": "7"}, "sk": {"S": "1"}})
    table = merge_heat([shop.engine.heat() for shop in shops]).tables["orders"]

    assert (table.scans.calls, table.indexes["gsi-inc"].scans.calls) == (2, 2)
    assert table.writes.skew == shops[0].engine.heat().tables["orders"].writes.skew > 1
