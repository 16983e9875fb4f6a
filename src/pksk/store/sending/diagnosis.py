"""Makes typed errors of what a service answers, or fails to answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.client import NOT_CONFIGURED, NOT_SENT, ServiceError
from pksk.errors import (
    AccessDenied,
    NotConfigured,
    OutcomeUnknown,
    PkskError,
    RequestRejected,
    RequestThrottled,
    ServiceUnreachable,
    StoreError,
    TableDiffers,
    TableMissing,
    WriteConflict,
)
from pksk.store.hooks import RequestStarted, entity_names
from pksk.store.sending.retry import LEAST_SERVER_FAULT, FailureKind
from pksk.store.sending.steps import Call, Steps

if TYPE_CHECKING:
    from pksk.schema import Table

__all__ = [
    "ACCESS_FIXES",
    "access_denied",
    "declared_tables",
    "diagnose",
    "request_name",
    "retries_exhausted",
    "table_differs",
    "unknown_deletion",
    "unknown_outcome",
]

# By code, what is to be done: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/CommonErrors.html
_RENEW_CREDENTIALS: Final = (
    "renew the credentials, as by 'aws sso login', and check the clock of this machine."
)
_CORRECT_CREDENTIALS: Final = "correct the credentials: the keys of the environment, or those of the profile."
_ALLOW_ACTION: Final = "allow it in the IAM policy of these credentials, or use others."
ACCESS_FIXES: Final = {
    "AccessDenied": _ALLOW_ACTION,
    "AccessDeniedException": _ALLOW_ACTION,
    "NotAuthorized": _ALLOW_ACTION,
    "OptInRequired": "enable the region, or DynamoDB, for the account.",
    "ExpiredToken": _RENEW_CREDENTIALS,
    "ExpiredTokenException": _RENEW_CREDENTIALS,
    "RequestExpired": _RENEW_CREDENTIALS,
    "TokenRefreshRequired": _RENEW_CREDENTIALS,
    "IncompleteSignature": _CORRECT_CREDENTIALS,
    "IncompleteSignatureException": _CORRECT_CREDENTIALS,
    "InvalidAccessKeyId": _CORRECT_CREDENTIALS,
    "InvalidClientTokenId": _CORRECT_CREDENTIALS,
    "InvalidSignatureException": _CORRECT_CREDENTIALS,
    "MissingAuthenticationToken": _CORRECT_CREDENTIALS,
    "MissingAuthenticationTokenException": _CORRECT_CREDENTIALS,
    "SignatureDoesNotMatch": _CORRECT_CREDENTIALS,
    "UnrecognizedClientException": _CORRECT_CREDENTIALS,
}


def access_denied(name: str, about: Any, error: ServiceError) -> AccessDenied:
    """The error for credentials that are not taken, or do not suffice.

    Example:
        >>> expired = ServiceError("ExpiredTokenException", "The security token included in the request is expired")
        >>> access_denied("Get of Order", None, expired).service_code
        'ExpiredTokenException'
    """
    made = AccessDenied("store-access-refused", f"{name}: {error}", fix=ACCESS_FIXES[error.code])
    made.request, made.service_code = about, error.code
    return made


# What AWS says of requests that do not fit the table; whether that is the cause is then looked up.
_NO_SUCH_OPERATION: Final = "UnknownOperationException"
_SCHEMA_WORDS: Final = ("key", "index", "schema")
_FIX: Final = " Fix: "
# The client itself cannot send; and an answer came that no DynamoDB gives.
_MISDIRECTED: Final = frozenset((NOT_CONFIGURED, "NotDynamoDB"))


def request_name(about: Any, operation: str = "", request: Mapping[str, Any] | None = None) -> str:
    """A read or write in words: "Put of Order"; a request that is sent for none of them by its operation."""
    if about is None:
        tables = ", ".join(map(repr, RequestStarted(operation, request or {}).tables))
        return f"{operation} of {tables}" if tables else operation or "The request"
    names = ", ".join(entity_names(about))
    return f"{type(about).__name__} of {names}" if names else type(about).__name__


def unknown_outcome(about: Any, error: ServiceError, name: str = "") -> OutcomeUnknown:
    """A write of which nobody knows whether it was done; `name` is what it is called where it is about nothing."""
    made = OutcomeUnknown(
        "store-outcome-unknown",
        f"{name or request_name(about)}: it may have been done or not: {str(error).partition(_FIX)[0]}",
        expected="An attempt got no answer, and another one could do it twice, or cannot tell what the first one did.",
        fix="read the item and decide; a write inside of transaction(...) has a token, and is safe to send again.",
    )
    made.request, made.item = about, error.fields.get("Item")
    return made


def unknown_deletion(about: Any, error: ServiceError) -> OutcomeUnknown:
    """A deletion that found nothing when it was sent again: the first attempt may have found something."""
    made = OutcomeUnknown(
        "store-outcome-unknown",
        f"{request_name(about)}: the item is gone, and whether this has deleted it, and what it held, is not known: {error}",
        expected="An attempt got no answer, and the next one found no item.",
        fix="go on where all that matters is that it is gone.",
    )
    made.request = about
    return made


def retries_exhausted(
    kind: FailureKind, about: Any, error: ServiceError, attempts: int, name: str = ""
) -> StoreError:
    """A request that was tried often enough, and was surely not done."""
    name = name or request_name(about)
    times = "once" if attempts == 1 else f"{attempts} times"
    made: StoreError
    if kind == "throttled":
        made = RequestThrottled(
            "store-throttled",
            f"{name}: throttled, tried {times}: {error}",
            fix="spread the load over more partition keys, raise the throughput, or allow more attempts: Retry(...).",
        )
    elif kind == "conflict":
        made = WriteConflict(
            "store-contended",
            f"{name}: others were at work on the same items, tried {times}: {error}",
            fix="let fewer writers share an item, or allow more attempts: Retry(contended=...).",
        )
    else:
        made = _unreachable(name, error, times)
    made.request = about
    return made


def _unreachable(name: str, error: ServiceError, times: str) -> ServiceUnreachable:
    problem, fix = _message_and_fix(error)
    if error.status >= LEAST_SERVER_FAULT:
        # It may be what stands before the service that answers, so that its address is not what is wrong.
        what, fix = "the service failed", "try again later, or look at the state of the service."
        problem, other = f"{error.code}: {problem}" if error.message else problem, ""
    elif error.code == NOT_SENT:
        what, other = "no connection", "check that the endpoint is right and running."
    else:
        what = "no answer"
        other = "check that it is the address of a DynamoDB, that http or https is as it speaks, and that it is well."
    return ServiceUnreachable(
        "store-unreachable", f"{name}: {what}, tried {times}: {problem}", fix=fix or other
    )


def _message_and_fix(error: ServiceError) -> tuple[str, str]:
    """What an error says, and the fix that it tells by itself, as our own clients do."""
    problem, _, fix = (error.message or str(error)).partition(_FIX)
    return problem, fix


def diagnose(
    operation: str, request: Mapping[str, Any], about: Any, error: ServiceError
) -> Steps[StoreError]:
    """What is wrong: a table that is missing or is another one than declared, else what the service says."""
    names = RequestStarted(operation, request).tables
    if error.code in _MISDIRECTED:
        return _not_configured(request_name(about, operation, request), about, error)
    if error.code in ACCESS_FIXES:
        return access_denied(request_name(about, operation, request), about, error)
    if error.code == "ResourceNotFoundException" and names:
        return (yield from _table_missing(names, request_name(about, operation, request), about, error))
    text = (error.message or "").lower()
    if error.code == "ValidationException" and any(word in text for word in _SCHEMA_WORDS):
        for table in declared_tables(about):
            differs = yield from _table_difference(table)
            if differs is not None:
                differs.request = about
                return differs
    made = RequestRejected(
        "store-refused",
        f"{request_name(about, operation, request)}: {error}",
        expected=f"The service rejected {operation}, in its own words.",
        fix=_missing_operation_fix(operation) if error.code == _NO_SUCH_OPERATION else "",
    )
    made.request, made.service_code = about, error.code
    return made


def _not_configured(name: str, about: Any, error: ServiceError) -> NotConfigured:
    problem, fix = _message_and_fix(error)
    made = NotConfigured(
        "store-not-configured", f"{name}: {problem}", fix=fix or "correct what the client was told."
    )
    made.request = about
    return made


def _missing_operation_fix(operation: str) -> str:
    """What can be done where a server lacks an operation, as those of others than AWS may."""
    if operation.startswith("Transact"):
        return "use a server that has transactions, which unique values, references and moves to other keys need too."
    return f"use a server that has {operation}."


def _table_missing(names: tuple[str, ...], name: str, about: Any, error: ServiceError) -> Steps[StoreError]:
    try:
        there = (yield Call("ListTables", {})).get("TableNames", [])
    except ServiceError:
        there = []
    lacking = [name for name in names if name not in there] or list(names)
    shown = ", ".join(map(repr, there[:10])) + (", ..." if len(there) > 10 else "")
    made = TableMissing(
        "store-table-missing",
        f"{name}: there is no table {', '.join(map(repr, lacking))}: {error}",
        expected=f"Tables are: {shown}." if there else "There are no tables.",
        fix="make it with create_tables(...) or ensure_tables(...), or check region and endpoint.",
    )
    made.request = about
    return made


def _table_difference(table: Table) -> Steps[TableDiffers | None]:
    try:
        description = (yield Call("DescribeTable", {"TableName": table.name}))["Table"]
        found = [line for line in table.differences(description) if _affects_requests(line)]
    except (ServiceError, PkskError):
        return None
    return table_differs(table, found) if found else None


def _affects_requests(line: str) -> bool:
    """Whether a difference decides which requests fit: keys and indexes, not billing."""
    return line.startswith(("pk:", "sk:", "index ")) and "billing" not in line


def table_differs(table: Table, lines: list[str]) -> TableDiffers:
    """The error for a table that is not as declared, with a line for each difference."""
    made = TableDiffers(
        "store-table-differs",
        f"Table {table.name!r} is not as it is declared:\n" + "\n".join(f"  {line}" for line in lines),
        fix="declare the table as it is, or bring it in line with ensure_tables(...).",
    )
    made.differences = lines
    return made


def declared_tables(about: Any) -> list[Table]:
    """The tables of a read or write, as they are declared."""
    found = [] if about is None else [each.__pksk__.table for each in about.entities]
    return list({id(table): table for table in found}.values())
