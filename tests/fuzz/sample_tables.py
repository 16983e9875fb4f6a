"""The tables and items that requests use, created over HTTP, and valid requests for them."""

from __future__ import annotations

import hmac
from hashlib import sha256
from http.client import HTTPConnection
from time import gmtime, strftime
from typing import Any, Final

import orjson

from tests.engine.botocore_model import result
from tests.engine.valid_requests import BACKUP, ORDERS_STREAM, SET_UP, SHARD, VALID

from .answers import Wrong

__all__ = ["KEY_ID", "MARKS", "SECRET", "SampleTables", "http_target", "signature_headers"]

KEY_ID: Final = "AKIAFUZZ"
SECRET: Final = "a secret of no worth"
MARKS: Final = 64
_OF_STREAMS: Final = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}
_MARKED: Final = {
    "TableName": "marks",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "n", "AttributeType": "N"}],
}
_ITERATOR: Final = next(request["ShardIterator"] for name, request in VALID if name == "GetRecords")


def http_target(operation: str) -> str:
    """An operation as the header X-Amz-Target names it."""
    return f"DynamoDB{'Streams' if operation in _OF_STREAMS else ''}_20120810.{operation}"


def signature_headers(target: str, body: bytes) -> dict[str, str]:
    """The headers that sign a call."""
    date = strftime("%Y%m%dT%H%M%SZ", gmtime())
    scope = f"{date[:8]}/us-east-1/dynamodb/aws4_request"
    lines = f"host:localhost\nx-amz-date:{date}\nx-amz-target:{target}\n"
    names = "host;x-amz-date;x-amz-target"
    request = f"POST\n/\n\n{lines}\n{names}\n{sha256(body).hexdigest()}"
    text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{sha256(request.encode()).hexdigest()}"
    key = b"AWS4" + SECRET.encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    claim = f"AWS4-HMAC-SHA256 Credential={KEY_ID}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {"X-Amz-Date": date, "Authorization": claim}


class SampleTables:
    """What a server holds while it is fuzzed. It is made anew for every round, since requests destroy it."""

    def __init__(self, port: int, *, signed: bool) -> None:
        self.signed = signed
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self.valid: list[tuple[str, bytes]] = []
        if "marks" not in self._tables():
            self._make_marks()

    def close(self) -> None:
        """End its connection."""
        self._connection.close()

    def answer(self, operation: str, body: bytes) -> tuple[int, dict[str, Any]]:
        """The status and the body that answer a request."""
        target = http_target(operation)
        headers = {"Host": "localhost", "X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.0"}
        if self.signed:
            headers |= signature_headers(target, body)
        self._connection.request("POST", "/", body, headers)
        response = self._connection.getresponse()
        shown = response.read()
        return response.status, result(operation, shown) if response.status == 200 else orjson.loads(shown)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request that must succeed."""
        status, shown = self.answer(operation, orjson.dumps(request))
        if status != 200:
            raise Wrong(f"{operation} in the server's own set-up: {status} {shown}\n{request}")
        return shown

    def renew(self) -> None:
        """Remove all tables, and create the tables, items and names that valid requests need."""
        self._remove_all()
        for operation, request in SET_UP:
            self.call(operation, request)
        names = self._names()
        self.valid = [(operation, _named(request, names)) for operation, request in VALID]

    def _make_marks(self) -> None:
        self.call("CreateTable", _MARKED)
        for number in range(MARKS):
            self.call("PutItem", {"TableName": "marks", "Item": {"n": {"N": str(number)}}})

    def _tables(self) -> list[str]:
        return self._all("ListTables", "TableNames", "LastEvaluatedTableName", "ExclusiveStartTableName")

    def _remove_all(self) -> None:
        for name in self._tables():
            if name != "marks":
                self.call("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
                # Of a table that can be restored to a point in time a backup would stay.
                recovery = {"PointInTimeRecoveryEnabled": False}
                self.call(
                    "UpdateContinuousBackups",
                    {"TableName": name, "PointInTimeRecoverySpecification": recovery},
                )
                self.call("DeleteTable", {"TableName": name})
        for backup in self._all(
            "ListBackups", "BackupSummaries", "LastEvaluatedBackupArn", "ExclusiveStartBackupArn"
        ):
            self.call("DeleteBackup", {"BackupArn": backup["BackupArn"]})

    def _all(self, operation: str, member: str, last: str, start: str) -> list[Any]:
        found: list[Any] = []
        request: dict[str, Any] = {}
        while True:
            page = self.call(operation, request)
            found += page[member]
            if last not in page:
                return found
            request = {start: page[last]}

    def _names(self) -> dict[bytes, bytes]:
        """Names that the server gave, by those that valid requests have in their place."""
        stream = self.call("DescribeTable", {"TableName": "orders"})["Table"]["LatestStreamArn"]
        shard = self.call("DescribeStream", {"StreamArn": stream})["StreamDescription"]["Shards"][0][
            "ShardId"
        ]
        backup = self.call("CreateBackup", {"TableName": "orders", "BackupName": "nightly"})
        begin = {"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        iterator = self.call("GetShardIterator", begin)["ShardIterator"]
        backup_id = backup["BackupDetails"]["BackupArn"].rpartition("/")[2]
        replacements = {ORDERS_STREAM: stream, SHARD: shard, BACKUP: backup_id, _ITERATOR: iterator}
        return {old.encode(): new.encode() for old, new in replacements.items()}


def _named(request: dict[str, Any], names: dict[bytes, bytes]) -> bytes:
    body = orjson.dumps(request)
    for old, new in names.items():
        body = body.replace(old, new)
    return body
