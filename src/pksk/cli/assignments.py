"""Reads `field=value` and `field:operator=value`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pksk.cli.field_types import FieldType
from pksk.cli.typed_template import TypedTemplate
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, did_you_mean, quote
from pksk.keys import Operator

_FORM = re.compile(
    r"(?P<field>[^\W\d]\w*)(?::(?P<word>\w+)=|(?P<symbol>>=|<=|\^=|>|<|=))(?P<text>.*)", re.DOTALL
)
_SYMBOLS = {"=": "eq", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte", "^=": "begins"}
_WORDS = ("eq", "lt", "lte", "gt", "gte", "between", "begins")


@dataclass(frozen=True)
class Assignment:
    """One field, the operator on it, and the text of its value."""

    field: str
    operator: str
    text: str


def assignments(arguments: Sequence[str]) -> list[Assignment]:
    """The assignments, at most one for each field.

    Example:
        >>> assignments(["id=7", "day:gte=2025-12-01"])[1]
        Assignment(field='day', operator='gte', text='2025-12-01')
    """
    found: dict[str, Assignment] = {}
    for argument in arguments:
        assignment = _read(argument)
        if assignment.field in found:
            _refuse_repeated(assignment.field)
        found[assignment.field] = assignment
    return list(found.values())


def _read(argument: str) -> Assignment:
    found = _FORM.fullmatch(argument)
    if found is None:
        raise InvalidValue(
            "argument-syntax",
            f"{quote(argument)} is not a field and its value.",
            expected="Write field=value, or field:operator=value with one of: " + ", ".join(_WORDS) + ".",
            fix="for example id=7, day:gte=2025-12-01 or name:begins=ab.",
        )
    operator = _SYMBOLS[found["symbol"]] if found["symbol"] else found["word"]
    if operator not in _WORDS:
        _refuse_operator(argument, operator)
    return Assignment(found["field"], operator, found["text"])


def _refuse_operator(argument: str, word: str) -> None:
    near = did_you_mean(word, _WORDS)
    raise InvalidValue(
        "argument-operator",
        f"{quote(argument)}: {quote(word)} is not an operator.",
        expected=f"Operators are: {', '.join(_WORDS)}.",
        fix=f"did you mean {quote(near)}?" if near else "write one of these, or field=value.",
    )


def _refuse_repeated(field: str) -> None:
    raise InvalidValue(
        "argument-twice",
        f"field {quote(field)} appears twice.",
        expected="A key condition has one value or one operator for a field.",
        fix=f"for a range write {field}:between=FIRST..LAST, which includes both.",
    )


def plain_values(typed: TypedTemplate, arguments: Sequence[str]) -> dict[str, Any]:
    """The values to render; raises an error for an operator.

    Example:
        >>> from pksk.cli.typed_template import typed_template
        >>> plain_values(typed_template("ORDER#{n:04d}", {}), ["n=7"])
        {'n': 7}
    """
    values: dict[str, Any] = {}
    for each in assignments(arguments):
        kind = typed.type_of(each.field)
        if each.operator != "eq":
            raise InvalidValue(
                "argument-operator",
                f"field {quote(each.field)} has the operator {quote(each.operator)}, but a key needs a value.",
                fix=f"write {each.field}=VALUE; for a range of keys use pksk key bounds.",
            )
        values[each.field] = kind.read(each.field, each.text)
    return values


def bounds_values(typed: TypedTemplate, arguments: Sequence[str]) -> dict[str, Any]:
    """The values and operators of a key condition.

    Example:
        >>> from pksk.cli.typed_template import typed_template
        >>> bounds_values(typed_template("{id}#{n:04d}", {}), ["id=a", "n:between=1..9"])
        {'id': 'a', 'n': between(1, 9)}
    """
    return {each.field: _operand(typed.type_of(each.field), each) for each in assignments(arguments)}


def _operand(kind: FieldType, each: Assignment) -> Any:
    if each.operator == "between" or (each.operator == "eq" and kind.ranges and ".." in each.text):
        return Operator("between", _range_ends(kind, each))
    if each.operator == "begins":
        return Operator("begins", (each.text,))
    value = kind.read(each.field, each.text)
    return value if each.operator == "eq" else Operator(each.operator, (value,))


def _range_ends(kind: FieldType, each: Assignment) -> tuple[Any, Any]:
    """Both ends of a range, if only one split at `..` gives two values."""
    splits = list(_splits(each.text))
    if len(splits) == 1:
        first, last = splits[0]
        return kind.read(each.field, first), kind.read(each.field, last)
    valid = [ends for split in splits if (ends := _read_both(kind, each.field, split))]
    if len(valid) == 1:
        return valid[0]
    raise InvalidValue(
        "argument-range",
        f"field {quote(each.field)} is {quote(each.text)}, which is not a range.",
        expected="A range is its first and its last value with one .. between them; both are included.",
        fix=f"write {each.field}:between=FIRST..LAST; if the values have dots themselves, use gte or lte.",
    )


def _splits(text: str) -> Iterator[tuple[str, str]]:
    for at in range(len(text) - 1):
        if text.startswith("..", at):
            yield text[:at], text[at + 2 :]


def _read_both(kind: FieldType, field: str, split: tuple[str, str]) -> tuple[Any, Any] | None:
    try:
        return kind.read(field, split[0]), kind.read(field, split[1])
    except InvalidValue:
        return None
