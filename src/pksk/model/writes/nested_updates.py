"""Checks update actions on parts of a field, and those that copy or compute a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from enum import Enum
from typing import Any, Final, NoReturn

from pydantic import ValidationError

from pksk.errors import did_you_mean, quote
from pksk.expressions import Action, Add, Arithmetic, Call, Delete, Path, Remove, Set, Value
from pksk.model.fields.facts import FieldFacts
from pksk.model.fields.operands import format_of_nodes
from pksk.model.markers import StoredForm
from pksk.model.markers.stored import INSTANTS, is_comparable
from pksk.model.storing import core_schema
from pksk.model.storing.attributes import config_of
from pksk.model.storing.core_schema import Node, is_trusted, wire_types, wrapped_nodes
from pksk.model.storing.forms import Form, Forms
from pksk.model.storing.round_trip import (
    is_identical,
    reject_changed_value,
    reject_invalid_value,
    survives_round_trip,
)
from pksk.model.storing.stored_value import stored_value
from pksk.model.writes.field_update import reject
from pksk.values import from_wire, to_wire

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
        self.target = self._find(path)

    def checked(self, action: Set | Remove | Add | Delete) -> Action:
        if self.target is None:
            return action
        # A set without members is removed.
        if isinstance(action, Remove | Delete) and self.target.required:
            reject(
                "write-required",
                f"{self.where}: {self.path} has no default, and is required to read the item.",
                fix="set it to a value, or give the field a default.",
            )
        if isinstance(action, Remove):
            return action
        return replace(
            action, value=self._check(action.value, self.target.node, partly=not isinstance(action, Set))
        )

    def _find(self, path: Path) -> core_schema.SchemaAtPath | None:
        first, *rest = path.elements
        schema = self.facts.declaration.fields[str(first)].schema
        if schema is None or not all(isinstance(step, (str, int)) for step in rest):
            return None
        try:
            return core_schema.schema_at_path(*schema, rest)
        except core_schema.UnknownMember as unknown:
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
            form = self._format(node)
            if form is not None:
                return self._formatted(value, form, partly=partly)
            return self._stored_form(value, node, partly=partly)
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

    def _format(self, node: Node) -> StoredForm | None:
        """The format that a marker decides for values of this node."""
        if self.target is not None and node is self.target.node and len(self.steps) == 1:
            form = self.facts.declaration.fields[str(self.steps[0])].stored_form
            if form is not None and form.name:
                return form
        return format_of_nodes(list(wrapped_nodes(node, self.known)))

    def _formatted(self, value: Value, form: StoredForm, *, partly: bool) -> Value:
        """A value in the format of its path; a number is added to numbers as it is."""
        source = from_wire(value.wire) if value.source is None else value.source
        if source is None:
            self._validated(from_wire(value.wire), self.target.node if self.target else {}, partly=partly)
            return value
        if form.type == "N" and not form.is_custom and value.kind == "N":
            return value
        if partly or (not form.is_custom and not isinstance(source, datetime)):
            self._reject_type(quote(source), value.kind, frozenset((form.type,)))
        return Value(to_wire(form.store(source, self.path)))

    def _stored_form(self, value: Value, node: Node, *, partly: bool) -> Value:
        """The stored form of the value at this path, after its validators: objects with all their members."""
        is_wire = value.source is None
        source = from_wire(value.wire) if is_wire else value.source
        valid = self._validated(list(source) if isinstance(source, tuple) else source, node, partly=partly)
        types = wire_types(node, self.known)
        if types and not _fits(value.kind, types, is_wire=is_wire):
            self._reject_type(quote(source), value.kind, types)
        if is_wire:
            return value
        form = self._form(node)
        stored = Value(to_wire((form.store or stored_value)(valid, self.path)))
        if form.ambiguous or form.runs_user_code or form.read is not None:
            self._check_back(form, valid, stored, node, partly=partly)
        return stored

    def _check_back(self, form: Form, value: Any, stored: Value, node: Node, *, partly: bool) -> None:
        """Reject a value that would be read back as another one."""
        plain = from_wire(stored.wire)
        back = self._validated(plain if form.read is None else form.read(plain), node, partly=partly)
        if not (is_identical if form.runs_user_code else survives_round_trip)(value, back):
            reject_changed_value(self.path, value, back)

    def _validated(self, value: Any, node: Node, *, partly: bool) -> Any:
        """A value from the user, as the model would hold it."""
        try:
            return self._reader(node, partly=partly)(value)
        except ValidationError as error:
            reject_invalid_value(self.path, value, error)

    def _form(self, node: Node) -> Form:
        return self.facts.declaration.once(
            ("form inside", id(node)), lambda: Forms(self.known, self._config).of(node)
        )

    @property
    def _config(self) -> Any:
        """The configuration of the model whose field the path names."""
        config = self.target and self.target.config
        return config_of(self.facts.declaration.entity) if config is None else config

    def _check_other(self, path: Path, node: Node, *, partly: bool) -> None:
        """Reject a copy of a value that could not be read at this path."""
        if path.elements == self.steps or path.elements[0] not in self.facts.stored:
            return
        nested = _NestedUpdate(self.facts, self.where, path)
        if nested.target is None:
            return
        source, name = nested.target.node, ".".join(map(str, path.elements))
        mine, theirs = self._format(node), nested._format(source)
        if not is_comparable(mine, theirs) or not _reads(mine, theirs):
            one, other = ("the form of its type" if each is None else each.name for each in (theirs, mine))
            self._reject_copy(f"{name} is stored as {one}, and {self.path} as {other}", "format")
        if mine is not None and theirs is not None:
            return
        node, source = _plain_node(mine, node), _plain_node(theirs, source)
        here, there = wire_types(node, self.known), wire_types(source, self.known)
        if here and there and not here & there:
            self._reject_type(name, "/".join(sorted(there)), here)
        if not CopyCompatibility(self.known, self._read).fit(source, node):
            mine_text, theirs_text = (type_text(each, self.known) for each in (node, source))
            self._reject_copy(f"{name} is of type {theirs_text}, and {self.path} is {mine_text}")
        if not partly and nested.holds_null and not may_be_none(node, self.known):
            text = type_text(node, self.known)
            self._reject_copy(f"{name} can be None, which is stored as NULL, and {self.path} is {text}")

    @property
    def holds_null(self) -> bool:
        """Whether None is stored as NULL here: inside fields, and in fields with another default."""
        if self.target is None or not may_be_none(self.target.node, self.known):
            return False
        first, *rest = self.steps
        facts = self.facts
        if rest:
            return any(each["type"] == "nullable" for each in wrapped_nodes(self.target.node, self.known))
        return facts.declaration.fields[str(first)].nullable and not facts.declaration.is_absent(
            str(first), None
        )

    def _reject_copy(self, problem: str, what: str = "type") -> NoReturn:
        reject(
            "write-copy",
            f"{self.where}: {problem}: the copy might be unreadable.",
            expected="DynamoDB copies a stored value without any check or conversion.",
            fix=f"declare both with the same {what}, or read the entity and set the value.",
        )

    def _read(self, node: Node) -> Callable[[Any], Any]:
        return self._reader(node, partly=False)

    def _reader(self, node: Node, *, partly: bool) -> Callable[[Any], Any]:
        # Nodes live as long as the class, so their ids are stable.
        return self.facts.declaration.once(
            ("inside", id(node), partly), lambda: self._make_reader(node, partly=partly)
        )

    def _make_reader(self, node: Node, *, partly: bool) -> Callable[[Any], Any]:
        reader = core_schema.Reader(self.known, self._config)
        return reader.validator(self._partly(node) if partly else node)

    def _reject_type(self, what: str, kind: str, types: frozenset[str]) -> NoReturn:
        reject(
            "field-value",
            f"{self.where}: {what} is stored as {kind}, and {self.path} as {'/'.join(sorted(types))}.",
            fix="use a value of its type.",
        )

    def _partly(self, node: Node) -> Node:
        """The node without limits on the whole number, list or set, which do not apply to an added part."""
        *_, within = wrapped_nodes(node, self.known)
        members = {name: each for name, each in within.items() if name not in _LENGTH_LIMITS}
        return {"type": within["type"]} if within["type"] in ("int", "float", "decimal") else members


def _reads(mine: StoredForm | None, theirs: StoredForm | None) -> bool:
    """Whether a field reads all formats that another one reads."""
    return mine is None or theirs is None or mine.name.startswith(theirs.name)


def _fits(kind: str, types: frozenset[str], *, is_wire: bool) -> bool:
    """Whether a value of a DynamoDB type may be stored as these, after its conversion unless it is in wire form."""
    if kind == "NULL" or kind in types:
        return True
    # A set may be stored as a list, if DynamoDB has no such set.
    return not is_wire and (kind in ("M", "L") or (kind in _SET_TYPES and bool(types & _SET_TYPES)))


def _plain_node(form: StoredForm | None, node: Node) -> Node:
    """The type of what is stored in a format: text or numbers that are not times to DynamoDB."""
    if form is None or form is INSTANTS:
        return node
    return {"type": {"N": "int", "S": "str"}.get(form.type, "bytes")}


_SET_TYPES: Final = frozenset(("SS", "NS", "BS"))
_SETS: Final = ("set", "frozenset")
_NUMBERS: Final = ("int", "float", "decimal")
# Stored as text that may be invalid for other types.
_TEXTS: Final = ("date", "datetime", "time", "timedelta", "uuid", "url", "multi-host-url")
_CLASSES: Final = ("model", "dataclass", "typed-dict")
_CHOICES: Final = ("enum", "literal")


class CopyCompatibility:
    """Compares core schemas of one model; `reader` makes a function that reads values of a schema."""

    def __init__(self, known: Mapping[str, Node], reader: Callable[[Node], Callable[[Any], Any]]) -> None:
        self._known, self._reader = known, reader
        self._pairs: set[tuple[int, int]] = set()

    def fit(self, source: Node, target: Node) -> bool:
        """Whether all values of one type can be read as another, or the types do not say.

        It ignores limits, such as a length, and None.
        """
        pair = id(source), id(target)
        # A recursive type comes here again.
        if pair in self._pairs:
            return True
        self._pairs.add(pair)
        try:
            return self._is_readable(source, target)
        finally:
            self._pairs.discard(pair)

    def _is_readable(self, source: Node, target: Node) -> bool:
        one, other = self._within(source), self._within(target)
        if one is None or other is None or one is other:
            return True
        here, there = wire_types(target, self._known), wire_types(source, self._known)
        if here and there and not here & there:
            return False
        if one["type"] in ("union", "tagged-union"):
            return all(self.fit(each, target) for each in _choices(one))
        if one["type"] in _CHOICES:
            return all(self._reads(each, target) for each in _members(one))
        if other["type"] in ("union", "tagged-union"):
            return any(self.fit(source, each) for each in _choices(other))
        return self._fit(one, other)

    def _within(self, node: Node) -> Node | None:
        """The type itself; None if a function of the user makes the values."""
        *around, innermost = wrapped_nodes(node, self._known)
        if not all(is_trusted(each) for each in (*around, innermost) if "function" in each):
            return None
        if innermost["type"] == "model" and innermost.get("root_model"):
            return self._within(innermost["schema"])
        return innermost

    def _fit(self, source: Node, target: Node) -> bool:
        here, there = str(target["type"]), str(source["type"])
        if "any" in (here, there) or "none" in (here, there):
            return True
        if here in _CLASSES:
            return there == here and source.get("cls") is target.get("cls")
        if here == "dict" and there in ("dict", *_CLASSES):
            return self._fit_maps(source, target)
        if here == there == "list" or (here in _SETS and there in _SETS):
            return self._fit_inside(source, target, "items_schema")
        if here in _NUMBERS and there in _NUMBERS:
            return here != "int" or there == "int"
        # Other types are accepted, as their values may be readable.
        return here == there or here not in (*_TEXTS, *_CHOICES)

    def _fit_inside(self, source: Node, target: Node, member: str) -> bool:
        one, other = source.get(member), target.get(member)
        return not one or not other or self.fit(one, other)

    def _fit_maps(self, source: Node, target: Node) -> bool:
        if source["type"] != "dict":
            # The members of an object have several types.
            return self._is_open(target.get("values_schema"))
        keys = target.get("keys_schema")
        text = keys is None or (self._within(keys) or {"type": "any"})["type"] in ("str", "any")
        named = text or self._fit_inside(source, target, "keys_schema")
        return named and self._fit_inside(source, target, "values_schema")

    def _is_open(self, node: Node | None) -> bool:
        within = None if node is None else self._within(node)
        return within is None or within["type"] == "any"

    def _reads(self, value: Any, target: Node) -> bool:
        if value is None:
            return True
        try:
            self._reader(target)(value)
        except ValidationError:
            return False
        return True


def may_be_none(node: Node, known: Mapping[str, Node]) -> bool:
    """Whether None may be a value of a type."""
    *around, innermost = wrapped_nodes(node, known)
    if any(each["type"] == "nullable" or "function" in each for each in (*around, innermost)):
        return True
    if innermost["type"] in ("union", "tagged-union"):
        return any(may_be_none(each, known) for each in _choices(innermost))
    if innermost["type"] in _CHOICES:
        return None in _members(innermost)
    return innermost["type"] in ("any", "none")


def type_text(node: Node, known: Mapping[str, Node]) -> str:
    """A type as text for messages.

    Example:
        >>> type_text({"type": "list", "items_schema": {"type": "int"}}, {})
        'list[int]'
    """
    *_, within = wrapped_nodes(node, known)
    kind = str(within["type"])
    if "cls" in within:
        return str(within["cls"].__name__)
    if kind in ("union", "tagged-union"):
        return " | ".join(type_text(each, known) for each in _choices(within))
    if kind == "literal":
        return f"Literal[{', '.join(map(repr, within['expected']))}]"
    members = [within[name] for name in ("keys_schema", "values_schema", "items_schema") if name in within]
    if not members or not all(isinstance(each, Mapping) for each in members):
        return kind
    return f"{kind}[{', '.join(type_text(each, known) for each in members)}]"


def _choices(node: Node) -> Iterator[Node]:
    choices = node["choices"]
    for each in choices.values() if isinstance(choices, Mapping) else choices:
        yield each[0] if isinstance(each, tuple) else each


def _members(node: Node) -> list[Any]:
    """The stored values of an enum or literal."""
    values = node.get("members") or node["expected"]
    return [each.value if isinstance(each, Enum) else each for each in values]
