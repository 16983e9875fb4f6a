"""What a declaration of counts means: the fields of cells, and what each of them is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pksk.dataclass import dataclass
from pksk.geo.counts.cell_tree import CellTree
from pksk.geo.counts.fold import Fold, Totals
from pksk.model import Entity
from pksk.model.changes import Change


class CellId(NamedTuple):
    """A cell among those of its scope: the values of the other fields of its key, in their order."""

    scope: tuple[Any, ...]
    cell: str


@dataclass(frozen=True)
class CountPlan:
    """The entity of cells, and how their fields are computed.

    `cell` is the field with the cell, `scope` are the other fields of the key. `source` is the entity of the items
    that are counted, with its own field for the cell; None if the smallest cells are written by others.
    """

    entity: type[Entity]
    cell: str
    scope: tuple[str, ...]
    tree: CellTree
    folds: tuple[Fold, ...]
    source: type[Entity] | None = None
    source_cell: str = ""

    @property
    def smallest(self) -> int:
        """The level of the smallest cells."""
        return self.tree.levels[-1]

    @property
    def computed(self) -> range:
        """The levels of the cells that are computed."""
        return self.tree.levels if self.source else self.tree.levels[:-1]

    @property
    def empty(self) -> dict[str, Any]:
        """The values of a cell with nothing in it."""
        return {fold.target: fold.default for fold in self.folds}

    def totals(self, level: int) -> Totals:
        """An accumulator for a cell of a level."""
        return Totals(self.folds, of_items=self.counts_items(level))

    def counts_items(self, level: int) -> bool:
        """Whether a cell of this level is computed from items, not from smaller cells."""
        return self.source is not None and level == self.smallest

    def level(self, cell: CellId) -> int:
        """The level of a cell."""
        return self.tree.level(cell.cell)

    def parent(self, cell: CellId) -> CellId:
        """The cell that contains a cell."""
        return CellId(cell.scope, self.tree.parent(cell.cell))

    def children(self, cell: CellId) -> Iterator[CellId]:
        """The cells in a cell."""
        return (CellId(cell.scope, each) for each in self.tree.children(cell.cell))

    def key_values(self, cell: CellId) -> dict[str, Any]:
        """The fields of the key of a cell."""
        return {**dict(zip(self.scope, cell.scope, strict=True)), self.cell: cell.cell}

    def of_entity(self, entity: Entity) -> CellId:
        """The cell that an item is, or in which a counted item is."""
        return self._of_values(entity.__dict__, isinstance(entity, self.entity))

    def affected(self, changes: Sequence[Change[Any]]) -> set[CellId]:
        """The computed cells that changes of smallest cells, or of counted items, affect directly."""
        driving = self.source or self.entity
        cells = {
            self._of_change(each)
            for each in changes
            if issubclass(each.entity, driving) and not self._is_irrelevant(each)
        }
        if self.source is not None:
            return cells
        # Larger cells change because they are computed; what follows from that is done at the same time.
        return {self.parent(each) for each in cells if self.level(each) == self.smallest}

    def _of_change(self, change: Change[Any]) -> CellId:
        # The key has these fields, or the item would not be one of this entity.
        return self._of_values(change.key_values or {}, self.source is None)

    def _of_values(self, values: Mapping[str, Any], is_cell: bool) -> CellId:
        name = self.cell if is_cell else self.source_cell
        return CellId(tuple(values[each] for each in self.scope), values[name])

    def _is_irrelevant(self, change: Change[Any]) -> bool:
        """Whether no field differs that is counted."""
        if change.kind != "modify" or change.old is None or change.new is None:
            return False
        names = [each.source for each in self.folds if each.kind != "count" or self.source is None]
        return all(getattr(change.old, name) == getattr(change.new, name) for name in names)
