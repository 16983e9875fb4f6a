"""Reports as text and Markdown: what they print, and that texts of authors cannot change them."""

from __future__ import annotations

import re

import pytest

from pksk.review.reports.markdown_report import markdown_report
from pksk.review.reports.text_report import text_report
from tests.review.designs import review_of
from tests.review.hostile import HOSTILE


@pytest.mark.parametrize("report", [text_report, markdown_report])
def test_control_characters_of_a_design_are_escaped(report: object) -> None:
    assert callable(report)
    text = report(review_of(HOSTILE))

    assert "\\x1b[31m" in text
    assert text.replace("\n", "").isprintable()


def test_markup_of_a_design_is_text_in_markdown() -> None:
    text = markdown_report(review_of(HOSTILE))
    outside = re.sub(r"^(`{3,})diff\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    outside = re.sub(r"`[^`\n]*`", "", outside.replace("\\`", ""))

    assert "onclick" in text
    assert not re.search(r"(?<!\\)[<\[*_|&]|\w://", outside.replace("**", ""))


def test_a_diff_cannot_end_its_code_block() -> None:
    text = markdown_report(review_of(HOSTILE))

    assert text.count("\n````diff\n") == text.count("\n````\n") == 1


def test_text_and_markdown_show_the_diff_below_the_fix() -> None:
    found = review_of(HOSTILE)
    changed = [each for each in found.findings if each.change]

    assert changed
    for finding in changed:
        assert finding.change is not None
        added = [line for line in finding.change.diff.splitlines() if line.startswith("+ ")]
        assert added[0] in text_report(found)
        assert f"\n{added[0]}" in markdown_report(found)
