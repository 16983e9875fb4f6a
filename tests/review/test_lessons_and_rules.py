"""The page that maps lessons to rules: every code on it exists, and no rule about designs is missing."""

from __future__ import annotations

import re
from pathlib import Path

from pksk.cli.explain import explanations

PAGE = Path("docs/lessons-and-rules.md").read_text("utf-8")
# In the right column, everything with a hyphen is a code; single words are not.
CODES = re.compile(r"`([a-z]+(?:-[a-z]+)+|scan)`")


def codes() -> set[str]:
    cells = [line.rstrip("|").rpartition("|")[2] for line in PAGE.splitlines() if line.startswith("|")]
    return {code for cell in cells for code in CODES.findall(cell)}


def test_every_code_on_the_page_is_that_of_a_rule_or_an_error() -> None:
    found = codes()

    assert len(found) > 50
    assert sorted(found - explanations().keys()) == []


def test_every_row_says_what_the_software_does_or_that_it_does_nothing() -> None:
    rows = [line for line in PAGE.splitlines() if re.match(r"\| (?!-)", line)]

    assert len(rows) > 80
    assert [row for row in rows if len(row.strip("| ").split(" | ")) != 2] == []
