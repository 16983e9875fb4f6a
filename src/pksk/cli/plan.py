"""The command `pksk plan`: plans one call of an access pattern."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem
from pydantic import PydanticUserError, TypeAdapter, ValidationError

from pksk.cli.commands import command, complete_file
from pksk.cli.design_data import patterns_of
from pksk.cli.output import json_option, print_json
from pksk.cli.target import Target, load
from pksk.errors import InvalidValue, PkskError, did_you_mean, quote
from pksk.model.patterns.pattern import Pattern
from pksk.model.requests.explanation import Explanation, explain_request
from pksk.model.sample_values import NoSample


def _complete_pattern(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """The access patterns of the TARGET that was written before; none if it cannot be loaded."""
    try:
        # What a module prints when it is imported is not a completion.
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            patterns = patterns_of(load(ctx.params["target"]).tables)
    except (Exception, SystemExit):
        return []
    matches = [each for each in patterns if each.name.startswith(incomplete)]
    # Without their entities, if that is how the user began.
    short = [(each.name.rpartition(".")[2], each) for each in patterns if "." in each.name]
    return [CompletionItem(each.name, help=each.description) for each in matches] or [
        CompletionItem(name, help=each.description) for name, each in short if name.startswith(incomplete)
    ]


@command(
    "pksk plan shop/shop.py Order.of_customer customer=7",
    "pksk plan shop/shop.py of_customer --json",
)
@click.argument("target", shell_complete=complete_file)
@click.argument("pattern", shell_complete=_complete_pattern)
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@json_option
def plan(target: str, pattern: str, arguments: tuple[str, ...], wants_json: bool) -> None:
    """Plan one call of an access pattern.

    It prints the exact requests, and what they are likely to cost. TARGET is a module, a file or a package folder;
    PATTERN is one of its access patterns, with or without its entity. The pattern's example provides the arguments
    that you leave out.
    """
    design_target = load(target)
    with design_target.importable():
        explanations = explain_call(design_target, pattern, arguments)
    if wants_json:
        print_json([each.data() for each in explanations])
    else:
        click.echo("\n".join(map(str, explanations)))


def explain_call(target: Target, name: str, arguments: Sequence[str]) -> list[Explanation]:
    """Explain each request that the pattern makes for these arguments."""
    pattern = _find_pattern(target, name)
    values = _parse_arguments(pattern, arguments)
    outcome = pattern.outcome(_with_example(pattern, values))
    if isinstance(outcome.error, PkskError):
        raise outcome.error
    if outcome.error is not None:
        raise InvalidValue(
            "plan-call",
            f"{pattern.name}: {outcome.problem}",
            fix="pass other arguments as NAME=VALUE, or correct the function.",
        )
    return [explain_request(request, pattern.options) for request in outcome.requests]


def _find_pattern(target: Target, name: str) -> Pattern:
    patterns = patterns_of(target.tables)
    matches = [each for each in patterns if each.name == name]
    matches = matches or [each for each in patterns if each.name.rpartition(".")[2] == name]
    if len(matches) == 1:
        return matches[0]
    names = [each.name for each in patterns]
    near = did_you_mean(name, [*names, *(each.rpartition(".")[2] for each in names)])
    fix = f"did you mean {quote(near)}?" if near else "write one of them."
    if matches:
        fix = f"write one of {', '.join(each.name for each in matches)}."
    raise InvalidValue(
        "plan-pattern",
        f"{target.text} has {'several access patterns' if matches else 'no access pattern'} {quote(name)}.",
        expected=f"Access patterns are: {', '.join(names)}." if names else "It declares no access pattern.",
        fix=fix,
    )


def _with_example(pattern: Pattern, values: dict[str, Any]) -> dict[str, Any]:
    """The arguments, and the example's values for the others."""
    try:
        return {**pattern.arguments(), **values}
    except NoSample:
        return values


def _parse_arguments(pattern: Pattern, arguments: Sequence[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for argument in arguments:
        name, equals, text = argument.partition("=")
        if not equals or name not in pattern.parameters:
            _reject_argument(pattern, argument, name, has_value=bool(equals))
        if name in values:
            raise InvalidValue(
                "argument-twice",
                f"{pattern.name}: {quote(name)} appears twice.",
                expected="A parameter has one value.",
                fix=f"write {name}=... once; a list of values is written as JSON: {name}='[...]'.",
            )
        values[name] = _parse_value(pattern, name, text)
    return values


def _reject_argument(pattern: Pattern, argument: str, name: str, *, has_value: bool) -> NoReturn:
    names = list(pattern.parameters)
    near = name if name in names else did_you_mean(name, names)
    fix = f"did you mean {near}=...?" if near else "write one of them." if names else "leave it out."
    raise InvalidValue(
        "plan-argument",
        f"{pattern.name}: there is no parameter {quote(name)}."
        if has_value
        else f"{pattern.name}: {quote(argument)} is not NAME=VALUE.",
        expected=f"Parameters are: {', '.join(names) or 'none'}.",
        fix=fix if near or has_value else "write NAME=VALUE.",
    )


def _parse_value(pattern: Pattern, name: str, text: str) -> Any:
    """The value in the parameter's type, read as text or else as JSON."""
    if name not in pattern.annotations:
        return text
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(pattern.annotations[name])
    except PydanticUserError:
        return text
    try:
        return adapter.validate_strings(text)
    except ValidationError as first:
        try:
            return adapter.validate_json(text)
        except ValidationError:
            problem = first.errors()[0]["msg"]
    raise InvalidValue(
        "plan-argument",
        f"{pattern.name}: {name}={quote(text)}: {problem}.",
        fix=f"write a value of the type of {name!r}; lists and models are written as JSON.",
    )
