"""Meters: the capacity that reads and writes consumed within a block, by entity and access pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from threading import Lock
from typing import Any, Final, TypeAlias

from pksk.capacity import Charge, Cost
from pksk.dataclass import dataclass
from pksk.errors import PkskError
from pksk.model.requests.request import Request
from pksk.sending.hooks import RequestFinished, RequestStarted, entity_names

# The entities, the access pattern and the kind of a request.
_RowKey: TypeAlias = "tuple[tuple[str, ...], str | None, str]"


@dataclass
class MeterRow:
    """One line of a meter: the reads or writes of one kind, of the same entities, by the same access pattern.

    `uses` counts reads and writes of the program, `calls` the calls to DynamoDB for them, retries included.
    `estimate` is the likely cost of all uses together; None if it is unknown.

    Example:
        >>> MeterRow(("Order",), None, "put").name, MeterRow(("Order",), "Order.of_day", "query").name
        ('put Order', 'Order.of_day')
    """

    entities: tuple[str, ...]
    pattern: str | None
    kind: str
    uses: int = 0
    calls: int = 0
    failed: int = 0
    seconds: float = 0.0
    consumed: Cost = field(default_factory=Cost)
    estimate: Cost | None = field(default_factory=Cost)

    @property
    def name(self) -> str:
        """The access pattern, or else the kind and entities; calls for tables have neither."""
        return self.pattern or f"{self.kind} {', '.join(self.entities)}".strip() or "tables"

    def data(self) -> dict[str, Any]:
        """The row in JSON types."""
        return {
            "entities": list(self.entities),
            "pattern": self.pattern,
            "kind": self.kind,
            "uses": self.uses,
            "calls": self.calls,
            "failed": self.failed,
            "seconds": self.seconds,
            "consumed": self.consumed.data(),
            "estimate": None if self.estimate is None else self.estimate.data(),
        }


class Meter:
    """The capacity that was consumed while it was open; `print` it, or use `rows`, `consumed` and `data()`.

    Example:
        >>> from pksk import Entity, Key, Table, connect
        >>> shop = Table("shop")
        >>> class Order(Entity, table=shop):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> with connect("memory:") as db:
        ...     db.create_tables(shop)
        ...     with db.meter() as meter:
        ...         order = db.put(Order(id="7"))
        ...         found = db.get(Order.primary.get(id="7"))
        >>> print(meter)
                   uses  calls  consumed        estimated
        put Order     1      1  1 write unit    1 write unit
        get Order     1      1  0.5 read units  0.5 read units
        >>> meter.consumed.read, meter.consumed.write
        (0.5, 1.0)
    """

    def __init__(self) -> None:
        self._rows: dict[_RowKey, MeterRow] = {}
        self._estimates: dict[tuple[object, ...], Cost | None] = {}
        self._lock = Lock()

    @property
    def rows(self) -> list[MeterRow]:
        """A row for each kind of read or write, in the order of their first use."""
        with self._lock:
            return list(self._rows.values())

    @property
    def consumed(self) -> Cost:
        """The capacity that all rows consumed together."""
        return sum((row.consumed for row in self.rows), Cost())

    @property
    def calls(self) -> int:
        """How many requests were sent."""
        return sum(row.calls for row in self.rows)

    def data(self) -> list[dict[str, Any]]:
        """The rows in JSON types."""
        return [row.data() for row in self.rows]

    def used(self, request: Request) -> None:
        """Count a read or write, and its likely cost."""
        key = _row_key(request)
        estimate = self._estimate(key, request)
        with self._lock:
            row = self._row(key)
            row.uses += 1
            row.estimate = None if row.estimate is None or estimate is None else row.estimate + estimate

    def note(self, started: RequestStarted, finished: RequestFinished) -> None:
        """Count one request that was sent."""
        cost = consumed_capacity(started.operation, finished.answer) if finished.answer else Cost()
        with self._lock:
            row = self._row(_row_key(started.request))
            row.calls += 1
            row.failed += finished.error is not None
            row.seconds += finished.seconds
            row.consumed += cost

    def _row(self, key: _RowKey) -> MeterRow:
        return self._rows.setdefault(key, MeterRow(*key))

    def _estimate(self, key: _RowKey, request: Request) -> Cost | None:
        # It is the same for all uses of a pattern, and for kinds whose cost depends only on the entity.
        pattern = request.pattern
        if pattern is None and not request.same_cost_per_entity:
            return _estimate_cost(request)
        estimate_key = (*key, pattern.options.items if pattern else None)
        if estimate_key not in self._estimates:
            self._estimates[estimate_key] = _estimate_cost(request)
        return self._estimates[estimate_key]

    def __str__(self) -> str:
        head = ("", "uses", "calls", "consumed", "estimated")
        lines = [
            (row.name, str(row.uses), str(row.calls), str(row.consumed), str(row.estimate or "unknown"))
            for row in self.rows
        ]
        widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
        return "\n".join(_line(each, widths) for each in (head, *lines)) if lines else "nothing was sent"


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    name, uses, calls, *rest = (
        cell.rjust(width) if 0 < column < 3 else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([name, uses, calls, *rest]).rstrip()


def _row_key(request: Request | None) -> _RowKey:
    if request is None:
        return (), None, ""
    return entity_names(request), request.pattern.name if request.pattern is not None else None, request.kind


def _estimate_cost(request: Request) -> Cost | None:
    from pksk.model.requests.costs import estimate

    try:
        return estimate([request], request.pattern.options if request.pattern is not None else None).cost
    except PkskError:
        return None


class Meters:
    """The meters that are open: of this thread or task, and of the whole store.

    Example:
        >>> meters = Meters()
        >>> with meters.open() as meter:
        ...     print(bool(meters), meter)
        True nothing was sent
        >>> bool(meters)
        False
    """

    def __init__(self) -> None:
        self._here: ContextVar[tuple[Meter, ...]] = ContextVar("pksk-meters", default=())
        self._everywhere: tuple[Meter, ...] = ()
        self._open = 0
        self._lock = Lock()

    def __bool__(self) -> bool:
        # Usually none is open, and checking that is faster than checking this context.
        return self._open > 0 and bool(self._everywhere or self._here.get())

    @contextmanager
    def open(self, *, everywhere: bool = False) -> Iterator[Meter]:
        """A block whose requests are metered: those of this thread or task, or all."""
        meter = Meter()
        self._add(meter, everywhere=everywhere)
        try:
            yield meter
        finally:
            self._remove(meter)

    def _add(self, meter: Meter, *, everywhere: bool) -> None:
        with self._lock:
            self._open += 1
            if everywhere:
                self._everywhere += (meter,)
        if not everywhere:
            self._here.set((*self._here.get(), meter))

    def _remove(self, meter: Meter) -> None:
        with self._lock:
            self._open -= 1
            self._everywhere = tuple(each for each in self._everywhere if each is not meter)
        # Not by a token: a generator may be closed in another context than it was begun in.
        self._here.set(tuple(each for each in self._here.get() if each is not meter))

    def used(self, request: Request) -> None:
        """Count a read or write in all that are open."""
        for meter in (*self._here.get(), *self._everywhere):
            meter.used(request)

    def note(self, started: RequestStarted, finished: RequestFinished) -> None:
        """Count a request in all that are open."""
        for meter in (*self._here.get(), *self._everywhere):
            meter.note(started, finished)


_READS: Final = frozenset(("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"))
_INDEXES: Final = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")


def consumed_capacity(operation: str, answer: Mapping[str, Any]) -> Cost:
    """The capacity that an operation consumed by its answer, for each table and index."""
    consumed = answer.get("ConsumedCapacity") or []
    tables = [consumed] if isinstance(consumed, Mapping) else consumed
    return Cost(charge for table in tables if "TableName" in table for charge in _charges(operation, table))


def _charges(operation: str, table: Mapping[str, Any]) -> Iterator[Charge]:
    # An ARN may stand for a name.
    name = table["TableName"].rpartition("/")[2]
    indexes = [(index, units) for member in _INDEXES for index, units in table.get(member, {}).items()]
    own = table.get("Table")
    if own is None:
        # Without details per index, all is counted for the table.
        own, indexes = table, []
    for index, units in [(None, own), *indexes]:
        yield _charge(operation, name, index, units)


def _charge(operation: str, table: str, index: str | None, consumed: Mapping[str, Any]) -> Charge:
    if "ReadCapacityUnits" in consumed or "WriteCapacityUnits" in consumed:
        read, write = consumed.get("ReadCapacityUnits", 0.0), consumed.get("WriteCapacityUnits", 0.0)
        return Charge(table, index, read, write)
    units = consumed.get("CapacityUnits", 0.0)
    return Charge(table, index, read=units) if operation in _READS else Charge(table, index, write=units)
