"""Says which constraints a request breaks, all in one message and in the words of its operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from pksk.engine.faults import ServiceError, validation
from pksk.engine.texts import members as texts

from .constraints import all_of, broken_by, broken_by_length
from .echo import decapitalised, echo
from .fits import fits
from .shape import Shape, request_shape, shape_named

__all__ = ["violated"]


class _Fault(NamedTuple):
    text: str
    kind: str = ""  # "name", "empty name", "choice", or any other


_Faults: TypeAlias = Iterator[_Fault]


def violated(operation: str, request: Mapping[str, Any], wording: texts.Wording) -> ServiceError:
    """What DynamoDB says of a request that was read but does not fit.

    Example:
        >>> print(violated("GetItem", {"TableName": "", "Key": {}}, texts.WORDINGS["GetItem"]).message)
        1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must have length ...
    """
    shape = request_shape(operation)
    if operation not in texts.WORDINGS and (name := _name_refused(shape, request)):
        return validation(name)
    faults = list(_Examination(wording).structure(shape, request, ""))
    return validation(texts.detected([fault.text for fault in _told(faults, wording)]))


def _name_refused(shape: Shape, request: Mapping[str, Any]) -> str | None:
    """What operations on tables say of a table's name before all else: that it is missing, too short or too long."""
    for member in shape.members:
        if shape_named(member.shape).kind not in {"name", "table"} or not member.name.endswith("TableName"):
            continue
        if member.name not in request:
            return texts.missing_name(member.name) if member.required else None
        value = request[member.name]
        if not value.startswith("arn:") and not 3 <= len(value) <= 255:
            return texts.name_length(member.name)
    return None


def _told(faults: list[_Fault], wording: texts.Wording) -> list[_Fault]:
    """Those faults that an operation speaks of, where it does not tell all."""
    if wording.newer:
        faults = [fault for fault in faults if fault.kind == "empty name"] or faults
    if wording.names_alone:
        faults = [fault for fault in faults if fault.kind in {"name", "empty name"}] or faults
    if wording.first_choice_only:
        first = next((fault for fault in faults if fault.kind == "choice"), None)
        faults = [fault for fault in faults if fault.kind != "choice" or fault is first]
    return faults


class _Examination:
    """One look through a request, in the words of one operation; a path names where a fault is."""

    def __init__(self, wording: texts.Wording) -> None:
        self._wording = wording

    def structure(self, shape: Shape, value: Mapping[str, Any], path: str) -> _Faults:
        for member in shape.members:
            name = member.name if self._wording.newer else decapitalised(member.name)
            where = f"{path}.{name}" if path else name
            if member.name in value:
                yield from self._any(shape_named(member.shape), value[member.name], where)
            elif member.required:
                yield self._fault(where, texts.NOT_NULL)

    def _any(self, shape: Shape, value: Any, path: str) -> _Faults:
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

    def _collection(self, shape: Shape, value: Any, path: str) -> _Faults:
        for constraint in broken_by_length(shape, value):
            yield self._fault(path, constraint, shape, value)
        if shape.key and (check := fits(shape.key)) is not None and not all(map(check, value)):
            yield self._fault(path, texts.keys(all_of(shape_named(shape.key))), shape, value)
        yield from self._elements(shape, value, path)

    def _elements(self, shape: Shape, value: Any, path: str) -> _Faults:
        """Faults of structures are told where each is; those of texts and of lists in a map, at the whole."""
        element = shape_named(shape.element)
        named = list(value.items() if shape.kind == "map" else enumerate(value, 1))
        if element.kind == "structure":
            for name, one in named:
                yield from self._any(element, one, f"{path}.{name}.member")
            return
        constraints = all_of(element)
        if constraints and any(broken_by_length(element, one) for _, one in named):
            told = texts.values if shape.kind == "map" else texts.elements
            yield self._fault(path, told(constraints), shape, value)
        if element.kind == "list":
            for name, one in named:
                yield from self._elements(element, one, f"{path}.{name}.member")

    def _choice(self, shape: Shape, value: str, path: str) -> _Fault:
        if not self._wording.newer:
            text = texts.broken_in_older_words(path, texts.not_among(shape.choices), value)
        elif shape.name == "AttributeAction":
            text = texts.ACTION
        else:
            text = texts.not_chosen(texts.NEWER_CHOICES.get(shape.name, shape.choices))
        return _Fault(text, "choice")

    def _scalar(self, shape: Shape, value: Any, path: str) -> _Faults:
        kind = "name" if shape.kind in {"name", "table"} else ""
        if shape.kind == "table" and not value:
            kind = "empty name"
        for constraint in broken_by(shape, value, every_name_fault=self._wording.every_name_fault):
            yield self._fault(path, constraint, shape, value)._replace(kind=kind)

    def _fault(self, path: str, constraint: str, shape: Shape | None = None, value: Any = None) -> _Fault:
        if self._wording.newer:
            return _Fault(texts.broken(path, constraint))
        shown = None if shape is None else echo(shape, value)
        return _Fault(texts.broken_in_older_words(path, constraint, shown))
