"""The key template: literal text and typed parts, checked once and compiled into code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from pksk.errors import PkskError, TemplateError, did_you_mean, quote, shorten_traceback
from pksk.keys import compiled
from pksk.keys.bounds import Bounds
from pksk.keys.delimiter import Delimiter, find_delimiter
from pksk.keys.operators import Operator
from pksk.keys.parse import Placeholder, parse
from pksk.keys.parts.part import Part, PartContext, type_name
from pksk.keys.parts.part_types import build_part, field_type, guess_types
from pksk.keys.template_bounds import common_prefix, template_bounds, unchecked_bounds
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES

if TYPE_CHECKING:
    from pksk.keys.automaton import Automaton

Codec = Literal["escaped", "raw"]
Role = Literal["partition", "sort"]

_LIMITS: dict[str, int] = {"partition": PARTITION_KEY_BYTES, "sort": SORT_KEY_BYTES}


class Template:
    """A key template: literal text and `{field}` parts.

    Different values never render the same key, and `match` returns the values of a key, except of fields that the key
    holds only in part (`lossy_fields`), such as the month of a day.

    Pass the types of fields as a mapping or as keywords. Without them, a part is text, or what its format implies
    (`{n:06d}` is int). The mapping is for fields that are named like an option (`role`).

    Example:
        >>> from datetime import date
        >>> key = Template("{product_id}::{day}", product_id=int, day=date, role="sort")
        >>> key.render({"product_id": 1, "day": date(2025, 12, 31)})
        '1::2025-12-31'
        >>> key.match("1::2025-12-31")
        {'product_id': 1, 'day': datetime.date(2025, 12, 31)}
        >>> print(key.bounds({"product_id": 1, "day": date(2025, 12, 31)}))
        = '1::2025-12-31'
    """

    where: str
    codec: str
    role: str
    limit: int
    types: dict[str, Any]
    delimiter: Delimiter
    literals: tuple[str, ...]
    parts: tuple[Part, ...]

    def __init__(
        self,
        text: str,
        types: Mapping[str, Any] | None = None,
        /,
        *,
        codec: Codec = "escaped",
        delimiter: str | None = None,
        role: Role = "partition",
        where: str = "",
        **fields: Any,
    ) -> None:
        self._check_types(where, types)
        declared = {**(types or {}), **fields} if types is not None or fields else None
        self._arguments = (text, declared, codec, delimiter, role, where)
        self.text = text
        self.where = where or f"Template {quote(text)}"
        self.codec, self.role = self._option("codec", codec, Codec), self._option("role", role, Role)
        self.limit = _LIMITS[role]
        pieces = parse(text, where)
        self.types = guess_types(pieces) if declared is None else declared
        self.delimiter = find_delimiter(pieces, declared=delimiter, raw=codec == "raw", where=self.where)
        self.literals, placeholders = _split(pieces)
        self.parts = tuple(self._part(index, placeholders) for index in range(len(placeholders)))
        self._check_keywords(fields)
        self._check_sizes()

    def _check_types(self, where: object, types: object) -> None:
        is_mapping = types is None or (
            isinstance(types, Mapping) and all(isinstance(name, str) for name in types)
        )
        if not is_mapping or not isinstance(where, str):
            raise TemplateError(
                "template-option",
                f"Template: {quote(where if is_mapping else types)} is not "
                f"{'a name' if is_mapping else 'types by field'}.",
                expected="Types are a mapping from the name of a field to its type; where= is a text for messages.",
                fix="write Template('ORDER#{id}', {'id': str}) or Template('ORDER#{id}', id=str).",
            )

    def _option(self, name: str, value: str, options: Any) -> str:
        choices = get_args(options)
        if value in choices:
            return value
        near = did_you_mean(str(value), choices)
        raise TemplateError(
            "template-option",
            f"{self.where}: {name}={quote(value)} is unknown.",
            expected=f"It is one of: {', '.join(choices)}.",
            fix=f"did you mean {near!r}?" if near else f"leave it out for {choices[0]!r}.",
        )

    def _check_keywords(self, fields: Mapping[str, Any]) -> None:
        for name in fields:
            if name not in self.fields:
                near = did_you_mean(name, [*self.fields, "codec", "delimiter", "role", "where"])
                raise TemplateError(
                    "template-option",
                    f"{self.where}: {name}= is neither a field of {quote(self.text)} nor an option.",
                    expected="Options are: codec, delimiter, role, where. For fields with these names, pass a mapping.",
                    fix=f"did you mean {near!r}?" if near else "leave it out.",
                )

    def _part(self, index: int, placeholders: tuple[Placeholder, ...]) -> Part:
        placeholder = placeholders[index]
        if placeholder.field not in self.types:
            self._reject_field(placeholder)
        last = index == len(placeholders) - 1 and not self.literals[-1]
        context = PartContext(self.where, self.delimiter, last)
        part = build_part(placeholder, field_type(self.types[placeholder.field]), context)
        if not last:
            self._check_delimiter(part)
        return part

    def _reject_field(self, placeholder: Placeholder) -> None:
        near = did_you_mean(placeholder.field, self.types)
        owner = self.where.split(".")[0] if not self.where.startswith("Template") else "its types"
        raise TemplateError(
            "template-unknown-field",
            f"{self.where}: template {quote(self.text)} uses field {placeholder.field!r}, which "
            f"{owner} {'does' if owner != 'its types' else 'do'} not declare.",
            expected=f"Fields are: {', '.join(self.types) or 'none'}.",
            fix=f"write {{{near}}}."
            if near
            else f"declare {placeholder.field!r}, or leave it out of the template.",
        )

    def _check_delimiter(self, part: Part) -> None:
        for sample in part.sample_texts:
            if not self.delimiter.fits_before(sample):
                raise TemplateError(
                    "template-part-has-delimiter",
                    f"{self.where}: {part.placeholder} writes texts such as {quote(sample)}, in which the delimiter "
                    f"{quote(self.delimiter.text)} occurs, and it is not the last part.",
                    fix="use another delimiter, such as '#', or move the part to the end.",
                )

    def _check_sizes(self) -> None:
        if not self.text:
            raise TemplateError(
                "template-empty",
                f"{self.where}: the template is empty.",
                fix="write a literal, a placeholder or both, for example 'ORDER#{id}'.",
            )
        if self.min_bytes > self.limit:
            raise TemplateError(
                "template-too-long",
                f"{self.where}: literals and parts of fixed width alone take {self.min_bytes} bytes; a {self.role} "
                f"key holds at most {self.limit}.",
                fix="shorten the literals or the widths.",
            )

    # Compiled on first use: most processes use few of the keys of a design.

    @cached_property
    def render(self) -> compiled.Render:
        """The key for a mapping of values.

        Example:
            >>> Template("ORDER#{id}").render({"id": "7"})
            'ORDER#7'
        """
        return compiled.compile_render(self)[0]

    @property
    def render_source(self) -> str:
        """The Python that renders."""
        return compiled.compile_render(self)[1]

    def match(self, key: str) -> dict[str, Any] | None:
        """The values of a key, or None if the template did not render it.

        Example:
            >>> Template("ORDER#{id}").match("ORDER#7")
            {'id': '7'}
        """
        return compiled.match_parts(self, key)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of the key, in order."""
        return tuple(dict.fromkeys(part.field for part in self.parts))

    @cached_property
    def lossy_fields(self) -> tuple[str, ...]:
        """The fields whose values `match` cannot determine from this key alone.

        Example:
            >>> Template("{name:.2}#{id}").lossy_fields
            ('name',)
        """
        return _lossy_fields(self.parts)

    @cached_property
    def partial_fields(self) -> tuple[tuple[str, ...], ...]:
        """For each n from 0: the fields whose values the first n parts do not determine.

        Example:
            >>> Template("{name:.2}#{name}").partial_fields
            ((), ('name',), ())
        """
        return tuple(_lossy_fields(self.parts[:count]) for count in range(len(self.parts) + 1))

    @cached_property
    def min_bytes(self) -> int:
        """The size of the shortest key."""
        return len("".join(self.literals).encode()) + sum(part.bytes_range[0] for part in self.parts)

    @cached_property
    def max_bytes(self) -> int | None:
        """The size of the longest key, or None if only DynamoDB's limit applies.

        Example:
            >>> Template("ORDER#{n:06d}").max_bytes
            13
        """
        sizes = [part.bytes_range[1] for part in self.parts]
        known_sizes = [size for size in sizes if size is not None]
        return (
            len("".join(self.literals).encode()) + sum(known_sizes)
            if len(known_sizes) == len(sizes)
            else None
        )

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A regular expression that every key of this template matches, with a group for each part."""
        return compiled.pattern_of(self)

    @cached_property
    def language(self) -> Automaton:
        """All keys that the template can render, for comparing it with others."""
        from pksk.keys.automaton import AutomatonBuilder

        language = AutomatonBuilder()
        language.word(self.literals[0])
        for part, after in zip(self.parts, self.literals[1:], strict=True):
            part.add_to_automaton(language)
            language.word(after)
        return language.freeze()

    def sorts(self, part: str | int) -> bool:
        """Whether byte order equals value order at a part.

        Name the part by its field (the first part of that field) or by its position from 0.

        Example:
            >>> Template("{name}#{n}", name=str, n=int).sorts("name")
            True
            >>> Template("{name}::{n}", name=str, n=int).sorts("name")
            False
        """
        for index, each in enumerate(self.parts):
            if part in (index, each.field):
                return each.sorts_in_key and not each.lossy
        compiled.reject_unknown_field(self, str(part))

    def parse(self, key: str) -> dict[str, Any]:
        """The values of a key, like `match`; raises an error if the template did not render it.

        Example:
            >>> Template("ORDER#{id}").parse("ORDER#7")
            {'id': '7'}
        """
        return compiled.parse_key(self, key)

    def prefix(self, values: Mapping[str, Any]) -> str:
        """The common prefix of all keys with these leading values; it ends with a delimiter.

        Example:
            >>> Template("ORDER#{id}#LINE#{n}").prefix({"id": "1"})
            'ORDER#1#LINE#'
        """
        return common_prefix(self, values)

    def bounds(self, values: Mapping[str, Any]) -> Bounds:
        """The keys with these leading values, the last of which may be an operator: gt(5), begins("x").

        Example:
            >>> from pksk import between
            >>> print(Template("ORDER#{n:06d}#{id}").bounds({"n": between(1, 20)}))
            BETWEEN 'ORDER#000001#' AND 'ORDER#000020$'
        """
        try:
            return template_bounds(self, values)
        except PkskError as error:
            raise shorten_traceback(error)  # noqa: B904 - the error itself

    def unchecked_bounds(self, values: Mapping[str, Any], count: int, operator: Operator | None) -> Bounds:
        """The same without checks: `count` parts have plain values, the next one has the operator.

        Example:
            >>> from pksk import gt
            >>> print(Template("A#{id}#{n:02d}").unchecked_bounds({"id": "7"}, 1, gt(5)))
            BETWEEN 'A#7#06' AND 'A#7$'
        """
        return unchecked_bounds(self, values, count, operator)

    def __call__(self, /, **values: Any) -> str:
        """The key for these values.

        Example:
            >>> Template("ORDER#{id}")(id="7")
            'ORDER#7'
        """
        for name in values:
            if name not in self.fields:
                compiled.reject_unknown_field(self, name)
        return self.render(values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and self._arguments == other._arguments

    def __hash__(self) -> int:
        return hash((self.text, self.codec, self.role))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, self._arguments

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        types = "".join(f", {field}={type_name(self.types[field])}" for field in self.fields)
        raw = ', codec="raw"' if self.codec == "raw" else ""
        return f"Template({self.text!r}{types}{raw})"


def _rebuild(
    text: str, types: Mapping[str, Any] | None, codec: Codec, delimiter: str | None, role: Role, where: str
) -> Template:
    return Template(text, types, codec=codec, delimiter=delimiter, role=role, where=where)


def _split(pieces: tuple[str | Placeholder, ...]) -> tuple[tuple[str, ...], tuple[Placeholder, ...]]:
    """The literals before, between and after the placeholders (may be empty), and the placeholders."""
    literals, placeholders = [""], []
    for piece in pieces:
        if isinstance(piece, str):
            literals[-1] = piece
        else:
            placeholders.append(piece)
            literals.append("")
    return tuple(literals), tuple(placeholders)


def _lossy_fields(parts: Sequence[Part]) -> tuple[str, ...]:
    """The fields whose values these parts do not determine."""
    fields = dict.fromkeys(part.field for part in parts)
    return tuple(
        field
        for field in fields
        if not compiled.determine_value([part for part in parts if part.field == field])
    )
