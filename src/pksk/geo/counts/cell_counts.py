"""Declares which fields of cells are computed, and computes, verifies and repairs them on a store."""

# Annotations are evaluated here, also those of the example's class, which names that are not in this module.
from collections.abc import Awaitable, Callable
from typing import Any, overload

from pksk.geo.counts.check_counts import Fields, make_plan
from pksk.geo.counts.recompute import recompute
from pksk.geo.counts.verification import CountReport, verify
from pksk.model import Entity
from pksk.model.changes import Change
from pksk.sending import Core, Steps
from pksk.store import AsyncStore, Store
from pksk.store.run_steps import run_steps


class CellCounts:
    """Counts in cells of several sizes: a larger cell has the sums, least and greatest values of the cells in it.

    `entity` has a key with one field that is a cell, and a `Version`. The fields that `add` names are sums, those of
    `minimum` and `maximum` the least and the greatest value. Its smallest cells are written by the program. Or they
    follow from items: `of` is their entity, `count` the field with their number, and a dict names fields of the cell
    with those of the items, as in `add={"total": "amount"}`.

    A cell is computed from its children, never increased, so changes that are delivered twice do no harm.

    Example:
        >>> from typing import Annotated
        >>> from pksk import Entity, Key, Table, Version, connect
        >>> from pksk.cells import CellLevel
        >>> heat = Table("heat", stream=True)
        >>> class Cell(Entity, table=heat):
        ...     cell: Annotated[str, CellLevel(3, 8)]
        ...     reports: int = 0
        ...     version: Annotated[int, Version()] = 0
        ...     primary = Key("CELL#{cell[:-3]}", "{cell[-3:]}")
        >>> counts = CellCounts(Cell, add="reports")
        >>> db = connect("memory:")
        >>> db.create_tables(heat)
        >>> stored = db.put(Cell(cell="gcpjfy6d", reports=3)), db.put(Cell(cell="gcpjfy6e", reports=2))
        >>> db.changes(Cell, consumer="counts").run(counts.handler(db), follow=False)
        >>> db.get(Cell, cell="gcp").reports, db.get(Cell, cell="gcpjfy6").reports
        (5, 5)
        >>> print(counts.verify(db))
        5 cells compared: 0 missing, 0 wrong, 0 extra
    """

    def __init__(
        self,
        entity: type[Entity],
        *,
        add: Fields = (),
        minimum: Fields = (),
        maximum: Fields = (),
        of: type[Entity] | None = None,
        count: str = "",
    ) -> None:
        fields: dict[Any, Fields] = {"count": count, "add": add, "minimum": minimum, "maximum": maximum}
        self._plan = make_plan(entity, of, fields)

    @property
    def entity(self) -> type[Entity]:
        """The entity of the cells."""
        return self._plan.entity

    @property
    def source(self) -> type[Entity]:
        """The entity whose changes are counted: that of the items, or of the cells themselves."""
        return self._plan.source or self._plan.entity

    @overload
    def handler(self, db: Store) -> Callable[[list[Change[Any]]], None]: ...
    @overload
    def handler(self, db: AsyncStore) -> Callable[[list[Change[Any]]], Awaitable[None]]: ...
    def handler(
        self, db: Store | AsyncStore
    ) -> Callable[[list[Change[Any]]], None] | Callable[[list[Change[Any]]], Awaitable[None]]:
        """A handler of changes of `source`, which computes every cell that they affect once for each list."""
        plan = self._plan

        def steps(core: Core, changes: list[Change[Any]]) -> Steps[None]:
            yield from recompute(core, plan, plan.affected(changes))

        if isinstance(db, Store):
            return lambda changes: run_steps(db, lambda core: steps(core, changes))
        return lambda changes: run_steps(db, lambda core: steps(core, changes))

    @overload
    def verify(self, db: Store) -> CountReport: ...
    @overload
    def verify(self, db: AsyncStore) -> Awaitable[CountReport]: ...
    def verify(self, db: Store | AsyncStore) -> CountReport | Awaitable[CountReport]:
        """Compare every computed cell with what is in it.

        It scans the table, and reads each computed cell and its children consistently. What consumers have not yet
        processed is a difference; a cell that is written while it is compared is none.
        """
        return run_steps(db, lambda core: verify(core, self._plan, repair=False))

    @overload
    def repair(self, db: Store) -> CountReport: ...
    @overload
    def repair(self, db: AsyncStore) -> Awaitable[CountReport]: ...
    def repair(self, db: Store | AsyncStore) -> CountReport | Awaitable[CountReport]:
        """Verify, and compute the cells that differ and those around them.

        It also counts existing items for the first time. Consumers may run meanwhile. If it is interrupted, another
        call does what is left.
        """
        return run_steps(db, lambda core: verify(core, self._plan, repair=True))

    def __repr__(self) -> str:
        return f"CellCounts({self._plan.entity.__name__})"
