"""Names the constraints that a request breaks, all in one message in the operation's wording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from pksk.client import ServiceError
from pksk.engine.service_errors import validation

from . import messages
from .shape import (
    Request,
    Shape,
    broken_constraints,
    broken_lengths,
    broken_name,
    constraints_of,
    fits,
    request_shape,
    shape_named,
)
from .shapes import VALUE_MEMBERS

# Deeper values are invalid anyway; the message need not show them whole.
_DEEPEST: Final = 64


def echo(shape: Shape, value: Any, depth: int = 0) -> str:
    """A value as the service prints it."""
    if shape.kind == "value":
        return _value(value, depth)
    if shape.kind == "structure":
        printed = {
            member.name: echo(shape_named(member.shape), value[member.name])
            for member in shape.members
            if member.name in value
        }
        return _object(shape.name, [member.name for member in shape.members], printed)
    if shape.kind in {"list", "map"}:
        return _collection(shape_named(shape.element), value, depth)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json(value: Any) -> bytes:
    """A part of a request as JSON. A request can be nested deeper than orjson writes."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return b"".join(_json_pieces(value))


def _json_pieces(value: Any) -> Iterator[bytes]:
    # What is left to write, its beginning last; what is bytes is written already.
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, bytes):
            yield each
        elif each and isinstance(each, dict):
            waiting.append(b"}")
            for name, member in reversed(each.items()):
                waiting += (member, orjson.dumps(name) + b":", b",")
            waiting[-1] = b"{"
        elif each and isinstance(each, list):
            waiting.append(b"]")
            for member in reversed(each):
                waiting += (member, b",")
            waiting[-1] = b"["
        else:
            yield orjson.dumps(each)


def _decapitalised(name: str) -> str:
    """A member's name as the service prints it, and as the older wording has it."""
    return name[:1].lower() + name[1:]


def _collection(element: Shape, value: Any, depth: int) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}={echo(element, member, depth)}" for key, member in value.items()) + "}"
    return "[" + ", ".join(echo(element, member, depth) for member in value) + "]"


def _value(value: Mapping[str, Any], depth: int) -> str:
    if depth > _DEEPEST:
        return "..."
    nested, text = shape_named("value"), shape_named("string")
    printed = {
        kind: _collection(nested if kind in {"M", "L"} else text, content, depth + 1)
        if isinstance(content, dict | list)
        else echo(text, content)
        for kind, content in value.items()
    }
    return _object("AttributeValue", VALUE_MEMBERS, printed)


def _object(name: str, members: Sequence[str], printed: Mapping[str, str]) -> str:
    inside = ", ".join(f"{_decapitalised(member)}={printed.get(member, 'null')}" for member in members)
    return f"{name}({inside})"


class _Violation(NamedTuple):
    text: str
    kind: str = ""  # "name", "empty name", "map keys", "choice", "older choice", "bare choice", or any other


_Violations: TypeAlias = Iterator[_Violation]


def violation_error(operation: str, request: Request, wording: messages.Wording) -> ServiceError:
    """DynamoDB's error for a request that breaks constraints."""
    shape = request_shape(operation)
    if name := _error_of_a_name(shape, request):
        return validation(name)
    if operation == "SearchVectors" and (search := _error_of_a_search(request)):
        return validation(search)
    violations = list(_Validator(wording).structure(shape, request, ""))
    if bare := next((each for each in violations if each.kind == "bare choice"), None):
        return validation(bare.text)
    return validation(messages.validation_errors([each.text for each in _reported(violations, wording)]))


# Names whose length is reported before everything else, and as what.
_LENGTHS: Final = {"TargetTableName": "TableName", "InsightsIndexName": "IndexName"}


def _error_of_a_name(shape: Shape, request: Request) -> str | None:
    """What the control plane says of a table name that is missing, and of some names that are too short or too long."""
    for member in shape.members:
        if member.name not in request:
            if member.shape in {"ControlTableArn", "TargetTableName"} and member.required:
                return f"The parameter '{member.name}' is required but was not present in the request"
        elif member.shape in _LENGTHS and not 3 <= len(request[member.name]) <= 255:
            return (
                f"{_LENGTHS[member.shape]} must be at least 3 characters long and at most 255 characters long"
            )
    return None


_SEARCHED: Final = ("SearchVector", "IndexName", "TableName", "TopK")


def _error_of_a_search(request: Request) -> str | None:
    """What SearchVectors, which has a parser of its own, says of a member that is missing, and of one choice."""
    missing = next((name for name in _SEARCHED if name not in request), None)
    if missing is not None:
        return f"missing field `{missing}` at line 1 column {len(_json(request))}"
    level, shape = request.get("ReturnConsumedCapacity"), shape_named("ReturnConsumedCapacity")
    if level is None or level in shape.choices:
        return None
    return messages.broken_constraint_older(
        "returnConsumedCapacity", messages.not_among(shape.choices), level
    )


