"""Runs queries by region from a cache: it reads only the cells that no earlier query has read."""

# Annotations are evaluated here, also those of the example's class, which names that are not in this module.
from asyncio import wrap_future
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future
from time import monotonic
from typing import Any, Final, overload

from pksk.cells import CellPlan, CellRange, Cover, plan_queries
from pksk.expressions import describe
from pksk.geo.cache import CacheUse, Fetched, RangeCache, estimated_bytes, read_steps, wait_in_thread
from pksk.model.fields.field_conditions import condition_on_attributes
from pksk.model.requests.geo_query import GeoQuery
from pksk.sending import Core, Steps
from pksk.store import AsyncStore, Store
from pksk.store.arguments import M, UnreadableItems, check_request_kind
from pksk.store.reads.cell_rows import CellRow, CellRows, known_statistics
from pksk.store.requests.geo_query import GeoReader, read_all
from pksk.store.run_steps import run_steps
from pksk.values import WireItem

_DEFAULT_BYTES: Final = 64_000_000
# What a row takes beside its item.
_ROW_BYTES: Final = 300


class GeoCache:
    """Answers queries by region from what earlier ones have read, and reads only the cells that are missing.

    Results are those of `db.run`, as old as `ttl_seconds` allows: one number, or one for each level of cells, where a
    level without one is not kept. Those that were not used for the longest time go where there is no more room. Many
    threads or tasks can share a cache; cells that two of them miss at the same time are read once.

    Example:
        >>> from typing import Annotated
        >>> from pksk import Entity, Key, Table, connect
        >>> from pksk.cells import Box, CellLevel
        >>> def design():
        ...     class Place(Entity, table=Table("places")):
        ...         id: str
        ...         cell: Annotated[str, CellLevel(6)]
        ...         primary = Key("PLACE#{cell[:-3]}", "{cell[-3:]}#{id}")
        ...     return Place
        >>> Place = design()
        >>> db = connect("memory:")
        >>> db.create_tables(Place.__pksk__.table)
        >>> stored = db.put(Place(id="1", cell="gcpvj0"))
        >>> cache = GeoCache(ttl_seconds=60)
        >>> for _ in range(2):
        ...     with db.meter() as meter:
        ...         found = cache.run(db, Place.primary.inside(Box(51.5, -0.13, 51.52, -0.09)))
        ...     print(len(found), meter.calls)
        1 1
        1 0
    """

    def __init__(
        self,
        *,
        ttl_seconds: float | Mapping[int, float],
        max_bytes: int = _DEFAULT_BYTES,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._cells: RangeCache[CellRow] = RangeCache(
            lambda row: row.cell,
            ttl_seconds=ttl_seconds,
            max_bytes=max_bytes,
            size_of=lambda row: _ROW_BYTES + estimated_bytes(row.item),
            clock=clock,
        )

    @overload
    def run(self, db: Store, query: GeoQuery[M], *, unreadable: UnreadableItems = None) -> list[M]: ...
    @overload
    def run(
        self, db: AsyncStore, query: GeoQuery[M], *, unreadable: UnreadableItems = None
    ) -> Awaitable[list[M]]: ...
    def run(
        self, db: Store | AsyncStore, query: GeoQuery[M], *, unreadable: UnreadableItems = None
    ) -> list[M] | Awaitable[list[M]]:
        """What `db.run(query)` returns; an asynchronous store returns an awaitable of it.

        With a limit, it reads the whole region all the same. Where a query reads whole items that an index does not
        hold, these are read each time.
        """
        check_request_kind("GeoCache.run", query, "GeoQuery")
        wait = wait_in_thread if isinstance(db, Store) else wrap_future
        identity = (db.client, *_identity(query))

        def steps(core: Core) -> Steps[list[M]]:
            return read_all(_CachedReader(core, query, unreadable, self._cells, identity, wait))

        return run_steps(db, steps)

    def invalidate(self, cell: str) -> None:
        """Forget a cell, as an item in it has changed; what is being read of it at this moment is not kept either."""
        self._cells.invalidate_everywhere(cell)

    def clear(self) -> None:
        """Forget everything."""
        self._cells.clear()

    @property
    def use(self) -> CacheUse:
        """What was answered so far, and what the cache holds now."""
        return self._cells.use


def _identity(query: GeoQuery[Any]) -> tuple[Any, ...]:
    """What decides which rows a range of cells has, apart from the store."""
    condition = query.condition
    attributes = query.entity.__pksk__
    return (
        query.entity,
        query.key,
        repr(sorted(query.parts.items())),
        "" if condition is None else describe(condition_on_attributes(attributes, condition)),
        query.consistent,
        query.model,
        query.whole_items,
    )


class _CachedReader(GeoReader[M]):
    """A reader whose rows come from a cache as far as possible."""

    def __init__(
        self,
        core: Core,
        query: GeoQuery[M],
        unreadable: UnreadableItems,
        cells: RangeCache[CellRow],
        identity: Hashable,
        wait: Callable[[Future[Any]], object],
    ) -> None:
        super().__init__(core, query, unreadable, ahead=core.max_parallel)
        self._cells, self._identity, self._wait = cells, identity, wait

    def rows_of(self, plan: CellPlan, start: WireItem | None, most: int | None) -> "_CachedRows":
        """The rows of the cells that a plan is made for."""
        wanted = plan.cover.key_ranges()
        return _CachedRows(
            plan.cover.ranges,
            read_steps(
                self._cells, wanted, lambda some: self._fetch(plan.cover, some), self._wait, self._identity
            ),
        )

    def _fetch(self, cover: Cover, ranges: Sequence[CellRange]) -> Steps[Fetched[CellRow]]:
        """Read the rows of missing ranges, by the queries that cost the least for these."""
        query, curve = self._query, cover.curve
        numbers = sorted(
            (
                range(curve.number(prefix + first), curve.number(prefix + last) + 1)
                for prefix, first, last in ranges
            ),
            key=lambda each: each.start,
        )
        missing = Cover(cover.level, tuple(numbers), cover.suffix, curve)
        plan = plan_queries(missing, known_statistics(self._core, query, missing), cost=query.cost)
        reading = CellRows(self._core, query, plan, ahead=self._ahead)
        rows: list[CellRow] = []
        while (some := (yield from reading.batch())) is not None:
            rows += some
        return Fetched(rows, [cover.key_range(each) for each in reading.read if each])


class _CachedRows:
    """The rows of some cells, in one batch."""

    def __init__(self, read: Sequence[range], rows: Steps[list[CellRow]]) -> None:
        self.read, self._rows = read, rows
        self.is_finished = False

    def batch(self) -> Steps[list[CellRow] | None]:
        """All rows at once; None at the end."""
        if self.is_finished:
            return None
        self.is_finished = True
        return (yield from self._rows) or None
