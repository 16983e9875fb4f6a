"""Meters: the capacity that reads and writes consumed within a block, by entity and access pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from pksk.capacity import Charge, Cost
from pksk.dataclass import dataclass
from pksk.store.hooks import RequestFinished, RequestStarted, entity_names

if TYPE_CHECKING:
    from pksk.model.requests.request import Request


@dataclass
class MeterRow:
    """One line of a meter: the reads or writes of one kind, of the same entities, made by the same access pattern.

    `uses` counts reads and writes as a program makes them, `calls` the requests that these took, retries included.
    `estimate` is what the uses were likely to cost together; None where that cannot be told.

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
        """The access pattern, or the kind and entities where there is none; tables themselves have neither."""
        return self.pattern or f"{self.kind} {', '.join(self.entities)}".strip() or "tables"

    def data(self) -> dict[str, Any]:
        """The row as JSON can hold it."""
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
    """What was consumed while it was open; `print` it, or take `rows`, `consumed_capacity` and `data()`.

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
        self._rows: dict[tuple[Any, ...], MeterRow] = {}
        self._estimates: dict[tuple[Any, ...], Cost | None] = {}
        self._lock = Lock()

    @property
    def rows(self) -> list[MeterRow]:
        """A row for each kind of read or write, in the order in which they were first made."""
        with self._lock:
            return list(self._rows.values())

    @property
    def consumed(self) -> Cost:
        """What all of them consumed together."""
        return sum((row.consumed for row in self.rows), Cost())

    @property
    def calls(self) -> int:
        """How many requests were sent."""
        return sum(row.calls for row in self.rows)

    def data(self) -> list[dict[str, Any]]:
        """The rows as JSON can hold them."""
        return [row.data() for row in self.rows]

    def used(self, about: Request) -> None:
        """Count a read or write, and what it was likely to cost."""
        key = _row_key(about)
        estimate = self._estimate(key, about)
        with self._lock:
            row = self._row(key)
            row.uses += 1
            row.estimate = None if row.estimate is None or estimate is None else row.estimate + estimate

    def note(self, sending: RequestStarted, done: RequestFinished) -> None:
        """Count one request that was sent."""
        cost = consumed_capacity(sending.operation, done.answer) if done.answer else Cost()
        with self._lock:
            row = self._row(_row_key(sending.about))
            row.calls += 1
            row.failed += done.error is not None
            row.seconds += done.seconds
            row.consumed += cost

    def _row(self, key: tuple[Any, ...]) -> MeterRow:
        return self._rows.setdefault(key, MeterRow(*key))

    def _estimate(self, key: tuple[Any, ...], about: Request) -> Cost | None:
        # The same for all uses of a pattern, and for kinds whose cost depends on the entity alone.
        pattern = about.pattern
        if pattern is None and not about.same_cost_per_entity:
            return _estimate_cost(about)
        known = (*key, pattern.options.items if pattern else None)
        if known not in self._estimates:
            self._estimates[known] = _estimate_cost(about)
        return self._estimates[known]

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
        cell.rjust(width) if 0 < place < 3 else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([name, uses, calls, *rest]).rstrip()


def _row_key(about: Request | None) -> tuple[Any, ...]:
    if about is None:
        return (), None, ""
    return entity_names(about), about.pattern.name if about.pattern is not None else None, about.kind


def _estimate_cost(about: Request) -> Cost | None:
    from pksk.errors import PkskError
    from pksk.model.requests.estimate import estimate

    try:
        return estimate([about], about.pattern.options if about.pattern is not None else None).cost
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
        # Mostly there is none at all, which is quicker to tell than whether there is one here.
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

    def used(self, about: Request) -> None:
        """Count a read or write in all that are open."""
        for meter in (*self._here.get(), *self._everywhere):
            meter.used(about)

    def note(self, sending: RequestStarted, done: RequestFinished) -> None:
        """Count a request in all that are open."""
        for meter in (*self._here.get(), *self._everywhere):
            meter.note(sending, done)


_READS: Final = frozenset(("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"))
_INDEXES: Final = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")


def consumed_capacity(operation: str, answer: Mapping[str, Any]) -> Cost:
    """What the answer to an operation says that it consumed, by table and index.

    Example:
        >>> answer = {"ConsumedCapacity": {"TableName": "shop", "CapacityUnits": 1.5}}
        >>> print(consumed_capacity("Query", answer))
        1.5 read units
    """
    told = answer.get("ConsumedCapacity") or []
    tables = [told] if isinstance(told, Mapping) else told
    return Cost(charge for table in tables if "TableName" in table for charge in _charges(operation, table))


def _charges(operation: str, table: Mapping[str, Any]) -> Iterator[Charge]:
    # An ARN may stand for a name.
    name = table["TableName"].rpartition("/")[2]
    indexes = [(index, arm) for member in _INDEXES for index, arm in table.get(member, {}).items()]
    own = table.get("Table")
    if own is None:
        # Only the sum was told: it is the table's, as far as anybody knows.
        own, indexes = table, []
    for index, arm in [(None, own), *indexes]:
        yield _charge(operation, name, index, arm)


def _charge(operation: str, table: str, index: str | None, arm: Mapping[str, Any]) -> Charge:
    if "ReadCapacityUnits" in arm or "WriteCapacityUnits" in arm:
        read, write = arm.get("ReadCapacityUnits", 0.0), arm.get("WriteCapacityUnits", 0.0)
        return Charge(table, index, read, write)
    units = arm.get("CapacityUnits", 0.0)
    return Charge(table, index, read=units) if operation in _READS else Charge(table, index, write=units)
