"""Writes cost what was measured on AWS: the table, and the change of each index's entry."""

from __future__ import annotations

import pytest

from pksk.capacity import (
    Charge,
    Cost,
    batch_write_cost,
    check_cost,
    failed_condition_cost,
    index_entry,
    replay_cost,
    write_cost,
)
from pksk.errors import SchemaError
from pksk.schema import GSI, Table, VectorIndex
from pksk.values import WireItem, item_size
from tests.capacity.sample import KB, entry_of, item, item_of, measured, narrow, varied

Image = WireItem | None

BOTH = item(gsiPk="g", lsiSk="l", proj="p", other="o")
SET = BOTH | {"proj": {"SS": ["p", "q"]}}


def arms(cost: Cost, lsi: str = "lsi-all") -> tuple[float, float, float, float]:
    """All write units, and those of the table, the GSI and the LSI."""
    names = [None, "gsi-inc", lsi]
    table, *indexes = (cost.charge_of(cost.charges[0].table, name).write for name in names)
    return cost.write, table, indexes[0], indexes[1]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(None, item(gsiPk="g"), (2, 1, 1, 0), id="put only gsiPk"),
        pytest.param(None, item(), (1, 1, 0, 0), id="put neither"),
        pytest.param(None, item(lsiSk="l"), (2, 1, 0, 1), id="put only lsiSk"),
        pytest.param(None, BOTH, (3, 1, 1, 1), id="put both"),
        pytest.param(BOTH, BOTH, (1, 1, 0, 0), id="identical overwrite"),
        pytest.param(SET, SET | {"proj": {"SS": ["q", "p"]}}, (1, 1, 0, 0), id="set re-ordered"),
        pytest.param(SET, SET | {"proj": {"SS": ["p", "r"]}}, (3, 1, 1, 1), id="set member changed"),
        pytest.param(BOTH, BOTH | {"other": {"S": "n"}}, (2, 1, 0, 1), id="update other"),
        pytest.param(BOTH, BOTH | {"proj": {"S": "n"}}, (3, 1, 1, 1), id="update proj"),
        pytest.param(BOTH, BOTH | {"gsiPk": {"S": "h"}}, (4, 1, 2, 1), id="move gsiPk"),
        pytest.param(BOTH, item(lsiSk="l", proj="p", other="o"), (3, 1, 1, 1), id="remove gsiPk"),
        pytest.param(BOTH, BOTH | {"lsiSk": {"S": "m"}}, (3, 1, 0, 2), id="move lsiSk"),
        pytest.param(BOTH, None, (3, 1, 1, 1), id="delete in both"),
        pytest.param(item(), None, (1, 1, 0, 0), id="delete in none"),
        pytest.param(None, None, (1, 1, 0, 0), id="delete missing"),
    ],
)
def test_a_write_is_charged_to_the_table_and_to_each_entry_that_it_changes(
    before: Image, after: Image, expected: tuple[float, ...]
) -> None:
    assert arms(write_cost(measured, before, after)) == expected


@pytest.mark.parametrize("key", ["gsiPk", "lsiSk"])
@pytest.mark.parametrize(
    ("before", "after", "moved", "units"),
    [
        pytest.param(3017, 18, False, 3, id="shrinks in place"),
        pytest.param(18, 3020, False, 3, id="grows in place"),
        pytest.param(1517, 1517, True, 4, id="key move"),
        pytest.param(3017, 18, True, 4, id="key move and shrinks"),
        pytest.param(3017, None, False, 3, id="delete"),
        pytest.param(None, 1025, False, 2, id="insert"),
        pytest.param(None, 1024, False, 1, id="insert of a full unit"),
    ],
)
def test_an_index_is_charged_by_the_size_of_its_entries(
    key: str, before: int | None, after: int | None, moved: bool, units: float
) -> None:
    old = None if before is None else entry_of(before, key)
    new = None if after is None else entry_of(after, key, "h" if moved else "g")
    index = {"gsiPk": "gsi-inc", "lsiSk": "lsi-inc"}[key]

    assert write_cost(narrow, old, new).charge_of("narrow", index).write == units


def test_an_entry_that_changes_and_keeps_its_size_is_charged_once() -> None:
    old = entry_of(1517)
    new = old | {"proj": {"S": "y" * len(old["proj"]["S"])}}

    assert item_size(new) == 1517
    assert arms(write_cost(narrow, old, new), "lsi-inc") == (4, 2, 2, 0)


def test_a_large_item_with_a_small_entry_costs_the_index_little() -> None:
    large = item_of(3023, entry_of(18))

    assert (item_size(large), item_size(index_entry(narrow.index("gsi-inc"), large) or {})) == (3023, 18)
    assert arms(write_cost(narrow, None, large), "lsi-inc") == (4, 3, 1, 0)


