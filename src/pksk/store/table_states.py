"""Describes tables, and waits, with a limit, until a table is active or gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.client import ServiceError
from pksk.errors import RequestRejected, RequestThrottled, StoreError, TableMissing
from pksk.sending import Answer, Core, Pause, Steps, is_concurrent_change_limit, send

_FIRST_PAUSE_SECONDS: Final = 0.02
_LONGEST_PAUSE_SECONDS: Final = 5.0
# DescribeTable may not find a new table at once.
_MAX_NOT_FOUND: Final = 8
# How long a state may last. Creating or deleting a table takes seconds, rarely minutes; a change can take hours, for
# example to fill a new index of a large table.
_MAX_SECONDS: Final = {"CREATING": 600, "DELETING": 600}
_MAX_CHANGE_SECONDS: Final = 24 * 3600
# States that do not end without help, and the fix for each:
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html
_ARCHIVED: Final = (
    "read ArchivalSummary in DescribeTable, and restore the table from the backup that it names."
)
_PERMANENT_STATES: Final = {
    "INACCESSIBLE_ENCRYPTION_CREDENTIALS": "give DynamoDB access to the table's KMS key again: enable the key, and "
    "allow DynamoDB in its policy. After seven days DynamoDB archives the table.",
    "ARCHIVING": _ARCHIVED,
    "ARCHIVED": _ARCHIVED,
    "REPLICATION_NOT_AUTHORIZED": "allow writes to the replicas in the policies of the tables and of DynamoDB's "
    "service-linked role.",
}


def describe_table(core: Core, name: str) -> Steps[dict[str, Any] | None]:
    """The DescribeTable description of a table; None if there is no such table."""
    try:
        description: dict[str, Any] = (yield from send(core, "DescribeTable", {"TableName": name}))["Table"]
    except TableMissing:
        return None
    return description


def pause_after(attempts: int) -> Pause:
    """The pause after a number of attempts; doubles with each attempt, up to five seconds."""
    # Limit the exponent: a large power overflows a float.
    return Pause(min(_FIRST_PAUSE_SECONDS * 2.0 ** min(attempts, 30), _LONGEST_PAUSE_SECONDS))


class _Waiting:
    """The pauses of one wait for a table, and the seconds that the table has been in its current state."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._attempts, self._state, self._seconds = 0, "", 0.0

    def pause(self, state: str, max_seconds: int) -> Pause:
        """The next pause; raises if the table has been in this state for too long."""
        if state != self._state:
            self._state, self._seconds = state, 0.0
        if self._seconds >= max_seconds:
            raise _still_changing(self._name, state, max_seconds)
        pause = pause_after(self._attempts)
        self._attempts += 1
        self._seconds += pause.seconds
        return pause


def wait_until_active(core: Core, name: str) -> Steps[dict[str, Any]]:
    """Wait until a table and all its indexes are active, and return its description.

    Raises `TableMissing` if the table is deleted meanwhile.
    """
    waiting, not_found, deleting = _Waiting(name), 0, False
    while True:
        description = yield from describe_table(core, name)
        not_found += description is None
        if description is None and (deleting or not_found > _MAX_NOT_FOUND):
            raise TableMissing(
                "store-table-missing",
                f"There is no table {name!r}, or it was deleted meanwhile.",
                fix="create it with create_tables(...), and do not drop it at the same time.",
            )
        status = "CREATING" if description is None else description["TableStatus"]
        if status in _PERMANENT_STATES:
            raise _unusable(name, status)
        state = status if description is None or status != "ACTIVE" else _index_state(description)
        if description is not None and not state:
            return description
        deleting = status == "DELETING"
        yield waiting.pause(state, _MAX_SECONDS.get(status, _MAX_CHANGE_SECONDS))


def _index_state(description: dict[str, Any]) -> str:
    """The state of the first index that is not active; empty if all are."""
    indexes = [*description.get("GlobalSecondaryIndexes", ()), *description.get("VectorIndexes", ())]
    states = ((each["IndexName"], each.get("IndexStatus", "ACTIVE")) for each in indexes)
    return next((f"{state}, its index {name!r}" for name, state in states if state != "ACTIVE"), "")


def wait_until_gone(core: Core, name: str, table_id: str) -> Steps[None]:
    """Wait until a deleted table is gone; a new table with the same name has another id."""
    waiting = _Waiting(name)
    while True:
        description = yield from describe_table(core, name)
        if description is None or (table_id and description.get("TableId", table_id) != table_id):
            return
        yield waiting.pause(description["TableStatus"], _MAX_SECONDS["DELETING"])


def _still_changing(name: str, state: str, seconds: int) -> StoreError:
    status, _, index = state.partition(", its ")
    where = f"Table {name!r}, {index}" if index else f"Table {name!r}"
    hours = seconds // 3600
    lasted = f"{hours} hours" if hours else f"{seconds // 60} minutes"
    return StoreError(
        "store-table-timeout",
        f"{where}: it is still {status} after {lasted}; pksk stopped waiting.",
        expected="DynamoDB continues the change.",
        fix="look at the table with DescribeTable, then repeat the call: it continues from the current state.",
    )


def _unusable(name: str, status: str) -> StoreError:
    return StoreError(
        "store-table-unusable",
        f"Table {name!r} cannot be used: it is {status}, and waiting does not help.",
        fix=_PERMANENT_STATES[status],
    )


# About ten minutes, with the pauses.
MAX_REJECTIONS: Final = 125


def send_when_accepted(
    core: Core, operation: str, request: Mapping[str, Any], *, repeatable: bool = True
) -> Steps[Answer]:
    """Send a table change; if AWS is busy with too many changes, try again after a pause."""
    rejections = 0
    while True:
        try:
            return (yield from send_table_change(core, operation, request, repeatable=repeatable))
        except RequestRejected as error:
            if rejections >= MAX_REJECTIONS or not exceeds_concurrent_changes(error):
                raise
        rejections += 1
        yield pause_after(rejections)


def send_table_change(
    core: Core, operation: str, request: Mapping[str, Any], *, repeatable: bool
) -> Steps[Answer]:
    """Send a table change; the error for an exceeded account quota has a fix."""
    try:
        return (yield from send(core, operation, request, repeatable=repeatable))
    except RequestThrottled as error:
        if service_code(error) == "LimitExceededException":
            error.fix = "declare less, wait as long as the message says, or request a higher account quota."
        raise


def exceeds_concurrent_changes(error: StoreError) -> bool:
    """Whether AWS rejected a change because too many others are in progress."""
    return isinstance(error.__cause__, ServiceError) and is_concurrent_change_limit(error.__cause__)


def service_code(error: StoreError) -> str:
    """The service's error code; empty if the service did not answer."""
    return error.__cause__.code if isinstance(error.__cause__, ServiceError) else ""
