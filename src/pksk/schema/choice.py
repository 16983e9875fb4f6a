"""An option that is one of a few words."""

from __future__ import annotations

from collections.abc import Iterable

from pksk.errors import SchemaError, did_you_mean, quote

__all__ = ["choice", "switch"]


def choice(where: str, option: str, value: object, words: Iterable[str], *, or_else: str = "") -> str:
    """The word that was chosen, or a refusal that names the nearest one.

    Example:
        >>> choice("Table 'orders'", "table_class", "standard", ["standard", "infrequent-access"])
        'standard'
        >>> choice("Table 'orders'", "table_class", "STANDARD", ["standard", "infrequent-access"])
        Traceback (most recent call last):
        pksk.errors.SchemaError: Table 'orders': table_class='STANDARD' does not exist.
        It is one of: 'standard', 'infrequent-access'.
        Fix: did you mean 'standard'?  (pksk explain schema-option)
    """
    known = list(words)
    if isinstance(value, str) and value in known:
        return str.__str__(value)
    near = _near(value, known)
    raise SchemaError(
        "schema-option",
        f"{where}: {option}={quote(value)} does not exist.",
        expected=f"It is one of: {', '.join(map(repr, known))}{or_else}.",
        fix=f"did you mean {near!r}?" if near else "write one of these.",
    )


def switch(where: str, option: str, value: object) -> bool:
    """True or False; a text such as "no" would count as true.

    Example:
        >>> switch("Table 'orders'", "deletion_protection", True)
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


def _near(value: object, known: list[str]) -> str:
    """The nearest word, whether written as ours or as DynamoDB writes its own."""
    if not isinstance(value, str):
        return ""
    by_folded = {_folded(word): word for word in known}
    return by_folded.get(did_you_mean(_folded(value), by_folded), "")


def _folded(word: str) -> str:
    return word.casefold().replace("_", "-")
