"""Every control-plane operation: the names and ARNs in its request, if they are missing, mistyped or unknown."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.dispatch import CONTROL_PLANE
from tests.engine.state.catalogues import ARN, NAME
from tests.engine.valid_requests import VALID

OPERATIONS = frozenset(name for names in CONTROL_PLANE.values() for name in names.split())
# The first valid request of each operation.
REQUESTS = {operation: request for operation, request in reversed(VALID) if operation in OPERATIONS}
# These create the table, or accept one that is missing.
ANY_TABLE = {"CreateTable", "ListBackups", "ListStreams"}
OF_BACKUPS = {"CreateBackup", "DescribeContinuousBackups", "UpdateContinuousBackups"}
NAMES = ("TableName", "BackupName", "TargetTableName", "ResourceArn", "BackupArn", "StreamArn")
OPTIONAL = {
    ("ListContributorInsights", "TableName"),
    ("ListBackups", "TableName"),
    ("ListStreams", "TableName"),
}
MEMBERS = [
    (operation, name) for operation in sorted(REQUESTS) for name in NAMES if name in REQUESTS[operation]
]


def with_member(member: str) -> list[str]:
    """The operations whose requests have a member."""
    return [operation for operation, name in MEMBERS if name == member]


def error_of(operation: str, **members: Any) -> tuple[str, str | None]:
    """The error of a new engine for a valid request with other members; None removes one."""
    with Engine.open() as engine, pytest.raises(ServiceError) as raised:
        engine.call(operation, REQUESTS[operation] | members)
    return raised.value.code, raised.value.message


def test_every_operation_has_a_request() -> None:
    assert REQUESTS.keys() == OPERATIONS


@pytest.mark.parametrize(("operation", "member"), MEMBERS)
def test_a_name_that_is_not_a_string_is_a_serialization_error(operation: str, member: str) -> None:
    text = "NUMBER_VALUE cannot be converted to String"

    assert error_of(operation, **{member: 1}) == ("SerializationException", text)
    assert error_of(operation, **{member: []})[0] == "SerializationException"


@pytest.mark.parametrize(("operation", "member"), sorted(set(MEMBERS) - OPTIONAL))
def test_a_name_is_required(operation: str, member: str) -> None:
    code, message = error_of(operation, **{member: None})

    assert code == "ValidationException"
    if member.endswith("TableName"):
        assert message == f"The parameter '{member}' is required but was not present in the request"
    else:
        path = member[0].lower() + member[1:]
        assert message == (
            f"1 validation error detected: Value null at '{path}' failed to satisfy constraint: Member must not be null"
        )


@pytest.mark.parametrize("operation", [each for each in with_member("TableName") if each not in ANY_TABLE])
@pytest.mark.parametrize("name", [NAME, ARN])
def test_the_error_about_a_missing_table_names_it(operation: str, name: str) -> None:
    code, text = "ResourceNotFoundException", f"Requested resource not found: Table: {NAME} not found"
    if operation in OF_BACKUPS:
        code, text = "TableNotFoundException", f"Table not found: {NAME}"

    assert error_of(operation, TableName=name) == (code, text)


@pytest.mark.parametrize("operation", with_member("ResourceArn"))
def test_the_error_about_a_missing_resource_names_it(operation: str) -> None:
    name = f"Table: {NAME}" if operation.endswith("Policy") else f"ResourceArn: {ARN}"
    text = f"Requested resource not found: {name} not found"

    assert error_of(operation, ResourceArn=ARN) == ("ResourceNotFoundException", text)


@pytest.mark.parametrize("operation", with_member("BackupArn"))
def test_the_error_about_a_missing_backup_names_it(operation: str) -> None:
    arn = f"{ARN}/backup/01790000000000-0123abcd"

    assert error_of(operation, BackupArn=arn) == ("BackupNotFoundException", f"Backup not found: {arn}")
