"""Tables made, compared with their declarations, brought in line, and dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from pksk.client import ServiceError
from pksk.errors import DesignError, OutcomeUnknown, Refused, StoreError, TableMissing, Throttled, quote
from pksk.schema import Table
from pksk.store.expect import expect_flag
from pksk.store.sending.diagnosis import table_differs
from pksk.store.sending.retry import is_one_too_many
from pksk.store.sending.send import Answer, send
from pksk.store.sending.steps import Steps
from pksk.store.table_states import described, pause_after, wait_until_active, wait_until_gone

if TYPE_CHECKING:
    from pksk.schema.alteration import Step
    from pksk.store.core import Core

__all__ = ["create_tables", "drop_tables", "ensure_tables"]

# What AWS says of a table that is to be made and is there, and where another change of it is under way.
_THERE: Final = "ResourceInUseException"
# With the pauses in between, that is about ten minutes.
_MOST_REFUSED: Final = 125
# What it says of a second change of the time to live within the hour, and the states while the first is under way:
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
_TOO_SOON: Final = "within a fixed interval"
_CHANGING: Final = ("ENABLING", "DISABLING")
_ONCE_AN_HOUR: Final = (
    "AWS takes one change of the time to live an hour, and the same call after it ends this"
)


def create_tables(core: Core, tables: Sequence[Table]) -> Steps[None]:
    """Make tables with all their indexes, and wait until they can be used; refuses those that are there."""
    tables = _check_tables("create_tables", tables)
    if len(tables) > 1:
        # None is made where one cannot be.
        for table in tables:
            if (yield from described(core, table.name)) is not None:
                raise _exists(table)
    made: list[str] = []
    with telling(made):
        for table in tables:
            yield from _create(core, table)
            made.append(f"table {table.name!r}: created")
        for table in tables:
            yield from _finish(core, table)


def _create(core: Core, table: Table) -> Steps[None]:
    # A second attempt makes no second table: it is refused where the first one has made it.
    try:
        yield from _when_possible(core, "CreateTable", table.create_request())
    except (Refused, OutcomeUnknown) as error:
        if _service_code(error) != _THERE:
            raise
        known = not isinstance(error, OutcomeUnknown)
        raise (_exists(table) if known else _exists_perhaps_made(table)) from error


def _when_possible(
    core: Core, operation: str, request: Mapping[str, Any], *, repeatable: bool = True
) -> Steps[Answer]:
    """Send a change of a table; where AWS takes so many at a time, once others are done."""
    refused = 0
    while True:
        try:
            return (yield from _changed(core, operation, request, repeatable=repeatable))
        except Refused as error:
            if refused >= _MOST_REFUSED or not _one_too_many(error):
                raise
        refused += 1
        yield pause_after(refused)


def _changed(core: Core, operation: str, request: Mapping[str, Any], *, repeatable: bool) -> Steps[Answer]:
    try:
        return (yield from send(core, operation, request, repeatable=repeatable))
    except Throttled as error:
        if _service_code(error) == "LimitExceededException":
            error.fix = (
                "declare less, wait as long as the message says, or have the quota of the account raised."
            )
        raise


def _one_too_many(error: StoreError) -> bool:
    return isinstance(error.__cause__, ServiceError) and is_one_too_many(error.__cause__)


def _service_code(error: StoreError) -> str:
    return error.__cause__.code if isinstance(error.__cause__, ServiceError) else ""


def _exists(table: Table) -> StoreError:
    return StoreError(
        "store-table-exists",
        f"Table {table.name!r} is there already.",
        fix="use ensure_tables(...), which compares it with its declaration.",
    )


def _exists_perhaps_made(table: Table) -> OutcomeUnknown:
    return OutcomeUnknown(
        "store-outcome-unknown",
        f"Table {table.name!r} is there, and whether it was made now or was there before is not known.",
        expected="An attempt to make it got no answer, and the next one found it.",
        fix="use ensure_tables(...), which compares it with its declaration.",
    )


def _finish(core: Core, table: Table) -> Steps[None]:
    yield from wait_until_active(core, table.name)
    ttl = table.ttl_request()
    if ttl is None:
        return
    try:
        yield from send(core, "UpdateTimeToLive", ttl)
    except (OutcomeUnknown, Refused):
        # A second attempt is refused where the first one was done, and where another process was quicker.
        state = yield from _time_to_live(core, table)
        if state.get("AttributeName") != ttl["TimeToLiveSpecification"]["AttributeName"]:
            raise


def _time_to_live(core: Core, table: Table) -> Steps[dict[str, Any]]:
    answer = yield from send(core, "DescribeTimeToLive", {"TableName": table.name})
    found: dict[str, Any] = answer.get("TimeToLiveDescription", {})
    return found


@dataclass(frozen=True, slots=True)
class _Ensuring:
    """One call of `ensure_tables`: what it may do, what it has done, and what AWS does not take yet; in words."""

    core: Core
    destructive: bool
    done: list[str] = field(default_factory=list)
    not_yet: list[str] = field(default_factory=list)


def ensure_tables(core: Core, tables: Sequence[Table], *, destructive: bool) -> Steps[list[str]]:
    """Make what is missing and change what can be changed; says what was done, line by line, and what is not yet."""
    tables = _check_tables("ensure_tables", tables)
    expect_flag("ensure_tables", destructive=destructive)
    run = _Ensuring(core, destructive)
    # All are compared before any is changed.
    plans: list[tuple[Step, ...] | None] = []
    for table in tables:
        plans.append((yield from _plan(run, table)))
    with telling(run.done):
        for table, plan in zip(tables, plans, strict=True):
            yield from _ensure(run, table, plan)
    return [*run.done, *run.not_yet]


def _plan(run: _Ensuring, table: Table) -> Steps[tuple[Step, ...] | None]:
    """The steps that bring a table in line; None where there is none, or none any more."""
    if (yield from described(run.core, table.name)) is None:
        return None
    try:
        return (yield from _wanted(run.core, table, run.destructive))
    except TableMissing:
        return None


def _ensure(run: _Ensuring, table: Table, steps: tuple[Step, ...] | None) -> Steps[None]:
    for refused in count(1):
        if steps is not None:
            yield from _bring_in_line(run, table, steps)
            return
        try:
            yield from _create(run.core, table)
        except StoreError as error:
            # There after all: made by another process or an attempt without an answer; or not gone yet.
            if not _is_there(error) or refused > _MOST_REFUSED:
                raise
            steps = yield from _plan(run, table)
        else:
            run.done.append(f"table {table.name!r}: created")
            yield from _finish(run.core, table)
            return
        if steps is None:
            yield pause_after(refused)


def _is_there(error: StoreError) -> bool:
    return isinstance(error.__cause__, StoreError) and _service_code(error.__cause__) == _THERE


def _bring_in_line(run: _Ensuring, table: Table, steps: tuple[Step, ...]) -> Steps[None]:
    core, refused = run.core, 0
    while steps:
        step = steps[0]
        try:
            yield from _changed(core, step.operation, step.request, repeatable=False)
        except (OutcomeUnknown, Refused) as error:
            # The table itself tells whether it was done; where it does not show, nobody knows.
            steps = yield from _wanted(core, table, run.destructive)
            if any(each.request == step.request for each in steps):
                if (yield from _is_too_soon(core, table, step, error)):
                    # It is the last that is changed.
                    run.not_yet.append(f"table {table.name!r}: not yet: {step.words}; {_ONCE_AN_HOUR}")
                    return
                if refused >= _MOST_REFUSED or not _is_busy(error):
                    raise
            if isinstance(error, Refused):
                # Others bring the table in line too, and what they have done is not told as done here.
                refused += 1
                yield pause_after(refused)
                continue
        else:
            steps, refused = steps[1:], 0
        run.done.append(f"table {table.name!r}: {step.words}")
        yield from wait_until_active(core, table.name)


def _is_busy(error: StoreError) -> bool:
    """Whether another change of the table is under way, or as many of other tables as may be at a time."""
    return isinstance(error, Refused) and (_service_code(error) == _THERE or _one_too_many(error))


def _is_too_soon(core: Core, table: Table, step: Step, error: StoreError) -> Steps[bool]:
    """Whether a change of the time to live was refused for nothing but the hour since the last one."""
    if step.operation != "UpdateTimeToLive" or _service_code(error) != "ValidationException":
        return False
    if _TOO_SOON in str(error.__cause__):
        return True
    state = yield from _time_to_live(core, table)
    return state.get("TimeToLiveStatus") in _CHANGING


def _wanted(core: Core, table: Table, destructive: bool) -> Steps[tuple[Step, ...]]:
    """The steps that bring a table in line with its declaration; refused where none can, or none that may."""
    from pksk.schema.alteration import alterations

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
    steps = [step for step in wanted.steps if step.about not in kept]
    if any(step.destructive for step in steps):
        abouts = {step.about for step in steps if step.destructive}
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
            _check_droppable(name, (yield from described(core, name)))
    dropped: list[str] = []
    leaving: dict[str, str] = {}
    with telling(dropped):
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
    # Never sent again where the answer is lost: somebody may have made a table of that name since.
    try:
        answer = yield from _when_possible(core, "DeleteTable", {"TableName": name}, repeatable=False)
    except TableMissing as error:
        error.fix = "check the name, or the region and endpoint."
        raise
    except OutcomeUnknown:
        found = yield from described(core, name)
        if found is None:
            return None
        if found["TableStatus"] != "DELETING":
            raise
    else:
        found = answer.get("TableDescription", {})
    return str(found.get("TableId", ""))


@contextmanager
def telling(done: list[str]) -> Iterator[None]:
    """A block whose errors also tell what was done before, line by line.

    Example:
        >>> with telling(["table 'shop': dropped"]):
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
