"""Responses belong to the caller, and agree with the model of the API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pytest
from botocore.model import ListShape, MapShape, Shape, StringShape, StructureShape

from pksk.engine import Engine

from .agreement import check_agreement
from .botocore_model import NOT_IN_THE_MODEL, operation_model
from .contents import contents
from .valid_requests import VALID, set_up

Request = dict[str, Any]


@pytest.mark.parametrize("operation", sorted({operation for operation, _ in VALID}))
def test_requests_and_answers_belong_to_the_caller(operation: str) -> None:
    for request in [deepcopy(request) for name, request in VALID if name == operation]:
        engine = set_up(Engine.open())
        request_copy = deepcopy(request)
        answer = engine.call(operation, request_copy)
        after = contents(engine)

        assert request_copy == request
        _clear(request_copy)
        _clear(answer)
        assert contents(engine) == after
        check_agreement(engine)


def _clear(value: Any) -> None:
    """Empty every container at every depth."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _clear(inner)
        value.clear()


def test_answers_agree_with_the_model() -> None:
    for operation, request in VALID:
        engine = set_up(Engine.open())
        answer = engine.call(operation, request)
        output = operation_model(operation).output_shape

        assert list(_differences(output, answer, operation) if output else answer) == []


def _differences(shape: Shape, value: Any, path: str) -> Iterator[str]:
    if isinstance(shape, StructureShape):
        for name in value.keys() - NOT_IN_THE_MODEL:
            if name in shape.members:
                yield from _differences(shape.members[name], value[name], f"{path}.{name}")
            else:
                yield f"{path}.{name} is unknown"
    elif isinstance(shape, MapShape | ListShape):
        inner = shape.value if isinstance(shape, MapShape) else shape.member
        assert isinstance(value, dict if isinstance(shape, MapShape) else list), path
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _differences(inner, one, path)
    elif not isinstance(value, TYPES[shape.type_name]):
        yield f"{path} is {value!r}"
    elif isinstance(shape, StringShape) and shape.enum and value not in shape.enum:
        yield f"{path} is {value!r}, none of {shape.enum}"


TYPES = {
    "string": str, "boolean": bool, "integer": int, "long": int, "double": float, "timestamp": float, "blob": str,
}  # fmt: skip
