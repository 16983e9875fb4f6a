"""Tests sample values when a class is declared, and rejects types whose values would not be read back unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pksk.errors import PkskError, quote
from pksk.model.storing.core_schema import Node, Reader, calls_user_code
from pksk.model.storing.forms import CannotStore, Store
from pksk.model.storing.round_trip import is_identical
from pksk.model.storing.stored_value import stored_value
from pksk.values import from_wire, to_wire

_NOTHING = object()

_ONE_TYPE = "declare one type, the widest that is meant; or models with a discriminator."
_PLAIN_VALUES = "give it values of text or of whole numbers, each of them once."
_PLAIN_NAMES = "declare keys of one type: text, whole numbers, dates or an enum of text."

# Inputs for values of each type; the texts are also valid for other types.
_INPUTS: tuple[Any, ...] = (
    "a", "1", "true", "2025-01-01", "2025-01-01T00:00:00", "2025-01-01T00:00:00Z", "12:00:00", "P1D",
    "00000000-0000-4000-8000-000000000000", "10.0.0.1", "10.0.0.0/8", "https://example.org/", "a@example.org",
    "Europe/Paris", 0, 1, 1.0, 0.5, True, b"a", None,
    [], ["a"], ["2025-01-01"], [1], [1.0], {}, {"a": "a"}, {"a": 1}, {"a": 1.0}, {"a": "2025-01-01"},
)  # fmt: skip


def probe_choices(reader: Reader, node: Node, choices: Iterable[Node], store: Store) -> None:
    """Reject a union if a value of one of its types would be read back with another type."""
    if calls_user_code(node):
        return
    read = reader.validator(node)
    for choice in choices:
        for value in _values(reader.validator(choice)):
            if is_identical(_attempt(read, value), value):
                _probe(read, value, _stored(store, value), _ONE_TYPE)


def probe_values(reader: Reader, node: Node, values: Iterable[Any]) -> None:
    """Reject an Enum or a Literal if one of its values would not be read back unchanged."""
    read = reader.validator(node)
    for value in values:
        _probe(read, value, _stored(stored_value, value), _PLAIN_VALUES)


def probe_names(reader: Reader, node: Node) -> None:
    """Reject a map if one of its keys would not be read back from its name."""
    if calls_user_code(node):
        return
    read, one = reader.validator({"type": "dict", "keys_schema": node}), reader.validator(node)
    listed = [*(member for member in node.get("members", ())), *node.get("expected", ())]
    for key in listed or _values(one):
        if is_identical(_attempt(one, key), key) and key is not None:
            _probe(read, {key: 1}, _stored(stored_value, {key: 1}), _PLAIN_NAMES)


def _values(read: Callable[[Any], Any]) -> Iterator[Any]:
    values = (_attempt(read, each) for each in _INPUTS)
    return (value for value in values if value is not _NOTHING)


def _attempt(read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except ValueError:
        return _NOTHING


def _stored(store: Store, value: Any) -> Any:
    try:
        return from_wire(to_wire(store(value, "")))
    except PkskError:
        return _NOTHING


def _probe(read: Callable[[Any], Any], value: Any, stored: Any, fix: str) -> None:
    back = _attempt(read, stored) if stored is not _NOTHING else _NOTHING
    if not is_identical(value, back):
        became = f"would be read back as {quote(back)}" if back is not _NOTHING else "could not be read back"
        raise CannotStore(f"For example, {quote(value)} {became}", fix)
