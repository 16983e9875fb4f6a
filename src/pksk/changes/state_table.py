"""The table that holds consumers: created if it is missing, and rejected if it is a table of something else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.errors import RequestRejected, StoreError, TableMissing
from pksk.sending import Core, Pause, Steps, send

_WAIT_SECONDS: Final = 0.25


def ensure_state_table(core: Core, name: str) -> Steps[None]:
    """Create the table if it is missing, and wait until it can be used."""
    described = yield from _describe(core, name)
    if described is None:
        yield from _create(core, name)
        described = yield from _describe(core, name)
    while described is None or described["TableStatus"] == "CREATING":
        yield Pause(_WAIT_SECONDS)
        described = yield from _describe(core, name)
    keys = [(each["AttributeName"], each["KeyType"]) for each in described["KeySchema"]]
    if keys != [("pk", "HASH"), ("sk", "RANGE")]:
        raise StoreError(
            "consumer-state-table",
            f"Table {name!r} has the keys {', '.join(key for key, _ in keys)}, so it cannot hold consumers.",
            expected="The state table of consumers has the text keys pk and sk, and holds nothing else.",
            fix='name another table: db.changes(..., state="my-consumers"); it is created if it is missing.',
        )


def _describe(core: Core, name: str) -> Steps[Mapping[str, Any] | None]:
    try:
        answer = yield from send(core, "DescribeTable", {"TableName": name})
    except TableMissing:
        return None
    table: Mapping[str, Any] = answer["Table"]
    return table


def _create(core: Core, name: str) -> Steps[None]:
    request = {
        "TableName": name,
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "sk")],
        "BillingMode": "PAY_PER_REQUEST",
    }
    try:
        yield from send(core, "CreateTable", request)
    except RequestRejected as error:
        if error.service_code != "ResourceInUseException":  # another worker has created it
            raise
