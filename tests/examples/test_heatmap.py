"""The design of the heatmap: queries that it cannot serve, and mistakes that it rules out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from examples.heatmap.cells import Cell
from examples.heatmap.reports import Report, count
from pksk import between
from pksk.cells import CellArea
from tests.examples.example_requests import error_code

NOW = 1_735_689_600
ABINGDON = Report("gcpjfy6d", NOW, NOW, "192.000/000", active=True)

REJECTED: dict[str, tuple[str, Callable[[], object]]] = {
    "a cell of length 2, for which a partition has no room": (
        "operand-value",
        lambda: Cell.primary.get(cell="gc"),
    ),
    "a range of cells, which may be in several partitions": (
        "plan-partition-operator",
        lambda: Cell.primary(cell=between("gcpj0", "gcpjf")),
    ),
    "all cells of a size, without a partition": ("plan-missing-part", Cell.primary),
    "cells of a size that is not stored": ("cell-level", lambda: Cell.primary.inside(CellArea("g"), level=2)),
}


@pytest.mark.parametrize("what", REJECTED)
def test_a_query_that_no_key_can_serve_is_rejected(what: str) -> None:
    code, call = REJECTED[what]

    assert error_code(call) == code


def test_capital_letters_are_rejected() -> None:
    with pytest.raises(ValidationError):
        Cell(cell="GCPJFY6D", half=4050, expires=NOW)


def test_a_report_changes_one_cell_of_each_size() -> None:
    assert [each["Key"]["PK"]["S"] + each["Key"]["SK"]["S"] for each in changes(ABINGDON)] == [
        "ShCe#gcpjfy6d",
        "ShCe#gcpjfy6",
        "ShCe#gcpjfy",
        "ShCe#gcpjf",
        "ShCe#gcpj",
        "ShCe#gcp",
    ]


def test_only_the_smallest_cell_has_a_condition_for_the_first_report_of_the_day() -> None:
    conditions = [each["ConditionExpression"] for each in changes(ABINGDON)]

    assert ["Period" in names for names in conditions] == [True] + [False] * 5
    assert all("Half" in names for names in conditions)


def test_the_last_report_is_kept_in_the_two_smallest_cells() -> None:
    changed = [each["UpdateExpression"] for each in changes(ABINGDON)]

    assert ["LastReport" in names for names in changed] == [True] * 2 + [False] * 4


def test_a_report_from_elsewhere_changes_only_counters() -> None:
    far = Report("gcpjfy6d", NOW, NOW, "192.000/000", active=False)

    assert not any("LastReport" in each["UpdateExpression"] for each in changes(far))
    assert not any("Put" in each for each in count(far).request["TransactItems"])


def test_the_cells_of_a_cell_are_one_range() -> None:
    plan = Cell.children("gcpjf").cell_plan

    assert [query[:3] for query in plan.queries] == [("gcp", "jf0", "jfz")]
    assert len(plan.cover) == plan.cells == 32


def changes(report: Report) -> list[dict[str, Any]]:
    """The updates of cells that a report makes."""
    members = count(report).request["TransactItems"]
    updates = [each["Update"] for each in members if "Update" in each]
    return [each for each in updates if each["Key"]["PK"]["S"].startswith("ShCe#")]
