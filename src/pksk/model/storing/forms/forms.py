"""The forms of all nodes of one core schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeAlias

from pksk.model.storing.core_schema import Node, Reader
from pksk.model.storing.forms import wrappers
from pksk.model.storing.forms.form import Form
from pksk.model.storing.stored_value import stored_value

__all__ = ["Forms"]

_EXACT = frozenset(
    ("str", "int", "bool", "none", "bytes", "float", "decimal", "complex", "fraction", "date", "datetime", "time",
     "timedelta", "uuid", "url", "multi-host-url")
)  # fmt: skip


Handler: TypeAlias = "Callable[[Forms, Node], Form]"


class Forms:
    """Finds the form of each node, and remembers those that others refer to.

    Example:
        >>> Forms({}).of({"type": "int"})
        Form(store=None, vague=False, altered=False)
    """

    def __init__(self, known: Mapping[str, Node], config: Any = None) -> None:
        self.known = known
        self.reader = Reader(self.known, config)
        self._done: dict[str, Form] = {}

    def of(self, node: Node, *, one_type: bool = False) -> Form:
        """The form of a node; with `one_type`, several ways to read it lead to one type."""
        kind = node["type"]
        if kind in _EXACT:
            return wrappers.scalar(self, node)
        if kind == "definition-ref":
            return self._referred(node["schema_ref"])
        if kind == "union" and one_type:
            return Form()
        handle = _handler(kind)
        return handle(self, node) if handle else Form(wrappers.custom(self, node), vague=True)

    def _referred(self, name: str) -> Form:
        if name not in self._done:
            # A type that holds itself meets this while it is worked out, and looks again when it is used.
            self._done[name] = Form(partial(self._store_later, name))
            self._done[name] = self.of(self.known[name])
        return self._done[name]

    def _store_later(self, name: str, value: Any, path: str) -> Any:
        return (self._done[name].store or stored_value)(value, path)


# Which module knows which nodes; each is loaded when one of its nodes is met, since most entities need few.
_HOMES = {
    "wrappers": {
        "any": "anything", "json": "json", "chain": "chain", "is-instance": "instance", "ordered-dict": "ordered",
        **dict.fromkeys(("nullable", "default", "custom-error", "lax-or-strict", "json-or-python"), "wrapper"),
        **dict.fromkeys(("function-before", "function-after", "function-wrap", "function-plain"), "function"),
        **dict.fromkeys(("callable", "is-subclass", "generator"), "no_data"),
    },
    "containers": {
        "list": "listed", "deque": "listed", "set": "unordered", "frozenset": "unordered", "tuple": "mixed",
        "dict": "mapped", "counter": "mapped",
    },
    "objects": {
        "model": "model", "dataclass": "data_class", "typed-dict": "typed_dict", "named-tuple": "named_tuple",
    },
    "choices": {"enum": "enum", "literal": "literal", "union": "union", "tagged-union": "tagged_union"},
}  # fmt: skip


@cache
def _handler(kind: str) -> Handler | None:
    for module, names in _HOMES.items():
        if kind in names:
            found: Handler = getattr(import_module(f"pksk.model.storing.forms.{module}"), names[kind])
            return found
    return None
