"""The reference says what the code says."""

from __future__ import annotations

import pytest

import pksk
from tests.project.reference.pages import FOLDER, pages

MADE = pages()


@pytest.mark.parametrize("name", MADE)
def test_a_page_of_the_reference_is_as_the_code_is(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == MADE[name], "make reference writes it anew"


def test_the_reference_has_every_name_that_is_exported() -> None:
    missing = [name for name in pksk.__all__ if f"### {name}\n" not in MADE["api.md"]]

    assert missing == ["__version__"]


def test_there_is_no_page_that_nothing_makes() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(MADE)
