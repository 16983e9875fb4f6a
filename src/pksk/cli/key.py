"""The commands `pksk key ...`: render, match, bound and compare keys of templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import click

from pksk.cli import typed_template
from pksk.cli.commands import Group
from pksk.cli.field_types import FieldType, format_value
from pksk.cli.output import json_option, on_terminal, print_json, print_pairs, print_table
from pksk.cli.typed_template import TemplateOptions, TypedTemplate
from pksk.errors import quote
from pksk.keys import Bounds, Comparison, Filter, Overlap
from pksk.keys import compare as compare_templates


@click.group(
    cls=Group,
    examples=(
        "pksk key render 'ORDER#{id}#LINE#{n:04d}' id=7 n=12",
        "pksk key match 'ORDER#{id}#LINE#{n:04d}' 'ORDER#7#LINE#0012'",
        "pksk key bounds 'ORDER#{id}#LINE#{n:04d}' id=7 n:lt=100",
        "pksk key compare 'ORDER#{id}' 'ORDER#{id}#LINE#{n:04d}'",
    ),
)
def key() -> None:
    """Render, match, bound and compare keys.

    A template is literal text and {field} parts, as in 'ORDER#{id}#{day:%Y-%m-%d}'. Put it in single quotes: #
    and { have another meaning in most shells.
    """


@key.command(
    examples=(
        "pksk key render 'ORDER#{id}' id=7",
        "pksk key render '{product_id}::{day}' product_id=1 day=2025-12-31 -t product_id=int -t day=date",
        "pksk key render 'ORDER#{n:06d}' n=-5 --json",
        "pksk key render 'INV#{state}' state=paid -t state=literal:open,paid",
    )
)
@click.argument("template")
@click.argument("values", nargs=-1, metavar="[FIELD=VALUE]...")
@typed_template.template_options()
@json_option
def render(template: str, values: tuple[str, ...], options: TemplateOptions, wants_json: bool) -> None:
    """Print the key that a template renders from these values."""
    typed = options.template(template)
    rendered = typed.template.render(typed_template.plain_values(typed, values))
    if wants_json:
        print_json({
            "template": template,
            "key": rendered,
            "bytes": len(rendered.encode()),
            "limit": typed.template.limit,
            "role": options.role,
        })  # fmt: skip
    else:
        click.echo(rendered)


@key.command(
    examples=(
        "pksk key match 'ORDER#{id}#LINE#{n:04d}' 'ORDER#7#LINE#0012'",
        "pksk key match '{product_id}::{day}' 1::2025-12-31 -t product_id=int -t day=date --json",
        "pksk key match '{n:06d}' -- -999994",
    )
)
@click.argument("template")
@click.argument("key")
@typed_template.template_options()
@json_option
def match(template: str, key: str, options: TemplateOptions, wants_json: bool) -> None:
    """Print the values in a key, one field a line.

    If the template cannot have rendered the key, the exit code is 2 and the error names the first part that does not
    match. Put -- before a key that begins with a hyphen.
    """
    typed = options.template(template)
    values = typed.template.parse(key)
    missing = [field for field in typed.template.fields if field not in values]
    if wants_json:
        print_json({"template": template, "key": key, "values": _json_values(values), "fields_lost": missing})
        return
    _print_values(typed, values)
    if missing:
        fields = ", ".join(map(quote, missing))
        click.echo(f"The key holds only a part of {fields}, which cannot be restored.", err=True)


def _json_values(values: dict[str, Any]) -> dict[str, Any]:
    """JSON's own types if they are exact; a Decimal stays text, since JSON readers make floats of numbers."""
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


@key.command(
    examples=(
        "pksk key bounds 'ORDER#{id}#LINE#{n:04d}' id=7",
        "pksk key bounds 'ORDER#{id}#LINE#{n:04d}' id=7 n:between=1..20",
        "pksk key bounds '{product_id}::{day}' product_id=1 day:gte=2025-12-01 -t day=date",
        "pksk key bounds 'NAME#{name}' name:begins=Al --json",
        "pksk key bounds '{day:%Y-%m-%d}#{id}' 'day<2026-01-01'",
    )
)
@click.argument("template")
@click.argument("values", nargs=-1, metavar="[FIELD[:OPERATOR]=VALUE]...")
@typed_template.template_options(role="sort")
@json_option
def bounds(template: str, values: tuple[str, ...], options: TemplateOptions, wants_json: bool) -> None:
    """Print the key condition for a range of keys.

    Give values to the first fields, from the left; the last of them may have an operator: lt, lte, gt, gte,
    between (as FIRST..LAST, both included) or begins, as in n:lt=100, day:between=2025-12-01..2025-12-31 and
    name:begins=ab. Symbols work too, in quotes because shells redirect with them: 'n<100', 'day>=2025-12-01',
    'name^=ab'. If the condition needs a filter, the filter and the reason are printed.
    """
    typed = options.template(template)
    limits = typed.template.bounds(typed_template.bounds_values(typed, values))
    name = "sk" if options.role == "sort" else "pk"
    if wants_json:
        print_json({"template": template, "role": options.role, **_bounds_document(limits, name)})
    else:
        print_pairs(_bounds_lines(limits, name))


def _bounds_lines(limits: Bounds, name: str) -> Iterator[tuple[str, str]]:
    yield "condition", _condition(limits, name)
    yield "exact", "yes" if limits.exact else f"no: {limits.reason}"
    yield "filter", " AND ".join(map(_filter_text, limits.filters)) or "none"
    note = _note(limits, name)
    if note:
        yield "note", note


def _condition(limits: Bounds, name: str) -> str:
    if limits.condition == "all":
        return f"none: every {name} matches"
    if limits.condition == "none":
        return f"nothing to query: no {name} can match"
    ends = {"lower": _quoted(limits.lower), "upper": _quoted(limits.upper)}
    return _EXPRESSIONS[limits.condition].format(name=name, **ends)


def _note(limits: Bounds, name: str) -> str:
    if name == "sk" or limits.condition in ("=", "none"):
        return ""
    return "DynamoDB takes only = on a partition key; use this condition on a sort key, or in a scan"


def _filter_text(each: Filter) -> str:
    return _FILTERS[each.operator.name].format(each.field, *map(_quoted, each.operator.operands))


def _quoted(value: Any) -> str:
    return repr(value) if isinstance(value, str) else format_value(value)


def _bounds_document(limits: Bounds, name: str) -> dict[str, Any]:
    placeholders = {"lower": ":lower", "upper": ":upper"}
    expression = _EXPRESSIONS.get(limits.condition, "").format(name=name, **placeholders)
    ends = {":lower": limits.lower, ":upper": limits.upper}
    return {
        "condition": limits.condition,
        "lower": limits.lower,
        "upper": limits.upper,
        "exact": limits.exact,
        "reason": limits.reason,
        "filters": [_filter_document(each) for each in limits.filters],
        "KeyConditionExpression": expression,
        "ExpressionAttributeValues": {name: {"S": end} for name, end in ends.items() if name in expression},
        "note": _note(limits, name),
    }


def _filter_document(each: Filter) -> dict[str, Any]:
    values = [format_value(operand) for operand in each.operator.operands]
    return {"field": each.field, "operator": each.operator.name, "values": values, "text": _filter_text(each)}


@key.command(
    examples=(
        "pksk key compare 'ORDER#{id}' 'ORDER#{id}#LINE#{n:04d}'",
        "pksk key compare '{name}' 'user_{n}' -t n=int",
        "pksk key compare 'A#{x}' 'A#{x}' -t left.x=int -t right.x=date --fail",
    )
)
@click.argument("left")
@click.argument("right")
@typed_template.template_options()
@click.option("--fail", is_flag=True, help="Exit with 1 unless the templates provably share no key.")
@json_option
@click.pass_context
def compare(
    ctx: click.Context, left: str, right: str, options: TemplateOptions, fail: bool, wants_json: bool
) -> None:
    """Say whether two templates can render the same key.

    It also says whether a key of one can begin a key of the other. `never` and `possible` are proved, `possible` by
    an example; `may` means that the texts overlap and no example was found. A type applies to the field in both
    templates, or on one side as in -t left.id=int.
    """
    declared = options.declared
    comparison = compare_templates(
        options.template(left, _types_of_side(declared, "left", left, right)).template,
        options.template(right, _types_of_side(declared, "right", right, left)).template,
    )
    if wants_json:
        print_json({"left": left, "right": right, **_comparison_document(comparison)})
    else:
        print_pairs(_comparison_lines(comparison))
    if fail and not comparison.disjoint:
        ctx.exit(1)


def _types_of_side(
    declared: Mapping[str, FieldType], side: Literal["left", "right"], own: str, other: str
) -> dict[str, FieldType]:
    """The types for one template: those of its side, and those of both unless only the other one has the field."""
    elsewhere = set(typed_template.fields_of(other)) - set(typed_template.fields_of(own))
    theirs = "right." if side == "left" else "left."
    return {
        name.removeprefix(f"{side}."): kind
        for name, kind in declared.items()
        if name not in elsewhere and not name.startswith(theirs)
    }


def _comparison_lines(comparison: Comparison) -> Iterator[tuple[str, str]]:
    yield "same key", _overlap_text(comparison.same)
    yield "a left key begins a right one", _overlap_text(comparison.left_is_prefix)
    yield "a right key begins a left one", _overlap_text(comparison.right_is_prefix)


def _overlap_text(overlap: Overlap) -> str:
    if overlap.left_values is None or overlap.right_values is None:
        return overlap.verdict
    left = f"left {_keys_text(overlap.left_keys)} from {_values_text(overlap.left_values)}"
    right = f"right {_keys_text(overlap.right_keys)} from {_values_text(overlap.right_values)}"
    return f"{overlap.verdict}: {left}, {right}"


def _keys_text(keys: Sequence[str]) -> str:
    return " / ".join(map(repr, keys))


def _values_text(values: Mapping[str, Any]) -> str:
    return " ".join(f"{field}={format_value(value)}" for field, value in values.items()) or "no value"


def _comparison_document(comparison: Comparison) -> dict[str, Any]:
    return {
        "disjoint": comparison.disjoint,
        "same": _overlap_document(comparison.same),
        "left_is_prefix": _overlap_document(comparison.left_is_prefix),
        "right_is_prefix": _overlap_document(comparison.right_is_prefix),
    }


def _overlap_document(overlap: Overlap) -> dict[str, Any]:
    if overlap.left_values is None or overlap.right_values is None:
        return {"verdict": overlap.verdict}
    sides = {
        "left": (overlap.left_keys, overlap.left_values),
        "right": (overlap.right_keys, overlap.right_values),
    }
    return {
        "verdict": overlap.verdict,
        **{
            side: {"key": keys[0], "values": {field: format_value(value) for field, value in values.items()}}
            for side, (keys, values) in sides.items()
        },
    }
