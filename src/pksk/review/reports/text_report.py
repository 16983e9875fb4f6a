"""A review as text: findings with their lines, evidence and fixes, then what was accepted and not reviewed."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from pksk.pages import printable
from pksk.review.measuring.measurement_text import measurement_lines
from pksk.review.review import Review
from pksk.review.rule import SEVERITIES, Finding
from pksk.review.source_lines import relative_file

_WIDTH = 100


def text_report(review: Review) -> str:
    """The whole review as plain text."""
    return printable("\n".join(_lines(review))) + "\n"


def _lines(review: Review) -> Iterator[str]:
    for finding in review.findings:
        yield from finding_lines(finding)
        yield ""
    yield summary(review)
    if review.design.measured is not None:
        yield "\nMeasured:"
        yield from (f"  {line}" for line in measurement_lines(review.design.measured))
    if review.partial:
        yield "\nRead in part:"
        for problem in review.partial:
            yield from (f"  {line}" for line in problem.splitlines())
    if review.accepted:
        yield "\nAccepted:"
        for each in review.accepted:
            yield f"  {each.finding.subject.name}: {each.finding.rule}, because: {each.reason}"
    if review.not_reviewed:
        yield "\nNot reviewed, because the design does not declare:"
        for figure, subjects in review.not_reviewed:
            yield from wrapped(f"{figure}: {', '.join(subjects)}", "  ", "    ")


def finding_lines(finding: Finding) -> Iterator[str]:
    """One finding: its position and rule, the problem, the evidence, and the fix."""
    certain = "" if finding.certain else " (likely)"
    yield f"{position_text(finding)}{finding.severity}{certain}: {finding.subject.name}  {finding.rule}"
    yield from wrapped(finding.sentence, "  ", "  ")
    for each in finding.evidence:
        yield from wrapped(each, "    ", "      ")
    if finding.fix:
        yield from wrapped(f"Fix: {finding.fix}", "  ", "  ")
    if finding.change:
        yield from (f"    {line}".rstrip() for line in finding.change.diff.splitlines())


def position_text(finding: Finding) -> str:
    """The file and line of a finding, as editors understand them."""
    lines = finding.subject.lines
    return f"{relative_file(lines.file)}:{lines.first}: " if lines else ""


def summary(review: Review) -> str:
    """How many findings there are, of how much."""
    design = review.design
    counts = [_count(review.count(severity), severity) for severity in SEVERITIES if review.count(severity)]
    text = ", ".join(counts) if counts else "No findings"
    entities, patterns = len(list(design.entities)), len(design.uses)
    return f"{text} in {_count(entities, 'entity')} and {_count(patterns, 'access pattern')}."


def _count(number: int, what: str) -> str:
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number:,} {what if number == 1 or what == 'info' else plural}"


def wrapped(text: str, first: str, others: str) -> list[str]:
    """A text in lines, with these indents."""
    return wrap(text, _WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False)
