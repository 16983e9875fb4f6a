"""The command `pksk explain`."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from pksk.cli.commands import command
from pksk.cli.explanations import explanations, first_sentence
from pksk.cli.output import json_option, on_terminal, print_json, print_pairs
from pksk.errors import InvalidValue, did_you_mean, quote

__all__ = ["explain"]


def _complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    return [
        CompletionItem(code, help=first_sentence(text))
        for code, text in explanations().items()
        if code.startswith(incomplete)
    ]


@command("pksk explain", "pksk explain key-too-long", "pksk explain bounds-gap --json")
@click.argument("code", required=False, shell_complete=_complete)
@json_option
def explain(code: str | None, wants_json: bool) -> None:
    """Say what an error code means and how to fix it.

    Without a code, list them all.
    """
    if code is None:
        _list(wants_json=wants_json)
        return
    code = code.lower()
    text = explanations().get(code) or _refuse(code)
    if wants_json:
        print_json({"code": code, "summary": first_sentence(text), "explanation": text})
    elif on_terminal():
        _print_markdown(f"## {code}\n\n{text}")
    else:
        click.echo(f"{code}\n\n{text}")


def _list(*, wants_json: bool) -> None:
    summaries = {code: first_sentence(text) for code, text in explanations().items()}
    if wants_json:
        print_json([{"code": code, "summary": summary} for code, summary in summaries.items()])
    else:
        print_pairs(summaries.items())


def _refuse(code: str) -> str:
    near = did_you_mean(code, explanations())
    raise InvalidValue(
        "argument-code",
        f"{quote(code)} is not the code of an error.",
        expected="A code stands at the end of every message of pksk.",
        fix=f"did you mean {quote(near)}?" if near else "find it in the list that pksk explain prints.",
    )


def _print_markdown(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    Console(width=min(100, Console().width)).print(Markdown(text, code_theme="ansi_dark"))
