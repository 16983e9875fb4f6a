"""Any input leads to a response or a service error; after an error nothing is changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.request import OPERATIONS
from tests.conftest import LONG

from .botocore_model import operation_model, result
from .contents import Contents, contents
from .damaged_requests import PYTHON, Drawn, Replacement, damage_bytes, damaged_request, nested, positions
from .valid_requests import VALID, set_up

CASES = [pytest.param(*case, id=f"{number} {case[0]}") for number, case in enumerate(VALID)]
# Errors that every operation may return besides those of its model.
ALWAYS = {"ValidationException", "SerializationException", "AccessDeniedException"}
EXPRESSIONS = {
    "ConditionExpression",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
    "UpdateExpression",
}
many = settings() if LONG else settings(max_examples=80)


class Prepared:
    """An engine with tables and items, and its contents; it is replaced once a call has changed it."""

    engine: Engine
    before: Contents

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.engine = set_up(Engine.open())
        self.before = contents(self.engine)

    def check_call(self, operation: str, request: Any) -> dict[str, Any] | ServiceError:
        outcome = self._called(operation, request)
        if isinstance(outcome, ServiceError):
            assert outcome.status == 400, outcome
            assert outcome.code in known(operation), outcome
            assert contents(self.engine) == self.before
        else:
            assert isinstance(outcome, dict)
            self._renew_if_changed()
        return outcome

    def _called(self, operation: str, request: Any) -> dict[str, Any] | ServiceError:
        try:
            return self.engine.call(operation, request)
        except ServiceError as error:
            return error

    def check_answer(self, operation: str, body: bytes) -> tuple[int, dict[str, Any]]:
        status, answer = self.engine.answer(operation, body)
        shown = result(operation, answer) if status == 200 else orjson.loads(answer)
        if status == 200:
            assert "__type" not in shown
            self._renew_if_changed()
        else:
            assert status == 400, shown
            assert shown["__type"].rpartition("#")[2] in known(operation)
            assert contents(self.engine) == self.before
        return status, shown

    def _renew_if_changed(self) -> None:
        if contents(self.engine) != self.before:
            self.renew()


@cache
def known(operation: str) -> set[str]:
    """The errors that an operation has by botocore's model, and those that all have."""
    return ALWAYS | {shape.name for shape in operation_model(operation).error_shapes}


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    return Prepared()


def test_the_catalogue_has_requests_of_every_operation() -> None:
    assert {operation for operation, _ in VALID} == OPERATIONS


@pytest.mark.parametrize(("operation", "request_"), CASES)
def test_the_valid_requests_of_the_catalogue_succeed(
    operation: str, request_: Any, prepared: Prepared
) -> None:
    assert not isinstance(prepared.check_call(operation, request_), ServiceError)
    assert prepared.check_answer(operation, orjson.dumps(request_))[0] == 200


@many
@given(damaged_request())
def test_any_json_gives_a_response_or_a_service_error(prepared: Prepared, case: tuple[str, Any]) -> None:
    prepared.check_call(*case)


@many
@given(damaged_request(foreign=True))
def test_any_object_gives_a_response_or_a_service_error(prepared: Prepared, case: tuple[str, Any]) -> None:
    prepared.check_call(*case)


@many
@given(st.sampled_from(VALID), st.data())
def test_any_bytes_give_a_response_or_a_service_error(
    prepared: Prepared, case: tuple[str, Any], data: st.DataObject
) -> None:
    operation, request = case
    body = json.dumps(request, ensure_ascii=data.draw(st.booleans())).encode()

    prepared.check_answer(operation, damage_bytes(body, Drawn(data.draw)))


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b"5", b'"a"', b"\xff", b"{", b"\xef\xbb\xbf{}", b"[" * 5000]
)
def test_bodies_that_are_not_objects_are_a_serialization_error(
    operation: str, body: bytes, prepared: Prepared
) -> None:
    status, shown = prepared.check_answer(operation, body)

    assert (status, shown) == (400, {"__type": "com.amazon.coral.service#SerializationException"})


def _every_place(wanted: Callable[[Any, Any], bool]) -> Iterator[tuple[str, Any, Any, Any]]:
    """Each valid request as often as it has such positions: a copy, and where in it one of them is."""
    for operation, request in VALID:
        count = sum(wanted(holder, position) for holder, position in positions([request]))
        for number in range(count):
            top = [deepcopy(request)]
            holder, position = [found for found in positions(top) if wanted(*found)][number]
            yield operation, top, holder, position


