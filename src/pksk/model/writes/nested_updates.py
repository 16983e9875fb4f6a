"""Checks update actions on parts of a field, and those that copy or compute a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pydantic import ValidationError

from pksk.errors import did_you_mean, quote
from pksk.expressions import Action, Add, Arithmetic, Call, Delete, Path, Remove, Set, Value
from pksk.model.markers.ttl import expiry_seconds
from pksk.model.storing.attributes import config_of
from pksk.model.storing.core_schema import (
    Node,
    Reader,
    SchemaAtPath,
    UnknownMember,
    schema_at_path,
    wire_types,
    wrapped_nodes,
)
from pksk.model.storing.forms import Forms
from pksk.model.storing.round_trip import reject_invalid_value
from pksk.model.storing.stored_value import stored_value
from pksk.model.writes.copy_compatibility import CopyCompatibility, may_be_none, type_text
from pksk.model.writes.field_update import reject
from pksk.values import from_wire, to_wire

if TYPE_CHECKING:
    from pksk.model.fields.field_facts import FieldFacts

# A TTL is stored in seconds.
_SECONDS: Final[Node] = {"type": "int"}
_MAYBE_SECONDS: Final[Node] = {"type": "nullable", "schema": _SECONDS}
# Limits of a whole list or set, which an update that adds to it cannot check.
_LENGTH_LIMITS = frozenset(("min_length", "max_length"))


def check_nested_update(facts: FieldFacts, action: Action, where: str) -> Action:
    """The action with values in the stored form of their paths.

    Rejects an action after which the item would be unreadable: a value of a wrong type, a missing required member. It
    cannot check what depends on the stored item, or what the type of a field leaves open.
    """
    return _NestedUpdate(facts, where, action.path).checked(action)


class _NestedUpdate:
    def __init__(self, facts: FieldFacts, where: str, path: Path) -> None:
        self.facts, self.where, self.steps = facts, where, path.elements
        self.path = ".".join((facts.declaration.name, *map(str, path.elements)))
        self.known = (facts.declaration.fields[str(path.elements[0])].schema or ({}, {}))[1]
        self.place = self._find(path)

    def checked(self, action: Set | Remove | Add | Delete) -> Action:
        if self.place is None:
            return action
        if isinstance(action, Remove | Delete):
            # A set without members is removed.
            if self.place.required:
                reject(
                    "write-required",
                    f"{self.where}: {self.path} has no default, and is required to read the item.",
                    fix="set it to a value, or give the field a default.",
                )
            return action
        return replace(
            action, value=self._check(action.value, self.place.node, partly=isinstance(action, Add))
        )

    def _find(self, path: Path) -> SchemaAtPath | None:
        first, *rest = path.elements
        schema = self.facts.declaration.fields[str(first)].schema
        if schema is None or not all(isinstance(step, (str, int)) for step in rest):
            return None
        if not rest and self.facts.declaration.fields[str(first)].stored_form is not None:
            return SchemaAtPath(
                _MAYBE_SECONDS if self.facts.values.nullable(str(first)) else _SECONDS, required=False
            )
        try:
            return schema_at_path(*schema, rest)
        except UnknownMember as unknown:
            near = did_you_mean(unknown.name, unknown.known)
            reject(
                "write-unknown-member",
                f"{self.where}: {self.path} has the member {unknown.name!r}, which its model does not declare.",
                expected=f"Its fields are: {', '.join(unknown.known)}.",
                fix=f"did you mean {near!r}?" if near else "use one of them.",
            )

    def _check(self, value: Any, node: Node, *, partly: bool = False) -> Any:
        """Reject an expression whose result may not fit the type of the path."""
        if isinstance(value, Value):
            placed = self._placed(value, node, partly=partly)
            return self._check_value(placed, node, partly=partly, stored=placed is not value)
        if isinstance(value, Path):
            self._check_other(value, node, partly=partly)
        elif isinstance(value, Call):
            # An appended list is only a part of the result.
            part = partly or value.name == "list_append"
            return replace(
                value, operands=tuple(self._check(each, node, partly=part) for each in value.operands)
            )
        elif isinstance(value, Arithmetic):
            left, right = (self._check(each, node, partly=True) for each in (value.left, value.right))
            return replace(value, left=left, right=right)
        return value

    def _placed(self, value: Value, node: Node, *, partly: bool) -> Value:
        """The stored form of the value at this path: objects with all their members, a TTL in seconds."""
        source = list(value.source) if isinstance(value.source, tuple) else value.source
        if node is _SECONDS or node is _MAYBE_SECONDS:
            is_time = isinstance(source, datetime)
            return Value({"N": str(expiry_seconds(source, self.path))}) if is_time else value
        if source is None or value.kind not in ("M", "L"):
            return value
        try:
            made = self._reader(node, partly=partly)(source)
        except ValidationError as error:
            reject_invalid_value(self.path, source, error)
        store = Forms(self.known, config_of(self.facts.declaration.entity)).of(node).store or stored_value
        return Value(to_wire(store(made, self.path)))

    def _check_value(self, value: Value, node: Node, *, partly: bool, stored: bool) -> Value:
        plain = from_wire(value.wire)
        types = wire_types(node, self.known)
        try:
            self._reader(node, partly=partly)(plain)
        except ValidationError as error:
            reject_invalid_value(self.path, plain, error)
        # A set may be stored as a list, if DynamoDB has no such set.
        if types and value.kind != "NULL" and value.kind not in types and not stored:
            self._refuse_type(quote(plain), value.kind, types)
        return value

    def _check_other(self, path: Path, node: Node, *, partly: bool) -> None:
        """Reject a copy of a value that could not be read at this path."""
        if path.elements == self.steps or path.elements[0] not in self.facts.stored:
            return
        found = _NestedUpdate(self.facts, self.where, path)
        if found.place is None:
            return
        source, name = found.place.node, ".".join(map(str, path.elements))
        here, there = wire_types(node, self.known), wire_types(source, self.known)
        if here and there and not here & there:
            self._refuse_type(name, "/".join(sorted(there)), here)
        if not CopyCompatibility(self.known, self._read).fit(source, node):
            self._refuse_copy(f"{name} is of type {type_text(source, self.known)}", node)
        if not partly and found.holds_null and not may_be_none(node, self.known):
            self._refuse_copy(f"{name} can be None, which is stored as NULL", node)

    @property
    def holds_null(self) -> bool:
        """Whether None is stored as NULL here: inside fields, and in fields with another default."""
        if self.place is None or not may_be_none(self.place.node, self.known):
            return False
        first, *rest = self.steps
        facts = self.facts
        if rest:
            return any(each["type"] == "nullable" for each in wrapped_nodes(self.place.node, self.known))
        return facts.declaration.fields[str(first)].nullable and not facts.declaration.is_absent(
            str(first), None
        )

    def _refuse_copy(self, what: str, node: Node) -> NoReturn:
        reject(
            "write-copy",
            f"{self.where}: {what}, and {self.path} is {type_text(node, self.known)}: the copy might be unreadable.",
            expected="DynamoDB copies a stored value without any check or conversion.",
            fix="declare both with the same type, or read the entity and set the value.",
        )

    def _read(self, node: Node) -> Callable[[Any], Any]:
        return self._reader(node, partly=False)

    def _reader(self, node: Node, *, partly: bool) -> Callable[[Any], Any]:
        # Nodes live as long as the class, so their ids are stable.
        made, question = self.facts.declaration.cache, ("inside", id(node), partly)
        if question not in made:
            reader = Reader(self.known, config_of(self.facts.declaration.entity))
            made[question] = reader.validator(self._partly(node) if partly else node)
        found: Callable[[Any], Any] = made[question]
        return found

    def _refuse_type(self, what: str, kind: str, types: frozenset[str]) -> NoReturn:
        reject(
            "field-value",
            f"{self.where}: {what} is stored as {kind}, and {self.path} as {'/'.join(sorted(types))}.",
            fix="use a value of its type.",
        )

    def _partly(self, node: Node) -> Node:
        """The node without limits on the whole number, list or set, which do not apply to an added part."""
        *_, within = wrapped_nodes(node, self.known)
        kept = {name: each for name, each in within.items() if name not in _LENGTH_LIMITS}
        return {"type": within["type"]} if within["type"] in ("int", "float", "decimal") else kept