def _reported(violations: list[_Violation], wording: messages.Wording) -> list[_Violation]:
    """The violations that an operation reports; some do not report all."""
    if wording.newer:
        violations = [each for each in violations if each.kind == "empty name"] or violations
    if wording.names_alone:
        violations = [each for each in violations if each.kind in {"name", "empty name"}] or violations
    if wording.map_keys_last:
        violations = [each for each in violations if each.kind != "map keys"] or violations
    if wording.first_choice_only:
        choices = [each for each in violations if each.kind in {"choice", "older choice"}]
        first = min(choices, key=lambda each: each.kind, default=None)
        violations = [each for each in violations if each not in choices or each is first]
    return violations


class _Validator:
    """Collects the violations of a request, in the wording of one operation, with their paths."""

    def __init__(self, wording: messages.Wording) -> None:
        self._wording = wording

    def structure(self, shape: Shape, value: Mapping[str, Any], path: str) -> _Violations:
        for member in shape.members:
            name = member.name if self._wording.newer else _decapitalised(member.name)
            where = f"{path}.{name}" if path else name
            if member.name in value:
                yield from self._any(shape_named(member.shape), value[member.name], where)
            elif member.required:
                yield self._missing(shape_named(member.shape), where)

    def _missing(self, shape: Shape, path: str) -> _Violation:
        older = shape.kind == "table" and "missing" in self._wording.older_names
        return self._violation(path, messages.NOT_NULL, older=older)

    def _any(self, shape: Shape, value: Any, path: str) -> _Violations:
        check = fits(shape.name)
        if check is None or check(value):
            return
        if shape.kind == "structure":
            yield from self.structure(shape, value, path)
        elif shape.kind in {"list", "map"}:
            yield from self._collection(shape, value, path)
        elif shape.kind == "enum":
            yield self._choice(shape, value, path)
        elif shape.kind in {"name", "table"}:
            yield from self._name(shape, value, path)
        else:
            for constraint in broken_constraints(shape, value):
                yield self._violation(path, constraint, shape, value)

    def _collection(self, shape: Shape, value: Any, path: str) -> _Violations:
        for constraint in broken_lengths(shape, value):
            yield self._violation(path, constraint, shape, value)
        if shape.key and (check := fits(shape.key)) is not None and not all(map(check, value)):
            yield self._map_keys(shape, value, path)
        yield from self._elements(shape, value, path)

    def _map_keys(self, shape: Shape, value: Any, path: str) -> _Violation:
        constraint = (
            f"Map keys must satisfy constraint: [{', '.join(constraints_of(shape_named(shape.key)))}]"
        )
        if not self._wording.newer:
            return self._violation(path, constraint, shape, value)._replace(kind="map keys")
        # The newer layer words them as the older one, but prints JSON.
        text = messages.broken_constraint_older(_decapitalised(path), constraint, _json(value).decode())
        return _Violation(text, "map keys")

    def _elements(self, shape: Shape, value: Any, path: str) -> _Violations:
        """Violations in structures have a path each; those of strings, and of lists in a map, have one together."""
        element = shape_named(shape.element)
        named = list(value.items() if shape.kind == "map" else enumerate(value, 1))
        if element.kind == "structure":
            for name, member in named:
                yield from self._any(element, member, f"{path}.{name}.member")
            return
        constraints = constraints_of(element)
        if constraints and any(broken_lengths(element, member) for _, member in named):
            holder = "Map value" if shape.kind == "map" else "Member"
            constraint = f"{holder} must satisfy constraint: [{', '.join(constraints)}]"
            yield self._violation(path, constraint, shape, value)
        if element.kind == "list":
            for name, member in named:
                yield from self._elements(element, member, f"{path}.{name}.member")

    def _choice(self, shape: Shape, value: str, path: str) -> _Violation:
        if not self._wording.newer or shape.name in messages.OLDER_CHOICES:
            constraint = messages.not_among(shape.choices)
            text = messages.broken_constraint_older(_decapitalised(path), constraint, value)
            return _Violation(text, "older choice")
        if shape.name == "AttributeAction":
            return _Violation(messages.ACTION, "choice")
        choices = messages.NEWER_CHOICES.get(shape.name, shape.choices)
        text = f"Failed to satisfy constraint: {messages.not_among(choices)}"
        bare = shape.name == "ConditionalOperator" and self._wording.bare_operator
        return _Violation(text, "bare choice" if bare else "choice")

    def _name(self, shape: Shape, value: str, path: str) -> _Violations:
        kind = "empty name" if shape.kind == "table" and not value else "name"
        violations = broken_name(shape, value, every_violation=self._wording.every_name_violation)
        # Where one each of a name has the older wording, all its violations have.
        older = kind == "name" and not self._wording.older_names.isdisjoint(violations)
        for constraint in violations.values():
            yield self._violation(path, constraint, shape, value, older=older)._replace(kind=kind)

    def _violation(
        self,
        path: str,
        constraint: str,
        shape: Shape | None = None,
        value: Any = None,
        *,
        older: bool = False,
    ) -> _Violation:
        if self._wording.newer and not older:
            return _Violation(f"Value at '{path}' failed to satisfy constraint: {constraint}")
        printed = None if shape is None else echo(shape, value)
        return _Violation(messages.broken_constraint_older(_decapitalised(path), constraint, printed))
