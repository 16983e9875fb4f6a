"""Reads Pydantic's core schemas: what a validator is made of, and whose functions it calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from pydantic_core import PydanticSerializationError, SchemaError, SchemaSerializer, SchemaValidator

__all__ = ["Node", "Reader", "calls_user_code", "function_of", "inner", "is_trusted", "own_code", "skin"]

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


def inner(node: Node) -> Node | None:
    """The node inside a node that changes nothing about how a value is stored."""
    member = _INNER.get(node["type"])
    return None if member is None else node[member]


def skin(node: Node, known: Mapping[str, Node]) -> Iterator[Node]:
    """A node, the node inside it, and so on, down to the type itself.

    Example:
        >>> [each["type"] for each in skin({"type": "nullable", "schema": {"type": "int"}}, {})]
        ['nullable', 'int']
    """
    yield node
    within = known.get(node["schema_ref"]) if node["type"] == "definition-ref" else inner(node)
    if within is not None:
        yield from skin(within, known)


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


def own_code(node: Node) -> bool:
    """Whether a model runs code of the user's when it is read: validators, __init__ or model_post_init."""
    functions = (each for each in skin(node["schema"], {}) if each["type"].startswith("function-"))
    if node.get("custom_init") or not all(map(is_trusted, functions)):
        return True
    return _own_post_init(node)


def _own_post_init(node: Node) -> bool:
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
