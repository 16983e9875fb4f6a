"""Names the constraints that a request breaks, all in one message in the operation's wording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pksk.client import ServiceError
from pksk.engine.service_errors import validation
from pksk.engine.texts import members as texts

from .constraints import all_constraints, broken_constraints, broken_lengths, fits
from .shape import Shape, request_shape, shape_named
from .shapes import VALUE_MEMBERS

# Deeper values are invalid anyway; the message need not show them whole.
_DEEPEST: Final = 64


def echo(shape: Shape, value: Any, depth: int = 0) -> str:
    """A value as the service prints it.

    Example:
        >>> echo(shape_named("KeySchema"), [{"AttributeName": "pk", "KeyType": "HASH"}])
        '[KeySchemaElement(attributeName=pk, keyType=HASH)]'
        >>> echo(shape_named("StreamSpecification"), {"StreamEnabled": True})
        'StreamSpecification(streamEnabled=true, streamViewType=null)'
    """
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


def decapitalised(name: str) -> str:
    """A member's name as the service prints it, and as the older wording has it.

    Example:
        >>> decapitalised("TableName"), decapitalised("SSESpecification")
        ('tableName', 'sSESpecification')
    """
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
    inside = ", ".join(f"{decapitalised(member)}={printed.get(member, 'null')}" for member in members)
    return f"{name}({inside})"


class _Violation(NamedTuple):
    text: str
    kind: str = ""  # "name", "empty name", "choice", or any other


_Violations: TypeAlias = Iterator[_Violation]


def violation_error(operation: str, request: Mapping[str, Any], wording: texts.Wording) -> ServiceError:
    """DynamoDB's error for a request that breaks constraints.

    Example:
        >>> print(violation_error("GetItem", {"TableName": "", "Key": {}}, texts.WORDINGS["GetItem"]).message)
        1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must have length ...
    """
    shape = request_shape(operation)
    if operation not in texts.WORDINGS and (name := _table_name_error(shape, request)):
        return validation(name)
    faults = list(_Validator(wording).structure(shape, request, ""))
    return validation(texts.validation_errors([fault.text for fault in _reported(faults, wording)]))


def _table_name_error(shape: Shape, request: Mapping[str, Any]) -> str | None:
    """Table operations report a table name that is missing, too short or too long before everything else."""
    for member in shape.members:
        if shape_named(member.shape).kind not in {"name", "table"} or not member.name.endswith("TableName"):
            continue
        if member.name not in request:
            return texts.missing_name(member.name) if member.required else None
        value = request[member.name]
        if not value.startswith("arn:") and not 3 <= len(value) <= 255:
            return texts.name_length(member.name)
    return None


def _reported(faults: list[_Violation], wording: texts.Wording) -> list[_Violation]:
    """The violations that an operation reports; some do not report all."""
    if wording.newer:
        faults = [fault for fault in faults if fault.kind == "empty name"] or faults
    if wording.names_alone:
        faults = [fault for fault in faults if fault.kind in {"name", "empty name"}] or faults
    if wording.first_choice_only:
        first = next((fault for fault in faults if fault.kind == "choice"), None)
        faults = [fault for fault in faults if fault.kind != "choice" or fault is first]
    return faults


class _Validator:
    """Collects the violations of a request, in the wording of one operation, with their paths."""

    def __init__(self, wording: texts.Wording) -> None:
        self._wording = wording

    def structure(self, shape: Shape, value: Mapping[str, Any], path: str) -> _Violations:
        for member in shape.members:
            name = member.name if self._wording.newer else decapitalised(member.name)
            where = f"{path}.{name}" if path else name
            if member.name in value:
                yield from self._any(shape_named(member.shape), value[member.name], where)
            elif member.required:
                yield self._fault(where, texts.NOT_NULL)

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
        else:
            yield from self._scalar(shape, value, path)

    def _collection(self, shape: Shape, value: Any, path: str) -> _Violations:
        for constraint in broken_lengths(shape, value):
            yield self._fault(path, constraint, shape, value)
        if shape.key and (check := fits(shape.key)) is not None and not all(map(check, value)):
            yield self._fault(path, texts.keys(all_constraints(shape_named(shape.key))), shape, value)
        yield from self._elements(shape, value, path)

    def _elements(self, shape: Shape, value: Any, path: str) -> _Violations:
        """Violations in structures have a path each; those of strings, and of lists in a map, have one together."""
        element = shape_named(shape.element)
        named = list(value.items() if shape.kind == "map" else enumerate(value, 1))
        if element.kind == "structure":
            for name, member in named:
                yield from self._any(element, member, f"{path}.{name}.member")
            return
        constraints = all_constraints(element)
        if constraints and any(broken_lengths(element, member) for _, member in named):
            message = texts.values if shape.kind == "map" else texts.elements
            yield self._fault(path, message(constraints), shape, value)
        if element.kind == "list":
            for name, member in named:
                yield from self._elements(element, member, f"{path}.{name}.member")

    def _choice(self, shape: Shape, value: str, path: str) -> _Violation:
        if not self._wording.newer:
            text = texts.broken_constraint_older(path, texts.not_among(shape.choices), value)
        elif shape.name == "AttributeAction":
            text = texts.ACTION
        else:
            text = texts.not_chosen(texts.NEWER_CHOICES.get(shape.name, shape.choices))
        return _Violation(text, "choice")

    def _scalar(self, shape: Shape, value: Any, path: str) -> _Violations:
        kind = "name" if shape.kind in {"name", "table"} else ""
        if shape.kind == "table" and not value:
            kind = "empty name"
        for constraint in broken_constraints(shape, value, every_name_fault=self._wording.every_name_fault):
            yield self._fault(path, constraint, shape, value)._replace(kind=kind)

    def _fault(self, path: str, constraint: str, shape: Shape | None = None, value: Any = None) -> _Violation:
        if self._wording.newer:
            return _Violation(texts.broken_constraint(path, constraint))
        printed = None if shape is None else echo(shape, value)
        return _Violation(texts.broken_constraint_older(path, constraint, printed))
