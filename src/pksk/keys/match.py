"""Matches a key against a template, part by part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pksk.errors import InvalidValue, KeyMismatch, quote

if TYPE_CHECKING:
    from pksk.keys.parts.part import Part
    from pksk.keys.template import Template

PartText = tuple["Part", str]


def match_parts(template: Template, key: str) -> dict[str, Any] | None:
    """The values of the fields in a key, or None if the template cannot have rendered it."""
    pieces = part_texts(template, key)
    return None if pieces is None else values_of_texts(pieces)


def part_texts(template: Template, key: str) -> list[PartText] | None:
    """The text of each part in the key; None if the key does not match."""
    if not isinstance(key, str):
        raise InvalidValue(
            "key-wrong-type",
            f"{template.where}: the key is {quote(key)} of type {type(key).__name__}; a template matches str.",
            fix="pass the value of the key attribute, a string.",
        )
    found = template.pattern.fullmatch(key)
    if found is None or not key or len(key.encode("utf-8", "surrogatepass")) > template.limit:
        return None
    return list(zip(template.parts, found.groups(), strict=True))


def values_of_texts(pieces: Iterable[PartText]) -> dict[str, Any] | None:
    """The values of the texts of parts; None if two texts of a field contradict each other."""
    by_field: dict[str, list[PartText]] = {}
    for part, text in pieces:
        by_field.setdefault(part.field, []).append((part, text))
    values = {}
    for field, own in by_field.items():
        try:
            known, value = _field_value(own)
        except ValueError:
            return None
        if known:
            values[field] = value
    return values


def _field_value(own: list[PartText]) -> tuple[bool, Any]:
    """Whether the texts of one field determine its value, and that value."""
    for part, text in own:
        value = part.decode(text)
        if not part.lossy:
            return True, _check_texts(value, own)
    if not determine_value([part for part, _ in own]):
        return False, None
    return True, _check_texts(own[0][0].join(own), own)


def _check_texts(value: Any, own: list[PartText]) -> Any:
    if len(own) > 1 and any(part.encode(value) != text for part, text in own):
        raise ValueError(own[0][1])
    return value


def determine_value(parts: Sequence[Part]) -> bool:
    """Whether these parts of one field determine its value."""
    return any(not part.lossy for part in parts) or (bool(parts) and parts[0].determines_value(parts))


def example_value(own: list[PartText]) -> Any:
    """Some value that has these texts in these parts of one field; ValueError if none is found."""
    for part, text in own:
        if not part.lossy:
            return _check_texts(part.decode(text), own)
    return _check_texts(own[0][0].join(own), own)


def parse_key(template: Template, key: str) -> dict[str, Any]:
    """The values of a key; raises an error that points to the difference."""
    values = template.match(key)
    if values is not None:
        return values
    raise KeyMismatch(
        "key-mismatch",
        f"{template.where}: key {quote(key)} was not rendered by {quote(template.text)}{_difference(template, key)}.",
        fix='check the template and the types of its fields; codec="raw" reads keys that were not escaped.',
    )


def _difference(template: Template, key: str) -> str:
    """Where the key stops matching the template."""
    if len(key.encode("utf-8", "surrogatepass")) > template.limit:
        return f": it is longer than {template.limit} bytes"
    pieces = part_texts(template, key)
    if pieces is not None:
        return _wrong_value(pieces)
    at = 0
    for literal, part in zip(template.literals, (*template.parts, None), strict=True):
        if not key.startswith(literal, at):
            return f": {quote(key[at:])} where {quote(literal)} is expected"
        at += len(literal)
        found = re.compile(part.pattern, re.DOTALL).match(key, at) if part else None
        if part and not found:
            return f": {quote(key[at:])} is not {part.type_name} as {part.placeholder} writes it"
        at = found.end() if found else at
    return f": {quote(key[at:])} follows where the key should end"


def _wrong_value(pieces: list[PartText]) -> str:
    for part, text in pieces:
        try:
            part.decode(text)
        except ValueError:
            return f": no {part.type_name} is written by {part.placeholder} as {quote(text)}"
    return ": two of its parts contradict each other"


def pattern_of(template: Template) -> re.Pattern[str]:
    """A regular expression for the whole key, with a group for each part."""
    groups = [
        f"({part.pattern}){re.escape(after)}"
        for part, after in zip(template.parts, template.literals[1:], strict=True)
    ]
    return re.compile(re.escape(template.literals[0]) + "".join(groups), re.DOTALL)
