"""The commands `pksk key ...`: render, match, bound and compare keys of templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import click

from pksk.cli.assignments import bounds_values, plain_values
from pksk.cli.commands import Group, command
from pksk.cli.field_types import FieldType, format_value
from pksk.cli.output import json_option, on_terminal, print_json, print_pairs, print_table
from pksk.cli.typed_template import TemplateOptions, TypedTemplate, fields_of, template_options
from pksk.errors import quote
from pksk.keys import Bounds, Comparison, Filter, Overlap
from pksk.keys import compare as compare_templates

__all__ = ["bounds", "compare", "key", "match", "render"]


@click.group(
    cls=Group,
    members={
        "render": "pksk.cli.key:render",
        "match": "pksk.cli.key:match",
        "bounds": "pksk.cli.key:bounds",
        "compare": "pksk.cli.key:compare",
    },
    examples=(
        "pksk key render 'ORDER#{id}#LINE#{n:04d}' id=7 n=12",
        "pksk key match 'ORDER#{id}#LINE#{n:04d}' 'ORDER#7#LINE#0012'",
        "pksk key bounds 'ORDER#{id}#LINE#{n:04d}' id=7 n:lt=100",
        "pksk key compare 'ORDER#{id}' 'ORDER#{id}#LINE#{n:04d}'",
    ),
)
def key() -> None:
    """Render, match, bound and compare keys.

    A template is literal text and {field} parts, as in 'ORDER#{id}#{day:%Y-%m-%d}'. Put it in single quotes: to
    most shells # and { mean something else.
    """


@command(
    "pksk key render 'ORDER#{id}' id=7",
    "pksk key render '{product_id}::{day}' product_id=1 day=2025-12-31 -t product_id=int -t day=date",
    "pksk key render 'ORDER#{n:06d}' n=-5 --json",
    "pksk key render 'INV#{state}' state=paid -t state=literal:open,paid",
)
@click.argument("template")
@click.argument("values", nargs=-1, metavar="[FIELD=VALUE]...")
@template_options()
@json_option
def render(template: str, values: tuple[str, ...], options: TemplateOptions, wants_json: bool) -> None:
    """Print the key that a template makes of these values."""
    typed = options.template(template)
    key = typed.template.render(plain_values(typed, values))
    if wants_json:
        size = len(key.encode())
        print_json(
            {
                "template": template,
                "key": key,
                "bytes": size,
                "limit": typed.template.limit,
                "role": options.role,
            }
        )
    else:
        click.echo(key)


@command(
    "pksk key match 'ORDER#{id}#LINE#{n:04d}' 'ORDER#7#LINE#0012'",
    "pksk key match '{product_id}::{day}' 1::2025-12-31 -t product_id=int -t day=date --json",
    "pksk key match '{n:06d}' -- -999994",
)
@click.argument("template")
@click.argument("key")
@template_options()
@json_option
def match(template: str, key: str, options: TemplateOptions, wants_json: bool) -> None:
    """Print the values that a key was made of, one field a line.

    A key that the template cannot have made is refused, with exit code 2 and the first part that does not fit. Put
    -- before a key that begins with a hyphen.
    """
    typed = options.template(template)
    values = typed.template.parse(key)
    lost = [field for field in typed.template.fields if field not in values]
    if wants_json:
        print_json({"template": template, "key": key, "values": _json_values(values), "not_given_back": lost})
        return
    _print_values(typed, values)
    if lost:
        pieces = ", ".join(map(quote, lost))
        click.echo(f"The key holds only a piece of {pieces}, which cannot be given back.", err=True)


def _json_values(values: dict[str, Any]) -> dict[str, Any]:
    """JSON's own types where they are exact; a Decimal stays text, since JSON readers make floats."""
    exact = (bool, int, str)
    return {
        field: value if isinstance(value, exact) else format_value(value) for field, value in values.items()
    }


