"""The command `pksk key compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import click

from pksk.cli.commands import command
from pksk.cli.field_types import FieldType, written
from pksk.cli.output import json_option, print_json, print_pairs
from pksk.cli.typed_template import TemplateOptions, fields_of, template_options
from pksk.keys import Comparison, Meeting
from pksk.keys import compare as compare_templates

__all__ = ["compare"]


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
        options.template(left, _of_side(declared, "left", left, right)).template,
        options.template(right, _of_side(declared, "right", right, left)).template,
    )
    if wants_json:
        print_json({"left": left, "right": right, **_document(found)})
    else:
        print_pairs(_lines(found))
    if fail and not found.disjoint:
        ctx.exit(1)


def _of_side(
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


def _lines(found: Comparison) -> Iterator[tuple[str, str]]:
    yield "same key", _said(found.same)
    yield "a left key begins a right one", _said(found.left_begins_right)
    yield "a right key begins a left one", _said(found.right_begins_left)


def _said(meeting: Meeting) -> str:
    if meeting.left_values is None or meeting.right_values is None:
        return meeting.verdict
    left = f"left {_keys(meeting.left_keys)} from {_values(meeting.left_values)}"
    right = f"right {_keys(meeting.right_keys)} from {_values(meeting.right_values)}"
    return f"{meeting.verdict}: {left}, {right}"


def _keys(keys: Sequence[str]) -> str:
    return " / ".join(map(repr, keys))


def _values(values: Mapping[str, Any]) -> str:
    return " ".join(f"{field}={written(value)}" for field, value in values.items()) or "no value"


def _document(found: Comparison) -> dict[str, Any]:
    return {
        "disjoint": found.disjoint,
        "same": _meeting(found.same),
        "left_begins_right": _meeting(found.left_begins_right),
        "right_begins_left": _meeting(found.right_begins_left),
    }


def _meeting(meeting: Meeting) -> dict[str, Any]:
    if meeting.left_values is None or meeting.right_values is None:
        return {"verdict": meeting.verdict}
    sides = {
        "left": (meeting.left_keys, meeting.left_values),
        "right": (meeting.right_keys, meeting.right_values),
    }
    return {
        "verdict": meeting.verdict,
        **{
            side: {"key": keys[0], "values": {field: written(value) for field, value in values.items()}}
            for side, (keys, values) in sides.items()
        },
    }
