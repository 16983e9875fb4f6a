"""A comparison of two reviews, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pksk.pages import printable
from pksk.review.comparison import Comparison, CostChange, LoadChange, Row
from pksk.review.reports.markdown_report import plain_markdown
from pksk.review.reports.text_report import wrapped


def comparison_text(comparison: Comparison) -> str:
    """The comparison as plain text."""
    return printable("\n".join(_text_lines(comparison))) + "\n"


def _text_lines(comparison: Comparison) -> Iterator[str]:
    yield _summary(comparison)
    for title, findings in (("New:", comparison.new), ("Fixed:", comparison.fixed)):
        if findings:
            yield f"\n{title}"
        for each in findings:
            position = f"{each['file']}:{each['line']}: " if each["file"] else ""
            yield f"  {position}{each['severity']}: {each['subject']}  {each['rule']}"
            yield from wrapped(each["problem"], "    ", "    ")
            if findings is comparison.new and each["fix"]:
                yield from wrapped(f"Fix: {each['fix']}", "    ", "    ")
    for title, changes in _sections(comparison):
        yield f"\n{title}:"
        for change in changes:
            yield from wrapped(f"{change.name}: {change.text}", "  ", "    ")
    if comparison.partial:
        yield "\nRead in part:"
        for problem in comparison.partial:
            yield from (f"  {line}" for line in problem.splitlines())


def comparison_markdown(comparison: Comparison) -> str:
    """The comparison as Markdown, for a comment on a pull request."""
    return printable("\n".join(_markdown_lines(comparison))) + "\n"


def _markdown_lines(comparison: Comparison) -> Iterator[str]:
    yield f"**{plain_markdown(_summary(comparison))}**"
    for title, findings in (("New", comparison.new), ("Fixed", comparison.fixed)):
        if findings:
            yield f"\n### {title}\n"
        for each in findings:
            yield _markdown_finding(each, with_fix=findings is comparison.new)
    for title, changes in _sections(comparison):
        yield f"\n### {title}\n\n| | before | after |\n|---|---|---|"
        for change in changes:
            cells = (change.name, *change.text.split(" -> ", 1))
            yield f"| {' | '.join(map(plain_markdown, cells))} |"
    if comparison.partial:
        yield "\n### Read in part\n"
        for problem in comparison.partial:
            yield f"- {plain_markdown(problem)}"


def _markdown_finding(finding: Row, *, with_fix: bool) -> str:
    position = f" at {plain_markdown(finding['file'])}:{finding['line']}" if finding["file"] else ""
    fix = f" **Fix:** {plain_markdown(finding['fix'])}" if with_fix and finding["fix"] else ""
    name = plain_markdown(finding["subject"])
    problem = plain_markdown(finding["problem"])
    return f"- **{finding['severity']}**: {name} `{finding['rule']}`{position}: {problem}{fix}"


def _summary(comparison: Comparison) -> str:
    counts = f"{len(comparison.new)} new, {len(comparison.fixed)} fixed, {len(comparison.kept)} unchanged"
    return f"Compared with {comparison.old}: findings {counts}."


def _sections(comparison: Comparison) -> Iterator[tuple[str, Sequence[CostChange | LoadChange]]]:
    """What has changed, with its title."""
    least = ", as far as it is known" if comparison.at_least else ""
    if comparison.total.before != comparison.total.after:
        yield f"Cost of a month{least}", [comparison.total]
    if comparison.tables:
        yield "Cost of tables and indexes", comparison.tables
    if comparison.patterns:
        yield "Cost of access patterns, on demand", comparison.patterns
    if comparison.loads:
        yield "Units a second on the busiest key", comparison.loads
