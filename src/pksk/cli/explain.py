"""The command `pksk explain`, and the explanations of error codes."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import click
from click.shell_completion import CompletionItem

from pksk.cli.commands import command
from pksk.cli.output import json_option, on_terminal, print_json, print_pairs
from pksk.errors import InvalidValue, did_you_mean, quote
from pksk.review.rules import RULES

_HEADING = re.compile(r"^## (?P<code>\S+)[ \t]*$", re.MULTILINE)


@cache
def explanations() -> dict[str, str]:
    """The explanation of each error code and of each rule of the review, in Markdown, by code."""
    folder = files("pksk") / "explanations"
    pages = [page.read_text("utf-8") for page in folder.iterdir() if page.name.endswith(".md")]
    sections = [section for page in pages for section in _sections(page)]
    return dict(sorted([*sections, *((each.code, each.documentation) for each in RULES)]))


def _sections(page: str) -> list[tuple[str, str]]:
    _, *pieces = _HEADING.split(page)
    return [(code, text.strip()) for code, text in zip(pieces[::2], pieces[1::2], strict=True)]


def first_sentence(explanation: str) -> str:
    r"""The first sentence of an explanation, on one line."""
    paragraph = " ".join(explanation.partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`'\"{])", paragraph, maxsplit=1)[0]


def _complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    return [
        CompletionItem(code, help=first_sentence(text))
        for code, text in explanations().items()
        if code.startswith(incomplete)
    ]


@command("pksk explain", "pksk explain key-too-long", "pksk explain scan", "pksk explain bounds-gap --json")
@click.argument("code", required=False, shell_complete=_complete)
@json_option
def explain(code: str | None, wants_json: bool) -> None:
    """Explain an error code or a rule of pksk check, and how to fix the problem.

    Without a code, list them all.
    """
    if code is None:
        _print_list(wants_json=wants_json)
        return
    code = code.lower()
    text = explanations().get(code) or _reject_code(code)
    if wants_json:
        print_json({"code": code, "summary": first_sentence(text), "explanation": text})
    elif on_terminal():
        from pksk.cli.rich_output import draw_markdown

        draw_markdown(f"## {code}\n\n{text}")
    else:
        click.echo(f"{code}\n\n{text}")


def _print_list(*, wants_json: bool) -> None:
    summaries = {code: first_sentence(text) for code, text in explanations().items()}
    if wants_json:
        print_json([{"code": code, "summary": summary} for code, summary in summaries.items()])
    else:
        print_pairs(summaries.items())


def _reject_code(code: str) -> str:
    near = did_you_mean(code, explanations())
    raise InvalidValue(
        "argument-code",
        f"{quote(code)} is not the code of an error or of a rule.",
        expected="Every error message of pksk ends with its code, and every finding of pksk check names its rule.",
        fix=f"did you mean {quote(near)}?" if near else "find it in the list that pksk explain prints.",
    )
