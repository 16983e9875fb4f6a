"""Checks options of a table: names of tables, indexes and attributes, and choices."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pksk.errors import SchemaError, did_you_mean, quote
from pksk.schema.quotas import ATTRIBUTE_NAME_BYTES, NAME_CHARACTERS

_ALLOWED: Final = re.compile(r"[A-Za-z0-9_.-]+")
_FORBIDDEN: Final = re.compile(r"[^A-Za-z0-9_.-]+")


def resource_name(what: str, name: object) -> str:
    """The name of a table or an index, if DynamoDB accepts it."""
    least, most = NAME_CHARACTERS
    if isinstance(name, str) and _ALLOWED.fullmatch(name) and least <= len(name) <= most:
        return str.__str__(name)
    raise SchemaError(
        "schema-name",
        f"{what}: name {quote(name)} {_name_problem(name)}.",
        expected=f"A name has {least} to {most} characters: letters (A-Z, a-z), digits and _ . -",
        fix=_name_fix(name),
    )


def _name_problem(name: object) -> str:
    if not isinstance(name, str):
        return f"is of type {type(name).__name__}, not str"
    if name and not _ALLOWED.fullmatch(name):
        return "contains characters that DynamoDB does not accept"
    return f"has {len(name)} {'character' if len(name) == 1 else 'characters'}"


def _name_fix(name: object) -> str:
    least, most = NAME_CHARACTERS
    spelled = _FORBIDDEN.sub("-", name) if isinstance(name, str) else ""
    if spelled != name and spelled.strip("-") and least <= len(spelled) <= most:
        return f"write {quote(spelled)}."
    return "give it a name of that form."


def attribute_name(where: str, name: object) -> str:
    """The name of an attribute that a schema speaks of, if DynamoDB accepts it there."""
    if isinstance(name, str) and name and _utf8_bytes(name) <= ATTRIBUTE_NAME_BYTES:
        return str.__str__(name)
    raise SchemaError(
        "schema-attribute",
        f"{where}: {quote(name)} is not the name of an attribute.",
        expected=f"A name here is a str of 1 to {ATTRIBUTE_NAME_BYTES} bytes in UTF-8.",
        fix="write the name of the attribute in the items.",
    )


def _utf8_bytes(name: str) -> int:
    try:
        return len(name.encode())
    except UnicodeEncodeError:  # half of a surrogate pair, which has no UTF-8
        return ATTRIBUTE_NAME_BYTES + 1


def check_choice(where: str, option: str, value: object, words: Iterable[str], *, or_else: str = "") -> str:
    """The chosen word; raises an error that suggests the nearest one."""
    choices = list(words)
    if isinstance(value, str) and value in choices:
        return str.__str__(value)
    near = _nearest_word(value, choices)
    raise SchemaError(
        "schema-option",
        f"{where}: {option}={quote(value)} is not valid.",
        expected=f"Valid values are: {', '.join(map(repr, choices))}{or_else}.",
        fix=f"did you mean {near!r}?" if near else "write one of these.",
    )


def check_switch(where: str, option: str, value: object) -> bool:
    """True or False; a text such as "no" would count as true."""
    if isinstance(value, bool):
        return value
    raise SchemaError(
        "schema-option",
        f"{where}: {option}={quote(value)} is not valid.",
        expected="Valid values are: True, False.",
        fix="write one of these.",
    )


def _nearest_word(value: object, choices: list[str]) -> str:
    """The nearest choice, also for a value in DynamoDB's spelling."""
    if not isinstance(value, str):
        return ""
    by_folded = {_fold_word(word): word for word in choices}
    return by_folded.get(did_you_mean(_fold_word(value), by_folded), "")


def _fold_word(word: str) -> str:
    return word.casefold().replace("_", "-")
