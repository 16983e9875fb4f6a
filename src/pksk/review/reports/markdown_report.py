"""A review as Markdown, for pull requests and wikis."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pksk.pages import printable
from pksk.review.measuring.measurement_text import measurement_lines
from pksk.review.reports.text_report import position_text, summary
from pksk.review.review import Review
from pksk.review.rule import Finding

_MARKS = {"error": "🔴 error", "warning": "🟠 warning", "info": "🔵 info"}
_SPECIAL = str.maketrans({each: f"\\{each}" for each in "\\`*_[]<>|#&"})


def markdown_report(review: Review) -> str:
    """The whole review as Markdown."""
    return printable("\n".join(_lines(review))) + "\n"


def _lines(review: Review) -> Iterator[str]:
    yield f"**{summary(review)}**"
    for problem in review.partial:
        yield f"\n**Read in part:** {plain_markdown(problem)}"
    for finding in review.findings:
        yield ""
        yield from _finding(finding)
    if review.design.measured is not None:
        yield "\n### Measured"
        yield from _fenced("\n".join(measurement_lines(review.design.measured)), "text")
    if review.accepted:
        yield "\n### Accepted\n"
        for each in review.accepted:
            name, reason = plain_markdown(each.finding.subject.name), plain_markdown(each.reason)
            yield f"- {name}: `{each.finding.rule}`, because: {reason}"
    if review.not_reviewed:
        yield "\n### Not reviewed, because the design does not declare\n"
        for figure, subjects in review.not_reviewed:
            yield f"- {plain_markdown(figure)}: {plain_markdown(', '.join(subjects))}"


def _finding(finding: Finding) -> Iterator[str]:
    certain = "" if finding.certain else ", likely"
    yield f"### {_MARKS[finding.severity]}{certain}: {plain_markdown(finding.subject.name)}"
    yield ""
    where = position_text(finding).removesuffix(": ")
    yield f"`{finding.rule}`{f' at `{where}`' if where else ''}"
    yield ""
    yield plain_markdown(finding.sentence)
    yield ""
    yield from (f"- {plain_markdown(each)}" for each in finding.evidence)
    if finding.fix:
        yield f"\n**Fix:** {plain_markdown(finding.fix)}"
    if finding.change:
        yield from _fenced(finding.change.diff, "diff")


def _fenced(text: str, language: str) -> Iterator[str]:
    """A code block, in a fence that is longer than any in the text."""
    longest = max(map(len, re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    yield f"\n{fence}{language}\n{text.rstrip()}\n{fence}"


def plain_markdown(text: str) -> str:
    """Text on one line, with escapes for what Markdown would read as markup."""
    # Code hosts make a link of any address.
    return " ".join(text.split()).translate(_SPECIAL).replace("://", "\\://")
