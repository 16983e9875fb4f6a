"""A template on the command line, the types of its fields, and the options of all `pksk key` commands."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import click
from click.shell_completion import CompletionItem

from pksk.cli.commands import Choice
from pksk.cli.field_types import TYPE_NAMES, FieldType, field_type
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, TemplateError, did_you_mean, quote
from pksk.keys import Template
from pksk.keys.parse import Placeholder, parse
from pksk.keys.render import reject_unknown_field
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
    """The template with the declared types, and the types that it infers for the other fields.

    Example:
        >>> typed = typed_template("{id}#{n:04d}", {})
        >>> {field: kind.name for field, kind in typed.types.items()}
        {'id': 'str', 'n': 'int'}
    """
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
    """The fields of a template, even if the template is wrong.

    Example:
        >>> fields_of("{id}#{n:6d}")
        ['id', 'n']
    """
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
    """The types in `--type field=TYPE`.

    Example:
        >>> declared_types(["n=int"])["n"].name
        'int'
    """
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
            help="The type of a field: str, int, Decimal, date, datetime, UUID, ULID, bytes (as hex), bool, or "
            "literal:a,b,c. Without one, {n:06d} is int, {day:%Y-%m-%d} is date, and all else is text.",
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
