"""A session of the AWS CLI; `.ci/run` installs it, and names it in PKSK_AWS_CLI."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import KEY
from .serve_process import serving

CLI = os.environ.get("PKSK_AWS_CLI", "")

pytestmark = pytest.mark.skipif(not CLI, reason="needs the AWS CLI: .ci/run installs it")


class Shell:
    """Runs the CLI against a server, and reads the JSON that it prints."""

    def __init__(self, url: str) -> None:
        self._url = url

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [CLI, *words, "--endpoint-url", self._url, "--output", "json", "--no-cli-pager"]
        command = command if _is_second() else command[:-1]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    def __call__(self, *words: str) -> Any:
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else None

    def fails(self, *words: str) -> str:
        done = self.run(*words)
        assert done.returncode in {254, 255}, done.stdout
        return done.stderr


def _is_second() -> bool:
    """Whether this is version 2, which is not on PyPI: it shows its output in a pager."""
    version = subprocess.run([CLI, "--version"], capture_output=True, text=True, timeout=120, check=True)
    return version.stdout.startswith("aws-cli/2")


@pytest.fixture(params=["open", "signed"])
def aws(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shell]:
    options: list[str] = []
    if request.param == "signed":
        path = tmp_path / "keys"
        path.write_text(
            f"[default]\naws_access_key_id = {KEY.key_id}\naws_secret_access_key = {KEY.secret}\n"
        )
        options = ["--credentials", str(path)]
    with serving(*options) as url:
        yield Shell(url)


def order(number: int, **more: str) -> dict[str, Any]:
    texts = {"pk": "CUST#7", "sk": f"ORDER#{number:03}", **more}
    return {name: {"S": value} for name, value in texts.items()}


def test_a_session_of_the_aws_cli(aws: Shell) -> None:
    _create(aws)
    _write(aws)
    _read(aws)
    _fail(aws)
    aws("dynamodb", "delete-table", "--table-name", "shop")
    aws("dynamodb", "wait", "table-not-exists", "--table-name", "shop")


def _create(aws: Shell) -> None:
    created = aws(
        "dynamodb", "create-table", "--table-name", "shop", "--billing-mode", "PAY_PER_REQUEST",
        "--attribute-definitions", "AttributeName=pk,AttributeType=S", "AttributeName=sk,AttributeType=S",
        "--key-schema", "AttributeName=pk,KeyType=HASH", "AttributeName=sk,KeyType=RANGE",
        "--stream-specification", "StreamEnabled=true,StreamViewType=NEW_IMAGE",
    )  # fmt: skip
    assert created["TableDescription"]["KeySchema"][1] == {"AttributeName": "sk", "KeyType": "RANGE"}
    aws("dynamodb", "wait", "table-exists", "--table-name", "shop")
    assert aws("dynamodb", "list-tables")["TableNames"] == ["shop"]
    assert aws("dynamodb", "describe-limits")["TableMaxReadCapacityUnits"] > 0
    streams = aws("dynamodbstreams", "list-streams", "--table-name", "shop")["Streams"]
    assert streams[0]["StreamArn"] == created["TableDescription"]["LatestStreamArn"]


def _write(aws: Shell) -> None:
    puts = [{"PutRequest": {"Item": order(number)}} for number in range(20)]
    written = aws("dynamodb", "batch-write-item", "--request-items", json.dumps({"shop": puts}))
    assert written["UnprocessedItems"] == {}
    aws("dynamodb", "put-item", "--table-name", "shop", "--item", json.dumps(order(20)))
    updated = aws(
        "dynamodb", "update-item", "--table-name", "shop", "--key", json.dumps(order(20)),
        "--update-expression", "SET #s = :paid", "--expression-attribute-names", '{"#s": "status"}',
        "--expression-attribute-values", '{":paid": {"S": "paid"}}', "--return-values", "ALL_NEW",
    )  # fmt: skip
    assert updated["Attributes"] == order(20, status="paid")
    actions = [
        {"Put": {"TableName": "shop", "Item": order(21)}},
        {"Delete": {"TableName": "shop", "Key": order(0)}},
    ]
    aws("dynamodb", "transact-write-items", "--transact-items", json.dumps(actions))


def _read(aws: Shell) -> None:
    query = (
        "dynamodb", "query", "--table-name", "shop", "--key-condition-expression", "pk = :pk",
        "--expression-attribute-values", '{":pk": {"S": "CUST#7"}}',
    )  # fmt: skip
    assert aws(*query)["Count"] == 21
    first = aws(*query, "--max-items", "15", "--page-size", "4")
    rest = aws(*query, "--max-items", "15", "--starting-token", first["NextToken"])
    keys = [item["sk"]["S"] for item in first["Items"] + rest["Items"]]
    assert keys == [f"ORDER#{number:03}" for number in range(1, 22)]
    answer = aws("dynamodb", "get-item", "--table-name", "shop", "--key", json.dumps(order(20)))
    assert answer["Item"] == order(20, status="paid")
    assert aws("dynamodb", "scan", "--table-name", "shop", "--select", "COUNT")["Count"] == 21


def _fail(aws: Shell) -> None:
    error = aws.fails(
        "dynamodb", "put-item", "--table-name", "shop", "--item", json.dumps(order(20)),
        "--condition-expression", "attribute_not_exists(pk)",
    )  # fmt: skip
    assert "(ConditionalCheckFailedException) when calling the PutItem operation" in error
    assert "(ResourceNotFoundException)" in aws.fails("dynamodb", "describe-table", "--table-name", "other")
