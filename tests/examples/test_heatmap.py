"""What the design of the heatmap cannot answer, and what it must not get wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import ValidationError

from examples.heatmap.cells import Cell
from examples.heatmap.reports import report
from pksk import PkskError, between

NOW, DAY_BEGAN = 1_735_689_600, 1_735_668_000

REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "a cell of length 2, for which a partition has no room": (
        "field-value",
        lambda: Cell.primary.get(prefix="", suffix="gc"),
    ),
    "a range over several partitions, which the caller must take apart": (
        "plan-partition-operator",
        lambda: Cell.primary(prefix=between("gcpja", "gcpjf")),
    ),
    "all cells of a size, without a partition": ("plan-missing-part", lambda: Cell.primary(suffix="y6d")),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_no_key_can_answer_is_refused(what: str) -> None:
    code, call = REFUSED[what]

    with pytest.raises(PkskError) as refused:
        call()

    assert refused.value.code == code


def test_capital_letters_are_no_cell() -> None:
    with pytest.raises(ValidationError):
        Cell(prefix="GCPJF", suffix="Y6D", expires=NOW)


def test_a_report_changes_one_cell_of_each_size() -> None:
    members = report("gcpjfy6d", "first_half_days", NOW, DAY_BEGAN).request["TransactItems"]

    assert sorted(each["Update"]["Key"]["PK"]["S"] for each in members) == [
        "ShCe#",
        "ShCe#g",
        "ShCe#gc",
        "ShCe#gcp",
        "ShCe#gcpj",
        "ShCe#gcpjf",
    ]


def test_only_the_smallest_cell_asks_whether_this_is_the_first_report_of_the_day() -> None:
    members = report("gcpjfy6d", "first_half_days", NOW, DAY_BEGAN).request["TransactItems"]

    assert ["ConditionExpression" in each["Update"] for each in members] == [True] + [False] * 5


def test_the_last_report_is_kept_in_the_two_smallest_cells() -> None:
    members = report("gcpjfy6d", "first_half_days", NOW, DAY_BEGAN).request["TransactItems"]

    assert ["LastReport" in each["Update"]["UpdateExpression"] for each in members] == [True] * 2 + [
        False
    ] * 4


def test_ranges_of_a_partition_are_exact() -> None:
    plan = Cell.medium("gcpjf", "w00", "wzz").plan

    assert plan.exact
    assert plan.leftover == ()