def _check_everywhere(
    prepared: Prepared, replacements: list[Any], wanted: Callable[[Any, Any], bool]
) -> set[str]:
    """Put each thing into each such place; gives the codes of the errors, "" for none."""
    codes = set()
    for thing in replacements:
        for operation, top, holder, position in _every_place(wanted):
            holder[position] = deepcopy(thing)
            outcome = prepared.check_call(operation, top[0])
            codes.add(outcome.code if isinstance(outcome, ServiceError) else _statement_error(outcome))
    return codes


def _statement_error(answer: Any) -> str:
    """The error of the one statement of a BatchExecuteStatement that is wrong; "" if nothing is."""
    responses = answer.get("Responses")
    errors = [each["Error"] for each in responses if "Error" in each] if isinstance(responses, list) else []
    return "ValidationException" if any(each["Code"] == "ValidationError" for each in errors) else ""


def _is_expression(holder: Any, position: Any) -> bool:
    return isinstance(holder, dict) and position in EXPRESSIONS


def _is_value(holder: Any, position: Any) -> bool:
    value = holder[position]
    return isinstance(value, dict) and len(value) == 1 and not value.keys().isdisjoint(KINDS)


KINDS = {"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}
NESTED = ["(" * 4096, "(" * 2040 + "pk = :pk" + ")" * 2040, "SET a = " + "(" * 2000 + ":a" + ")" * 2000]


def test_thousands_of_parentheses_are_rejected_in_every_expression(prepared: Prepared) -> None:
    assert _check_everywhere(prepared, NESTED, _is_expression) == {"ValidationException"}


BAD_VALUES = [
    {"N": "9" * 400}, {"SS": []}, {"NS": []}, {"BS": []}, {"SS": ["a", "a"]}, {"NS": ["1", "1.0"]},
    {"BS": ["AA==", "AA=="]}, nested(33), nested(33, "L"), {}, {"S": "a", "N": "1"}, {"NULL": False},
]  # fmt: skip


@pytest.mark.parametrize("value", BAD_VALUES, ids=lambda value: repr(value)[:30])
def test_invalid_values_are_rejected_at_any_position(value: Any, prepared: Prepared) -> None:
    assert _check_everywhere(prepared, [value], _is_value) == {"ValidationException"}


# Deeper than orjson writes, though it reads as deep.
DEEPEST = b'{"M":{"a":' * 200 + b'{"S":"x"}' + b"}}" * 200


def _deep_beside_another_violation() -> Iterator[tuple[str, bytes]]:
    """Requests with a value that is nested too deep, without another member or with names in it that are too long."""
    for operation, [whole], holder, position in _every_place(_is_value):
        holder[position] = "deepest"
        for member, value in whole.items():
            damaged = [{each: whole[each] for each in whole if each != member}]
            if isinstance(value, dict):
                damaged.append({**whole, member: {name + "!" * 300: each for name, each in value.items()}})
            for request in damaged:
                yield operation, orjson.dumps(request).replace(b'"deepest"', DEEPEST)


def test_values_that_are_nested_too_deep_do_not_hide_other_violations(prepared: Prepared) -> None:
    for operation, body in _deep_beside_another_violation():
        prepared.check_answer(operation, body)


UNREADABLE = [
    {"B": "eA="}, {"B": "****"}, {"S": "\ud800"}, {"N": 5}, {"SS": "a"}, {"L": {}}, {"M": []}, [], "a", 5, {"BOOL": 1},
]  # fmt: skip


@pytest.mark.parametrize("value", UNREADABLE, ids=ascii)
def test_unreadable_values_are_rejected_at_any_position(value: Any, prepared: Prepared) -> None:
    assert _check_everywhere(prepared, [value], _is_value) == {"SerializationException"}


@pytest.mark.long
@pytest.mark.parametrize("thing", [thing for thing in PYTHON if "nested" not in thing.name], ids=repr)
def test_any_object_in_a_request_causes_only_a_service_error(thing: Replacement, prepared: Prepared) -> None:
    for operation, top, holder, position in _every_place(lambda _holder, _place: True):
        holder[position] = thing.make()
        prepared.check_call(operation, top[0])


@pytest.mark.parametrize(
    "operation", ["Nothing", "", "putitem", "PutItem ", "../x", None, 5, [], {}, b"PutItem", object()]
)
def test_unknown_operations_are_rejected(operation: Any, prepared: Prepared) -> None:
    with pytest.raises(ServiceError) as error:
        prepared.engine.call(operation, {})
    status, body = prepared.engine.answer(operation, b"{}")

    assert (error.value.code, error.value.status) == ("UnknownOperationException", 400)
    assert (status, orjson.loads(body)) == (
        400,
        {"__type": "com.amazon.coral.service#UnknownOperationException"},
    )
