"""Matches a key part by part, and puts fields together that stand in several parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pksk.errors import InvalidValue, KeyMismatch, quote
from pksk.keys.parts.slices import SlicePart, spliced
from pksk.keys.parts.times import DatePart
from pksk.keys.parts.timespec import TimeSpec

if TYPE_CHECKING:
    from pksk.keys.parts.part import Part
    from pksk.keys.template import Template

__all__ = ["determines", "match_interpreted", "match_texts", "parse_key", "texts_of", "witness"]

Piece = tuple["Part", str]


def match_interpreted(template: Template, key: str) -> dict[str, Any] | None:
    """The values of the fields that the key gives back, or None if the template cannot have rendered it."""
    pieces = texts_of(template, key)
    return None if pieces is None else match_texts(pieces)


def texts_of(template: Template, key: str) -> list[Piece] | None:
    """The text of each part in the key, or None."""
    if not isinstance(key, str):
        raise InvalidValue(
            "key-wrong-type",
            f"{template.where}: the key is {quote(key)} of type {type(key).__name__}; a template matches str.",
            fix="give the value of the key attribute, a string.",
        )
    found = template.pattern.fullmatch(key)
    if found is None or not key or len(key.encode("utf-8", "surrogatepass")) > template.limit:
        return None
    return list(zip(template.parts, found.groups(), strict=True))


def match_texts(pieces: Iterable[Piece]) -> dict[str, Any] | None:
    """The values that the texts of parts give back; None where two texts of a field contradict each other."""
    by_field: dict[str, list[Piece]] = {}
    for part, text in pieces:
        by_field.setdefault(part.field, []).append((part, text))
    values = {}
    for field, own in by_field.items():
        try:
            known, value = _value(own)
        except ValueError:
            return None
        if known:
            values[field] = value
    return values


def _value(own: list[Piece]) -> tuple[bool, Any]:
    """Whether the texts of one field determine its value, and that value."""
    for part, text in own:
        value = part.decode(text)
        if not part.lossy:
            return True, _confirmed(value, own)
    joined = _joined(own)
    return (False, None) if joined is None else (True, _confirmed(joined, own))


def _confirmed(value: Any, own: list[Piece]) -> Any:
    if len(own) > 1 and any(part.encode(value) != text for part, text in own):
        raise ValueError(own[0][1])
    return value


def determines(parts: Sequence[Part]) -> bool:
    """Whether these parts of one field give its value back."""
    if any(not part.lossy for part in parts):
        return True
    if all(isinstance(part, SlicePart) for part in parts):
        return _halves([(part, "") for part in parts]) is not None
    letters = "".join(part.spec.letters for part in parts if isinstance(part, DatePart))
    return all(type(part) is DatePart for part in parts) and TimeSpec((), letters).names_a_day


def witness(own: list[Piece]) -> Any:
    """Some value that has these texts in these parts of one field; ValueError where none was found."""
    slices = [part for part, _ in own if isinstance(part, SlicePart)]
    if len(slices) == len(own):
        return _confirmed(spliced(_slices(own), slices[0].least, slices[0].most), own)
    if len(own) > 1 and all(isinstance(part, DatePart) for part, _ in own):
        return _confirmed(_dated(own), own)
    part, text = next((piece for piece in own if not piece[0].lossy), own[0])
    return _confirmed(part.decode(text), own)


def _joined(own: list[Piece]) -> Any | None:
    """The value that several lossy parts give together: two halves of a text, or a year and a day."""
    if not determines([part for part, _ in own]):
        return None
    return _halves(own) if isinstance(own[0][0], SlicePart) else _dated(own)


def _slices(own: list[Piece]) -> list[tuple[slice, str]]:
    return [(part.slice, part.escaper.unescape(text)) for part, text in own if isinstance(part, SlicePart)]


def _halves(own: list[Piece]) -> str | None:
    cuts = _slices(own)
    for head, first in cuts:
        for tail, second in cuts:
            if head.start is None and tail.stop is None and head.stop is not None and head.stop == tail.start:
                return first + second
    return None


def _dated(own: list[Piece]) -> Any:
    """A date or time with the figures of all the texts."""
    figures: dict[str, int] = {}
    parts = [part for part, _ in own if isinstance(part, DatePart)]
    for part, (_, text) in zip(parts, own, strict=True):
        figures.update(part.spec.read(text))
    # A format in UTC asks for a time with a zone, which the others then take too.
    return max(parts, key=lambda part: part.spec.literals[-1].endswith("Z")).built(figures)


def parse_key(template: Template, key: str) -> dict[str, Any]:
    """The values of a key, or an error that says where it differs."""
    values = template.match(key)
    if values is not None:
        return values
    raise KeyMismatch(
        "key-mismatch",
        f"{template.where}: key {quote(key)} was not rendered by {quote(template.text)}{_difference(template, key)}.",
        fix='check the template and the types of its fields; codec="raw" reads keys that nothing escaped.',
    )


def _difference(template: Template, key: str) -> str:
    """Where the key ceases to be one of the template."""
    if len(key.encode("utf-8", "surrogatepass")) > template.limit:
        return f": it is longer than {template.limit} bytes"
    pieces = texts_of(template, key)
    if pieces is not None:
        return _wrong_value(pieces)
    at = 0
    for literal, part in zip(template.literals, (*template.parts, None), strict=True):
        if not key.startswith(literal, at):
            return f": {quote(key[at:])} stands where {quote(literal)} belongs"
        at += len(literal)
        found = re.compile(part.pattern, re.DOTALL).match(key, at) if part else None
        if part and not found:
            return f": {quote(key[at:])} is not {part.type_name} as {part.placeholder} writes it"
        at = found.end() if found else at
    return f": {quote(key[at:])} follows where the key should end"


def _wrong_value(pieces: list[Piece]) -> str:
    for part, text in pieces:
        try:
            part.decode(text)
        except ValueError:
            return f": there is no {part.type_name} that {part.placeholder} writes as {quote(text)}"
    return ": two of its parts contradict each other"
