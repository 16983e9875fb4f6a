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
    ├── FileProblem          a file that cannot be read as what it should be
    └── StoreError           a request that was run, and did not do what was asked
        ├── ConditionFailed      what is stored did not meet a condition
        │   ├── AlreadyExists        an item that was to be created is there
        │   ├── NotFound             an item that was to be changed is not there
        │   ├── StaleVersion         the item was written since it was read
        │   ├── UniqueViolation          another item holds a value that is unique
        │   └── ReferenceMissing     an item that is referred to is not there
        ├── TransactionFailed    several writes together, none of which was done
        ├── BatchIncomplete      a batch of which some were not done
        ├── ItemUnreadable       an item that does not fit its entity
        ├── InvalidCursor        a cursor that is not of this query, or was changed
        ├── TableMissing         the table is not there
        ├── TableDiffers         the table is not as it is declared
        ├── WriteConflict            others kept changing what a write depends on
        ├── Throttled            DynamoDB asked to slow down, to the end
        ├── ServiceUnreachable          no connection; nothing was done
        ├── NotConfigured        what the client was told lets no request succeed; nothing was done
        ├── OutcomeUnknown       no answer; it may have been done or not
        └── Refused              DynamoDB said no, in its own words
            └── AccessDenied        it does not take the credentials, or they do not allow this

Each error has a stable ``code``; ``pksk explain CODE`` prints what it means and how to fix it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

__all__ = [
    "AccessDenied",
    "AlreadyExists",
    "BatchIncomplete",
    "BoundsError",
    "ConditionFailed",
    "DesignError",
    "ExpressionError",
    "ExpressionMisuse",
    "FileError",
    "InvalidCursor",
    "InvalidValue",
    "ItemUnreadable",
    "KeyMismatch",
    "NotConfigured",
    "NotFound",
    "OutcomeUnknown",
    "PkskError",
    "ReferenceMissing",
    "RequestRejected",
    "RequestThrottled",
    "SchemaError",
    "ServiceUnreachable",
    "StaleVersion",
    "StoreError",
    "TableDiffers",
    "TableMissing",
    "TemplateError",
    "TransactionFailed",
    "UniqueViolation",
    "WriteConflict",
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
        return _rebuild, (type(self), self.code, self.problem, self.expected, self.fix), self.__dict__


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


class FileError(PkskError):
    """A file that cannot be read as what it should be."""


class StoreError(PkskError):
    """A request that was run, and did not do what was asked; `__cause__` is what DynamoDB said, if it said anything.

    `request` is the read or write as it was given, where one is to blame.
    """

    request: Any = None


class ConditionFailed(StoreError):
    """What is stored did not meet a condition; nothing was written.

    `item` is the entity as it is stored, or its attributes where they are of no entity; None where there is none.
    """

    item: Any = None


class AlreadyExists(ConditionFailed):
    """An item that was to be created is there already."""


class NotFound(ConditionFailed):
    """An item that was to be changed or deleted is not there."""


class StaleVersion(ConditionFailed):
    """The item was written by somebody else since it was read."""


class UniqueViolation(ConditionFailed):
    """Another item holds a value that is unique; `field` and `value` say which, `owner` is the key of that item."""

    field: str = ""
    value: Any = None
    owner: Any = None


class ReferenceMissing(ConditionFailed):
    """An item that is referred to is not there; `field` is the reference, `key` that of the missing item."""

    field: str = ""
    key: Any = None


class TransactionFailed(StoreError):
    """Several writes together, none of which was done; `failures` has the error of each that is to blame, by place."""

    failures: Mapping[int, StoreError] = MappingProxyType({})


class BatchIncomplete(StoreError):
    """A batch of which some members are not known to be done; `left` are those, as they were given.

    `done` are the other writes of a batch that writes, and of one that reads what those others have found. Sending
    `left` again is safe, since puts and deletes of a batch may be done twice. `__cause__` is what stopped it; where
    that is an `OutcomeUnknown`, some of `left` may have been done.
    """

    left: Sequence[Any] = ()
    done: Sequence[Any] = ()


class ItemUnreadable(StoreError):
    """An item that does not fit its entity; `key` is its key, `fields` say what is wrong with each, `item` is it."""

    key: Any = None
    fields: Mapping[str, str] = MappingProxyType({})
    item: Any = None


class InvalidCursor(StoreError, ValueError):
    """A cursor that is not of this query, was changed, or was made with another secret."""


class TableMissing(StoreError):
    """The table of an entity is not there."""


class TableDiffers(StoreError):
    """The table is not as it is declared; `differences` are the lines that say how."""

    differences: Sequence[str] = ()


class WriteConflict(StoreError):
    """Others kept changing what a write depends on, each time that it was tried; nothing was written."""


class RequestThrottled(StoreError):
    """DynamoDB asked to slow down, each time that it was tried; nothing was done."""


class ServiceUnreachable(StoreError):
    """No connection could be made, or a read got no answer, each time that it was tried; nothing was done."""


class NotConfigured(StoreError):
    """What a client was told lets no request succeed: no region or credentials, a wrong address; nothing was done."""


class OutcomeUnknown(StoreError):
    """A write got no answer, and trying it again could do it twice, or cannot tell: it may have been done or not.

    So it is also where a second attempt finds that a condition fails, or nothing to delete: the first may have been
    the cause. `item` is what was stored when that was last seen, if it was. Any other error of a write says that it
    was not done.
    """

    item: Any = None


class RequestRejected(StoreError):
    """DynamoDB said no, in its own words; `service_code` is its code."""

    service_code: str = ""


class AccessDenied(RequestRejected):
    """DynamoDB does not take the credentials, or they do not allow what was asked; nothing was done."""


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
