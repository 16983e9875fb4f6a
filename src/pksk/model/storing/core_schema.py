"""Reads Pydantic's core schemas: nodes inside a field, functions that they call, and the types they are stored as."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError, SchemaError, SchemaSerializer, SchemaValidator

from pksk.errors import DesignError
from pksk.model.markers.stored import stored_marker

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

TRUSTED = ("pydantic.", "ipaddress", "ulid.", "zoneinfo", "pksk.keys.precision.")


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
    """Whether a node calls a function of Pydantic or pksk, which accepts its own output and returns it unchanged."""
    function = function_of(node)
    if getattr(function, "__name__", "") in _NOT_INVERSE:
        return False
    return f"{getattr(function, '__module__', '')}.".startswith(TRUSTED)


def reads_inner_type(node: Node) -> bool:
    """Whether a function of Pydantic reads the type inside it, and then changes only the class of the value.

    Example:
        >>> from collections.abc import Sequence
        >>> from pydantic import TypeAdapter
        >>> node = TypeAdapter(Sequence[int]).core_schema["python_schema"]["steps"][1]
        >>> reads_inner_type(node)
        True
    """
    return getattr(function_of(node), "__name__", "") in ("sequence_validator", "mapping_like_validator")


def calls_user_code(node: object) -> bool:
    """Whether validating by a node can call a function that is not Pydantic's, or a user class."""
    if isinstance(node, Mapping):
        kind = node.get("type")
        if kind in _CALLS and not is_trusted(node):
            return True
        if kind in ("model", "dataclass", "definition-ref", "call"):
            return True
        return any(calls_user_code(each) for name, each in node.items() if name != "serialization")
    return isinstance(node, (list, tuple)) and any(map(calls_user_code, node))


