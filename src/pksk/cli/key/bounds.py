"""The command `pksk key bounds`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from pksk.cli.assignments import question
from pksk.cli.commands import command
from pksk.cli.field_types import written
from pksk.cli.output import json_option, print_json, print_pairs
from pksk.cli.typed_template import TemplateOptions, template_options
from pksk.keys import Bounds, Filter

__all__ = ["bounds"]

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
    found = typed.template.bounds(question(typed, values))
    name = "sk" if options.role == "sort" else "pk"
    if wants_json:
        print_json({"template": template, "role": options.role, **_document(found, name)})
    else:
        print_pairs(_lines(found, name))


def _lines(found: Bounds, name: str) -> Iterator[tuple[str, str]]:
    yield "condition", _condition(found, name)
    yield "exact", "yes" if found.exact else f"no: {found.reason}"
    yield "filter", " AND ".join(map(_filter, found.filters)) or "none"
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


def _filter(each: Filter) -> str:
    return _FILTERS[each.operator.name].format(each.field, *map(_quoted, each.operator.operands))


def _quoted(value: Any) -> str:
    return repr(value) if isinstance(value, str) else written(value)


def _document(found: Bounds, name: str) -> dict[str, Any]:
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
    values = [written(operand) for operand in each.operator.operands]
    return {"field": each.field, "operator": each.operator.name, "values": values, "text": _filter(each)}
