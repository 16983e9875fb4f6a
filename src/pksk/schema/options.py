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
    """The name of a table or an index, if DynamoDB accepts it.

    Example:
        >>> resource_name("Table", "orders.2026")
        'orders.2026'
        >>> resource_name("GSI", "by e-mail")
        Traceback (most recent call last):
        pksk.errors.SchemaError: GSI: name 'by e-mail' contains characters that DynamoDB does not accept.
        A name has 3 to 255 characters: letters (A-Z, a-z), digits and _ . -
        Fix: write 'by-e-mail'.  (pksk explain schema-name)
    """
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
    """The name of an attribute that a schema speaks of, if DynamoDB accepts it there.

    Example:
        >>> attribute_name("GSI 'by-email'", "email")
        'email'
    """
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
    """The chosen word; raises an error that suggests the nearest one.

    Example:
        >>> check_choice("Table 'orders'", "table_class", "standard", ["standard", "infrequent-access"])
        'standard'
        >>> check_choice("Table 'orders'", "table_class", "STANDARD", ["standard", "infrequent-access"])
        Traceback (most recent call last):
        pksk.errors.SchemaError: Table 'orders': table_class='STANDARD' does not exist.
        It is one of: 'standard', 'infrequent-access'.
        Fix: did you mean 'standard'?  (pksk explain schema-option)
    """
    known = list(words)
    if isinstance(value, str) and value in known:
        return str.__str__(value)
    near = _nearest_word(value, known)
    raise SchemaError(
        "schema-option",
        f"{where}: {option}={quote(value)} does not exist.",
        expected=f"It is one of: {', '.join(map(repr, known))}{or_else}.",
        fix=f"did you mean {near!r}?" if near else "write one of these.",
    )


def check_switch(where: str, option: str, value: object) -> bool:
    """True or False; a text such as "no" would count as true.

    Example:
        >>> check_switch("Table 'orders'", "deletion_protection", True)
        True
    """
    if isinstance(value, bool):
        return value
    raise SchemaError(
        "schema-option",
        f"{where}: {option}={quote(value)} does not exist.",
        expected="It is True or False.",
        fix="write one of these.",
    )


def _nearest_word(value: object, known: list[str]) -> str:
    """The nearest word, whether written as ours or as DynamoDB writes its own."""
    if not isinstance(value, str):
        return ""
    by_folded = {_fold_word(word): word for word in known}
    return by_folded.get(did_you_mean(_fold_word(value), by_folded), "")


def _fold_word(word: str) -> str:
    return word.casefold().replace("_", "-")
