"""Any table is the same after writing and reading its request, and DynamoDB's model accepts the request."""

from __future__ import annotations

import json
import pickle
import re
from functools import cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator
from hypothesis import given

from pksk.schema import GSI, LSI, B, N, OnDemand, Provisioned, Table, VectorIndex
from tests.schema.random_tables import tables

WORDS = {each.__name__: each for each in (B, GSI, LSI, N, OnDemand, Provisioned, Table, VectorIndex)}


@given(tables())
def test_a_table_read_from_its_own_request_is_the_same_table(table: Table) -> None:
    again = Table.from_description(
        table.create_request(), describe_ttl=table.ttl_request(), discriminator=table.discriminator
    )

    assert again == table
    assert hash(again) == hash(table)
    assert table.differences(table.create_request(), table.ttl_request() or {}) == []


@given(tables())
def test_a_table_is_printed_as_the_python_that_makes_it(table: Table) -> None:
    assert eval(repr(table), WORDS) == table


@given(tables())
def test_a_table_can_be_pickled(table: Table) -> None:
    assert pickle.loads(pickle.dumps(table)) == table


@given(tables())
def test_the_requests_are_those_of_the_service_model(table: Table) -> None:
    assert _problems("CreateTable", table.create_request()) == []
    if table.ttl is not None:
        assert _problems("UpdateTimeToLive", table.ttl_request()) == []


@given(tables())
def test_a_request_is_plain_json_and_its_definitions_are_those_of_its_keys(table: Table) -> None:
    request = table.create_request()
    defined = [each["AttributeName"] for each in request["AttributeDefinitions"]]

    assert json.loads(json.dumps(request)) == request
    assert defined == sorted(set(defined))
    assert set(defined) == _attributes_of_keys(request)


def test_the_service_model_knows_more_than_the_names_of_members() -> None:
    request = Table("orders").create_request() | {"TableClass": "IA", "Tags": [{"Key": "team"}]}

    assert _problems("CreateTable", request) == [
        'Missing required parameter in Tags[0]: "Value"',
        "'IA' breaks enum of TableClass",
    ]


@cache
def _service() -> ServiceModel:
    return ServiceModel(Loader().load_service_model("dynamodb", "service-2"), "dynamodb")


def _problems(operation: str, request: Any) -> list[str]:
    """Errors by the service model: shapes checked by botocore, then choices and lengths that it does not check."""
    shape = _service().operation_model(operation).input_shape
    report = ParamValidator().validate(request, shape).generate_report()
    return [line for line in report.splitlines() if line] + _constraints(request, shape)


def _constraints(value: Any, shape: Any) -> list[str]:
    if shape.type_name == "structure":
        return [
            line
            for name, member in shape.members.items()
            if name in value
            for line in _constraints(value[name], member)
        ]
    own = _own_constraints(value, shape)
    return (
        own + [line for each in value for line in _constraints(each, shape.member)]
        if _is_list(shape)
        else own
    )


def _is_list(shape: Any) -> bool:
    return bool(shape.type_name == "list")


def _own_constraints(value: Any, shape: Any) -> list[str]:
    rules = shape.metadata
    size = value if isinstance(value, int) else len(value)
    broken = {
        "enum": value not in rules.get("enum", [value]),
        "min": size < rules.get("min", size),
        "max": size > rules.get("max", size),
        "pattern": isinstance(value, str) and not re.fullmatch(rules.get("pattern", ".*"), value, re.DOTALL),
    }
    return [f"{value!r} breaks {rule} of {shape.name}" for rule, is_broken in broken.items() if is_broken]


def _attributes_of_keys(request: dict[str, Any]) -> set[str]:
    indexes = [each for member in request if member.endswith("Indexes") for each in request[member]]
    schemas = [each.get("KeySchema", each.get("SearchSchema", [])) for each in [request, *indexes]]
    return {part["AttributeName"] for schema in schemas for part in schema}
