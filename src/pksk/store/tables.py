"""Creates tables, compares them with their declarations, updates and drops them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from pksk.dataclass import dataclass
from pksk.errors import DesignError, OutcomeUnknown, RequestRejected, StoreError, TableMissing, quote
from pksk.schema import Table
from pksk.sending import Core, Steps, send, table_differs
from pksk.store import table_states
from pksk.store.arguments import check_flag

if TYPE_CHECKING:
    from pksk.schema.setting_steps import Step

# The error of AWS for a table that already exists, or that is already being changed.
_ALREADY_EXISTS: Final = "ResourceInUseException"
# The error for a second TTL change within an hour, and the TTL states during a change:
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
_TOO_SOON: Final = "within a fixed interval"
_CHANGING: Final = ("ENABLING", "DISABLING")
_ONCE_AN_HOUR: Final = "AWS allows one TTL change per hour; repeat this call in an hour"


def create_tables(core: Core, tables: Sequence[Table]) -> Steps[None]:
    """Create tables with all their indexes, and wait until they are active; existing tables are an error."""
    tables = _check_tables("create_tables", tables)
    if len(tables) > 1:
        # If one table already exists, create none.
        for table in tables:
            if (yield from table_states.describe_table(core, table.name)) is not None:
                raise _exists(table)
    report: list[str] = []
    with report_done(report):
        for table in tables:
            yield from _create(core, table)
            report.append(f"table {table.name!r}: created")
        for table in tables:
            yield from _enable_ttl(core, table)


def _create(core: Core, table: Table) -> Steps[None]:
    # Safe to repeat: AWS rejects a second attempt if the first one created the table.
    try:
        yield from table_states.send_when_accepted(core, "CreateTable", table.create_request())
    except (RequestRejected, OutcomeUnknown) as error:
        if table_states.service_code(error) != _ALREADY_EXISTS:
            raise
        is_certain = not isinstance(error, OutcomeUnknown)
        raise (_exists(table) if is_certain else _maybe_created(table)) from error


def _exists(table: Table) -> StoreError:
    return StoreError(
        "store-table-exists",
        f"Table {table.name!r} already exists.",
        fix="use ensure_tables(...), which compares it with its declaration.",
    )


def _maybe_created(table: Table) -> OutcomeUnknown:
    return OutcomeUnknown(
        "store-outcome-unknown",
        f"Table {table.name!r} exists; it is unknown whether this call created it.",
        expected="The first CreateTable got no answer, and the next one found the table.",
        fix="use ensure_tables(...), which compares it with its declaration.",
    )


def _enable_ttl(core: Core, table: Table) -> Steps[None]:
    yield from table_states.wait_until_active(core, table.name)
    ttl = table.ttl_request()
    if ttl is None:
        return
    try:
        yield from send(core, "UpdateTimeToLive", ttl)
    except (OutcomeUnknown, RequestRejected):
        # AWS rejects a second attempt if the first one succeeded, or if another process was faster.
        state = yield from _time_to_live(core, table)
        if state.get("AttributeName") != ttl["TimeToLiveSpecification"]["AttributeName"]:
            raise


def _time_to_live(core: Core, table: Table) -> Steps[dict[str, Any]]:
    answer = yield from send(core, "DescribeTimeToLive", {"TableName": table.name})
    ttl: dict[str, Any] = answer.get("TimeToLiveDescription", {})
    return ttl


@dataclass(frozen=True, slots=True)
class _EnsureRun:
    """One call of `ensure_tables`, with descriptions of the completed and the postponed changes."""

    core: Core
    destructive: bool
    done: list[str] = field(default_factory=list)
    not_yet: list[str] = field(default_factory=list)


def ensure_tables(core: Core, tables: Sequence[Table], *, destructive: bool) -> Steps[list[str]]:
    """Create missing tables and update others; returns descriptions of the completed and postponed changes."""
    tables = _check_tables("ensure_tables", tables)
    check_flag("ensure_tables", destructive=destructive)
    run = _EnsureRun(core, destructive)
    # Compare all tables before changing any.
    plans: list[tuple[Step, ...] | None] = []
    for table in tables:
        plans.append((yield from _plan(run, table)))
    with report_done(run.done):
        for table, plan in zip(tables, plans, strict=True):
            yield from _ensure(run, table, plan)
    return [*run.done, *run.not_yet]


def _plan(run: _EnsureRun, table: Table) -> Steps[tuple[Step, ...] | None]:
    """The changes that a table needs; None if the table does not exist."""
    if (yield from table_states.describe_table(run.core, table.name)) is None:
        return None
    try:
        return (yield from _planned_steps(run.core, table, run.destructive))
    except TableMissing:
        return None


def _ensure(run: _EnsureRun, table: Table, steps: tuple[Step, ...] | None) -> Steps[None]:
    for attempt in count(1):
        if steps is not None:
            yield from _apply_steps(run, table, steps)
            return
        try:
            yield from _create(run.core, table)
        except StoreError as error:
            # The table exists: another process or an unanswered attempt created it, or its deletion is not finished.
            if not _already_exists(error) or attempt > table_states.MAX_REJECTIONS:
                raise
            steps = yield from _plan(run, table)
        else:
            run.done.append(f"table {table.name!r}: created")
            yield from _enable_ttl(run.core, table)
            return
        if steps is None:
            yield table_states.pause_after(attempt)


def _already_exists(error: StoreError) -> bool:
    return (
        isinstance(error.__cause__, StoreError)
        and table_states.service_code(error.__cause__) == _ALREADY_EXISTS
    )


def _apply_steps(run: _EnsureRun, table: Table, steps: tuple[Step, ...]) -> Steps[None]:
    core, rejections = run.core, 0
    while steps:
        step = steps[0]
        try:
            yield from table_states.send_table_change(core, step.operation, step.request, repeatable=False)
        except (OutcomeUnknown, RequestRejected) as error:
            # Compare the table again to find out whether the change succeeded.
            steps = yield from _planned_steps(core, table, run.destructive)
            if any(each.request == step.request for each in steps):
                if (yield from _is_too_soon(core, table, step, error)):
                    # TTL is always the last change.
                    run.not_yet.append(f"table {table.name!r}: not yet: {step.description}; {_ONCE_AN_HOUR}")
                    return
                if rejections >= table_states.MAX_REJECTIONS or not _is_being_changed(error):
                    raise
            if isinstance(error, RequestRejected):
                # Another client updates the table too; do not report its changes as ours.
                rejections += 1
                yield table_states.pause_after(rejections)
                continue
        else:
            steps, rejections = steps[1:], 0
        run.done.append(f"table {table.name!r}: {step.description}")
        yield from table_states.wait_until_active(core, table.name)


def _is_being_changed(error: StoreError) -> bool:
    """Whether the table is already being changed, or too many tables are being changed at the same time."""
    return isinstance(error, RequestRejected) and (
        table_states.service_code(error) == _ALREADY_EXISTS or table_states.exceeds_concurrent_changes(error)
    )


def _is_too_soon(core: Core, table: Table, step: Step, error: StoreError) -> Steps[bool]:
    """Whether AWS rejected a TTL change only because the last one was less than an hour ago."""
    if step.operation != "UpdateTimeToLive" or table_states.service_code(error) != "ValidationException":
        return False
    if _TOO_SOON in str(error.__cause__):
        return True
    state = yield from _time_to_live(core, table)
    return state.get("TimeToLiveStatus") in _CHANGING


def _planned_steps(core: Core, table: Table, destructive: bool) -> Steps[tuple[Step, ...]]:
    """The changes from a table to its declaration; raises if one is impossible or not allowed."""
    from pksk.schema.alterations import alterations

    description = yield from table_states.wait_until_active(core, table.name)
    ttl = yield from _time_to_live(core, table)
    changes = alterations(table, description, ttl, remove_indexes=destructive)
    if changes.impossible:
        differs = table_differs(table, list(changes.impossible))
        differs.fix = "declare the table as it is, or create another table and copy the items to it."
        raise differs
    if destructive:
        return changes.steps
    # Undeclared settings stay, as undeclared indexes do: others may read the stream or rely on TTL.
    undeclared = {
        subject for subject, declared in (("stream", table.stream), ("ttl", table.ttl)) if declared is None
    }
    steps = [step for step in changes.steps if step.subject not in undeclared]
    if any(step.destructive for step in steps):
        subjects = {step.subject for step in steps if step.destructive}
        lines = [line for line in changes.differences if line.startswith(tuple(subjects))]
        differs = table_differs(table, lines)
        differs.fix = _fix(subjects)
        raise differs
    return tuple(steps)


def _fix(subjects: set[str]) -> str:
    """The fix for changes that would remove something."""
    call = "ensure_tables(..., destructive=True)."
    fix = f"declare it as it is, give the changed index another name, or allow pksk to delete and recreate it: {call}"
    if "ttl" not in subjects:
        return fix
    fix = f"declare it as it is, or allow the change: {call}" if subjects == {"ttl"} else fix
    return (
        f"{fix} AWS allows one TTL change per hour: nothing expires until you repeat the call an hour later."
    )


def drop_tables(core: Core, names: Sequence[str]) -> Steps[None]:
    """Delete tables and their items, by table name, and wait until the tables are gone."""
    for name in names:
        if not isinstance(name, str):
            raise DesignError(
                "store-drop-by-name",
                f"drop_tables({quote(name)}): it takes the names of tables.",
                fix=f"write drop_tables({name.name!r})."
                if isinstance(name, Table)
                else "pass the name as a string.",
            )
    names = list(dict.fromkeys(names))
    if len(names) > 1:
        # If one table cannot be dropped, drop none.
        for name in names:
            _check_droppable(name, (yield from table_states.describe_table(core, name)))
    dropped: list[str] = []
    deleting: dict[str, str] = {}
    with report_done(dropped):
        for name in names:
            table_id = yield from _drop(core, name)
            dropped.append(f"table {name!r}: dropped")
            if table_id is not None:
                deleting[name] = table_id
        for name, table_id in deleting.items():
            yield from table_states.wait_until_gone(core, name, table_id)


def _check_droppable(name: str, description: dict[str, Any] | None) -> None:
    if description is None:
        raise TableMissing(
            "store-table-missing",
            f"drop_tables(...): there is no table {name!r}; no table was dropped.",
            fix="check the name, or the region and endpoint.",
        )
    if description.get("DeletionProtectionEnabled"):
        raise StoreError(
            "store-table-protected",
            f"drop_tables(...): table {name!r} has deletion protection; no table was dropped.",
            fix=f"declare Table({name!r}, deletion_protection=False), call ensure_tables(...), and drop it then.",
        )


def _drop(core: Core, name: str) -> Steps[str | None]:
    """Delete a table; returns its id, "" if the service has no ids, and None if the table is gone already."""
    # Not sent again if the answer is lost: another client may have created a table of that name since.
    try:
        answer = yield from table_states.send_when_accepted(
            core, "DeleteTable", {"TableName": name}, repeatable=False
        )
    except TableMissing as error:
        error.fix = "check the name, or the region and endpoint."
        raise
    except OutcomeUnknown:
        description = yield from table_states.describe_table(core, name)
        if description is None:
            return None
        if description["TableStatus"] != "DELETING":
            raise
    else:
        description = answer.get("TableDescription", {})
    return str(description.get("TableId", ""))


@contextmanager
def report_done(changes: list[str]) -> Iterator[None]:
    """Adds the completed steps to the errors of a block.

    Example:
        >>> with report_done(["table 'shop': dropped"]):
        ...     raise StoreError("store-closed", "The store is closed.")
        Traceback (most recent call last):
        pksk.errors.StoreError: The store is closed.
        Completed before the error: table 'shop': dropped.
        (pksk explain store-closed)
    """
    try:
        yield
    except StoreError as error:
        if changes:
            before = f"Completed before the error: {', '.join(changes)}."
            error.expected = f"{error.expected}\n{before}" if error.expected else before
        raise


def _check_tables(verb: str, tables: Sequence[object]) -> Sequence[Table]:
    """The tables without repetitions; raises for other values and for two tables with the same name."""
    by_name: dict[str, Table] = {}
    for table in tables:
        if not isinstance(table, Table):
            raise DesignError(
                "store-not-a-table",
                f"{verb}({quote(table)}): it takes tables.",
                fix="pass the Table of the entities.",
            )
        if by_name.setdefault(table.name, table) is not table:
            raise DesignError(
                "store-not-a-table",
                f"{verb}: two different tables have the name {table.name!r}.",
                fix="rename one of them.",
            )
    return tuple(by_name.values())
