"""Translates service errors and missing answers to typed errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
    did_you_mean,
)
from pksk.model.requests.request import Request
from pksk.schema import Table
from pksk.sending.hooks import RequestStarted, entity_names
from pksk.sending.operation import Call, Steps
from pksk.sending.retry import LEAST_SERVER_FAULT, FailureKind

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


def access_denied(name: str, request: Request | None, error: ServiceError) -> AccessDenied:
    """The error for credentials that the service rejects or that lack a permission."""
    denied = AccessDenied(
        "store-access-denied", f"{name}: {error}", fix=ACCESS_FIXES[error.code], request=request
    )
    denied.service_code = error.code
    return denied


# Words in AWS's messages for requests that may not fit the table.
_NO_SUCH_OPERATION: Final = "UnknownOperationException"
_SCHEMA_WORDS: Final = ("key", "index", "schema")
_FIX: Final = " Fix: "
# The client cannot send, or the answer is not from DynamoDB.
_MISDIRECTED: Final = frozenset((NOT_CONFIGURED, "NotDynamoDB"))


def request_name(
    request: Request | None, operation: str = "", parameters: Mapping[str, Any] | None = None
) -> str:
    """A read or write in words, such as "Put of Order"; without one, the name of the operation."""
    if request is None:
        tables = ", ".join(map(repr, RequestStarted(operation, parameters or {}).tables))
        return f"{operation} of {tables}" if tables else operation or "The request"
    names = ", ".join(entity_names(request))
    return f"{type(request).__name__} of {names}" if names else type(request).__name__


def unknown_outcome(request: Request | None, error: ServiceError, name: str = "") -> OutcomeUnknown:
    """The error for a write that may or may not have been applied; `name` is for messages if `request` is None."""
    problem = str(error).partition(_FIX)[0]
    unknown = OutcomeUnknown(
        "store-outcome-unknown",
        f"{name or request_name(request)}: it is unknown whether the write was applied: {problem}",
        expected="An attempt got no answer, or failed inside the service. "
        "A retry could apply the write twice, and would not show what the first one did.",
        fix="read the item and decide; a write in transaction(...) has a token and is safe to retry.",
        request=request,
    )
    unknown.item = error.fields.get("Item")
    return unknown


def unknown_deletion(request: Request | None, error: ServiceError) -> OutcomeUnknown:
    """The error for a deletion whose retry found no item: the first attempt may have deleted it."""
    return OutcomeUnknown(
        "store-outcome-unknown",
        f"{request_name(request)}: the item is gone; it is unknown whether this call deleted it and what it held: "
        f"{error}",
        expected="The first attempt got no answer, and the next one found no item.",
        fix="continue if it is enough that the item is gone.",
        request=request,
    )


def retries_exhausted(
    kind: FailureKind, request: Request | None, error: ServiceError, attempts: int, name: str = ""
) -> StoreError:
    """The error for a request that was not applied after all attempts."""
    name = name or request_name(request)
    times = "once" if attempts == 1 else f"{attempts} times"
    if kind == "throttled":
        return RequestThrottled(
            "store-throttled",
            f"{name}: throttled, tried {times}: {error}",
            fix="spread the load over more partition keys, raise the throughput, or allow more attempts: Retry(...).",
            request=request,
        )
    if kind == "conflict":
        return WriteConflict(
            "store-write-conflict",
            f"{name}: conflicts with other writes, tried {times}: {error}",
            fix="let fewer clients write the same item, or allow more attempts: Retry(conflict_attempts=...).",
            request=request,
        )
    return _unreachable(name, request, error, times)


def _unreachable(name: str, request: Request | None, error: ServiceError, times: str) -> ServiceUnreachable:
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
        "store-unreachable", f"{name}: {what}, tried {times}: {problem}", fix=fix or other, request=request
    )


def _message_and_fix(error: ServiceError) -> tuple[str, str]:
    """The message of an error, and its fix if pksk's own client wrote one."""
    problem, _, fix = (error.message or str(error)).partition(_FIX)
    return problem, fix


