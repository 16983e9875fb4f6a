"""Reads Pydantic's core schemas: nodes inside a field, functions that they call, and the types they are stored as."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError, SchemaError, SchemaSerializer, SchemaValidator

Node = Mapping[str, Any]

# Nodes around another that change nothing about how a value is stored; the member that is read from Python.
_INNER = {
    "nullable": "schema", "default": "schema", "custom-error": "schema", "definitions": "schema",
    "lax-or-strict": "lax_schema", "json-or-python": "python_schema",
    "function-before": "schema", "function-after": "schema", "function-wrap": "schema",
}  # fmt: skip

# Functions of Pydantic itself that do not give back what they gave: a list for a tuple, a pattern without flags.
_NOT_INVERSE = {
    "sequence_validator", "pattern_either_validator", "pattern_str_validator", "pattern_bytes_validator",
    "import_string", "mapping_like_validator",
}  # fmt: skip

_CALLS = ("function-before", "function-after", "function-wrap", "function-plain")

_TRUSTED = ("pydantic.", "ipaddress", "ulid.", "zoneinfo")


def inner_node(node: Node) -> Node | None:
    """The node inside a node that changes nothing about how a value is stored."""
    member = _INNER.get(node["type"])
    return None if member is None else node[member]


def wrapped_nodes(node: Node, known: Mapping[str, Node]) -> Iterator[Node]:
    """A node, the node inside it, and so on, down to the type itself.

    Example:
        >>> [each["type"] for each in wrapped_nodes({"type": "nullable", "schema": {"type": "int"}}, {})]
        ['nullable', 'int']
    """
    yield node
    within = known.get(node["schema_ref"]) if node["type"] == "definition-ref" else inner_node(node)
    if within is not None:
        yield from wrapped_nodes(within, known)


def function_of(node: Node) -> Callable[..., Any]:
    """The function that a node calls, without what binds arguments to it."""
    function: Callable[..., Any] = node["function"]["function"]
    while isinstance(function, partial):
        function = function.func
    method: Callable[..., Any] = getattr(function, "__func__", function)
    return method


def is_trusted(node: Node) -> bool:
    """Whether a node calls a function of Pydantic's own, which accepts what it gave and gives the same again."""
    function = function_of(node)
    if getattr(function, "__name__", "") in _NOT_INVERSE:
        return False
    return f"{getattr(function, '__module__', '')}.".startswith(_TRUSTED)


def calls_user_code(node: Any) -> bool:
    """Whether validating by a node can call a function that is not Pydantic's, or a class of the user's."""
    if isinstance(node, Mapping):
        kind = node.get("type")
        if kind in _CALLS and not is_trusted(node):
            return True
        if kind in ("model", "dataclass", "definition-ref", "call"):
            return True
        return any(calls_user_code(each) for name, each in node.items() if name != "serialization")
    return isinstance(node, (list, tuple)) and any(map(calls_user_code, node))


def node_runs_user_code(node: Node) -> bool:
    """Whether a model runs code of the user's when it is read: validators, __init__ or model_post_init."""
    functions = (each for each in wrapped_nodes(node["schema"], {}) if each["type"].startswith("function-"))
    if node.get("custom_init") or not all(map(is_trusted, functions)):
        return True
    return _has_user_post_init(node)


def _has_user_post_init(node: Node) -> bool:
    if not node.get("post_init"):
        return False
    # Pydantic sets private attributes there by a function of its own.
    called = getattr(node["cls"], "model_post_init", None)
    return getattr(called, "__name__", "") != "init_private_attributes"


class Reader:
    """Validators and serializers of nodes that may refer to definitions elsewhere in the schema."""

    def __init__(self, known: Mapping[str, Node], config: Any = None) -> None:
        self.known, self.config = known, config
        self._serializers: dict[int, SchemaSerializer] = {}

    def validator(self, node: Node) -> Callable[[Any], Any]:
        """Reads a value as Pydantic would at this place, strict or not."""
        validate = SchemaValidator(self._whole(node), self.config).validate_python
        return partial(validate, strict=False, by_alias=False, by_name=True)

    def dump(self, node: Node, value: Any, mode: str) -> Any:
        """A value as Pydantic writes it at this place, such that it can be read again; itself where it cannot."""
        try:
            if id(node) not in self._serializers:
                self._serializers[id(node)] = SchemaSerializer(self._whole(node))
            dump = self._serializers[id(node)].to_python
            return dump(value, mode=mode, by_alias=False, round_trip=True, warnings="error")
        except (PydanticSerializationError, SchemaError, ValueError, TypeError, AttributeError):
            return value

    def _whole(self, node: Node) -> Any:
        if not self.known:
            return node
        return {"type": "definitions", "schema": node, "definitions": list(self.known.values())}


