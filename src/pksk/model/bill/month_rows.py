"""The rows of a monthly bill, and what they are made of: uses of patterns, stored bytes, known prices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from pksk.capacity import Charge, Cost, Money, Prices, Tariff, stored_size
from pksk.dataclass import dataclass
from pksk.errors import FileError
from pksk.model.cost.item_sizes import ItemSizes, may_hold
from pksk.model.cost.tally import IndexUse, Side
from pksk.model.declaration import Declaration
from pksk.model.requests.costs import Estimate, estimate
from pksk.model.requests.request import Request
from pksk.schema import Index, Provisioned, Table

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.patterns.pattern import Pattern


_SIDES: dict[object, tuple[Side, ...]] = {True: ("read",), False: ("write",)}


@dataclass(frozen=True)
class PatternUse:
    """One pattern, with its example call, the estimate of a call, and its rate."""

    pattern: Pattern
    requests: tuple[Request, ...]
    problem: str
    estimate: Estimate
    rate: float | None

    @cached_property
    def per_second(self) -> Cost | None:
        """The units per second; None if unknown."""
        if self.rate is None or self.estimate.cost is None:
            return None
        return self.estimate.cost * self.rate

    def written(self, table: str, index: str) -> float:
        """The known bytes written to a vector index per second."""
        vectors = self.estimate.vectors if self.rate is not None else ()
        here = (each.size_bytes for each in vectors if (each.table, each.index) == (table, index))
        return sum(here) * (self.rate or 0.0)

    @property
    def lacks(self) -> tuple[str, ...]:
        """The missing inputs for the cost of the pattern."""
        rate = () if self.rate is not None else ("its rate (rate=)",)
        return (*rate, *((self.problem,) if self.problem else self.estimate.missing))


def pattern_uses(tables: Sequence[Table]) -> list[PatternUse]:
    """The use of every pattern of these tables, each pattern once."""
    patterns: dict[int, Pattern] = {id(each): each for table in tables for each in table.patterns}
    return [pattern_use(pattern) for pattern in patterns.values()]


def pattern_use(pattern: Pattern) -> PatternUse:
    """The use of one pattern."""
    outcome = pattern.outcome()
    likely = Estimate(None) if outcome.problem else estimate(outcome.requests, pattern.options)
    rate = pattern.options.calls_per_second(pattern.name)
    return PatternUse(pattern, outcome.requests, outcome.problem, likely, rate)


def unknown_index_uses(tables: Sequence[Table], uses: Iterable[PatternUse]) -> set[IndexUse]:
    """The tables and indexes whose reads or writes are only partly known."""
    unknown: set[IndexUse] = set()
    for table in tables:
        if not table.patterns:
            unknown |= _every_index_use(table, ("read", "write"))
    for use in uses:
        if use.per_second is None:
            unknown |= use.estimate.touched or _possible_index_uses(tables, use.pattern)
    return unknown


def _possible_index_uses(tables: Sequence[Table], pattern: Pattern) -> set[IndexUse]:
    """What a pattern without a known call may read or write."""
    # Only its requests show whether a batch or transaction reads.
    sides = _SIDES.get(pattern.return_type.request_class.reads, ("read", "write"))
    ours = [table for table in tables if any(pattern is each for each in table.patterns)]
    return set().union(*(_every_index_use(table, sides) for table in ours))


def _every_index_use(table: Table, sides: Iterable[Side]) -> set[IndexUse]:
    names = [None, *(index.name for index in table.indexes)]
    return {(table.name, name, side) for name in names for side in sides}


@dataclass(frozen=True)
class PatternMonth:
    """One access pattern: its rate as declared, the cost of a call, and the cost of a month of calls on demand.

    `provisioned` means that it uses capacity that is paid by the hour. If something is `missing`, the cost is the
    known part.
    """

    name: str
    kind: str
    rate: str | None
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
            "rate": self.rate,
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


def declared_sizes(uses: Iterable[PatternUse]) -> DeclaredSizes:
    """The largest `item_size` that patterns about one entity declare."""
    sizes: dict[type, tuple[int, str]] = {}
    for use in uses:
        size, entities = use.pattern.options.item_size, _entities(use)
        if size is None or len(entities) != 1:
            continue
        (entity,) = entities
        if entity not in sizes or size > sizes[entity][0]:
            sizes[entity] = size, use.pattern.name
    return sizes


def _entities(use: PatternUse) -> set[type[Entity]]:
    """The entities of a pattern; without requests, the entity that declares it."""
    requested = {entity for each in use.requests for entity in each.entities}
    return requested or ({use.pattern.entity} if use.pattern.entity else set())


def stored_bytes(table: Table, index: str | None, sizes: DeclaredSizes) -> StoredBytes:
    """The bytes of all entities in a table or index, with DynamoDB's 100 bytes for each item."""
    holder = table.index(index)
    stored = [each for each in table.entities if may_hold(holder, each)]
    if not table.entities:
        return StoredBytes(None, missing=(f"{table.name}: its storage, as it has no entity",))
    total = 0.0
    assumptions: list[str] = []
    missing: list[str] = []
    for declaration in stored:
        size = _item_sizes(declaration, sizes)
        entry = size.entry(holder)
        count = declaration.item_count
        if count is None:
            missing.append(f"{declaration.name}: how many items there are (items=)")
        elif entry is None:
            missing.append(f"{declaration.name}: how large its items are (item_size= of a pattern)")
        else:
            total += stored_size(count, entry)
            assumptions.append(f"{size.assumption}, and {count:,} of them")
            assumptions += filter(None, [size.entry_assumption(holder), _vector_size_note(holder)])
    known = len(missing) < len(stored) or not stored
    return StoredBytes(round(total) if known else None, tuple(assumptions), tuple(missing))


def _vector_size_note(index: Index) -> str:
    if index.kind != "vector":
        return ""
    return f"{index.name!r} is estimated to store as many bytes as are written; AWS does not say how large the index is"


def _item_sizes(declaration: Declaration, sizes: DeclaredSizes) -> ItemSizes:
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
    tariff = prices.region(region).tariffs.get(table_class)
    return tariff or Tariff(prices.file, region, table_class, prices.currency, prices.as_of, {}, {})
