"""The command `pksk check`: reviews a design, and fails where its keys will."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from pksk.cli.commands import Choice, command, complete_file
from pksk.cli.old_design import old_review
from pksk.cli.output import as_json, json_option
from pksk.cli.reviewed import reviewed
from pksk.review import Comparison, Review, Severity, compare
from pksk.review.baseline import without_baseline, write_baseline
from pksk.review.reports.comparison_report import comparison_markdown, comparison_text
from pksk.review.reports.diff_report import diff_report
from pksk.review.reports.html_report import html_report
from pksk.review.reports.markdown_report import markdown_report
from pksk.review.reports.sarif_report import sarif_report
from pksk.review.reports.text_report import text_report
from pksk.review.rule import SEVERITIES

# Each format with the function that writes a review in it, with or without the key values of items.
FORMATS: Mapping[str, Callable[[Review, bool], str]] = {
    "text": lambda review, _: text_report(review),
    "markdown": lambda review, _: markdown_report(review),
    "json": lambda review, _: f"{as_json(review.data())}\n",
    "html": lambda review, show: html_report(review, show_values=show),
    "diff": lambda review, _: diff_report(review),
    "sarif": lambda review, show: f"{as_json(sarif_report(review, show_values=show))}\n",
}

COMPARISON_FORMATS: Mapping[str, Callable[[Comparison], str]] = {
    "text": comparison_text,
    "markdown": comparison_markdown,
    "json": lambda comparison: f"{as_json(comparison.data())}\n",
}

# The exit code if a TARGET could not be read, as for wrong input of all commands.
_UNREAD = 2


@command(
    "pksk check shop/shop.py",
    "pksk check shop/shop.py --fail-on warning",
    "pksk check shop/shop.py --format sarif",
    "pksk check shop/shop.py --format diff | git apply --allow-empty",
)
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True, shell_complete=complete_file)
@click.option(
    "--format",
    "form",
    type=Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="The output format; code hosts read SARIF, and git apply reads the fixes of a diff.",
)
@click.option(
    "--fail-on",
    "fail_on",
    type=Choice([*SEVERITIES, "never"]),
    default="error",
    show_default=True,
    help="The least severity of a finding that makes the exit code 1.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 also if something could not be reviewed.")
@click.option(
    "--traffic", metavar="FILE", shell_complete=complete_file, help="A trace of an engine, as evidence."
)
@click.option("--measure", is_flag=True, help="Run every access pattern on generated items, as evidence.")
@click.option("--items", metavar="NAME", help="Measure on the entities in this list of a TARGET.")
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Report only what is not in this baseline.",
)
@click.option(
    "--write-baseline",
    "write_baseline_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the findings to a baseline, and exit with 0.",
)
@click.option(
    "--compare",
    "old",
    metavar="OLD",
    help="Print what has changed since OLD: a file, a package or a git revision, such as main.",
)
@click.option(
    "--show-values", "show_values", is_flag=True, help="Show key values of items in HTML and SARIF too."
)
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    /,
    targets: tuple[str, ...],
    *,
    form: str,
    baseline: Path | None,
    write_baseline_to: Path | None,
    wants_json: bool,
    **options: Any,
) -> None:
    """Review a design: hot partition keys, scans, indexes that cost and serve nothing.

    Every TARGET is a module, a file or a package folder; several are reviewed as one system. A review needs the
    numbers that the design declares, and lists those that it lacks. It imports the design, and so runs its code.
    If one of several TARGETs cannot be imported, the others are reviewed, and the exit code is 2.
    A comment beside a declaration accepts a finding: # pksk: accept RULE: the reason. With --compare, the exit code
    is 1 if there are new findings.
    """
    form = "json" if wants_json else form
    ctx.params["wants_json"] = form == "json"  # for errors
    is_measured = options["measure"] or options["items"] is not None
    if is_measured and options["old"] is not None:
        raise click.UsageError(
            "--compare compares designs as they are declared, and not what --measure finds.", ctx
        )
    result = reviewed(targets, traffic=options["traffic"], measure=options["measure"], items=options["items"])
    if baseline is not None:
        result = without_baseline(result, baseline)
    if write_baseline_to is not None:
        write_baseline(result, write_baseline_to)
    if options["old"] is not None:
        fails = _compare(ctx, result, targets, form, options)
    else:
        click.echo(FORMATS[form](result, options["show_values"]), nl=False)
        fails = write_baseline_to is None and _fails(result, options["fail_on"], strict=options["strict"])
    if result.unread:
        ctx.exit(_UNREAD)
    if fails:
        ctx.exit(1)


def _compare(
    ctx: click.Context, result: Review, targets: Sequence[str], form: str, options: Mapping[str, Any]
) -> bool:
    """Print what has changed; returns whether there are new findings."""
    if form not in COMPARISON_FORMATS:
        raise click.UsageError(f"--compare prints {', '.join(COMPARISON_FORMATS)}, and not {form}.", ctx)
    old = old_review(options["old"], targets, traffic=options["traffic"])
    comparison = compare(old, result, name=options["old"])
    click.echo(COMPARISON_FORMATS[form](comparison), nl=False)
    severity = _severity(options["fail_on"])
    return severity is not None and comparison.fails(severity)


def _severity(text: str) -> Severity | None:
    return next((each for each in SEVERITIES if each == text), None)


def _fails(result: Review, fail_on: str, *, strict: bool) -> bool:
    severity = _severity(fail_on)
    incomplete = bool(result.not_reviewed or result.partial)
    return (severity is not None and result.fails(severity)) or (strict and incomplete)
