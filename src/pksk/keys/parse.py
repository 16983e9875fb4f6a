"""Parses the text of a template into literals and placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter

from pksk.dataclass import dataclass
from pksk.errors import TemplateError, quote


def is_utf8(text: str) -> bool:
    r"""Whether the text can be stored; half of a surrogate pair cannot.

    Example:
        >>> is_utf8("é"), is_utf8("\ud800")
        (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# Compiled on first use, by `re`.
_FIELD = r"(?P<field>[^\W\d]\w*)(?:\[(?P<slice>[^\]]*)\])?"
_SLICE = r"(?P<start>-?\d+)?:(?P<stop>-?\d+)?"


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A `{field}`, `{field:spec}` or `{field[start:stop]}` of a template."""

    field: str
    spec: str = ""
    cut: slice | None = None

    def __str__(self) -> str:
        where = f"[{_index_text(self.cut.start)}:{_index_text(self.cut.stop)}]" if self.cut else ""
        return f"{{{self.field}{where}{':' if self.spec else ''}{self.spec}}}"


def _index_text(index: int | None) -> str:
    return "" if index is None else str(index)


def parse(text: str) -> tuple[str | Placeholder, ...]:
    """The literals and placeholders of a template, in order; adjacent literals are joined, empty ones left out.

    Example:
        >>> parse("ORDER#{id}")
        ('ORDER#', Placeholder(field='id', spec='', cut=None))
    """
    if not isinstance(text, str) or not is_utf8(text):
        raise TemplateError(
            "template-syntax",
            f"Template {quote(text)} is not text that DynamoDB can store.",
            fix="write the template as a string, for example 'ORDER#{id}'.",
        )
    try:
        return tuple(_join_literals(_pieces(text)))
    except ValueError as error:
        raise TemplateError(
            "template-syntax",
            f"Template {quote(text)} cannot be read: {str(error)[:1].lower()}{str(error)[1:]}.",
            fix="write {field}, {field:spec} or {field[start:stop]}; a brace of its own is {{ or }}.",
        ) from None


def _pieces(text: str) -> Iterator[str | Placeholder]:
    for literal, field, spec, conversion in Formatter().parse(text):
        if literal:
            yield literal
        if field is not None:
            yield _placeholder(text, field, spec or "", conversion)


def _join_literals(pieces: Iterator[str | Placeholder]) -> Iterator[str | Placeholder]:
    literal = ""
    for piece in pieces:
        if isinstance(piece, str):
            literal += piece
            continue
        if literal:
            yield literal
        literal = ""
        yield piece
    if literal:
        yield literal


def _placeholder(text: str, name: str, spec: str, conversion: str | None) -> Placeholder:
    found = re.fullmatch(_FIELD, name)
    if conversion or "{" in spec or not found:
        written = name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        raise TemplateError(
            "template-syntax",
            f"Template {quote(text)}: placeholder {quote('{' + written + '}')} does not name a field.",
            expected="A placeholder is {field}, {field:spec} or {field[start:stop]}.",
            fix=_placeholder_fix(name, conversion),
        )
    return Placeholder(found["field"], spec, _parse_slice(text, name, found["slice"]))


def _placeholder_fix(name: str, conversion: str | None) -> str:
    if conversion:
        return f"leave out '!{conversion}'."
    if "." in name:
        return f"add a field (or a computed field) to the model for {quote(name)}, and use that."
    return "name one of the fields, for example {id}."


def _parse_slice(text: str, name: str, written: str | None) -> slice | None:
    if written is None:
        return None
    found = re.fullmatch(_SLICE, written)
    if not found:
        raise TemplateError(
            "template-slice",
            f"Template {quote(text)} takes {quote('{' + name + '}')}, and '[{written}]' is not a slice.",
            fix="write whole numbers around one colon: [:3], [-3:] or [2:5].",
        )
    start, stop = (None if bound is None else int(bound) for bound in (found["start"], found["stop"]))
    return slice(start or None, stop)
