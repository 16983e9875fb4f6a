"""Every code of an error or of a rule has its explanation, and every explanation its code."""

from __future__ import annotations

import re
from collections import Counter

from pksk.review import RULES
from tests.project.codes import uses
from tests.project.tree import PACKAGE

HEADING = re.compile(r"^## (.+?)\s*$", re.MULTILINE)
CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def test_every_code_that_is_raised_has_an_explanation() -> None:
    assert sorted(_codes_raised() - set(_codes_explained())) == []


def test_every_explained_code_is_raised() -> None:
    assert sorted(set(_codes_explained()) - _codes_raised()) == []


def test_no_code_is_explained_twice() -> None:
    assert [code for code, times in Counter(_codes_explained()).items() if times > 1] == []


def test_every_explanation_ends_in_a_fix_and_indents_its_example() -> None:
    sections = [section for text in _texts() for section in text.split("\n## ")[1:]]

    assert [each.split("\n")[0] for each in sections if "\nFix: " not in each or "```" in each] == []


def test_codes_are_lower_case_words_joined_by_hyphens() -> None:
    assert [code for code in _codes_raised() if not CODE.fullmatch(code)] == []


def test_every_error_is_raised_with_a_literal_code() -> None:
    assert [use.place for use in uses() if not use.codes and not use.hands_on] == []


def _codes_explained() -> list[str]:
    headings = [heading for text in _texts() for heading in HEADING.findall(text)]
    return [*headings, *(rule.code for rule in RULES)]


def _texts() -> list[str]:
    return [path.read_text("utf-8") for path in sorted((PACKAGE / "explanations").glob("*.md"))]


def _codes_raised() -> set[str]:
    return {code for use in uses() for code in use.codes}
