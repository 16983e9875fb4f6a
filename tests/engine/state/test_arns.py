"""Names and ARNs of tables in requests of every operation."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.contents import contents
from tests.engine.state.catalogues import ARN, NAME, Opened, table
from tests.engine.valid_requests import SET_UP, VALID

TABLES = ARN.removesuffix(NAME)
NAMING = [
    pytest.param(*case, id=f"{number} {case[0]}")
    for number, case in enumerate(VALID)
    if "'TableName': " in str(case[1]) or "RequestItems" in case[1]
]


def renamed(request: Any, suffix: str) -> Any:
    """A request in which every table is given by its ARN with something behind it."""
    if isinstance(request, list):
        return [renamed(each, suffix) for each in request]
    if not isinstance(request, dict):
        return request
    changed: dict[str, Any] = {}
    for member, value in request.items():
        if member == "TableName":
            changed[member] = given(value, suffix)
        elif member == "RequestItems":
            changed[member] = {given(name, suffix): each for name, each in value.items()}
        else:
            changed[member] = renamed(value, suffix)
    return changed


def given(name: str, suffix: str) -> str:
    return f"{TABLES}{name.removeprefix(TABLES)}{suffix}"


@pytest.mark.parametrize(("operation", "request_"), NAMING)
def test_an_arn_within_a_table_is_not_a_table(operation: str, request_: Any) -> None:
    with Engine.open() as engine:
        for each in SET_UP:
            engine.call(*each)
        before = contents(engine)
        for suffix in ("/index/by-status", "/stream/2026-01-01T00:00:00.000", "/", "/backup/1"):
            with pytest.raises(ServiceError) as error:
                engine.call(operation, renamed(request_, suffix))

            assert error.value.code == "ValidationException", suffix
            assert contents(engine) == before, suffix


def test_an_arn_of_an_index_or_a_stream_is_named_in_the_error() -> None:
    opened = Opened()
    opened.create(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    stream = opened.describe()["LatestStreamArn"]

    for arn in (f"{ARN}/index/by-a", stream):
        assert opened.invalid("DeleteTable", {"TableName": arn}) == (
            f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"
        )


@pytest.mark.parametrize("name", ["a b", "x", "n" * 256, "", "ünicode", "orders/index/x", "a:b"])
def test_a_table_cannot_be_created_by_an_arn_with_an_invalid_name(name: str) -> None:
    opened = Opened()

    message = opened.invalid("CreateTable", table(TableName=TABLES + name))

    assert message == f"Invalid TableArn: Invalid ResourceArn provided as input {TABLES}{name}"
    assert opened.call("ListTables") == {"TableNames": []}


@pytest.mark.parametrize("name", ["abc", "n" * 255, "A-b_c.9"])
def test_a_table_can_be_created_by_an_arn_with_a_valid_name(name: str) -> None:
    assert Opened().create(TableName=TABLES + name)["TableName"] == name


@pytest.mark.parametrize("name", ["a b", "x", "n" * 256])
def test_an_arn_with_an_invalid_name_is_rejected_before_the_table_is_looked_up(name: str) -> None:
    item = {"TableName": TABLES + name, "Key": {"pk": {"S": "1"}}}

    for operation, request in (("GetItem", item), ("DescribeTable", {"TableName": TABLES + name})):
        assert Opened().invalid(operation, request).startswith("Invalid TableArn: ")


def test_only_table_arns_of_another_account_are_denied() -> None:
    elsewhere = ARN.replace("000000000000", "111111111111")

    assert Opened().error_of("DescribeTable", {"TableName": elsewhere})[0] == "AccessDeniedException"
    assert Opened().invalid("DescribeTable", {"TableName": f"{elsewhere}/index/by-a"})
