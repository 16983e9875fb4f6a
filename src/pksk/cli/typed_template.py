"""A template on the command line, the types of its fields, and their values in `field=value` arguments."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any

import click
from click.shell_completion import CompletionItem

from pksk.cli.commands import Choice
from pksk.cli.field_types import TYPE_NAMES, FieldType, field_type
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, TemplateError, did_you_mean, quote
from pksk.keys import Operator, Template
from pksk.keys.compiled import reject_unknown_field
from pksk.keys.parse import Placeholder, parse
from pksk.keys.template import Codec, Role

Function = Callable[..., Any]


@dataclass(frozen=True)
class TypedTemplate:
    """A template, and the types of its fields."""

    template: Template
    types: Mapping[str, FieldType]

    def type_of(self, field: str) -> FieldType:
        """The type of a field; raises an error if the template does not have the field."""
        if field not in self.types:
            reject_unknown_field(self.template, field)
        return self.types[field]


def typed_template(
    text: str,
    declared: Mapping[str, FieldType],
    *,
    codec: Codec = "escaped",
    delimiter: str | None = None,
    role: Role = "partition",
) -> TypedTemplate:
    """The template with the declared types, and the types that it infers for the other fields."""
    options: dict[str, Any] = {"codec": codec, "delimiter": delimiter, "role": role}
    inferred = _infer_types(text, declared, options)
    _check_declared(inferred, declared)
    types = {**inferred, **declared}
    annotations = {field: kind.annotation for field, kind in types.items()}
    return TypedTemplate(Template(text, annotations, **options), types)


def _infer_types(
    text: str, declared: Mapping[str, FieldType], options: Mapping[str, Any]
) -> dict[str, FieldType]:
    try:
        types = Template(text, **options).types
    except TemplateError:
        if not declared:
            raise
        # A format can be wrong for the inferred type and right for the declared one.
        types = dict.fromkeys(fields_of(text), "str")
    return {field: field_type(str(kind)) for field, kind in types.items()}


def fields_of(text: str) -> list[str]:
    """The fields of a template, even if the template is wrong."""
    return [piece.field for piece in parse(text) if isinstance(piece, Placeholder)]


def _check_declared(fields: Mapping[str, FieldType], declared: Mapping[str, FieldType]) -> None:
    for field in declared:
        if field not in fields:
            near = did_you_mean(field, fields)
            raise InvalidValue(
                "argument-type-field",
                f"--type has field {quote(field)}, which is not in the template.",
                expected=f"Its fields are: {', '.join(fields) or 'none'}.",
                fix=f"did you mean {quote(near)}?" if near else "leave the type out.",
            )


def declared_types(texts: Sequence[str]) -> dict[str, FieldType]:
    """The types in `--type field=TYPE`."""
    declared: dict[str, FieldType] = {}
    for text in texts:
        field, equals, name = text.partition("=")
        if not equals or not field:
            raise InvalidValue(
                "argument-type",
                f"--type is {quote(text)}, which is not a field and its type.",
                fix="write field=TYPE, for example --type day=date.",
            )
        declared[field] = field_type(name)
    return declared


@dataclass(frozen=True)
class TemplateOptions:
    """The options of a command for its templates."""

    declared: Mapping[str, FieldType]
    codec: Codec
    delimiter: str | None
    role: Role

    def template(self, text: str, declared: Mapping[str, FieldType] | None = None) -> TypedTemplate:
        """The template of this text, with the types of the options or these."""
        types = self.declared if declared is None else declared
        return typed_template(text, types, codec=self.codec, delimiter=self.delimiter, role=self.role)


def template_options(*, role: Role = "partition") -> Callable[[Function], Function]:
    """Options for templates, which the function gets as its argument `options`."""

    def decorate(function: Function) -> Function:
        @wraps(function)
        def with_options(
            *args: Any,
            types: Sequence[str],
            codec: Codec,
            delimiter: str | None,
            is_sort: bool,
            **kwargs: Any,
        ) -> Any:
            key: Role = "sort" if is_sort else "partition"
            options = TemplateOptions(declared_types(types), codec, delimiter, key)
            return function(*args, options=options, **kwargs)

        decorated: Function = with_options
        for option in reversed(_options(role)):
            decorated = option(decorated)
        return decorated

    return decorate


def _options(role: Role) -> list[Callable[[Function], Function]]:
    return [
        click.option(
            "-t", "--type", "types", multiple=True, metavar="FIELD=TYPE", shell_complete=_complete_type,
            help="The type of a field: str, int, Decimal, date, datetime, UUID, ULID, IPv4Address, IPv6Address, "
            "bytes (as hex), bool, or literal:a,b,c. Without one, {n:06d} is int, {day:%Y-%m-%d} is date, and all else "
            "is text.",
        ),
        click.option(
            "--codec", type=Choice(["escaped", "raw"]), default="escaped", show_default=True,
            help="raw does not escape values, for existing tables.",
        ),
        click.option("--delimiter", metavar="TEXT", help="The delimiter, if the template does not show it."),
        click.option(
            "--sort/--partition", "is_sort", default=role == "sort", show_default=True,
            help="Whether it is a sort key (at most 1024 bytes) or a partition key (2048).",
        ),
    ]  # fmt: skip


def _complete_type(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    field, equals, start = incomplete.partition("=")
    if equals:
        names = [f"{field}={name}" for name in TYPE_NAMES if name.lower().startswith(start.lower())]
        return [CompletionItem(name) for name in names]
    # click does not provide the arguments while an option is incomplete.
    fields = re.findall(r"\{([^\W\d]\w*)", os.environ.get("COMP_WORDS", ""))
    return [CompletionItem(f"{name}=") for name in dict.fromkeys(fields) if name.startswith(incomplete)]


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
    """The assignments, at most one for each field."""
    by_field: dict[str, Assignment] = {}
    for argument in arguments:
        assignment = _read(argument)
        if assignment.field in by_field:
            _reject_repeated(assignment.field)
        by_field[assignment.field] = assignment
    return list(by_field.values())


def _read(argument: str) -> Assignment:
    match = _FORM.fullmatch(argument)
    if match is None:
        raise InvalidValue(
            "argument-syntax",
            f"{quote(argument)} is not a field and its value.",
            expected="Write field=value, or field:operator=value with one of: " + ", ".join(_WORDS) + ".",
            fix="for example id=7, day:gte=2025-12-01 or name:begins=ab.",
        )
    operator = _SYMBOLS[match["symbol"]] if match["symbol"] else match["word"]
    if operator not in _WORDS:
        _reject_operator(argument, operator)
    return Assignment(match["field"], operator, match["text"])


def _reject_operator(argument: str, word: str) -> None:
    near = did_you_mean(word, _WORDS)
    raise InvalidValue(
        "argument-operator",
        f"{quote(argument)}: {quote(word)} is not an operator.",
        expected=f"Operators are: {', '.join(_WORDS)}.",
        fix=f"did you mean {quote(near)}?" if near else "write one of these, or field=value.",
    )


def _reject_repeated(field: str) -> None:
    raise InvalidValue(
        "argument-twice",
        f"field {quote(field)} appears twice.",
        expected="A key condition has one value or one operator for a field.",
        fix=f"for a range write {field}:between=FIRST..LAST, which includes both.",
    )


def plain_values(typed: TypedTemplate, arguments: Sequence[str]) -> dict[str, Any]:
    """The values to render; raises an error for an operator."""
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
    """The values and operators of a key condition."""
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
