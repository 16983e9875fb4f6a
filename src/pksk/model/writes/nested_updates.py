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

__all__ = ["check_nested_update"]

# A time that ends an item is stored as seconds.
_SECONDS: Final[Node] = {"type": "int"}
_MAYBE_SECONDS: Final[Node] = {"type": "nullable", "schema": _SECONDS}
# What is asked of a whole list or set, which nobody knows when something is added to it.
_LENGTH_LIMITS = frozenset(("min_length", "max_length"))


def check_nested_update(facts: FieldFacts, action: Action, where: str) -> Action:
    """The action with its values stored as their places store them.

    One after which the item could not be read is refused: a value that does not fit, a member that must be there.
    What only the stored item tells, and what the type of a field leaves open, is not checked.
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
            # A set that loses its last member is gone.
            if self.place.required:
                reject(
                    "write-required",
                    f"{self.where}: {self.path} has no default, and is needed to read the item.",
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
                f"{self.where}: {self.path} leads to {unknown.name!r}, which the model there does not declare.",
                expected=f"Its fields are: {', '.join(unknown.known)}.",
                fix=f"did you mean {near!r}?" if near else "use one of them.",
            )

    def _check(self, value: Any, node: Node, *, partly: bool = False) -> Any:
        """Refuse what an expression may make of a place that is to hold such values, or only adds to it."""
        if isinstance(value, Value):
            placed = self._placed(value, node, partly=partly)
            return self._check_value(placed, node, partly=partly, stored=placed is not value)
        if isinstance(value, Path):
            self._check_other(value, node, partly=partly)
        elif isinstance(value, Call):
            # What is appended to a list is not all of it.
            part = partly or value.name == "list_append"
            return replace(
                value, operands=tuple(self._check(each, node, partly=part) for each in value.operands)
            )
        elif isinstance(value, Arithmetic):
            left, right = (self._check(each, node, partly=True) for each in (value.left, value.right))
            return replace(value, left=left, right=right)
        return value

    def _placed(self, value: Value, node: Node, *, partly: bool) -> Value:
        """The value as the place stores it: objects with all their members, and a time that ends an item in seconds."""
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
        # What the place has stored itself may be a list where DynamoDB has no such set.
        if types and value.kind != "NULL" and value.kind not in types and not stored:
            self._refuse_type(quote(plain), value.kind, types)
        return value

    def _check_other(self, path: Path, node: Node, *, partly: bool) -> None:
        """Refuse a copy of something that cannot be read here."""
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
        """Whether None may be stored here, as NULL: inside of fields, and where a field has another default."""
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
            f"{self.where}: {what}, and {self.path} is {type_text(node, self.known)}: a copy might not be readable there.",
            expected="DynamoDB copies what is stored as it is, and nothing checks it on the way.",
            fix="declare both with the same type, or read the entity and set the value.",
        )

    def _read(self, node: Node) -> Callable[[Any], Any]:
        return self._reader(node, partly=False)

    def _reader(self, node: Node, *, partly: bool) -> Callable[[Any], Any]:
        # Nodes live as long as the class, and are made once.
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
            fix="give it a value of its own type.",
        )

    def _partly(self, node: Node) -> Node:
        """The node without limits of the whole: what is added to a number, a list or a set, is not all of it."""
        *_, within = wrapped_nodes(node, self.known)
        kept = {name: each for name, each in within.items() if name not in _LENGTH_LIMITS}
        return {"type": within["type"]} if within["type"] in ("int", "float", "decimal") else kept
