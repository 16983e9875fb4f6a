"""Translates service errors and missing answers to typed errors."""

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

# The fix for each error code: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/CommonErrors.html
_RENEW_CREDENTIALS: Final = (
    "renew the credentials, for example with 'aws sso login', and check the clock of this machine."
)
_CORRECT_CREDENTIALS: Final = "correct the credentials: the keys in the environment or in the profile."
_ALLOW_ACTION: Final = "allow the operation in the IAM policy of these credentials, or use other credentials."
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
    """The error for credentials that the service rejects or that lack a permission.

    Example:
        >>> expired = ServiceError("ExpiredTokenException", "The security token included in the request is expired")
        >>> access_denied("Get of Order", None, expired).service_code
        'ExpiredTokenException'
    """
    made = AccessDenied("store-access-refused", f"{name}: {error}", fix=ACCESS_FIXES[error.code])
    made.request, made.service_code = about, error.code
    return made


# Words in AWS's messages for requests that may not fit the table.
_NO_SUCH_OPERATION: Final = "UnknownOperationException"
_SCHEMA_WORDS: Final = ("key", "index", "schema")
_FIX: Final = " Fix: "
# The client cannot send, or the answer is not from DynamoDB.
_MISDIRECTED: Final = frozenset((NOT_CONFIGURED, "NotDynamoDB"))


def request_name(about: Any, operation: str = "", request: Mapping[str, Any] | None = None) -> str:
    """A read or write in words, such as "Put of Order"; without one, the name of the operation."""
    if about is None:
        tables = ", ".join(map(repr, RequestStarted(operation, request or {}).tables))
        return f"{operation} of {tables}" if tables else operation or "The request"
    names = ", ".join(entity_names(about))
    return f"{type(about).__name__} of {names}" if names else type(about).__name__


def unknown_outcome(about: Any, error: ServiceError, name: str = "") -> OutcomeUnknown:
    """The error for a write that may or may not have been applied; `name` names it if `about` is None."""
    made = OutcomeUnknown(
        "store-outcome-unknown",
        f"{name or request_name(about)}: it is unknown whether the write was applied: {str(error).partition(_FIX)[0]}",
        expected="An attempt got no answer. A retry could apply the write twice, or cannot show what the first did.",
        fix="read the item and decide; a write in transaction(...) has a token and is safe to retry.",
    )
    made.request, made.item = about, error.fields.get("Item")
    return made


def unknown_deletion(about: Any, error: ServiceError) -> OutcomeUnknown:
    """The error for a deletion whose retry found no item: the first attempt may have deleted it."""
    made = OutcomeUnknown(
        "store-outcome-unknown",
        f"{request_name(about)}: the item is gone; it is unknown whether this call deleted it and what it held: "
        f"{error}",
        expected="The first attempt got no answer, and the next one found no item.",
        fix="continue if it is enough that the item is gone.",
    )
    made.request = about
    return made


def retries_exhausted(
    kind: FailureKind, about: Any, error: ServiceError, attempts: int, name: str = ""
) -> StoreError:
    """The error for a request that was not applied after all attempts."""
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
            f"{name}: conflicts with other writes, tried {times}: {error}",
            fix="let fewer clients write the same item, or allow more attempts: Retry(contended=...).",
        )
    else:
        made = _unreachable(name, error, times)
    made.request = about
    return made


def _unreachable(name: str, error: ServiceError, times: str) -> ServiceUnreachable:
    problem, fix = _message_and_fix(error)
    if error.status >= LEAST_SERVER_FAULT:
        # A proxy in front of the service may answer: the address is not the problem.
        what, fix = "the service failed", "try again later, or check the status of the service."
        problem, other = f"{error.code}: {problem}" if error.message else problem, ""
    elif error.code == NOT_SENT:
        what, other = "no connection", "check that the endpoint is right and running."
    else:
        what = "no answer"
        other = "check that the address is a DynamoDB service, that http or https is right, and that it is healthy."
    return ServiceUnreachable(
        "store-unreachable", f"{name}: {what}, tried {times}: {problem}", fix=fix or other
    )


def _message_and_fix(error: ServiceError) -> tuple[str, str]:
    """The message of an error, and its fix if pksk's own client wrote one."""
    problem, _, fix = (error.message or str(error)).partition(_FIX)
    return problem, fix


def diagnose(
    operation: str, request: Mapping[str, Any], about: Any, error: ServiceError
) -> Steps[StoreError]:
    """The cause of an error: a missing table, a table that differs from its declaration, or the service's message."""
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
        expected=f"The service rejected {operation} with this message.",
        fix=_missing_operation_fix(operation) if error.code == _NO_SUCH_OPERATION else "",
    )
    made.request, made.service_code = about, error.code
    return made


def _not_configured(name: str, about: Any, error: ServiceError) -> NotConfigured:
    problem, fix = _message_and_fix(error)
    made = NotConfigured(
        "store-not-configured", f"{name}: {problem}", fix=fix or "correct the settings of the client."
    )
    made.request = about
    return made


def _missing_operation_fix(operation: str) -> str:
    """The fix if a server other than AWS lacks an operation."""
    if operation.startswith("Transact"):
        return (
            "use a server with transactions; unique values, references and moves to other keys need them too."
        )
    return f"use a server that supports {operation}."


def _table_missing(names: tuple[str, ...], name: str, about: Any, error: ServiceError) -> Steps[StoreError]:
    try:
        existing = (yield Call("ListTables", {})).get("TableNames", [])
    except ServiceError:
        existing = []
    missing = [name for name in names if name not in existing] or list(names)
    shown = ", ".join(map(repr, existing[:10])) + (", ..." if len(existing) > 10 else "")
    made = TableMissing(
        "store-table-missing",
        f"{name}: there is no table {', '.join(map(repr, missing))}: {error}",
        expected=f"Tables are: {shown}." if existing else "There are no tables.",
        fix="create it with create_tables(...) or ensure_tables(...), or check region and endpoint.",
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
    """Whether a difference affects requests: keys and indexes do, billing does not."""
    return line.startswith(("pk:", "sk:", "index ")) and "billing" not in line


def table_differs(table: Table, lines: list[str]) -> TableDiffers:
    """The error for a table that differs from its declaration, with a line for each difference."""
    made = TableDiffers(
        "store-table-differs",
        f"Table {table.name!r} differs from its declaration:\n" + "\n".join(f"  {line}" for line in lines),
        fix="declare the table as it is, or update it with ensure_tables(...).",
    )
    made.differences = lines
    return made


def declared_tables(about: Any) -> list[Table]:
    """The declared tables of a read or write."""
    found = [] if about is None else [each.__pksk__.table for each in about.entities]
    return list({id(table): table for table in found}.values())
