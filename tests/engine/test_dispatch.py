"""The table of control-plane operations, by which `dispatch` finds a function without importing it."""

from __future__ import annotations

import re

from pksk.engine.dispatch import CONTROL_PLANE, WRITES
from pksk.engine.request import OPERATIONS
from tests.project.tree import PACKAGE

LISTED = [name for names in CONTROL_PLANE.values() for name in names.split()]


def test_every_operation_is_in_the_table_or_has_a_module_of_its_own() -> None:
    modules = {path.stem for path in (PACKAGE / "engine" / "operations").glob("[a-z]*.py")}

    assert sorted([*map(snake_case, LISTED), *modules]) == sorted(map(snake_case, OPERATIONS))


def test_the_operations_that_can_write_items_have_modules_of_their_own() -> None:
    assert OPERATIONS >= WRITES
    assert WRITES.isdisjoint(LISTED)


def snake_case(operation: str) -> str:
    """The name of an operation's function."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", operation).lower()
