"""docs/engine.md lists every operation of DynamoDB once, as present or as absent."""

from __future__ import annotations

import re

import pytest
from botocore.loaders import Loader

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.request import OPERATIONS
from tests.project.tree import ROOT

PAGE = (ROOT / "docs" / "engine.md").read_text("utf-8")
SERVICES = ("dynamodb", "dynamodbstreams")
IN_CODE = re.compile(r"`(\w+)`")
# The newest of the service, which a botocore of some months ago does not have.
NEWEST = {"CancelBulkOperation", "DescribeBulkOperation", "ListBulkOperations", "StartBulkPutItems"}


def listed(heading: str) -> list[str]:
    """The names in the tables of a section."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [name for line in section.splitlines() if line.startswith("|") for name in IN_CODE.findall(line)]


PRESENT = listed("Operations")
ABSENT = listed("What differs from AWS")


def test_the_operations_that_the_engine_has_are_listed_once() -> None:
    assert sorted(PRESENT) == sorted(OPERATIONS)


def test_all_other_operations_of_the_service_are_listed_once_as_absent() -> None:
    models = [Loader().load_service_model(service, "service-2") for service in SERVICES]

    known = NEWEST.union(*(model["operations"] for model in models))

    assert sorted(ABSENT) == sorted(known - OPERATIONS)


@pytest.mark.parametrize("operation", ABSENT)
def test_a_missing_operation_is_answered_as_an_unknown_one(operation: str) -> None:
    assert code_of(operation) == "UnknownOperationException"


@pytest.mark.parametrize("operation", PRESENT)
def test_an_operation_that_is_present_is_answered_or_rejected_for_its_request(operation: str) -> None:
    assert code_of(operation) in {None, "ValidationException"}


def code_of(operation: str) -> str | None:
    """The code of the error that answers an empty request."""
    try:
        Engine.open().call(operation, {})
    except ServiceError as error:
        return error.code
    return None
