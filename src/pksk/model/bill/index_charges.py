"""Makes the rows of a bill for tables and indexes: requests, storage and capacity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from pksk.capacity import Charge, Cost, Money, Tariff, money
from pksk.dataclass import dataclass
from pksk.model.bill import month_rows
from pksk.model.bill.month_rows import IndexMonth, KnownMoney, StoredBytes, known_money
from pksk.model.cost.tally import IndexUse
from pksk.schema import GSI, Index, OnDemand, Provisioned, Table

_SECONDS_PER_MONTH = money.HOURS_PER_MONTH * 3600


def provisioned_capacity(table: Table, index: str | None) -> Provisioned | None:
    """The provisioned capacity that a table or an index uses; a local index uses that of its table."""
    used_index = table.index(index)
    billing = table.billing_of(used_index) if isinstance(used_index, GSI) else table.billing
    return billing if isinstance(billing, Provisioned) and used_index.kind != "vector" else None


@dataclass(frozen=True)
class IndexCharges:
    """The inputs for the rows of one table."""

    table: Table
    tariff: Tariff
    uses: Sequence[month_rows.PatternUse]
    unknown: set[IndexUse]
    sizes: month_rows.DeclaredSizes

    def rows(self) -> list[tuple[IndexMonth, tuple[str, ...]]]:
        """A row for the table and for each index, with missing prices."""
        return [self._row(self.table.primary), *map(self._row, self.table.indexes)]

    def _row(self, index: Index) -> tuple[IndexMonth, tuple[str, ...]]:
        stored = month_rows.stored_bytes(self.table, index.name, self.sizes)
        units, capacity = self._units(index.name), provisioned_capacity(self.table, index.name)
        shared = capacity is not None and index.kind == "lsi"
        requests, storage = self._requests(index, capacity, units), self._storage(stored)
        vector = index.kind == "vector"
        at_least = self._at_least(index, capacity, requests, storage, stored)
        row = IndexMonth(
            self.table.name,
            index.name,
            _known_units(units.read, "read_per_second" in at_least),
            _known_units(units.write, "write_per_second" in at_least),
            requests.money if _is_meaningful("requests", at_least, requests) else None,
            stored,
            storage.money,
            self._recovery(index, stored),
            None if shared else capacity,
            self._used(index, units) if index.kind in ("table", "gsi") else None,
            shared,
            self._written(index) if vector else None,
            at_least,
        )
        return row, (*requests.missing, *storage.missing)

    @cached_property
    def _total(self) -> Cost:
        costs = (use.per_second for use in self.uses if use.per_second is not None)
        return Cost(charge for cost in costs for charge in cost.charges if charge.table == self.table.name)

    def _units(self, index: str | None) -> Charge:
        return self._total.charge_of(self.table.name, index)

    def _used(self, index: Index, units: Charge) -> Charge:
        """The used capacity; that of a table includes its local indexes."""
        local = [each.name for each in self.table.indexes if each.kind == "lsi"] if not index.name else []
        every = [units, *map(self._units, local)]
        return Charge(self.table.name, index.name, sum(e.read for e in every), sum(e.write for e in every))

    def _written(self, index: Index) -> float:
        return sum(use.written(self.table.name, str(index.name)) for use in self.uses)

    def _requests(self, index: Index, capacity: Provisioned | None, units: Charge) -> KnownMoney:
        if index.kind == "vector":
            size = self._written(index) * _SECONDS_PER_MONTH
            return known_money(partial(money.gigabyte_cost, self.tariff, "vector_write_gb", size))
        if capacity is None:
            return known_money(
                partial(money.on_demand_month, self.tariff, read=units.read),
                partial(money.on_demand_month, self.tariff, write=units.write),
            )
        if index.kind == "lsi":
            return KnownMoney(None)
        return known_money(
            partial(money.provisioned_month, self.tariff, read=capacity.read),
            partial(money.provisioned_month, self.tariff, write=capacity.write),
        )

    def _storage(self, stored: StoredBytes) -> KnownMoney:
        if stored.size is None:
            return KnownMoney(None)
        return known_money(partial(money.storage_month, self.tariff, stored.size))

    def _recovery(self, index: Index, stored: StoredBytes) -> Money | None:
        if index.name is not None or stored.size is None:
            return None
        return known_money(partial(money.gigabyte_cost, self.tariff, "recovery_gb_month", stored.size)).money

    def _at_least(
        self,
        index: Index,
        capacity: Provisioned | None,
        requests: KnownMoney,
        storage: KnownMoney,
        stored: StoredBytes,
    ) -> frozenset[str]:
        """The names of incomplete figures."""
        vector = index.kind == "vector"
        reads, writes = ((self.table.name, index.name, side) in self.unknown for side in ("read", "write"))
        incomplete = {
            # A vector search has no units, and its bytes are unknown in advance.
            "read_per_second": reads or vector,
            "write_per_second": writes and not vector,
            "written_per_second": writes and vector,
            "requests": (capacity is None and (reads or writes or vector)) or bool(requests.missing),
            "stored_bytes": bool(stored.missing),
            "storage": bool(stored.missing or storage.missing),
        }
        return frozenset(name for name, missing in incomplete.items() if missing)


def _known_units(units: float, more: bool) -> float | None:
    """A number of units; None if no part of it is known."""
    return None if more and not units else units


def _is_meaningful(figure: str, at_least: frozenset[str], known: KnownMoney) -> bool:
    """Whether a sum has a known part, or nothing is missing from it."""
    return known.money is not None and (figure not in at_least or bool(known.money.amount))


def overuse_notes(row: IndexMonth, tables: Sequence[Table]) -> Iterator[str]:
    """A warning if declared calls use more capacity than is provisioned or allowed."""
    if row.used is None:
        return
    table = next(each for each in tables if each.name == row.table)
    index = table.index(row.index)
    billing = table.billing_of(index) if isinstance(index, GSI) else table.billing
    for side, used, most in (
        ("read", row.used.read, capacity_limit(billing, "read")),
        ("write", row.used.write, capacity_limit(billing, "write")),
    ):
        if most is not None and used > most:
            word = "provisioned" if isinstance(billing, Provisioned) else "allowed"
            yield (
                f"{row.name}: the declared calls use {used:,.6g} {side} units a second, and {most:,} are {word}; "
                "DynamoDB throttles requests above it"
            )


def capacity_limit(billing: Provisioned | OnDemand, side: str) -> int | None:
    """The units per second that billing provides for, or allows; None without a limit."""
    if isinstance(billing, Provisioned):
        return billing.read if side == "read" else billing.write
    return billing.max_read if side == "read" else billing.max_write
