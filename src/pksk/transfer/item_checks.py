"""Checks items before an import writes them: keys, vectors, and what DynamoDB can store."""

from __future__ import annotations

from base64 import b64decode
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterator
from operator import index as as_index
from struct import pack
from typing import Any, Final, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import FileError, quote
from pksk.limits import ATTRIBUTE_NAME_BYTES, PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values import Wire, WireItem, canonical_number

from .table_definition import TableDefinition

_FILTER: Final = "INLINE_FILTER"  # a filter attribute of a vector index
_LIMITS: Final = {"HASH": PARTITION_KEY_BYTES, "RANGE": SORT_KEY_BYTES}
_ROLE_NAMES: Final = {"HASH": "partition key", "RANGE": "sort key", _FILTER: "filter attribute"}


@dataclass(frozen=True, slots=True)
class _KeyRule:
    """A key attribute of an index, or of the table if `index` is empty."""

    name: str
    type: str
    role: str
    index: str
    part: str

    @property
    def label(self) -> str:
        """The attribute in messages."""
        return f"the {self.part} of {f'index {quote(self.index)}' if self.index else 'the table'}"


class KeyRules:
    """Checks the keys of items."""

    def __init__(self, definition: TableDefinition) -> None:
        rules = list(_rules(definition))
        self._table = [rule for rule in rules if not rule.index]
        self._indexes = [rule for rule in rules if rule.index]

    def key(self, item: WireItem, where: str) -> tuple[str, ...]:
        """The key of an item; raises an error if the item does not fit the table."""
        for rule in self._indexes:
            value = item.get(rule.name)
            if value is not None:
                _check(rule, value, where)
        return tuple(self._part(rule, item, where) for rule in self._table)

    def _part(self, rule: _KeyRule, item: WireItem, where: str) -> str:
        value = item.get(rule.name)
        if value is None:
            has = ", ".join(list(item)[:10]) or "no attributes"
            _reject(
                f"{where}: the item has no {quote(rule.name)}, which is {rule.label}.",
                f"It has: {has}.",
                "add it to the item, or import into a table with other keys.",
            )
        _check(rule, value, where)
        text: str = value[rule.type]
        return canonical_number(text) if rule.type == "N" else text


def _rules(definition: TableDefinition) -> Iterator[_KeyRule]:
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
            yield _KeyRule(name, types[name], role, index, _ROLE_NAMES[role])


def _check(rule: _KeyRule, value: Wire, where: str) -> None:
    (kind,) = value
    if kind != rule.type:
        _reject(
            f"{where}: {quote(rule.name)} is {quote(value)}, of type {kind}; it is {rule.label}.",
            f"The key has type {rule.type}.",
            "write it in that type, or import into a table with other keys.",
        )
    if rule.role == _FILTER:
        return
    if not value[kind]:
        _reject(
            f"{where}: {quote(rule.name)} is empty; it is {rule.label}.",
            "A key attribute has at least one byte.",
            "write a value, or leave the attribute out if it is only the key of an index.",
        )
    size = _size(value[kind], kind)
    if size > _LIMITS[rule.role]:
        _reject(
            f"{where}: {quote(rule.name)} has {size:,} bytes; it is {rule.label}.",
            f"A {rule.part} has at most {_LIMITS[rule.role]:,} bytes.",
            "shorten it.",
        )


def _size(content: str, kind: str) -> int:
    if kind == "B":
        return len(b64decode(content))
    return len(content) if kind == "N" or content.isascii() else len(content.encode())


def _reject(problem: str, expected: str, fix: str) -> NoReturn:
    raise FileError("import-item", problem, expected=expected, fix=fix)


class VectorRules:
    """Checks the vectors of items."""

    def __init__(self, definition: TableDefinition) -> None:
        indexes = definition.create.get("VectorIndexes") or ()
        self._rules = [
            _VectorRule(
                index["VectorAttribute"]["AttributeName"], as_index(index["Dimensions"]), index["IndexName"]
            )
            for index in indexes
        ]

    def check(self, item: WireItem, where: str) -> None:
        """Raise an error for a vector that an index cannot store."""
        for rule in self._rules:
            value = item.get(rule.name)
            if value is not None:
                rule.check(value, where)


@dataclass(frozen=True, slots=True)
class _VectorRule:
    """The vector attribute of an index."""

    name: str
    dimensions: int
    index: str

    def check(self, value: Any, where: str) -> None:
        """Raise an error for a value that is not a vector of this index."""
        (kind,) = value
        if kind != "L":
            self._reject(f"is of type {kind}", where)
        elements = value["L"]
        if len(elements) != self.dimensions:
            self._reject(f"has {len(elements):,} elements", where)
        other = next((element for element in elements if "N" not in element), None)
        if other is not None:
            self._reject(f"holds {quote(other)}", where)
        try:
            pack(f"<{len(elements)}f", *[float(element["N"]) for element in elements])
        except OverflowError:
            self._reject("holds a number that is too large", where)

    def _reject(self, wrong: str, where: str) -> NoReturn:
        raise FileError(
            "import-item",
            f"{where}: {quote(self.name)} {wrong}; it is the vector of index {quote(self.index)}.",
            expected=f"A vector of the index is a list of {self.dimensions:,} numbers that fit 32-bit floats.",
            fix="correct it, or leave it out.",
        )


def storage_problem(item: WireItem) -> str | None:
    """What DynamoDB rejects in the names or binary values of an item with right types; None if nothing."""
    pending: list[Any] = [{"M": item}]
    while pending:
        ((kind, inner),) = pending.pop().items()
        if kind == "M":
            for name in inner:
                if len(name.encode()) > ATTRIBUTE_NAME_BYTES:
                    return f"the name {quote(name)} has more than {ATTRIBUTE_NAME_BYTES:,} bytes"
            pending += inner.values()
        elif kind == "L":
            pending += inner
        elif kind in ("B", "BS"):
            for text in [inner] if kind == "B" else inner:
                if not _is_canonical(text):
                    return f"{quote(text)} is base64 with unused bits that are not zero"
    return None


def _is_canonical(text: str) -> bool:
    """Whether base64 is written as DynamoDB writes it."""
    return not text.endswith("=") or b2a_base64(a2b_base64(text[-4:]), newline=False) == text[-4:].encode()
