"""The rows of a monthly bill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, TypeAlias

from pksk.capacity import Charge, Money, Prices, Tariff, stored_size
from pksk.dataclass import dataclass
from pksk.errors import FileError
from pksk.model.cost.item_sizes import ItemSizes, may_hold
from pksk.model.requests.estimate import Estimate
from pksk.schema import Index, Provisioned, Table


@dataclass(frozen=True)
class PatternMonth:
    """One access pattern: its rate, the cost of a call, and the cost of a month of calls on demand.

    `provisioned` means that it uses capacity that is paid by the hour. If something is `missing`, the cost is the
    known part.
    """

    name: str
    kind: str
    calls_per_second: float | None
    estimate: Estimate
    money: Money | None
    problem: str = ""
    provisioned: bool = False
    missing: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        """The row as JSON can hold it."""
        return {
            "name": self.name,
            "kind": self.kind,
            "calls_per_second": self.calls_per_second,
            "estimate": self.estimate.data(),
            "month": self.money.data() if self.money else None,
            "provisioned": self.provisioned,
            "problem": self.problem,
            "missing": list(self.missing),
        }


@dataclass(frozen=True)
class IndexMonth:
    """One table or index: the capacity that all patterns consume, the stored bytes, and the cost of both.

    `at_least` names incomplete figures; an unknown figure is None. `used` is the part of the `provisioned` capacity in
    use; a local index uses the capacity of its table (`shared`). A vector index is billed by the bytes written,
    `written_per_second`, and has no units.
    """

    table: str
    index: str | None
    read_per_second: float | None
    write_per_second: float | None
    requests: Money | None
    stored: StoredBytes
    storage: Money | None
    recovery: Money | None
    provisioned: Provisioned | None = None
    used: Charge | None = None
    shared: bool = False
    written_per_second: float | None = None
    at_least: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The table, or the table and its index."""
        return f"{self.table}/{self.index}" if self.index else self.table

    def data(self) -> dict[str, Any]:
        """The row as JSON can hold it."""
        written = {} if self.written_per_second is None else {"written_per_second": self.written_per_second}
        return written | {
            "table": self.table,
            "index": self.index,
            "read_per_second": self.read_per_second,
            "write_per_second": self.write_per_second,
            "requests": self.requests.data() if self.requests else None,
            "stored_bytes": self.stored.size,
            "storage": self.storage.data() if self.storage else None,
            "point_in_time_recovery": self.recovery.data() if self.recovery else None,
            "provisioned": vars(self.provisioned) if self.provisioned else None,
            "used": {"read": self.used.read, "write": self.used.write} if self.used else None,
            "uses_capacity_of_table": self.shared,
            "at_least": sorted(self.at_least),
        }


# For an entity, the size of its items and the pattern that declares it.
DeclaredSizes: TypeAlias = Mapping[type, tuple[int, str]]


@dataclass(frozen=True)
class StoredBytes:
    """The known bytes in a table or index; None if none are known."""

    size: int | None
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def declared_sizes(patterns: Iterable[tuple[Any, Iterable[Any]]]) -> DeclaredSizes:
    """The largest `item_size` that patterns about one entity declare, from patterns with their requests."""
    found: dict[type, tuple[int, str]] = {}
    for pattern, requests in patterns:
        size, entities = pattern.options.item_size, _entities(pattern, requests)
        if size is None or len(entities) != 1:
            continue
        (entity,) = entities
        if entity not in found or size > found[entity][0]:
            found[entity] = size, pattern.name
    return found


def _entities(pattern: Any, requests: Iterable[Any]) -> set[type]:
    """The entities of a pattern; without requests, the entity that declares it."""
    single = [member for each in requests for member in getattr(each, "members", (each,))]
    found = {entity for each in single for entity in getattr(each, "entities", None) or (each.entity,)}
    return found or ({pattern.entity} if pattern.entity else set())


def stored_bytes(table: Table, index: str | None, sizes: DeclaredSizes) -> StoredBytes:
    """The bytes of all entities in a table or index, with DynamoDB's 100 bytes for each item."""
    place = table.index(index)
    there = [each for each in table.entities if may_hold(place, each)]
    if not table.entities:
        return StoredBytes(None, missing=(f"{table.name}: its storage, as it has no entity",))
    total = 0.0
    assumptions: list[str] = []
    missing: list[str] = []
    for declaration in there:
        size = _item_sizes(declaration, sizes)
        entry = size.entry(place)
        if declaration.items is None:
            missing.append(f"{declaration.name}: how many items there are (items=)")
        elif entry is None:
            missing.append(f"{declaration.name}: how large its items are (item_size= of a pattern)")
        else:
            total += stored_size(declaration.items, entry)
            assumptions.append(f"{size.assumption}, and {declaration.items:,} of them")
            assumptions += filter(None, [size.entry_assumption(place), _vector_size_note(place)])
    known = len(missing) < len(there) or not there
    return StoredBytes(round(total) if known else None, tuple(assumptions), tuple(missing))


def _vector_size_note(index: Index) -> str:
    if index.kind != "vector":
        return ""
    return f"{index.name!r} is estimated to store as many bytes as are written; AWS does not say how large the index is"


def _item_sizes(declaration: Any, sizes: DeclaredSizes) -> ItemSizes:
    size, pattern = sizes.get(declaration.entity, (None, ""))
    return ItemSizes(declaration, size, f"as declared by {pattern}")


@dataclass(frozen=True)
class KnownMoney:
    """The sum of known prices; None if none is known."""

    money: Money | None
    missing: tuple[str, ...] = ()


def known_money(*parts: Callable[[], Money]) -> KnownMoney:
    """The sum of the parts with known prices, and the missing prices."""
    known: list[Money] = []
    missing: list[str] = []
    for part in parts:
        try:
            known.append(part())
        except FileError as error:
            if error.code != "prices-missing":
                raise
            missing.append(error.problem.rstrip("."))
    return KnownMoney(reduce(Money.__add__, known) if known else None, tuple(missing))


def tariff_of(prices: Prices, region: str, table_class: str) -> Tariff:
    """The prices of a table class; a region without the class has none."""
    found = prices.region(region).tariffs.get(table_class)
    return found or Tariff(prices.file, region, table_class, prices.currency, prices.as_of, {}, {})
