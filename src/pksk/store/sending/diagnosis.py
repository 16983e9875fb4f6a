"""Makes a typed error of what a service says, or of what it does not say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.client import NOT_CONFIGURED, NOT_SENT, ServiceError
from pksk.errors import (
    Contended,
    NotConfigured,
    OutcomeUnknown,
    PkskError,
    Refused,
    StoreError,
    TableDiffers,
    TableMissing,
    Throttled,
    Unreachable,
)
from pksk.store.sending.access import ACCESS, access_refused
from pksk.store.sending.retry import LEAST_SERVER_FAULT, Trouble
from pksk.store.sending.steps import Call, Steps
from pksk.store.watching.hook import Sending, entity_names, is_entity

if TYPE_CHECKING:
    from pksk.schema import Table

__all__ = [
    "declared_tables",
    "deleted_unseen",
    "diagnosed",
    "given_up",
    "named",
    "table_differs",
    "unknown_outcome",
]

# What AWS says of requests that do not fit the table; whether that is the cause is then looked up.
_NO_SUCH_OPERATION: Final = "UnknownOperationException"
_OF_THE_SCHEMA: Final = ("key", "index", "schema")
_FIX: Final = " Fix: "
# The client itself cannot send; and an answer came that no DynamoDB gives.
_MISDIRECTED: Final = frozenset((NOT_CONFIGURED, "NotDynamoDB"))


def named(about: Any, operation: str = "", request: Mapping[str, Any] | None = None) -> str:
    """A read or write in words: "Put of Order"; a request that is sent for none of them by its operation."""
    if about is None:
        tables = ", ".join(map(repr, Sending(operation, request or {}).tables))
        return f"{operation} of {tables}" if tables else operation or "The request"
    if is_entity(about):
        return f"Put of {type(about).__name__}"
    names = ", ".join(entity_names(about))
    return f"{type(about).__name__} of {names}" if names else type(about).__name__


def unknown_outcome(about: Any, error: ServiceError, name: str = "") -> OutcomeUnknown:
    """A write of which nobody knows whether it was done; `name` is what it is called where it is about nothing."""
    made = OutcomeUnknown(
        "store-outcome-unknown",
        f"{name or named(about)}: it may have been done or not: {str(error).partition(_FIX)[0]}",
        expected="An attempt got no answer, and another one could do it twice, or cannot tell what the first one did.",
        fix="read the item and decide; a write inside of transaction(...) has a token, and is safe to send again.",
    )
    made.request, made.item = about, error.fields.get("Item")
    return made


def deleted_unseen(about: Any, error: ServiceError) -> OutcomeUnknown:
    """A deletion that found nothing when it was sent again: the first attempt may have found something."""
    made = OutcomeUnknown(
        "store-outcome-unknown",
        f"{named(about)}: the item is gone, and whether this has deleted it, and what it held, is not known: {error}",
        expected="An attempt got no answer, and the next one found no item.",
        fix="go on where all that matters is that it is gone.",
    )
    made.request = about
    return made


def given_up(kind: Trouble, about: Any, error: ServiceError, attempts: int, name: str = "") -> StoreError:
    """A request that was tried often enough, and was surely not done."""
    name = name or named(about)
    times = "once" if attempts == 1 else f"{attempts} times"
    made: StoreError
    if kind == "throttled":
        made = Throttled(
            "store-throttled",
            f"{name}: throttled, tried {times}: {error}",
            fix="spread the load over more partition keys, raise the throughput, or allow more attempts: Retry(...).",
        )
    elif kind == "conflict":
        made = Contended(
            "store-contended",
            f"{name}: others were at work on the same items, tried {times}: {error}",
            fix="let fewer writers share an item, or allow more attempts: Retry(contended=...).",
        )
    else:
        made = _unreachable(name, error, times)
    made.request = about
    return made


def _unreachable(name: str, error: ServiceError, times: str) -> Unreachable:
    problem, fix = _said(error)
    if error.status >= LEAST_SERVER_FAULT:
        # It may be what stands before the service that answers, so that its address is not what is wrong.
        what, fix = "the service failed", "try again later, or look at the state of the service."
        problem, other = f"{error.code}: {problem}" if error.message else problem, ""
    elif error.code == NOT_SENT:
        what, other = "no connection", "check that the endpoint is right and running."
    else:
        what = "no answer"
        other = "check that it is the address of a DynamoDB, that http or https is as it speaks, and that it is well."
    return Unreachable("store-unreachable", f"{name}: {what}, tried {times}: {problem}", fix=fix or other)


def _said(error: ServiceError) -> tuple[str, str]:
    """What an error says, and the fix that it tells by itself, as our own clients do."""
    problem, _, fix = (error.message or str(error)).partition(_FIX)
    return problem, fix


def diagnosed(
    operation: str, request: Mapping[str, Any], about: Any, error: ServiceError
) -> Steps[StoreError]:
    """What is wrong: a table that is missing or is another one than declared, else what the service says."""
    names = Sending(operation, request).tables
    if error.code in _MISDIRECTED:
        return _not_configured(named(about, operation, request), about, error)
    if error.code in ACCESS:
        return access_refused(named(about, operation, request), about, error)
    if error.code == "ResourceNotFoundException" and names:
        return (yield from _missing(names, named(about, operation, request), about, error))
    text = (error.message or "").lower()
    if error.code == "ValidationException" and any(word in text for word in _OF_THE_SCHEMA):
        for table in declared_tables(about):
            differs = yield from _compared(table)
            if differs is not None:
                differs.request = about
                return differs
    made = Refused(
        "store-refused",
        f"{named(about, operation, request)}: {error}",
        expected=f"{operation} was refused by the service, in its own words.",
        fix=_of_operation(operation) if error.code == _NO_SUCH_OPERATION else "",
    )
    made.request, made.service_code = about, error.code
    return made


def _not_configured(name: str, about: Any, error: ServiceError) -> NotConfigured:
    problem, fix = _said(error)
    made = NotConfigured(
        "store-not-configured", f"{name}: {problem}", fix=fix or "correct what the client was told."
    )
    made.request = about
    return made


def _of_operation(operation: str) -> str:
    """What can be done where a server lacks an operation, as those of others than AWS may."""
    if operation.startswith("Transact"):
        return "use a server that has transactions, which unique values, references and moves to other keys need too."
    return f"use a server that has {operation}."


def _missing(names: tuple[str, ...], name: str, about: Any, error: ServiceError) -> Steps[StoreError]:
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


def _compared(table: Table) -> Steps[TableDiffers | None]:
    try:
        description = (yield Call("DescribeTable", {"TableName": table.name}))["Table"]
        found = [line for line in table.differences(description) if _matters(line)]
    except (ServiceError, PkskError):
        return None
    return table_differs(table, found) if found else None


def _matters(line: str) -> bool:
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
    if is_entity(about):
        found = [type(about).__pksk__.table]
    elif hasattr(about, "members"):
        found = [table for each in about.members for table in declared_tables(each)]
    else:
        kinds = getattr(about, "entities", None) or (getattr(about, "entity", None),)
        found = [kind.__pksk__.table for kind in kinds if kind is not None]
    return list({id(table): table for table in found}.values())
