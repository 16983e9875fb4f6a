"""One write of one item: what it changes, and on which condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import NamedTuple, TypeAlias

from pksk.dataclass import dataclass
from pksk.engine.row_layout import RowLayout
from pksk.engine.state.table import Table
from pksk.engine.storage import Row
from pksk.values import WireItem

# Tests the current item, or an empty one if there is none.
Condition: TypeAlias = Callable[[WireItem], bool]
# Maps the current item, or None, to the new item and its size; None and 0 delete it.
Change: TypeAlias = Callable[[WireItem | None], tuple[WireItem | None, int]]


@dataclass(slots=True)
class Write:
    """A put, an update or a delete of a row; without a change, it is a condition check."""

    table: Table
    key: bytes
    # The key attributes; for a put, the whole item.
    key_item: WireItem
    change: Change | None
    condition: Condition | None = None
    # Whether the change needs the current item.
    reads_old: bool = False
    # The service that made the change, as change records name it. Such a write consumes no units.
    principal: str | None = None

    def known_size(self) -> int:
        """The size of the new item if it does not depend on the current one, else 0."""
        return 0 if self.change is None or self.reads_old else self.change(None)[1]


class IndexEntryWrite(NamedTuple):
    """An index row that a write has put or removed: its key, its units, and its size before and after."""

    layout: RowLayout
    key: bytes
    units: float
    before: int
    after: int


@dataclass(slots=True)
class Outcome:
    """The result of a write: both images, and the units of the table and of each index."""

    old: Row | None
    old_item: WireItem | None
    new_item: WireItem | None
    new_size: int
    table_units: float
    index_units: dict[str, float] = field(default_factory=dict)
    collection_bytes: int | None = None
    # The billed bytes of each vector index whose entry changes.
    vector_bytes: dict[str, float] | None = None
    # The rows of indexes that the units belong to.
    entries: Sequence[IndexEntryWrite] = ()
