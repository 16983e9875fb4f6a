"""The table of an import, and the batches of its writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from random import random
from time import sleep
from typing import Any, Final, NoReturn

from pksk.client import Client, ServiceError
from pksk.errors import PkskError, quote
from pksk.limits import BATCH_WRITE_ITEMS
from pksk.values import WireItem

from .table_definition import TableDefinition, fetch_definition

# A table has this tag during its import; a process that is killed leaves it behind.
UNFINISHED_TAG: Final = "pksk:unfinished-import"
_LONGEST_WAIT_SECONDS: Final = 600.0
_SHORTEST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.02, 2.0


def describe_table(client: Client, table: str) -> dict[str, Any] | None:
    """The description of a table, or None if there is no such table."""
    try:
        description: dict[str, Any] = client.call("DescribeTable", {"TableName": table})["Table"]
    except ServiceError as error:
        if error.code == "ResourceNotFoundException":
            return None
        raise
    return description


class ImportTarget:
    """A table during its import."""

    def __init__(self, client: Client, definition: TableDefinition, *, exists: bool) -> None:
        self.client = client
        self.definition = definition
        self.exists = exists
        self.created = False
        self._arn = ""

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.definition.name

    @classmethod
    def existing(
        cls, client: Client, description: Mapping[str, Any], *, append: bool, restart: bool
    ) -> ImportTarget | None:
        """A table that exists, if items can be added; None if a restart replaces an unfinished one."""
        name = description["TableName"]
        if description["TableStatus"] == "DELETING":
            _reject_into(f"Table {quote(name)} is being deleted.", "import once it is deleted.")
        if _is_unfinished(client, description):
            if restart:
                return None
            _reject_unfinished(client, name)
        if not append and _has_items(client, name):
            fix = "import into another table, or add to this one with --append, which overwrites equal keys."
            _reject_into(f"Table {quote(name)} has items.", fix)
        return cls(client, fetch_definition(client, description), exists=True)

    def begin(self) -> None:
        """Create the table if it is missing or unfinished, and wait until it is active."""
        if not self.exists:
            _delete_unfinished(self.client, self.name)
            tags = [*self.definition.create.get("Tags", ()), {"Key": UNFINISHED_TAG, "Value": "yes"}]
            self.client.call("CreateTable", {**self.definition.initial_request, "Tags": tags})
            self.created = True
        self._arn = _wait(self.client, self.name)["TableArn"]

    def finish(self) -> None:
        """Set TTL, stream and deletion protection, and remove the tag of an unfinished import."""
        if not self.created:
            return
        if self.definition.ttl:
            specification = {"Enabled": True, "AttributeName": self.definition.ttl}
            self.client.call(
                "UpdateTimeToLive", {"TableName": self.name, "TimeToLiveSpecification": specification}
            )
        for request in self.definition.later_requests:
            self.client.call("UpdateTable", request)
            _wait(self.client, self.name)
        self.client.call("UntagResource", {"ResourceArn": self._arn, "TagKeys": [UNFINISHED_TAG]})

    def abandon(self) -> bool:
        """Delete the table if the import created it; returns whether nothing is left."""
        if not self.created:
            return False
        with suppress(ServiceError):
            protected = bool(self.definition.create.get("DeletionProtectionEnabled"))
            _delete(self.client, self.name, protected=protected)
            return True
        return False


def _delete_unfinished(client: Client, table: str) -> None:
    """Delete the table that a killed import left behind; without --restart there is an error before."""
    description = describe_table(client, table)
    if description is not None and _is_unfinished(client, description):
        _delete(client, table, protected=bool(description.get("DeletionProtectionEnabled")))
        _wait(client, table, gone=True)


def _delete(client: Client, table: str, *, protected: bool) -> None:
    if protected:  # the last step of an import sets it
        client.call("UpdateTable", {"TableName": table, "DeletionProtectionEnabled": False})
        _wait(client, table)
    client.call("DeleteTable", {"TableName": table})


def _is_unfinished(client: Client, description: Mapping[str, Any]) -> bool:
    tags = client.call("ListTagsOfResource", {"ResourceArn": description["TableArn"]}).get("Tags", ())
    return any(tag["Key"] == UNFINISHED_TAG for tag in tags)


def _has_items(client: Client, table: str) -> bool:
    """Whether a scan finds an item; on AWS the count of DescribeTable is hours old."""
    scan: dict[str, Any] = {"TableName": table, "Select": "COUNT", "ConsistentRead": True, "Limit": 1}
    return bool(client.call("Scan", scan)["Count"])


def _wait(client: Client, table: str, *, gone: bool = False) -> dict[str, Any]:
    """Wait until a table is active, or deleted."""
    waited, pause = 0.0, _SHORTEST_PAUSE_SECONDS
    while waited < _LONGEST_WAIT_SECONDS:
        description = describe_table(client, table)
        if description is None and gone:
            return {}
        if description is not None and not gone and description["TableStatus"] == "ACTIVE":
            return description
        sleep(pause)
        waited, pause = waited + pause, min(pause * 2, _LONGEST_PAUSE_SECONDS)
    raise ServiceError("LimitExceededException", f"Table {table} did not change its state in ten minutes.")


def _reject_unfinished(client: Client, table: str) -> NoReturn:
    count = client.call("DescribeTable", {"TableName": table})["Table"]["ItemCount"]
    raise PkskError(
        "import-unfinished",
        f"Table {quote(table)} comes from an import that was killed, and has {count:,} of its items.",
        expected="An import that fails in any other way deletes its table.",
        fix="delete it and start again with --restart, or import into another table.",
    )


def _reject_into(problem: str, fix: str) -> NoReturn:
    raise PkskError(
        "import-into",
        problem,
        expected="An import needs a new table, or an empty one.",
        fix=fix,
    )


# The tries of a batch while the service writes nothing of it: about two minutes.
_MAX_TRIES: Final = 12
_FIRST_RETRY_PAUSE_SECONDS: Final = 0.05
_LONGEST_RETRY_PAUSE_SECONDS: Final = 20.0
_THROTTLED: Final = {
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
}


class BatchWriter:
    """Writes items to a table in batches; of several with one key, the last one stays."""

    def __init__(self, client: Client, table: str, pause: Callable[[float], None] = sleep) -> None:
        self.written = 0
        self._client = client
        self._table = table
        self._pause = pause
        # By key, since DynamoDB rejects a batch with two writes to one key.
        self._pending: dict[tuple[str, ...], WireItem] = {}
        self._added = 0

    def add(self, key: tuple[str, ...], item: WireItem) -> None:
        """Add an item to the batch, and write the batch if it is full."""
        self._pending[key] = item
        self._added += 1
        if len(self._pending) == BATCH_WRITE_ITEMS:
            self.flush()

    def flush(self) -> None:
        """Write the batch, and retry until the service has written all of it."""
        requests = [{"PutRequest": {"Item": item}} for item in self._pending.values()]
        tries, seconds = 0, _FIRST_RETRY_PAUSE_SECONDS
        while requests:
            unprocessed = self._send(requests, last=tries >= _MAX_TRIES)
            tries = tries + 1 if len(unprocessed) == len(requests) else 0
            requests = unprocessed
            if requests:
                self._pause(seconds * (0.5 + random() / 2))
                seconds = min(seconds * 2, _LONGEST_RETRY_PAUSE_SECONDS)
        self.written += self._added
        self._pending.clear()
        self._added = 0

    def _send(self, requests: list[dict[str, Any]], *, last: bool) -> list[dict[str, Any]]:
        try:
            answer = self._client.call("BatchWriteItem", {"RequestItems": {self._table: requests}})
        except ServiceError as error:
            if last or error.code not in _THROTTLED:
                raise
            return requests
        unprocessed: list[dict[str, Any]] = (answer.get("UnprocessedItems") or {}).get(self._table, [])
        if last and len(unprocessed) == len(requests):
            raise ServiceError(
                "ProvisionedThroughputExceededException",
                "The table wrote none of the items in twelve retries.",
            )
        return unprocessed