def _print_values(typed: TypedTemplate, values: dict[str, Any]) -> None:
    if not values:
        return
    if on_terminal():
        rows = [[field, typed.types[field].name, format_value(value)] for field, value in values.items()]
        print_table(["field", "type", "value"], rows)
        return
    for field, value in values.items():
        click.echo(f"{field}={format_value(value)}")


_EXPRESSIONS = {
    "=": "{name} = {lower}",
    "begins_with": "begins_with({name}, {lower})",
    "BETWEEN": "{name} BETWEEN {lower} AND {upper}",
    ">=": "{name} >= {lower}",
    ">": "{name} > {lower}",
    "<=": "{name} <= {upper}",
    "<": "{name} < {upper}",
}
_FILTERS = {
    "eq": "{} = {}", "lt": "{} < {}", "lte": "{} <= {}", "gt": "{} > {}", "gte": "{} >= {}",
    "between": "{} BETWEEN {} AND {}", "begins": "begins_with({}, {})",
}  # fmt: skip


@command(
    "pksk key bounds 'ORDER#{id}#LINE#{n:04d}' id=7",
    "pksk key bounds 'ORDER#{id}#LINE#{n:04d}' id=7 n:between=1..20",
    "pksk key bounds '{product_id}::{day}' product_id=1 day:gte=2025-12-01 -t day=date",
    "pksk key bounds 'NAME#{name}' name:begins=Al --json",
    "pksk key bounds '{day:%Y-%m-%d}#{id}' 'day<2026-01-01'",
)
@click.argument("template")
@click.argument("values", nargs=-1, metavar="[FIELD[:OPERATOR]=VALUE]...")
@template_options(role="sort")
@json_option
def bounds(template: str, values: tuple[str, ...], options: TemplateOptions, wants_json: bool) -> None:
    """Print the key condition for a range of keys.

    Give values to the first fields, from the left; the last of them may have an operator: lt, lte, gt, gte,
    between (as FIRST..LAST, both included) or begins, as in n:lt=100, day:between=2025-12-01..2025-12-31 and
    name:begins=ab. Symbols work too, in quotes because shells redirect with them: 'n<100', 'day>=2025-12-01',
    'name^=ab'. What the condition cannot decide by itself is left to a filter, and the reason is printed.
    """
    typed = options.template(template)
    found = typed.template.bounds(bounds_values(typed, values))
    name = "sk" if options.role == "sort" else "pk"
    if wants_json:
        print_json({"template": template, "role": options.role, **_bounds_document(found, name)})
    else:
        print_pairs(_bounds_lines(found, name))


def _bounds_lines(found: Bounds, name: str) -> Iterator[tuple[str, str]]:
    yield "condition", _condition(found, name)
    yield "exact", "yes" if found.exact else f"no: {found.reason}"
    yield "filter", " AND ".join(map(_filter_text, found.filters)) or "none"
    note = _note(found, name)
    if note:
        yield "note", note


def _condition(found: Bounds, name: str) -> str:
    if found.condition == "all":
        return f"none: every {name} is asked for"
    if found.condition == "none":
        return f"nothing to query: no {name} can answer this"
    shown = {"lower": _quoted(found.lower), "upper": _quoted(found.upper)}
    return _EXPRESSIONS[found.condition].format(name=name, **shown)


def _note(found: Bounds, name: str) -> str:
    if name == "sk" or found.condition in ("=", "none"):
        return ""
    return "DynamoDB takes only = on a partition key; this condition is one for a sort key, or for a scan"


def _filter_text(each: Filter) -> str:
    return _FILTERS[each.operator.name].format(each.field, *map(_quoted, each.operator.operands))


def _quoted(value: Any) -> str:
    return repr(value) if isinstance(value, str) else format_value(value)


def _bounds_document(found: Bounds, name: str) -> dict[str, Any]:
    placeholders = {"lower": ":lower", "upper": ":upper"}
    expression = _EXPRESSIONS.get(found.condition, "").format(name=name, **placeholders)
    ends = {":lower": found.lower, ":upper": found.upper}
    return {
        "condition": found.condition,
        "lower": found.lower,
        "upper": found.upper,
        "exact": found.exact,
        "reason": found.reason,
        "filters": [_filter_document(each) for each in found.filters],
        "KeyConditionExpression": expression,
        "ExpressionAttributeValues": {mark: {"S": end} for mark, end in ends.items() if mark in expression},
        "note": _note(found, name),
    }