def test_the_table_is_charged_by_the_larger_image() -> None:
    assert arms(write_cost(measured, item_of(2017), item_of(117))) == (2, 2, 0, 0)
    assert arms(write_cost(measured, item_of(117), item_of(2017))) == (2, 2, 0, 0)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(None, item(gsiPk="g"), (3, 2, 1, 0), id="put gsi member"),
        pytest.param(None, BOTH, (4, 2, 1, 1), id="put both"),
        pytest.param(BOTH, BOTH, (2, 2, 0, 0), id="identical"),
        pytest.param(BOTH, BOTH | {"other": {"S": "n"}}, (3, 2, 0, 1), id="update outside projection"),
        pytest.param(BOTH, BOTH | {"gsiPk": {"S": "h"}}, (5, 2, 2, 1), id="move gsiPk"),
        pytest.param(BOTH, None, (4, 2, 1, 1), id="delete both"),
        pytest.param(entry_of(3 * KB), None, (9, 6, 3, 0), id="delete 3 KB item"),
        pytest.param(item_of(3 * KB), item(), (6, 6, 0, 0), id="shrinking put of 3 KB"),
        pytest.param(entry_of(1536), entry_of(1536, value="h"), (8, 4, 4, 0), id="key move of 1.5 KB"),
        pytest.param(None, None, (2, 2, 0, 0), id="delete missing"),
        pytest.param(item_of(9 * KB), None, (18, 18, 0, 0), id="delete 9 KB item"),
        pytest.param(None, item_of(1536), (4, 4, 0, 0), id="put 1.5 KB"),
    ],
)
def test_a_transaction_doubles_the_table_and_not_its_indexes(
    before: Image, after: Image, expected: tuple[float, ...]
) -> None:
    assert arms(write_cost(measured, before, after, transactional=True)) == expected


@pytest.mark.parametrize(("checked", "units"), [(BOTH, 2), (None, 2), (item_of(3 * KB), 6)])
def test_a_condition_check_is_charged_as_twice_the_write_of_what_it_reads(
    checked: Image, units: float
) -> None:
    assert check_cost(measured, checked) == Cost([Charge("measured", write=units)])


@pytest.mark.parametrize(
    ("before", "after", "units"),
    [(item_of(9 * KB), None, 6), (None, item_of(1536), 2), (item_of(5 * KB), item(), 4), (None, None, 2)],
)
def test_a_replay_is_charged_as_a_read_of_the_larger_image(before: Image, after: Image, units: float) -> None:
    assert replay_cost(measured, before, after) == Cost([Charge("measured", read=units)])


def test_a_batch_is_charged_item_by_item() -> None:
    changes = [(None, item_of(500)), (None, item_of(int(3.5 * KB))), (BOTH, None)]
    cost = batch_write_cost(measured, changes)

    assert arms(cost) == (8, 6, 1, 1)
    assert cost == sum((write_cost(measured, *images) for images in changes), Cost())
    assert batch_write_cost(measured, []) == Cost()


@pytest.mark.parametrize(
    ("before", "after", "units"),
    [(item_of(3 * KB), item(), 3), (item(), item_of(3 * KB), 3), (None, item(), 1), (None, None, 1)],
)
def test_a_failed_condition_is_charged_at_most_the_larger_image(
    before: Image, after: Image, units: float
) -> None:
    assert failed_condition_cost(measured, before, after) == Cost(
        [Charge("measured", write=units)], at_most=True
    )


FOUR = item(one="1", two="2", other="o") | {"number": {"N": "5"}}


@pytest.mark.parametrize("missing", ["one", "two", "number", "other"])
def test_an_index_of_several_attributes_needs_all_of_them(missing: str) -> None:
    index = varied.index("gsi-four")

    assert index_entry(index, FOUR) == FOUR
    assert index_entry(index, {name: value for name, value in FOUR.items() if name != missing}) is None


@pytest.mark.parametrize(
    "number", [{"S": "5"}, {"NULL": True}, {"L": []}, {"NS": ["5"]}], ids=["S", "NULL", "L", "NS"]
)
def test_a_key_of_another_type_is_not_in_the_index(number: dict[str, object]) -> None:
    assert index_entry(varied.index("gsi-four"), FOUR | {"number": number}) is None


def test_an_empty_key_is_not_in_the_index() -> None:
    assert index_entry(varied.index("gsi-all"), item(one="")) is None


def test_a_number_written_otherwise_is_the_same_key() -> None:
    rewritten = FOUR | {"number": {"N": "5.0"}}

    assert write_cost(varied, FOUR, rewritten) == Cost([Charge("varied", write=1)])


def test_a_vector_index_adds_no_write_units() -> None:
    notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=300)])
    vector = item() | {"v": {"L": [{"N": "0.1234567890123456789"}] * 300}}

    # 1,200 bytes, and not the 3,603 of the list as it is.
    assert write_cost(notes, None, vector) == Cost([Charge("notes", write=2)])
    assert write_cost(Table("notes"), None, vector) == Cost([Charge("notes", write=4)])


def test_a_list_that_is_not_a_vector_of_the_index_counts_as_a_list() -> None:
    notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=3)])

    for value in ({"L": [{"N": "1"}] * 2}, {"S": "abc"}):
        odd = item() | {"v": value}
        assert write_cost(notes, None, odd) == write_cost(Table("notes"), None, odd)


def test_an_entry_of_a_missing_index_raises() -> None:
    with pytest.raises(SchemaError, match=r"pass table\.index") as alone:
        index_entry(GSI("by-day", pk="day"), item(day="x"))
    with pytest.raises(SchemaError, match="not billed in capacity units") as vector:
        index_entry(VectorIndex("near", attribute="v", dimensions=3), item())

    assert (alone.value.code, vector.value.code) == ("cost-index-alone", "cost-vector-index")
