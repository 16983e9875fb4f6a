"""Every operation has tests of its own, in a file with its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.tree import PACKAGE

HERE = Path(__file__).parent
OPERATIONS = sorted(
    path.stem for path in (PACKAGE / "engine" / "operations").glob("*.py") if path.stem != "__init__"
)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_has_a_test_file_of_its_own(operation: str) -> None:
    assert list(HERE.glob(f"test_{operation}*.py")) != []
