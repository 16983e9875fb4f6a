"""Names and ARNs of tables: which of them a request may give, in every operation."""

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
@pytest.mark.parametrize("suffix", ["/index/by-status", "/stream/2026-01-01T00:00:00.000", "/", "/backup/1"])
def test_an_arn_within_a_table_is_not_a_table(operation: str, request_: Any, suffix: str) -> None:
    with Engine.open() as engine:
        for each in SET_UP:
            engine.call(*each)
        before = contents(engine)

        with pytest.raises(ServiceError) as error:
            engine.call(operation, renamed(request_, suffix))

        assert error.value.code == "ValidationException"
        assert contents(engine) == before


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
def test_a_table_is_created_by_an_arn_whose_name_it_can_have(name: str) -> None:
    assert Opened().create(TableName=TABLES + name)["TableName"] == name


@pytest.mark.parametrize("name", ["a b", "x", "n" * 256])
def test_an_arn_whose_name_no_table_can_have_is_rejected_before_any_table_is_looked_for(name: str) -> None:
    item = {"TableName": TABLES + name, "Key": {"pk": {"S": "1"}}}

    for operation, request in (("GetItem", item), ("DescribeTable", {"TableName": TABLES + name})):
        assert Opened().invalid(operation, request).startswith("Invalid TableArn: ")


def test_an_arn_in_another_account_is_denied_only_if_it_is_one_of_a_table() -> None:
    elsewhere = ARN.replace("000000000000", "111111111111")

    assert Opened().error_of("DescribeTable", {"TableName": elsewhere})[0] == "AccessDeniedException"
    assert Opened().invalid("DescribeTable", {"TableName": f"{elsewhere}/index/by-a"})
