"""The names of tables, indexes and attributes, and what DynamoDB asks of them."""

from __future__ import annotations

import re
from typing import Final

from pksk.errors import SchemaError, quote
from pksk.schema.quotas import ATTRIBUTE_NAME_BYTES, NAME_CHARACTERS

__all__ = ["attribute_name", "resource_name"]

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
        Names are of 3 to 255 letters (A-Z, a-z), digits and _ . -
        Fix: write 'by-e-mail'.  (pksk explain schema-name)
    """
    least, most = NAME_CHARACTERS
    if isinstance(name, str) and _ALLOWED.fullmatch(name) and least <= len(name) <= most:
        return str.__str__(name)
    raise SchemaError(
        "schema-name",
        f"{what}: name {quote(name)} {_what_is_wrong(name)}.",
        expected=f"Names are of {least} to {most} letters (A-Z, a-z), digits and _ . -",
        fix=_fix(name),
    )


def _what_is_wrong(name: object) -> str:
    if not isinstance(name, str):
        return f"is of type {type(name).__name__}, not str"
    if name and not _ALLOWED.fullmatch(name):
        return "contains characters that DynamoDB does not accept"
    return f"has {len(name)} characters"


def _fix(name: object) -> str:
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
        fix="name the attribute as items store it.",
    )


def _utf8_bytes(name: str) -> int:
    try:
        return len(name.encode())
    except UnicodeEncodeError:  # half of a surrogate pair, which has no UTF-8
        return ATTRIBUTE_NAME_BYTES + 1
