"""What DynamoDB tells of a table, and waiting until it can be used or is gone, but not for ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.client import ServiceError
from pksk.errors import RequestRejected, RequestThrottled, StoreError, TableMissing
from pksk.store.sending.retry import is_concurrent_change_limit
from pksk.store.sending.send import Answer, send
from pksk.store.sending.steps import Pause, Steps

if TYPE_CHECKING:
    from pksk.store.core import Core

__all__ = [
    "MOST_REJECTED",
    "describe_table",
    "exceeds_concurrent_changes",
    "pause_after",
    "send_table_change",
    "send_when_accepted",
    "service_code",
    "wait_until_active",
    "wait_until_gone",
]

_FIRST_PAUSE_SECONDS: Final = 0.02
_LONGEST_PAUSE_SECONDS: Final = 5.0
# A table that was just made may not be told of at once.
_MOST_UNSEEN: Final = 8
# How long a state may last. Tables are made and deleted in seconds, seldom in minutes; what changes may take hours, as
# an index does that is filled from a large table.
_MOST_SECONDS: Final = {"CREATING": 600, "DELETING": 600}
_MOST_SECONDS_OF_CHANGES: Final = 24 * 3600
# What does not pass by itself, and what helps:
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html
_ARCHIVED: Final = (
    "read the ArchivalSummary of DescribeTable, and restore the table from the backup that it names."
)
_LASTING: Final = {
    "INACCESSIBLE_ENCRYPTION_CREDENTIALS": "let DynamoDB use the KMS key of the table again: enable the key, and allow "
    "it in its policy. After seven days DynamoDB archives the table.",
    "ARCHIVING": _ARCHIVED,
    "ARCHIVED": _ARCHIVED,
    "REPLICATION_NOT_AUTHORIZED": "allow the replicas of the table to be written to, in the policies of the tables and "
    "of DynamoDB's service-linked role.",
}


def describe_table(core: Core, name: str) -> Steps[dict[str, Any] | None]:
    """What DescribeTable tells of a table; None where there is none."""
    try:
        found: dict[str, Any] = (yield from send(core, "DescribeTable", {"TableName": name}))["Table"]
    except TableMissing:
        return None
    return found


def pause_after(times: int) -> Pause:
    """The pause after so many looks or attempts, from 0 on; each is twice the one before, up to five seconds.

    Example:
        >>> [pause_after(times).seconds for times in (0, 1, 2, 99)]
        [0.02, 0.04, 0.08, 5.0]
    """
    # A power of many attempts would be too large for a float.
    return Pause(min(_FIRST_PAUSE_SECONDS * 2.0 ** min(times, 30), _LONGEST_PAUSE_SECONDS))


class _Waiting:
    """The pauses of one wait for a table; the seconds are those that it stayed in one state."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._times, self._state, self._seconds = 0, "", 0.0

    def pause(self, state: str, most_seconds: int) -> Pause:
        """The next pause; raises where there were enough of them in this state."""
        if state != self._state:
            self._state, self._seconds = state, 0.0
        if self._seconds >= most_seconds:
            raise _still_changing(self._name, state, most_seconds)
        pause = pause_after(self._times)
        self._times += 1
        self._seconds += pause.seconds
        return pause


def wait_until_active(core: Core, name: str) -> Steps[dict[str, Any]]:
    """Wait until a table and all its indexes can be used; gives what DescribeTable tells of it.

    One that is being deleted is missing once it is gone.
    """
    waiting, unseen, leaving = _Waiting(name), 0, False
    while True:
        found = yield from describe_table(core, name)
        unseen += found is None
        if found is None and (leaving or unseen > _MOST_UNSEEN):
            raise TableMissing(
                "store-table-missing",
                f"There is no table {name!r}, or there is none any more.",
                fix="make it with create_tables(...), and drop it nowhere else meanwhile.",
            )
        status = "CREATING" if found is None else found["TableStatus"]
        if status in _LASTING:
            raise _unusable(name, status)
        state = status if found is None or status != "ACTIVE" else _index_state(found)
        if found is not None and not state:
            return found
        leaving = status == "DELETING"
        yield waiting.pause(state, _MOST_SECONDS.get(status, _MOST_SECONDS_OF_CHANGES))


def _index_state(description: dict[str, Any]) -> str:
    """The state of the first index that cannot be used; empty where all can."""
    indexes = [*description.get("GlobalSecondaryIndexes", ()), *description.get("VectorIndexes", ())]
    states = ((each["IndexName"], each.get("IndexStatus", "ACTIVE")) for each in indexes)
    return next((f"{state}, its index {name!r}" for name, state in states if state != "ACTIVE"), "")


def wait_until_gone(core: Core, name: str, table_id: str) -> Steps[None]:
    """Wait until a table that was deleted is gone; another one of its name may be there by then, with another id."""
    waiting = _Waiting(name)
    while True:
        found = yield from describe_table(core, name)
        if found is None or (table_id and found.get("TableId", table_id) != table_id):
            return
        yield waiting.pause(found["TableStatus"], _MOST_SECONDS["DELETING"])


def _still_changing(name: str, state: str, seconds: int) -> StoreError:
    status, _, index = state.partition(", its ")
    where = f"Table {name!r}, {index}" if index else f"Table {name!r}"
    hours = seconds // 3600
    lasted = f"{hours} hours" if hours else f"{seconds // 60} minutes"
    return StoreError(
        "store-table-slow",
        f"{where}: it is still {status} after {lasted}, and was waited for no longer.",
        expected="DynamoDB goes on with what was begun.",
        fix="look at what it says of the table, and call this again: it goes on from what is there.",
    )


def _unusable(name: str, status: str) -> StoreError:
    return StoreError(
        "store-table-unusable",
        f"Table {name!r} cannot be used: it is {status}, and waiting does not change that.",
        fix=_LASTING[status],
    )


# With the pauses in between, that is about ten minutes.
MOST_REJECTED: Final = 125


def send_when_accepted(
    core: Core, operation: str, request: Mapping[str, Any], *, repeatable: bool = True
) -> Steps[Answer]:
    """Send a change of a table; where AWS takes so many at a time, once others are done."""
    refused = 0
    while True:
        try:
            return (yield from send_table_change(core, operation, request, repeatable=repeatable))
        except RequestRejected as error:
            if refused >= MOST_REJECTED or not exceeds_concurrent_changes(error):
                raise
        refused += 1
        yield pause_after(refused)


def send_table_change(
    core: Core, operation: str, request: Mapping[str, Any], *, repeatable: bool
) -> Steps[Answer]:
    """Send a change of a table; where a quota of the account is reached, the error says what to do."""
    try:
        return (yield from send(core, operation, request, repeatable=repeatable))
    except RequestThrottled as error:
        if service_code(error) == "LimitExceededException":
            error.fix = (
                "declare less, wait as long as the message says, or have the quota of the account raised."
            )
        raise


def exceeds_concurrent_changes(error: StoreError) -> bool:
    """Whether AWS rejected a change because others are under way."""
    return isinstance(error.__cause__, ServiceError) and is_concurrent_change_limit(error.__cause__)


def service_code(error: StoreError) -> str:
    """The code that the service answered; empty if it did not answer."""
    return error.__cause__.code if isinstance(error.__cause__, ServiceError) else ""
