"""Tables made, compared with their declarations, brought in line, and dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from pksk.client import ServiceError
from pksk.errors import DesignError, OutcomeUnknown, Refused, StoreError, TableMissing, quote
from pksk.schema import Table
from pksk.store.expect import expect_flag
from pksk.store.sending.diagnosis import table_differs
from pksk.store.sending.send import send
from pksk.store.sending.steps import Pause, Steps

if TYPE_CHECKING:
    from pksk.schema.alteration import Step
    from pksk.store.core import Core

__all__ = ["create_tables", "drop_tables", "ensure_tables"]

_FIRST_PAUSE_SECONDS: Final = 0.02
_LONGEST_PAUSE_SECONDS: Final = 5.0
# What AWS says of a table that is to be made and is there.
_THERE: Final = "ResourceInUseException"
# What it says where another change of the table is under way.
_BUSY: Final = (_THERE, "LimitExceededException")
_MOST_REFUSED: Final = 30
# A table that was just made may not be told of at once.
_MOST_UNSEEN: Final = 8


def create_tables(core: Core, tables: Sequence[Table]) -> Steps[None]:
    """Make tables with all their indexes, and wait until they can be used; refuses those that are there."""
    _check_tables("create_tables", tables)
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
        yield from send(core, "CreateTable", table.create_request())
    except (Refused, OutcomeUnknown) as error:
        if _service_code(error) != _THERE:
            raise
        known = not isinstance(error, OutcomeUnknown)
        raise (_exists(table) if known else _exists_perhaps_made(table)) from error


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


def described(core: Core, name: str) -> Steps[dict[str, Any] | None]:
    """What DescribeTable tells of a table; None where there is none."""
    try:
        found: dict[str, Any] = (yield from send(core, "DescribeTable", {"TableName": name}))["Table"]
    except TableMissing:
        return None
    return found


def wait_until_active(core: Core, name: str) -> Steps[dict[str, Any]]:
    """Wait until a table and all its indexes can be used; gives what DescribeTable tells of it."""
    pause, unseen = _FIRST_PAUSE_SECONDS, 0
    while True:
        found = yield from described(core, name)
        unseen += found is None
        if unseen > _MOST_UNSEEN:
            raise TableMissing(
                "store-table-missing",
                f"There is no table {name!r}, or there is none any more.",
                fix="make it with create_tables(...), and drop it nowhere else meanwhile.",
            )
        if found is not None and all(state == "ACTIVE" for state in _states(found)):
            return found
        yield Pause(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


def _states(description: dict[str, Any]) -> list[str]:
    indexes = [*description.get("GlobalSecondaryIndexes", ()), *description.get("VectorIndexes", ())]
    return [description["TableStatus"], *(each.get("IndexStatus", "ACTIVE") for each in indexes)]


def ensure_tables(core: Core, tables: Sequence[Table], *, destructive: bool) -> Steps[list[str]]:
    """Make what is missing and change what can be changed; says what was done, line by line."""
    _check_tables("ensure_tables", tables)
    expect_flag("ensure_tables", destructive=destructive)
    # All are compared before any is changed.
    plans: list[tuple[Step, ...] | None] = []
    for table in tables:
        there = (yield from described(core, table.name)) is not None
        plans.append((yield from _wanted(core, table, destructive)) if there else None)
    done: list[str] = []
    with telling(done):
        for table, wanted in zip(tables, plans, strict=True):
            if wanted is None and (yield from _created_here(core, table)):
                done.append(f"table {table.name!r}: created")
                yield from _finish(core, table)
            else:
                yield from _bring_in_line(core, table, wanted, destructive, done)
    return done


def _created_here(core: Core, table: Table) -> Steps[bool]:
    """Make a table; False where it is there after all, made by another process or by an attempt without an answer."""
    try:
        yield from _create(core, table)
    except StoreError as error:
        if not isinstance(error.__cause__, StoreError) or _service_code(error.__cause__) != _THERE:
            raise
        return False
    return True


def _bring_in_line(
    core: Core, table: Table, known: tuple[Step, ...] | None, destructive: bool, done: list[str]
) -> Steps[None]:
    steps = (yield from _wanted(core, table, destructive)) if known is None else known
    refused = 0
    while steps:
        step = steps[0]
        try:
            yield from send(core, step.operation, step.request, repeatable=False)
        except (OutcomeUnknown, Refused) as error:
            # The table itself tells whether it was done; where it does not show, nobody knows.
            steps = yield from _wanted(core, table, destructive)
            is_left = any(each.request == step.request for each in steps)
            busy = isinstance(error, Refused) and _service_code(error) in _BUSY and refused < _MOST_REFUSED
            if is_left and not busy:
                raise
            if isinstance(error, Refused):
                # Others bring the table in line too, and what they have done is not told as done here.
                refused += 1
                yield Pause(min(_FIRST_PAUSE_SECONDS * 2**refused, _LONGEST_PAUSE_SECONDS))
                continue
        else:
            steps, refused = steps[1:], 0
        done.append(f"table {table.name!r}: {step.words}")
        yield from wait_until_active(core, table.name)


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
        differs.fix = (
            "declare it as it is, give the changed index another name, or let it be deleted and made again: "
            "ensure_tables(..., destructive=True)."
        )
        raise differs
    return tuple(steps)


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
    with telling(dropped):
        for name in names:
            yield from _drop(core, name)
            dropped.append(f"table {name!r}: dropped")
        for name in names:
            yield from _wait_until_gone(core, name)


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


def _wait_until_gone(core: Core, name: str) -> Steps[None]:
    pause = _FIRST_PAUSE_SECONDS
    while (yield from described(core, name)) is not None:
        yield Pause(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


def _drop(core: Core, name: str) -> Steps[None]:
    # Never sent again where the answer is lost: somebody may have made a table of that name since.
    try:
        yield from send(core, "DeleteTable", {"TableName": name}, repeatable=False)
    except TableMissing as error:
        error.fix = "check the name, or the region and endpoint."
        raise
    except OutcomeUnknown:
        found = yield from described(core, name)
        if found is not None and found["TableStatus"] != "DELETING":
            raise


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


def _check_tables(verb: str, tables: Sequence[Any]) -> None:
    for table in tables:
        if not isinstance(table, Table):
            raise DesignError(
                "store-not-a-table",
                f"{verb}({quote(table)}): it takes tables.",
                fix="give the Table that entities are declared with.",
            )
