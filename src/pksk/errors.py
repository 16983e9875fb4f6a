"""Every error that pksk raises: where and what, then what was expected, then the fix.

The tree::

    PkskError
    ├── SchemaError          a table or an index cannot be declared as written
    ├── TemplateError        a key template cannot be declared as written
    ├── DesignError          an entity, its keys or an access pattern do not fit together
    ├── InvalidValue         a value cannot be stored or put into a key  (also a ValueError)
    ├── BoundsError          a question that no range of keys can answer (also a ValueError)
    ├── KeyMismatch          a key that this template did not render     (also a ValueError)
    ├── ExpressionError      an expression that DynamoDB refuses         (also a ValueError)
    ├── ExpressionMisuse     a condition used as Python's own truth      (also a TypeError)
    └── FileProblem          a file that cannot be read as what it should be

Each error has a stable ``code``; ``pksk explain CODE`` prints what it means and how to fix it.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "BoundsError",
    "DesignError",
    "ExpressionError",
    "ExpressionMisuse",
    "FileProblem",
    "InvalidValue",
    "KeyMismatch",
    "PkskError",
    "SchemaError",
    "TemplateError",
    "did_you_mean",
    "quote",
    "quote_path",
]


class PkskError(Exception):
    """The base of all errors of pksk.

    Example:
        >>> raise PkskError("key-empty", "The key is empty.", fix="give 'id' a value.")
        Traceback (most recent call last):
        pksk.errors.PkskError: The key is empty.
        Fix: give 'id' a value.  (pksk explain key-empty)
    """

    def __init__(self, code: str, problem: str, *, expected: str = "", fix: str = "") -> None:
        super().__init__(code, problem)
        self.code = code
        self.problem = problem
        self.expected = expected
        self.fix = fix

    def __str__(self) -> str:
        hint = f"(pksk explain {self.code})"
        last = f"Fix: {self.fix}  {hint}" if self.fix else hint
        return "\n".join(line for line in (self.problem, self.expected, last) if line)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.code, self.problem, self.expected, self.fix)


def _rebuild(kind: type[PkskError], code: str, problem: str, expected: str, fix: str) -> PkskError:
    return kind(code, problem, expected=expected, fix=fix)


class SchemaError(PkskError):
    """A table or an index cannot be declared as written."""


class TemplateError(PkskError):
    """A key template cannot be declared as written."""


class DesignError(PkskError):
    """An entity, its keys or an access pattern do not fit together."""


class InvalidValue(PkskError, ValueError):
    """A value cannot be stored or put into a key."""


class BoundsError(PkskError, ValueError):
    """No range of keys answers the question; the message says why and what does."""


class KeyMismatch(PkskError, ValueError):
    """A key that this template did not render."""


class ExpressionError(PkskError, ValueError):
    """An expression that DynamoDB refuses; the problem is in its own words."""

    @property
    def service_message(self) -> str:
        """What the service says of it, word for word."""
        return self.problem


class ExpressionMisuse(PkskError, TypeError):
    """A condition or a field was used where Python expects a plain value or a truth."""


class FileProblem(PkskError):
    """A file that cannot be read as what it should be."""


def quote(value: object, limit: int = 80) -> str:
    """A value in quotes for a message, cut where it is long.

    Example:
        >>> quote("a#b")
        "'a#b'"
        >>> quote("x" * 200, limit=10)
        "'xxxxxxxxx… (202 characters)"
    """
    try:
        text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    except ValueError:  # Python refuses to write out an int of many thousand digits
        return f"<{type(value).__name__} too large to show>"
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def quote_path(path: str) -> str:
    """A file's name in quotes, never cut: people copy it from the message.

    Example:
        >>> len(quote_path("x" * 200))
        202
    """
    return quote(path, limit=100_000)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The known word that is nearest to a mistyped one, or nothing.

    Example:
        >>> did_you_mean("costumer_id", ["customer_id", "order_id"])
        'customer_id'
        >>> did_you_mean("zzz", ["customer_id"])
        ''
    """
    from difflib import get_close_matches  # loaded only once something is misspelt

    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return near[0] if near else ""
