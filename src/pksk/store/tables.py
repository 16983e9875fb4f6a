"""Tables made, compared with their declarations, brought in line, and dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from pksk.dataclass import dataclass
from pksk.errors import (
    DesignError,
    OutcomeUnknown,
    RequestRejected,
    StoreError,
    TableMissing,
    quote,
)
from pksk.schema import Table
from pksk.store.argument_checks import check_flag
from pksk.store.sending.diagnosis import table_differs
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.store.table_states import (
    MOST_REJECTED,
    describe_table,
    exceeds_concurrent_changes,
    pause_after,
    send_table_change,
    send_when_accepted,
    service_code,
    wait_until_active,
    wait_until_gone,
)

if TYPE_CHECKING:
    from pksk.schema.alterations import Step
    from pksk.store.core import Core

__all__ = ["create_tables", "drop_tables", "ensure_tables"]

# What AWS says of a table that is to be made and is there, and where another change of it is under way.
_ALREADY_EXISTS: Final = "ResourceInUseException"
# What it says of a second change of the time to live within the hour, and the states while the first is under way:
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
_TOO_SOON: Final = "within a fixed interval"
_CHANGING: Final = ("ENABLING", "DISABLING")
_ONCE_AN_HOUR: Final = (
    "AWS takes one change of the time to live an hour, and the same call after it ends this"
)


def create_tables(core: Core, tables: Sequence[Table]) -> Steps[None]:
    """Make tables with all their indexes, and wait until they can be used; rejects those that exist."""
    tables = _check_tables("create_tables", tables)
    if len(tables) > 1:
        # None is made where one cannot be.
        for table in tables:
            if (yield from describe_table(core, table.name)) is not None:
                raise _exists(table)
    made: list[str] = []
    with report_done(made):
        for table in tables:
            yield from _create(core, table)
            made.append(f"table {table.name!r}: created")
        for table in tables:
            yield from _enable_ttl(core, table)


def _create(core: Core, table: Table) -> Steps[None]:
    # A second attempt makes no second table: it is refused where the first one has made it.
    try:
        yield from send_when_accepted(core, "CreateTable", table.create_request())
    except (RequestRejected, OutcomeUnknown) as error:
        if service_code(error) != _ALREADY_EXISTS:
            raise
        known = not isinstance(error, OutcomeUnknown)
        raise (_exists(table) if known else _maybe_created(table)) from error


def _exists(table: Table) -> StoreError:
    return StoreError(
        "store-table-exists",
        f"Table {table.name!r} is there already.",
        fix="use ensure_tables(...), which compares it with its declaration.",
    )


def _maybe_created(table: Table) -> OutcomeUnknown:
    return OutcomeUnknown(
        "store-outcome-unknown",
        f"Table {table.name!r} is there, and whether it was made now or was there before is not known.",
        expected="An attempt to make it got no answer, and the next one found it.",
        fix="use ensure_tables(...), which compares it with its declaration.",
    )


def _enable_ttl(core: Core, table: Table) -> Steps[None]:
    yield from wait_until_active(core, table.name)
    ttl = table.ttl_request()
    if ttl is None:
        return
    try:
        yield from send(core, "UpdateTimeToLive", ttl)
    except (OutcomeUnknown, RequestRejected):
        # A second attempt is refused where the first one was done, and where another process was quicker.
        state = yield from _time_to_live(core, table)
        if state.get("AttributeName") != ttl["TimeToLiveSpecification"]["AttributeName"]:
            raise


def _time_to_live(core: Core, table: Table) -> Steps[dict[str, Any]]:
    answer = yield from send(core, "DescribeTimeToLive", {"TableName": table.name})
    found: dict[str, Any] = answer.get("TimeToLiveDescription", {})
    return found


@dataclass(frozen=True, slots=True)
class _EnsureRun:
    """One call of `ensure_tables`: what it may do, what it has done, and what AWS does not take yet; in words."""

    core: Core
    destructive: bool
    done: list[str] = field(default_factory=list)
    not_yet: list[str] = field(default_factory=list)


def ensure_tables(core: Core, tables: Sequence[Table], *, destructive: bool) -> Steps[list[str]]:
    """Make what is missing and change what can be changed; says what was done, line by line, and what is not yet."""
    tables = _check_tables("ensure_tables", tables)
    check_flag("ensure_tables", destructive=destructive)
    run = _EnsureRun(core, destructive)
    # All are compared before any is changed.
    plans: list[tuple[Step, ...] | None] = []
    for table in tables:
        plans.append((yield from _plan(run, table)))
    with report_done(run.done):
        for table, plan in zip(tables, plans, strict=True):
            yield from _ensure(run, table, plan)
    return [*run.done, *run.not_yet]


def _plan(run: _EnsureRun, table: Table) -> Steps[tuple[Step, ...] | None]:
    """The steps that bring a table in line; None where there is none, or none any more."""
    if (yield from describe_table(run.core, table.name)) is None:
        return None
    try:
        return (yield from _planned_steps(run.core, table, run.destructive))
    except TableMissing:
        return None


def _ensure(run: _EnsureRun, table: Table, steps: tuple[Step, ...] | None) -> Steps[None]:
    for refused in count(1):
        if steps is not None:
            yield from _apply_steps(run, table, steps)
            return
        try:
            yield from _create(run.core, table)
        except StoreError as error:
            # There after all: made by another process or an attempt without an answer; or not gone yet.
            if not _already_exists(error) or refused > MOST_REJECTED:
                raise
            steps = yield from _plan(run, table)
        else:
            run.done.append(f"table {table.name!r}: created")
            yield from _enable_ttl(run.core, table)
            return
        if steps is None:
            yield pause_after(refused)


def _already_exists(error: StoreError) -> bool:
    return isinstance(error.__cause__, StoreError) and service_code(error.__cause__) == _ALREADY_EXISTS


def _apply_steps(run: _EnsureRun, table: Table, steps: tuple[Step, ...]) -> Steps[None]:
    core, refused = run.core, 0
    while steps:
        step = steps[0]
        try:
            yield from send_table_change(core, step.operation, step.request, repeatable=False)
        except (OutcomeUnknown, RequestRejected) as error:
            # The table itself tells whether it was done; where it does not show, nobody knows.
            steps = yield from _planned_steps(core, table, run.destructive)
            if any(each.request == step.request for each in steps):
                if (yield from _is_too_soon(core, table, step, error)):
                    # It is the last that is changed.
                    run.not_yet.append(f"table {table.name!r}: not yet: {step.description}; {_ONCE_AN_HOUR}")
                    return
                if refused >= MOST_REJECTED or not _is_being_changed(error):
                    raise
            if isinstance(error, RequestRejected):
                # Others bring the table in line too, and what they have done is not told as done here.
                refused += 1
                yield pause_after(refused)
                continue
        else:
            steps, refused = steps[1:], 0
        run.done.append(f"table {table.name!r}: {step.description}")
        yield from wait_until_active(core, table.name)


def _is_being_changed(error: StoreError) -> bool:
    """Whether another change of the table is under way, or as many of other tables as may be at a time."""
    return isinstance(error, RequestRejected) and (
        service_code(error) == _ALREADY_EXISTS or exceeds_concurrent_changes(error)
    )


def _is_too_soon(core: Core, table: Table, step: Step, error: StoreError) -> Steps[bool]:
    """Whether a change of the time to live was refused for nothing but the hour since the last one."""
    if step.operation != "UpdateTimeToLive" or service_code(error) != "ValidationException":
        return False
    if _TOO_SOON in str(error.__cause__):
        return True
    state = yield from _time_to_live(core, table)
    return state.get("TimeToLiveStatus") in _CHANGING


def _planned_steps(core: Core, table: Table, destructive: bool) -> Steps[tuple[Step, ...]]:
    """The steps that bring a table in line with its declaration; refused where none can, or none that may."""
    from pksk.schema.alterations import alterations

    found = yield from wait_until_active(core, table.name)
    ttl = yield from _time_to_live(core, table)
    wanted = alterations(table, found, ttl, remove_indexes=destructive)
    if wanted.impossible:
        differs = table_differs(table, list(wanted.impossible))
        differs.fix = "declare the table as it is, or make another one and copy the items into it."
        raise differs
    if destructive:
        return wanted.steps
    # What is not declared stays, as an index does: others may be reading a stream, or count on items that expire.
    kept = {about for about, declared in (("stream", table.stream), ("ttl", table.ttl)) if declared is None}
    steps = [step for step in wanted.steps if step.subject not in kept]
    if any(step.destructive for step in steps):
        abouts = {step.subject for step in steps if step.destructive}
        lines = [line for line in wanted.differences if line.startswith(tuple(abouts))]
        differs = table_differs(table, lines)
        differs.fix = _fix(abouts)
        raise differs
    return tuple(steps)


def _fix(abouts: set[str]) -> str:
    """What helps where something would be taken away."""
    call = "ensure_tables(..., destructive=True)."
    fix = f"declare it as it is, give the changed index another name, or let it be deleted and made again: {call}"
    if "ttl" not in abouts:
        return fix
    fix = f"declare it as it is, or let it be changed: {call}" if abouts == {"ttl"} else fix
    return f"{fix} AWS takes one change of the time to live an hour: until the same call after it, nothing expires."


def drop_tables(core: Core, names: Sequence[str]) -> Steps[None]:
    """Delete tables with all that is in them, by their names, and wait until they are gone."""
    for name in names:
        if not isinstance(name, str):
            raise DesignError(
                "store-drop-by-name",
                f"drop_tables({quote(name)}): a table is dropped by its name.",
                fix=f"write drop_tables({name.name!r})."
                if isinstance(name, Table)
                else "give the name as text.",
            )
    names = list(dict.fromkeys(names))
    if len(names) > 1:
        # None is dropped where one cannot be.
        for name in names:
            _check_droppable(name, (yield from describe_table(core, name)))
    dropped: list[str] = []
    leaving: dict[str, str] = {}
    with report_done(dropped):
        for name in names:
            table_id = yield from _drop(core, name)
            dropped.append(f"table {name!r}: dropped")
            if table_id is not None:
                leaving[name] = table_id
        for name, table_id in leaving.items():
            yield from wait_until_gone(core, name, table_id)


def _check_droppable(name: str, description: dict[str, Any] | None) -> None:
    if description is None:
        raise TableMissing(
            "store-table-missing",
            f"drop_tables(...): there is no table {name!r}; none was dropped.",
            fix="check the name, or the region and endpoint.",
        )
    if description.get("DeletionProtectionEnabled"):
        raise StoreError(
            "store-table-protected",
            f"drop_tables(...): table {name!r} is protected from deletion; none was dropped.",
            fix=f"declare Table({name!r}, deletion_protection=False), bring it in line with ensure_tables(...), "
            "and drop it then.",
        )


def _drop(core: Core, name: str) -> Steps[str | None]:
    """Delete a table; gives its id, empty where the service tells none, and None where the table is gone."""
    # Not sent again if the answer is lost: another client may have created a table of that name since.
    try:
        answer = yield from send_when_accepted(core, "DeleteTable", {"TableName": name}, repeatable=False)
    except TableMissing as error:
        error.fix = "check the name, or the region and endpoint."
        raise
    except OutcomeUnknown:
        found = yield from describe_table(core, name)
        if found is None:
            return None
        if found["TableStatus"] != "DELETING":
            raise
    else:
        found = answer.get("TableDescription", {})
    return str(found.get("TableId", ""))


@contextmanager
def report_done(done: list[str]) -> Iterator[None]:
    """A block whose errors also tell what was done before, line by line.

    Example:
        >>> with report_done(["table 'shop': dropped"]):
        ...     raise StoreError("store-closed", "The store is closed.")
        Traceback (most recent call last):
        pksk.errors.StoreError: The store is closed.
        Done before: table 'shop': dropped.
        (pksk explain store-closed)
    """
    try:
        yield
    except StoreError as error:
        if done:
            before = f"Done before: {', '.join(done)}."
            error.expected = f"{error.expected}\n{before}" if error.expected else before
        raise


def _check_tables(verb: str, tables: Sequence[Any]) -> Sequence[Table]:
    """The tables, each once; refused where one is none, or two of them have one name."""
    found: dict[str, Table] = {}
    for table in tables:
        if not isinstance(table, Table):
            raise DesignError(
                "store-not-a-table",
                f"{verb}({quote(table)}): it takes tables.",
                fix="give the Table that entities are declared with.",
            )
        if found.setdefault(table.name, table) is not table:
            raise DesignError(
                "store-not-a-table",
                f"{verb}: two tables are called {table.name!r}.",
                fix="give one of them another name.",
            )
    return tuple(found.values())
