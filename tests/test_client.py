from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from pksk import Engine, ServiceError
from tests.engine.operations.items import KEY, Items


def errors() -> list[ServiceError]:
    """Errors as the engine raises them: one of each kind that it has of its own."""
    items = Items()
    items.put(KEY)
    failing = {
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    requests: list[dict[str, Any]] = [
        {"Item": KEY, **failing},
        {"Item": {name: {"S": ""} for name in KEY}},
        {"Item": {**KEY, "a": {"SS": []}}},
        {},
    ]
    raised = []
    for request in requests:
        with pytest.raises(ServiceError) as error:
            items.call("PutItem", **request)
        raised.append(error.value)
    return raised


def test_errors_can_be_copied_and_sent_to_another_process() -> None:
    for error in errors():
        for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
            assert isinstance(twin, ServiceError)
            assert (twin.code, twin.message, twin.status, twin.fields) == (
                error.code, error.message, error.status, error.fields,
            )  # fmt: skip


def test_an_error_is_printed_with_its_code_and_message() -> None:
    with pytest.raises(ServiceError) as error:
        Engine.open().call("Nothing", {})

    assert str(error.value) == "UnknownOperationException"
    assert str(ServiceError("ValidationException", "No")) == "ValidationException: No"
