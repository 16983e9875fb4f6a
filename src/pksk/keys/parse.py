"""Parses the text of a template into literals and placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter

from pksk.dataclass import dataclass
from pksk.errors import TemplateError, quote


def is_utf8(text: str) -> bool:
    r"""Whether the text can be stored; half of a surrogate pair cannot."""
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
# What an f-string makes of {id}, {date} or the name of a field with Field(...): it has no other value for the name.
_OBJECT = (
    r"<(?:built-in function|class|function|property object) '?(?:\w+\.)*(?P<name>\w+)[^>]*>"
    r"|annotation=\w+ required=\w+"
)


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


def parse(text: str, where: str = "") -> tuple[str | Placeholder, ...]:
    """The literals and placeholders of a template, in order; adjacent literals are joined, empty ones left out."""
    named = f"{where}: template {quote(text)}" if where else f"Template {quote(text)}"
    if not isinstance(text, str) or not is_utf8(text):
        raise TemplateError(
            "template-syntax",
            f"{named} is not text that DynamoDB can store.",
            fix="write the template as a string, for example 'ORDER#{id}'.",
        )
    if "<" in text or "=" in text:
        _check_no_object(named, text)
    try:
        return tuple(_join_literals(_pieces(named, text)))
    except ValueError as error:
        raise TemplateError(
            "template-syntax",
            f"{named} cannot be read: {str(error)[:1].lower()}{str(error)[1:]}.",
            fix="write {field}, {field:spec} or {field[start:stop]}; a brace of its own is {{ or }}.",
        ) from None


def _check_no_object(named: str, text: str) -> None:
    """Reject the text of a Python object, which would be the same in every key."""
    match = re.search(_OBJECT, text)
    if match:
        name = match["name"]
        right = quote(text.replace(match[0], f"{{{name}}}")) if name else "the name of the field in braces"
        raise TemplateError(
            "template-f-string",
            f"{named} contains {quote(match[0])}, the text of a Python object.",
            expected="An f-string replaces its braces before pksk reads them, so every key would contain this text.",
            fix=f"write {right}, in a string without f in front.",
        )


def _pieces(named: str, text: str) -> Iterator[str | Placeholder]:
    for literal, field, spec, conversion in Formatter().parse(text):
        if literal:
            yield literal
        if field is not None:
            yield _placeholder(named, field, spec or "", conversion)


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


def _placeholder(named: str, name: str, spec: str, conversion: str | None) -> Placeholder:
    match = re.fullmatch(_FIELD, name)
    if conversion or "{" in spec or not match:
        text_in_braces = name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        raise TemplateError(
            "template-syntax",
            f"{named}: placeholder {quote('{' + text_in_braces + '}')} does not name a field.",
            expected="A placeholder is {field}, {field:spec} or {field[start:stop]}.",
            fix=_placeholder_fix(name, conversion),
        )
    return Placeholder(match["field"], spec, _parse_slice(named, name, match["slice"]))


def _placeholder_fix(name: str, conversion: str | None) -> str:
    if conversion:
        return f"leave out '!{conversion}'."
    if "." in name:
        return f"add a field (or a computed field) to the model for {quote(name)}, and use that."
    return "name one of the fields, for example {id}."


def _parse_slice(named: str, name: str, slice_text: str | None) -> slice | None:
    if slice_text is None:
        return None
    match = re.fullmatch(_SLICE, slice_text)
    if not match:
        raise TemplateError(
            "template-slice",
            f"{named} takes {quote('{' + name + '}')}, and '[{slice_text}]' is not a slice.",
            fix="write whole numbers around one colon: [:3], [-3:] or [2:5].",
        )
    start, stop = (None if bound is None else int(bound) for bound in (match["start"], match["stop"]))
    return slice(start or None, stop)
