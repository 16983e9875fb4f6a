"""All errors of pksk: a message says where and what, then what was expected, then the fix.

The tree::

    PkskError
    ├── SchemaError          a table or an index cannot be declared as written
    ├── TemplateError        a key template cannot be declared as written
    ├── DesignError          an entity, its keys or an access pattern do not fit together
    ├── InvalidValue         a value cannot be stored or put into a key  (also a ValueError)
    ├── BoundsError          no range of keys can serve a query           (also a ValueError)
    ├── KeyMismatch          a key that this template did not render     (also a ValueError)
    ├── ExpressionError      an expression that DynamoDB rejects         (also a ValueError)
    ├── ExpressionMisuse     a condition used as a Python truth value    (also a TypeError)
    ├── FileError            a file has the wrong format or cannot be read
    └── StoreError           a request failed
        ├── ConditionFailed      a condition on the stored item failed
        │   ├── AlreadyExists        the item to create exists
        │   ├── NotFound             the item to change does not exist
        │   ├── StaleVersion         the item changed since it was read
        │   ├── UniqueViolation      another item has the same unique value
        │   └── ReferenceMissing     a referenced item does not exist
        ├── TransactionFailed    a transaction was rejected; nothing was written
        ├── BatchIncomplete      some requests of a batch were not processed
        ├── ItemUnreadable       a stored item does not fit its entity
        ├── InvalidCursor        a cursor is from another query, or was changed
        ├── TableMissing         the table does not exist
        ├── TableDiffers         the table differs from its declaration
        ├── WriteConflict        other writers kept changing the items
        ├── RequestThrottled     DynamoDB throttled every attempt
        ├── ServiceUnreachable   no connection; nothing was written
        ├── NotConfigured        region, credentials or address are missing or wrong
        ├── ConsumerStale        a consumer of changes has missed some
        ├── OutcomeUnknown       no response; the write may have happened
        └── RequestRejected      DynamoDB rejected the request
            └── AccessDenied         the credentials are wrong, or do not allow the request

Each error has a stable ``code``; ``pksk explain CODE`` prints what it means and how to fix it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeVar

__all__ = [
    "AccessDenied",
    "AlreadyExists",
    "BatchIncomplete",
    "BoundsError",
    "ConditionFailed",
    "ConsumerStale",
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
    "shorten_traceback",
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
    """No range of keys can serve the query; the message says why and what to do."""


class KeyMismatch(PkskError, ValueError):
    """A key that this template did not render."""


class ExpressionError(PkskError, ValueError):
    """An expression that DynamoDB rejects; `problem` is DynamoDB's message."""

    @property
    def service_message(self) -> str:
        """DynamoDB's message."""
        return self.problem


class ExpressionMisuse(PkskError, TypeError):
    """A condition or a field was used as a plain value or a truth value."""


class FileError(PkskError):
    """A file has the wrong format or cannot be read."""


class StoreError(PkskError):
    """A request failed; `__cause__` is DynamoDB's error, if there was one.

    `request` is the read or write that failed, if it is known.
    """

    def __init__(
        self, code: str, problem: str, *, expected: str = "", fix: str = "", request: Any = None
    ) -> None:
        super().__init__(code, problem, expected=expected, fix=fix)
        self.request = request


class ConditionFailed(StoreError):
    """A condition on the stored item failed; nothing was written.

    `item` is the stored entity (its attributes, if it is of no entity), or None if there is no item.
    """

    item: Any = None


class AlreadyExists(ConditionFailed):
    """The item to create already exists."""


class NotFound(ConditionFailed):
    """The item to change or delete does not exist."""


class StaleVersion(ConditionFailed):
    """The item was changed since it was read."""


class UniqueViolation(ConditionFailed):
    """Another item has the same value in the unique `field`; `owner` is the key of that item.

    If the field is unique within others, `within` has their values.
    """

    field: str = ""
    value: Any = None
    within: Mapping[str, Any] = MappingProxyType({})
    owner: Any = None


class ReferenceMissing(ConditionFailed):
    """A referenced item does not exist; `field` is the reference, `key` the key of the missing item."""

    field: str = ""
    key: Any = None


class TransactionFailed(StoreError):
    """A transaction was rejected and nothing was written; `failures` has the errors of its members by position."""

    failures: Mapping[int, StoreError] = MappingProxyType({})


class BatchIncomplete(StoreError):
    """Some requests of a batch were not processed, or their outcome is unknown; `unprocessed` are those requests.

    `processed` are the other writes, or the results of the other reads. It is safe to send `unprocessed` again,
    because puts and deletes of a batch can be repeated. `__cause__` is the error that stopped the batch; if it is
    an `OutcomeUnknown`, some of `unprocessed` may have been written.
    """

    unprocessed: Sequence[Any] = ()
    processed: Sequence[Any] = ()