class UnknownMember(Exception):
    """Says that a path leads to no member: which name it was, and those that there are."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(name)
        self.name, self.known = name, known


class SchemaAtPath(NamedTuple):
    """What a path leads to, and whether the object around it cannot be read without it."""

    node: Node
    required: bool


def schema_at_path(node: Node, known: Mapping[str, Node], steps: Sequence[Any]) -> SchemaAtPath | None:
    """The node that the steps lead to; None if the schema does not say, as for `Any` or a validator of the user.

    Example:
        >>> ints = {"type": "list", "items_schema": {"type": "int"}}
        >>> schema_at_path({"type": "dict", "values_schema": ints}, {}, ("a", 0))
        SchemaAtPath(node={'type': 'int'}, required=False)
    """
    found = SchemaAtPath(node, required=False)
    for step in steps:
        *around, innermost = wrapped_nodes(found.node, known)
        if not all(is_trusted(each) for each in around if "function" in each):
            return None
        deeper = _step(innermost, step)
        if deeper is None:
            return None
        found = deeper
    return found


def _step(node: Node, step: Any) -> SchemaAtPath | None:
    kind = node["type"]
    if isinstance(step, int):
        items = node.get("items_schema") if kind == "list" else None
        return SchemaAtPath(items, required=False) if items else None
    if kind == "dict":
        values = node.get("values_schema")
        return SchemaAtPath(values, required=False) if values else None
    members = _members(node)
    if members is None or step in members:
        return members[step] if members else None
    raise UnknownMember(str(step), list(members))


def _members(node: Node) -> dict[str, SchemaAtPath] | None:
    """The members of an object by name; None of what has none, or may have others beside them."""
    if node["type"] == "model" and not node.get("root_model"):
        functions = [each for each in wrapped_nodes(node["schema"], {}) if "function" in each]
        *_, within = wrapped_nodes(node["schema"], {})
        extra = node.get("config", {}).get("extra_fields_behavior") == "allow"
        if extra or functions or within["type"] != "model-fields":
            return None
        return {
            name: SchemaAtPath(each["schema"], each["schema"]["type"] != "default")
            for name, each in within["fields"].items()
        }
    return None


# None does not count as a type here: for a field that may be None, nothing is stored, or a null.
_TYPES: dict[str, frozenset[str]] = {
    "none": frozenset(),
    **dict.fromkeys(
        ("str", "date", "datetime", "time", "timedelta", "uuid", "url", "multi-host-url", "json"), frozenset("S")
    ),
    **dict.fromkeys(("int", "float", "decimal"), frozenset("N")),
    "bytes": frozenset("B"),
    "bool": frozenset(("BOOL",)),
    **dict.fromkeys(("list", "tuple", "deque", "named-tuple"), frozenset("L")),
    **dict.fromkeys(("dict", "counter", "model", "dataclass", "typed-dict"), frozenset("M")),
    **dict.fromkeys(("set", "frozenset"), frozenset(("SS", "NS", "BS"))),
}  # fmt: skip

_LETTERS: dict[type, str] = {str: "S", int: "N", float: "N", Decimal: "N", bytes: "B", bool: "BOOL"}


def wire_types(node: Node, known: Mapping[str, Node]) -> frozenset[str] | None:
    """The types of DynamoDB that a core schema allows, None left aside; None where only values can tell.

    Example:
        >>> wire_types({"type": "nullable", "schema": {"type": "int"}}, {})
        frozenset({'N'})
    """
    kind = node["type"]
    if kind == "definition-ref":
        return wire_types(known[node["schema_ref"]], known)
    if kind == "model" and node.get("root_model"):
        return wire_types(node["schema"], known)
    if kind in _TYPES:
        return _TYPES[kind]
    if kind in ("enum", "literal"):
        return _of_values(node.get("members") or node["expected"])
    if kind in ("union", "tagged-union"):
        return _of_choices(node["choices"], known)
    # What a function of the user makes of a value is not known.
    if kind.startswith("function-") and (kind == "function-plain" or not is_trusted(node)):
        return wire_types(node["schema"], known) if kind == "function-before" else None
    within = inner_node(node)
    return None if within is None else wire_types(within, known)


def _of_values(values: Iterable[Any]) -> frozenset[str] | None:
    plain = [value.value if isinstance(value, Enum) else value for value in values]
    found = {_LETTERS.get(type(value)) for value in plain if value is not None}
    return None if None in found else frozenset(letter for letter in found if letter)


def _of_choices(choices: Any, known: Mapping[str, Node]) -> frozenset[str] | None:
    listed = choices.values() if isinstance(choices, Mapping) else choices
    found: set[str] = set()
    for each in listed:
        types = wire_types(each[0] if isinstance(each, tuple) else each, known)
        if types is None:
            return None
        found |= types
    return frozenset(found)


def may_be_vector(node: Node, known: Mapping[str, Node]) -> bool:
    """Whether values of a core schema can be lists of numbers.

    Example:
        >>> may_be_vector({"type": "list", "items_schema": {"type": "str"}}, {})
        False
    """
    types = wire_types(node, known)
    if types is not None and types != {"L"}:
        return False
    while (
        within := known.get(node["schema_ref"]) if node["type"] == "definition-ref" else inner_node(node)
    ) is not None:
        node = within
    items = node.get("items_schema") or ()
    members = items if isinstance(items, (list, tuple)) else [items]
    return all(wire_types(member, known) in (None, frozenset("N")) for member in members)
