"""Holds items against the keys of a table and of its indexes, before any of them is written."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from pksk.errors import FileProblem, quote
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values import Wire, WireItem, canonical

from .definition import Definition

__all__ = ["KeyRules"]

_FILTER: Final = "INLINE_FILTER"  # an attribute of a vector index that searches are narrowed by
_LIMITS: Final = {"HASH": PARTITION_KEY_BYTES, "RANGE": SORT_KEY_BYTES}
_CALLED: Final = {"HASH": "partition key", "RANGE": "sort key", _FILTER: "filter attribute"}


@dataclass(frozen=True, slots=True)
class _Rule:
    """An attribute that is part of a key: of the table, where `index` is empty, or of an index."""

    name: str
    type: str
    role: str
    index: str
    part: str

    @property
    def called(self) -> str:
        """What messages call it."""
        return f"the {self.part} of {f'index {quote(self.index)}' if self.index else 'the table'}"


class KeyRules:
    """What the keys of a table ask of its items.

    Example:
        >>> rules = KeyRules(Definition.of_keys("orders", {"id": "S", "at": "N"}))
        >>> rules.key({"id": {"S": "a"}, "at": {"N": "1.0"}}, "line 1")
        ('a', '1')
    """

    def __init__(self, definition: Definition) -> None:
        rules = list(_rules(definition))
        self._table = [rule for rule in rules if not rule.index]
        self._indexes = [rule for rule in rules if rule.index]

    def key(self, item: WireItem, where: str) -> tuple[str, ...]:
        """What tells an item from all others in its table; an item that does not fit is refused."""
        for rule in self._indexes:
            value = item.get(rule.name)
            if value is not None:
                _check(rule, value, where)
        return tuple(self._part(rule, item, where) for rule in self._table)

    def _part(self, rule: _Rule, item: WireItem, where: str) -> str:
        value = item.get(rule.name)
        if value is None:
            has = ", ".join(list(item)[:10]) or "no attributes"
            _refuse(
                f"{where}: the item has no {quote(rule.name)}, which is {rule.called}.",
                f"It has: {has}.",
                "add it to the item, or import into a table with other keys.",
            )
        _check(rule, value, where)
        text: str = value[rule.type]
        return canonical(text) if rule.type == "N" else text


def _rules(definition: Definition) -> Iterator[_Rule]:
    create, types = definition.create, definition.types
    schemas: list[tuple[str, list[dict[str, Any]]]] = [("", create["KeySchema"])]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        schemas += [(index["IndexName"], index["KeySchema"]) for index in create.get(member) or ()]
    for member in create.get("VectorIndexes") or ():
        schemas.append((member["IndexName"], member.get("SearchSchema") or []))
    for index, schema in schemas:
        for each in schema:
            name = each["AttributeName"]
            role = each.get("KeyType") or each["SearchSchemaElementType"]
            yield _Rule(name, types[name], role, index, _CALLED[role])


def _check(rule: _Rule, value: Wire, where: str) -> None:
    (found,) = value
    if found != rule.type:
        _refuse(
            f"{where}: {quote(rule.name)} is {quote(value)}, of type {found}; it is {rule.called}.",
            f"There it is of type {rule.type}.",
            "write it in that type, or import into a table with other keys.",
        )
    if rule.role == _FILTER:
        return
    if not value[found]:
        _refuse(
            f"{where}: {quote(rule.name)} is empty; it is {rule.called}.",
            "The attributes of a key hold at least one byte.",
            "give it a value, or leave it out where only an index is made of it.",
        )
    size = _size(value[found], found)
    if size > _LIMITS[rule.role]:
        _refuse(
            f"{where}: {quote(rule.name)} has {size:,} bytes; it is {rule.called}.",
            f"A {rule.part} has at most {_LIMITS[rule.role]:,} bytes.",
            "shorten it.",
        )


def _size(content: str, kind: str) -> int:
    if kind == "B":
        return len(b64decode(content))
    return len(content) if kind == "N" or content.isascii() else len(content.encode())


def _refuse(problem: str, expected: str, fix: str) -> NoReturn:
    raise FileProblem("import-item", problem, expected=expected, fix=fix)