class ItemUnreadable(StoreError):
    """A stored item does not fit its entity; `fields` has the problem of each field."""

    key: Any = None
    fields: Mapping[str, str] = MappingProxyType({})
    item: Any = None


class InvalidCursor(StoreError, ValueError):
    """A cursor is from another query, was changed, or was made with another secret."""


class TableMissing(StoreError):
    """The table of an entity does not exist."""


class TableDiffers(StoreError):
    """The table differs from its declaration; `differences` describes how."""

    differences: Sequence[str] = ()


class ConsumerStale(StoreError):
    """A consumer of changes has missed some: its stream was disabled, created again, or not read for a day."""


class WriteConflict(StoreError):
    """Other writers changed the items during every attempt; nothing was written."""


class RequestThrottled(StoreError):
    """DynamoDB throttled every attempt; nothing was written."""


class ServiceUnreachable(StoreError):
    """No attempt could connect, or a read got no response; nothing was written."""


class NotConfigured(StoreError):
    """The region, the credentials or the address of a client are missing or wrong; nothing was written."""


class OutcomeUnknown(StoreError):
    """A write got no response, and a retry could write twice or cannot tell: it may have happened or not.

    This includes a retry whose condition fails, or that finds nothing to delete, because the first attempt may have
    caused that. `item` is the stored item as last seen, if it was. After every other error of a write, nothing was
    written.
    """

    item: Any = None


class RequestRejected(StoreError):
    """DynamoDB rejected the request; `service_code` is its error code."""

    service_code: str = ""


class AccessDenied(RequestRejected):
    """DynamoDB rejects the credentials, or they do not allow the request; nothing was written."""


def quote(value: object, limit: int = 80) -> str:
    """A value in quotes for a message, cut where it is long.

    Example:
        >>> quote("a#b")
        "'a#b'"
        >>> quote("x" * 200, limit=10)
        "'xxxxxxxxx…' (200 characters)"
    """
    try:
        text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    except (
        ValueError,
        RecursionError,
    ):  # Python prints no ints of many thousand digits, and no deeply nested lists
        return f"<{type(value).__name__} too large to show>"
    if len(text) <= limit:
        return text
    # The length of the value itself, without its quotes and escapes.
    if type(value) is str or type(value) is bytes:
        unit = "characters" if type(value) is str else "bytes"
        return f"{text[:limit]}…{text[-1]} ({len(value)} {unit})"
    return f"{text[:limit]}…"


def quote_path(path: str) -> str:
    """A file's name in quotes, never cut: people copy it from the message.

    Example:
        >>> len(quote_path("x" * 200))
        202
    """
    return quote(path, limit=100_000)


def did_you_mean(word: str, known: Iterable[str], *, likeness: float = 0.6) -> str:
    """The known word nearest to a mistyped one, or an empty text.

    Example:
        >>> did_you_mean("costumer_id", ["customer_id", "order_id"])
        'customer_id'
        >>> did_you_mean("zzz", ["customer_id"]), did_you_mean("N", ["id", "n"])
        ('', 'n')
    """
    from difflib import get_close_matches  # only needed after a typo

    names = list(known)
    same_letters = [each for each in names if each.casefold() == word.casefold()]
    near = same_letters or get_close_matches(word, names, n=1, cutoff=likeness)
    return near[0] if near else ""


_PACKAGE: Final = os.path.dirname(__file__) + os.sep
_COMPILED: Final = "<pksk "
E = TypeVar("E", bound=Exception)


def shorten_traceback(error: E) -> E:
    """The error for the caller of pksk: without the frames of pksk below the current one.

    A traceback with frames of other code, such as a hook, stays as it is; so does that of an error that is not ours.

    Example:
        >>> try:
        ...     raise PkskError("key-empty", "The key is empty.")
        ... except PkskError as error:
        ...     shorten_traceback(error).code
        'key-empty'
    """
    if not _is_internal(error):
        return error
    cause = error.__cause__
    if cause is None:
        error.__suppress_context__ = True
    elif _is_internal(cause):
        cause.__traceback__ = None
    return error.with_traceback(None)


def _is_internal(error: BaseException) -> bool:
    """Whether all frames of the traceback are of pksk."""
    frame = error.__traceback__
    while frame is not None:
        if not frame.tb_frame.f_code.co_filename.startswith((_PACKAGE, _COMPILED)):
            return False
        frame = frame.tb_next
    return True