def node_runs_user_code(node: Node) -> bool:
    """Whether a model runs user code when it is read: validators, __init__ or model_post_init."""
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
        """Reads a value as Pydantic does for this node, strict or not."""
        validate = SchemaValidator(self._whole(node), self.config).validate_python
        return partial(validate, strict=False, by_alias=False, by_name=True)

    def dump(self, node: Node, value: Any, mode: str) -> Any:
        """A value as Pydantic writes it for this node, so that it can be read again; the value itself if it cannot."""
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
    """A path names a member that does not exist; has the name, and the existing ones."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(name)
        self.name, self.known = name, known


class SchemaAtPath(NamedTuple):
    """The node at the end of a path, whether the object around it requires it, and the configuration of that object.

    `config` is None where the entity itself is around it.
    """

    node: Node
    required: bool
    config: Any = None


def schema_at_path(node: Node, known: Mapping[str, Node], steps: Sequence[Any]) -> SchemaAtPath | None:
    """The node that the steps lead to; None if the schema does not say, as for `Any` or a validator of the user.

    Example:
        >>> ints = {"type": "list", "items_schema": {"type": "int"}}
        >>> schema_at_path({"type": "dict", "values_schema": ints}, {}, ("a", 0))
        SchemaAtPath(node={'type': 'int'}, required=False, config=None)
    """
    schema = SchemaAtPath(node, required=False)
    for step in steps:
        *around, innermost = wrapped_nodes(schema.node, known)
        if not all(is_trusted(each) for each in around if "function" in each):
            return None
        deeper = _step(innermost, step, known)
        if deeper is None:
            return None
        schema = deeper if deeper.config is not None else deeper._replace(config=schema.config)
    return schema


def _step(node: Node, step: Any, known: Mapping[str, Node]) -> SchemaAtPath | None:
    kind = node["type"]
    if kind in ("union", "tagged-union"):
        return _step_of_union(node, step, known)
    if isinstance(step, int):
        return _step_of_list(node, step)
    if kind == "dict":
        values = node.get("values_schema")
        return SchemaAtPath(values, required=False) if values else None
    if kind == "typed-dict":
        each = node["fields"].get(step)
        return None if each is None else SchemaAtPath(each["schema"], each.get("required", True))
    if kind == "dataclass":
        *_, within = wrapped_nodes(node["schema"], {})
        schemas = (each["schema"] for each in within.get("fields", ()) if each["name"] == step)
        return next((SchemaAtPath(each, each["type"] != "default") for each in schemas), None)
    members = _members(node)
    if members is None or step in members:
        return members[step] if members else None
    raise UnknownMember(str(step), list(members))


def _step_of_list(node: Node, step: int) -> SchemaAtPath | None:
    if node["type"] == "list" and "items_schema" in node:
        return SchemaAtPath(node["items_schema"], required=False)
    if node["type"] != "tuple":
        return None
    items: Sequence[Node] = node["items_schema"]
    repeated = node.get("variadic_item_index")
    if repeated is not None and step >= repeated:
        return SchemaAtPath(items[repeated], required=False) if repeated == len(items) - 1 else None
    return SchemaAtPath(items[step], required=True) if step < len(items) else None


def _step_of_union(node: Node, step: Any, known: Mapping[str, Node]) -> SchemaAtPath | None:
    """The member that the types of a union have in common, if they declare it alike."""
    choices = node["choices"]
    schemas = []
    for each in choices.values() if isinstance(choices, Mapping) else choices:
        try:
            schemas.append(schema_at_path(each[0] if isinstance(each, tuple) else each, known, (step,)))
        except UnknownMember:
            continue
    declared = [each for each in schemas if each is not None]
    formats = {
        repr(next(filter(None, map(stored_marker, nodes)), None))
        for nodes in (wrapped_nodes(each.node, known) for each in declared)
    }
    if len(formats) > 1:
        raise DesignError(
            "stored-formats-differ",
            f"The types of a union store {step!r} in different formats: {', '.join(sorted(formats))}.",
            expected="Which one an item has is not known when the request is made.",
            fix="read the entity, change it, and put it; or store both in one format.",
        )
    if not declared or any(each.node != declared[0].node for each in declared):
        return None
    return declared[0]._replace(required=any(each.required for each in declared))


def _members(node: Node) -> dict[str, SchemaAtPath] | None:
    """The members of an object by name; None if it has none, or may have undeclared ones."""
    if node["type"] == "model" and not node.get("root_model"):
        functions = [each for each in wrapped_nodes(node["schema"], {}) if "function" in each]
        *_, within = wrapped_nodes(node["schema"], {})
        extra = node.get("config", {}).get("extra_fields_behavior") == "allow"
        if extra or functions or within["type"] != "model-fields":
            return None
        return {
            name: SchemaAtPath(each["schema"], each["schema"]["type"] != "default", node.get("config", {}))
            for name, each in within["fields"].items()
        }
    return None


# None does not count as a type here: for a field that may be None, nothing is stored, or a null.
_TYPES: dict[str, frozenset[str]] = {
    "none": frozenset(),
    **dict.fromkeys(
        ("str", "date", "datetime", "time", "timedelta", "uuid", "url", "multi-host-url", "json"), frozenset("S")
    ),
    **dict.fromkeys(("complex", "fraction"), frozenset("S")),
    **dict.fromkeys(("int", "float", "decimal"), frozenset("N")),
    "bytes": frozenset("B"),
    "bool": frozenset(("BOOL",)),
    **dict.fromkeys(("list", "tuple", "deque", "named-tuple"), frozenset("L")),
    **dict.fromkeys(("dict", "counter", "model", "dataclass", "typed-dict"), frozenset("M")),
    **dict.fromkeys(("set", "frozenset"), frozenset(("SS", "NS", "BS"))),
}  # fmt: skip

_LETTERS: dict[type, str] = {str: "S", int: "N", float: "N", Decimal: "N", bytes: "B", bool: "BOOL"}


def wire_types(node: Node, known: Mapping[str, Node]) -> frozenset[str] | None:
    """The types of DynamoDB that a core schema allows, without None; None if it depends on the value.

    Example:
        >>> wire_types({"type": "nullable", "schema": {"type": "int"}}, {})
        frozenset({'N'})
    """
    kind = node["type"]
    if (marker := stored_marker(node)) is not None:
        return frozenset((marker.form.type,))
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
    letters = {_LETTERS.get(type(value)) for value in plain if value is not None}
    return None if None in letters else frozenset(letter for letter in letters if letter)


def _of_choices(choices: Any, known: Mapping[str, Node]) -> frozenset[str] | None:
    listed = choices.values() if isinstance(choices, Mapping) else choices
    letters: set[str] = set()
    for each in listed:
        types = wire_types(each[0] if isinstance(each, tuple) else each, known)
        if types is None:
            return None
        letters |= types
    return frozenset(letters)


def may_be_vector(node: Node, known: Mapping[str, Node]) -> bool:
    """Whether values of a core schema can be lists of numbers."""
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
