"""The command `pksk plan`: plans one call of an access pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from pydantic import PydanticUserError, TypeAdapter, ValidationError

from pksk.cli.commands import command
from pksk.cli.design_data import patterns_of
from pksk.cli.output import json_option, print_json
from pksk.cli.target import Target, load
from pksk.errors import InvalidValue, PkskError, did_you_mean, quote
from pksk.model.patterns.pattern import Pattern
from pksk.model.requests.explanation import Explanation, explain_request
from pksk.model.sample_values import NoSample


@command(
    "pksk plan shop/shop.py Order.of_customer customer=7",
    "pksk plan shop/shop.py of_customer --json",
)
@click.argument("target")
@click.argument("pattern")
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@json_option
def plan(target: str, pattern: str, arguments: tuple[str, ...], wants_json: bool) -> None:
    """Plan one call of an access pattern.

    It prints the exact requests, and what they are likely to cost. TARGET is a module, a file or a package folder;
    PATTERN is one of its access patterns, with or without its entity. The pattern's example provides the arguments
    that you leave out.
    """
    found = load(target)
    with found.importable():
        explanations = explain_call(found, pattern, arguments)
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
            fix="write its arguments as NAME=VALUE.",
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
            _refuse_argument(pattern, argument, name)
        if name in values:
            raise InvalidValue(
                "argument-twice",
                f"{pattern.name}: {quote(name)} appears twice.",
                expected="A parameter has one value.",
                fix=f"write {name}=... once; a list of values is written as JSON: {name}='[...]'.",
            )
        values[name] = _parse_value(pattern, name, text)
    return values


def _refuse_argument(pattern: Pattern, argument: str, name: str) -> None:
    near = did_you_mean(name, pattern.parameters)
    raise InvalidValue(
        "plan-argument",
        f"{pattern.name}: {quote(argument)} is not a parameter and its value.",
        expected=f"Parameters are: {', '.join(pattern.parameters) or 'none'}.",
        fix=f"did you mean {near}=...?" if near else "write NAME=VALUE.",
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