def _filter_document(each: Filter) -> dict[str, Any]:
    values = [format_value(operand) for operand in each.operator.operands]
    return {"field": each.field, "operator": each.operator.name, "values": values, "text": _filter_text(each)}


@command(
    "pksk key compare 'ORDER#{id}' 'ORDER#{id}#LINE#{n:04d}'",
    "pksk key compare '{name}' 'user_{n}' -t n=int",
    "pksk key compare 'A#{x}' 'A#{x}' -t left.x=int -t right.x=date --fail",
)
@click.argument("left")
@click.argument("right")
@template_options()
@click.option("--fail", is_flag=True, help="Exit with 1 unless it is proved that no key is rendered by both.")
@json_option
@click.pass_context
def compare(
    ctx: click.Context, left: str, right: str, options: TemplateOptions, fail: bool, wants_json: bool
) -> None:
    """Say whether two templates can render the same key.

    Or whether a key of one can begin a key of the other. `never` and `possible` are proved, `possible` by an
    example; `may` means that the texts overlap and no example was found. A type is of the field in both templates,
    or of one side as in -t left.id=int.
    """
    declared = options.declared
    found = compare_templates(
        options.template(left, _types_of_side(declared, "left", left, right)).template,
        options.template(right, _types_of_side(declared, "right", right, left)).template,
    )
    if wants_json:
        print_json({"left": left, "right": right, **_comparison_document(found)})
    else:
        print_pairs(_comparison_lines(found))
    if fail and not found.disjoint:
        ctx.exit(1)


def _types_of_side(
    declared: Mapping[str, FieldType], side: Literal["left", "right"], own: str, other: str
) -> dict[str, FieldType]:
    """The types for one template: those of its side, and those of both unless only the other has the field."""
    elsewhere = set(fields_of(other)) - set(fields_of(own))
    theirs = "right." if side == "left" else "left."
    return {
        name.removeprefix(f"{side}."): kind
        for name, kind in declared.items()
        if name not in elsewhere and not name.startswith(theirs)
    }


def _comparison_lines(found: Comparison) -> Iterator[tuple[str, str]]:
    yield "same key", _meeting_text(found.same)
    yield "a left key begins a right one", _meeting_text(found.left_begins_right)
    yield "a right key begins a left one", _meeting_text(found.right_begins_left)


def _meeting_text(meeting: Overlap) -> str:
    if meeting.left_values is None or meeting.right_values is None:
        return meeting.verdict
    left = f"left {_keys_text(meeting.left_keys)} from {_values_text(meeting.left_values)}"
    right = f"right {_keys_text(meeting.right_keys)} from {_values_text(meeting.right_values)}"
    return f"{meeting.verdict}: {left}, {right}"


def _keys_text(keys: Sequence[str]) -> str:
    return " / ".join(map(repr, keys))


def _values_text(values: Mapping[str, Any]) -> str:
    return " ".join(f"{field}={format_value(value)}" for field, value in values.items()) or "no value"


def _comparison_document(found: Comparison) -> dict[str, Any]:
    return {
        "disjoint": found.disjoint,
        "same": _meeting_document(found.same),
        "left_begins_right": _meeting_document(found.left_begins_right),
        "right_begins_left": _meeting_document(found.right_begins_left),
    }


def _meeting_document(meeting: Overlap) -> dict[str, Any]:
    if meeting.left_values is None or meeting.right_values is None:
        return {"verdict": meeting.verdict}
    sides = {
        "left": (meeting.left_keys, meeting.left_values),
        "right": (meeting.right_keys, meeting.right_values),
    }
    return {
        "verdict": meeting.verdict,
        **{
            side: {"key": keys[0], "values": {field: format_value(value) for field, value in values.items()}}
            for side, (keys, values) in sides.items()
        },
    }
