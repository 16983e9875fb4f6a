"""Every error code in the source has its explanation, and every explanation its code."""

from __future__ import annotations

import re
from collections import Counter

from tests.project.codes import uses
from tests.project.tree import PACKAGE

HEADING = re.compile(r"^## (.+?)\s*$", re.MULTILINE)
CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def test_every_code_that_is_raised_has_an_explanation() -> None:
    assert sorted(_codes_raised() - set(_codes_explained())) == []


def test_every_explanation_is_of_a_code_that_is_raised() -> None:
    assert sorted(set(_codes_explained()) - _codes_raised()) == []


def test_no_code_is_explained_twice() -> None:
    assert [code for code, times in Counter(_codes_explained()).items() if times > 1] == []


def test_codes_are_lower_case_words_joined_by_hyphens() -> None:
    assert [code for code in _codes_raised() if not CODE.fullmatch(code)] == []


def test_every_error_is_made_with_its_code_written_out() -> None:
    assert [use.place for use in uses() if not use.codes and not use.hands_on] == []


def _codes_explained() -> list[str]:
    texts = (path.read_text("utf-8") for path in sorted((PACKAGE / "explanations").glob("*.md")))
    return [heading for text in texts for heading in HEADING.findall(text)]


def _codes_raised() -> set[str]:
    return {code for use in uses() for code in use.codes}
