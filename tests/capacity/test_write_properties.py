"""Properties of the cost of any write to any item and indexes."""

from __future__ import annotations

from hypothesis import given

from pksk.capacity import Cost, index_entry, write_cost
from pksk.schema import Index
from pksk.values import WireItem, item_from_wire
from tests.capacity.sample import images, items, varied

Image = WireItem | None


def index_arm(name: str, before: Image, after: Image) -> float:
    return write_cost(varied, before, after).charge_of("varied", name).write


@given(images, images)
def test_the_cost_of_an_index_follows_from_its_old_and_new_entry(before: Image, after: Image) -> None:
    for index in varied.indexes:
        removed, added = index_arm(index.name, before, None), index_arm(index.name, None, after)
        old, new = (_plain(image, index) for image in (before, after))
        moved = [old.get(name) for name in index.keys] != [new.get(name) for name in index.keys]
        expected = removed + added if moved else max(removed, added)

        assert index_arm(index.name, before, after) == (0 if old == new else expected)


@given(items)
def test_an_identical_write_costs_the_indexes_nothing(item: WireItem) -> None:
    rewritten = {name: _rewritten(value) for name, value in reversed(item.items())}
    cost = write_cost(varied, item, rewritten)

    assert [charge.index for charge in cost.charges] == [None]


@given(images, images)
def test_a_write_costs_as_much_as_its_reverse(before: Image, after: Image) -> None:
    assert write_cost(varied, before, after) == write_cost(varied, after, before)


@given(images, images)
def test_a_write_costs_at_least_one_unit_and_no_part_is_negative(before: Image, after: Image) -> None:
    cost = write_cost(varied, before, after)

    assert cost.charge_of("varied").write >= 1
    assert all(charge.write > 0 and charge.read == 0 for charge in cost.charges)


@given(images, images)
def test_a_transaction_adds_the_table_once_more(before: Image, after: Image) -> None:
    plain = write_cost(varied, before, after)

    assert write_cost(varied, before, after, transactional=True) == plain + Cost([plain.charge_of("varied")])


@given(items)
def test_an_entry_is_part_of_its_item_and_its_own_entry(item: WireItem) -> None:
    for index in varied.indexes:
        entry = index_entry(index, item)
        if entry is not None:
            assert {name: item[name] for name in entry} == entry
            assert index_entry(index, entry) == entry


def _plain(image: Image, index: Index) -> dict[str, object]:
    """The entry as Python values, which compare as DynamoDB's do; empty where there is none."""
    entry = None if image is None else index_entry(index, image)
    return {} if entry is None else item_from_wire(entry)


def _rewritten(value: dict[str, object]) -> dict[str, object]:
    if "SS" in value:
        return {"SS": value["SS"][::-1]}  # type: ignore[index]
    return {"N": f"{value['N']}.0"} if value.get("N") in {"1", "2"} else value
