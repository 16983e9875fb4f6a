"""The table of shapes agrees with botocore's model of the service, with the exceptions listed here."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import botocore
import pytest

from pksk.engine.request import OPERATIONS
from pksk.engine.request.messages import NAME_PATTERN, NEWER_CHOICES, OLDER_CHOICES
from pksk.engine.request.shape import Shape, request_shape, shape_named
from pksk.engine.request.shapes import SHAPES

# Where we differ from the model and why: a shape of the model's, or a member in a place.
DIFFERENCES = {
    "AttributeName": "names of attributes are measured with the values that they have",
    "BatchWriteItemRequestMap": "an empty batch of writes has its own message",
    "ComparisonOperator": "an unknown comparison is not a member's fault but the condition's",
    "CreateTableInput.TableThroughputMode": "the service takes it, and no SDK knows of it",
    "DescribeStreamInput.Limit": "its upper bound is only in the description",
    "GetRecordsInput.Limit": "its upper bound is only in the description",
    "KeySchema": "the service limits the keys of tables and local indexes to two attributes",
    "ListStreamsInput.Limit": "its upper bound is only in the description",
    "TableArn": "operations on tables hold a name to the least length of a name, not of an ARN",
    "Tag": "tags have messages of their own",
    "TagKeyString": "tags have messages of their own",
    "TagValueString": "tags have messages of their own",
    "UpdateTableInput.TableThroughputMode": "the service takes it, and no SDK knows of it",
}

OUR_KINDS = {"boolean", "integer", "list", "long", "map", "string", "structure", "timestamp"}


def test_requests_agree_with_the_model() -> None:
    found = {difference for operation in OPERATIONS for difference in _operation(operation)}

    assert {position for position, shape in found if not {position, shape} & DIFFERENCES.keys()} == set()
    assert DIFFERENCES.keys() - {name for difference in found for name in difference} == set()


def test_every_shape_is_used() -> None:
    used: set[str] = set()
    for operation in OPERATIONS:
        _collect(request_shape(operation), used)

    assert SHAPES.keys() - used == set()
    assert used - SHAPES.keys() == {"string", "boolean", "long", "value"}


# As it came from AWS; all other lists that people have met have the order below.
MET_OTHERWISE = {"StreamViewType": ["OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE"]}


@pytest.mark.parametrize("name", [name for name, words in SHAPES.items() if words.startswith("enum")])
def test_choices_have_the_order_of_the_older_wording(name: str) -> None:
    # The older layer lists them as a Java set of 32 places holds them.
    choices = list(shape_named(name).choices)

    assert choices == MET_OTHERWISE.get(name, sorted(choices, key=lambda choice: _java_hash(choice) % 32))


def test_the_newer_wording_lists_the_same_choices_except_two_wrong_ones() -> None:
    right = {"UPDATE_NEW": "UPDATED_NEW", "ALL": "AND"}
    listed = {name: {right.get(choice, choice) for choice in NEWER_CHOICES[name]} for name in NEWER_CHOICES}

    assert listed == {name: set(shape_named(name).choices) for name in NEWER_CHOICES}
    assert all(shape_named(name).kind == "enum" for name in OLDER_CHOICES)


def _operation(operation: str) -> Iterator[tuple[str, str]]:
    name = _model()["operations"][operation]["input"]["shape"]
    yield from _members(request_shape(operation), name)


def _members(ours: Shape, name: str) -> Iterator[tuple[str, str]]:
    theirs = _model()["shapes"][name]
    shapes = {member.name: member for member in ours.members}
    required = {member.name for member in ours.members if member.required}
    for member in theirs["members"].keys() ^ shapes.keys() | set(theirs.get("required", ())) ^ required:
        yield f"{name}.{member}", name
    for member, inner in theirs["members"].items():
        if member in shapes:
            yield from _shapes(f"{name}.{member}", shape_named(shapes[member].shape), inner["shape"])


def _shapes(position: str, ours: Shape, name: str) -> Iterator[tuple[str, str]]:
    theirs = _model()["shapes"][name]
    if ours.kind == "value":
        if name != "AttributeValue":
            yield position, name
    elif _facts_of_ours(ours) != _facts_of_theirs(theirs):
        yield position, name
    elif ours.kind == "structure":
        if ours.name != name:
            yield position, name
        yield from _members(ours, name)
    elif ours.kind == "list":
        yield from _shapes(f"{name}.member", shape_named(ours.element), theirs["member"]["shape"])
    elif ours.kind == "map":
        yield from _shapes(f"{name}.key", shape_named(ours.key), theirs["key"]["shape"])
        yield from _shapes(f"{name}.value", shape_named(ours.element), theirs["value"]["shape"])


def _facts_of_ours(shape: Shape) -> tuple[Any, ...]:
    kind = shape.kind if shape.kind in OUR_KINDS else "string"
    pattern = NAME_PATTERN if shape.kind == "name" else None
    return kind, shape.least, shape.most, pattern, frozenset(shape.choices)


def _facts_of_theirs(shape: dict[str, Any]) -> tuple[Any, ...]:
    choices = frozenset(shape.get("enum", ()))
    return shape["type"], shape.get("min"), shape.get("max"), shape.get("pattern"), choices


def _collect(shape: Shape, used: set[str]) -> None:
    inside = [*(member.shape for member in shape.members), shape.key, shape.element]
    for name in filter(None, inside):
        used.add(name)
        _collect(shape_named(name), used)


def _java_hash(text: str) -> int:
    value = 0
    for character in text:
        value = value * 31 + ord(character)
    return value


@cache
def _model() -> dict[str, Any]:
    """The models of both services in one; what both have is the same in both."""
    data = Path(botocore.__file__).with_name("data")
    model: dict[str, Any] = {"operations": {}, "shapes": {}}
    for service in ("dynamodbstreams", "dynamodb"):
        path = data / service / "2012-08-10/service-2.json.gz"
        read = json.loads(gzip.decompress(path.read_bytes()))
        model = {part: {**model[part], **read[part]} for part in model}
    return model