def diagnose(
    operation: str, parameters: Mapping[str, Any], request: Request | None, error: ServiceError
) -> Steps[StoreError]:
    """The cause of an error: a missing table, a table that differs from its declaration, or the service's message."""
    names = RequestStarted(operation, parameters).tables
    if error.code in _MISDIRECTED:
        return _not_configured(request_name(request, operation, parameters), request, error)
    if error.code in ACCESS_FIXES:
        return access_denied(request_name(request, operation, parameters), request, error)
    if error.code == "ResourceNotFoundException" and names:
        return (
            yield from _table_missing(names, request_name(request, operation, parameters), request, error)
        )
    text = (error.message or "").lower()
    if error.code == "ValidationException" and any(word in text for word in _SCHEMA_WORDS):
        for table in declared_tables(request):
            differs = yield from _table_difference(table)
            if differs is not None:
                differs.request = request
                return differs
    rejected = RequestRejected(
        "store-request-rejected",
        f"{request_name(request, operation, parameters)}: {error}",
        expected=f"The service rejected {operation} with this message.",
        fix=_missing_operation_fix(operation) if error.code == _NO_SUCH_OPERATION else "",
        request=request,
    )
    rejected.service_code = error.code
    return rejected


def _not_configured(name: str, request: Request | None, error: ServiceError) -> NotConfigured:
    problem, fix = _message_and_fix(error)
    fix = fix or "correct the settings of the client."
    return NotConfigured("store-not-configured", f"{name}: {problem}", fix=fix, request=request)


def _missing_operation_fix(operation: str) -> str:
    """The fix if a server other than AWS lacks an operation."""
    if operation.startswith("Transact"):
        return (
            "use a server with transactions; unique values, references and moves to other keys need them too."
        )
    return f"use a server that supports {operation}."


def _table_missing(
    names: tuple[str, ...], name: str, request: Request | None, error: ServiceError
) -> Steps[StoreError]:
    try:
        existing = (yield Call("ListTables", {})).get("TableNames", [])
    except ServiceError:
        existing = []
    missing = [name for name in names if name not in existing] or list(names)
    table_list = ", ".join(map(repr, existing[:10])) + (", ..." if len(existing) > 10 else "")
    near = did_you_mean(missing[0], existing) if len(missing) == 1 else ""
    return TableMissing(
        "store-table-missing",
        f"{name}: there is no table {', '.join(map(repr, missing))}: {error}",
        expected=f"Tables are: {table_list}." if existing else "There are no tables.",
        fix=f"did you mean {near!r}? Or " * bool(near)
        + "create it with create_tables(...) or ensure_tables(...), or check region and endpoint.",
        request=request,
    )


def _table_difference(table: Table) -> Steps[TableDiffers | None]:
    try:
        description = (yield Call("DescribeTable", {"TableName": table.name}))["Table"]
        lines = [line for line in table.differences(description) if _affects_requests(line)]
    except (ServiceError, PkskError):
        return None
    return table_differs(table, lines) if lines else None


def _affects_requests(line: str) -> bool:
    """Whether a difference affects requests: keys and indexes do, billing does not."""
    return line.startswith(("pk:", "sk:", "index ")) and "billing" not in line


def table_differs(table: Table, lines: list[str]) -> TableDiffers:
    """The error for a table that differs from its declaration, with a line for each difference."""
    differs = TableDiffers(
        "store-table-differs",
        f"Table {table.name!r} differs from its declaration:\n" + "\n".join(f"  {line}" for line in lines),
        fix="declare the table as it is, or update it with ensure_tables(...).",
    )
    differs.differences = lines
    return differs


def declared_tables(request: Request | None) -> list[Table]:
    """The declared tables of a read or write."""
    entities = () if request is None else request.entities
    tables = [entity.__pksk__.table for entity in entities]
    return list({id(table): table for table in tables}.values())
