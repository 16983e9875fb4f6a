"""One write of one item, ready to be carried out: what it changes, and on which condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import NamedTuple, TypeAlias

from pksk.dataclass import dataclass
from pksk.engine.row_layout import RowLayout
from pksk.engine.state.table import Table
from pksk.engine.storage import Row
from pksk.values import WireItem

__all__ = ["Change", "Condition", "IndexEntryWrite", "Outcome", "Write"]

# What must hold of the item as it is, which is empty where there is none.
Condition: TypeAlias = Callable[[WireItem], bool]
# The item as it is, or None, to the item as it will be and its size; None and 0 where it will be gone.
Change: TypeAlias = Callable[[WireItem | None], tuple[WireItem | None, int]]


@dataclass(slots=True)
class Write:
    """What a put, an update or a delete does to the row with a key; without a change, a condition check."""

    table: Table
    key: bytes
    # The attributes of the key, and what a put has beside them.
    key_item: WireItem
    change: Change | None
    condition: Condition | None = None
    # Whether the change looks at the old item.
    reads_old: bool = False
    # The service that writes on its own account, as change records name it; such a write costs nothing.
    principal: str | None = None

    def known_size(self) -> int:
        """The size of what it makes, where that is the same whatever it finds; else 0."""
        return 0 if self.change is None or self.reads_old else self.change(None)[1]


class IndexEntryWrite(NamedTuple):
    """A row of an index that a write has put or removed: its key, its units, and its size before and after."""

    layout: RowLayout
    key: bytes
    units: float
    before: int
    after: int


@dataclass(slots=True)
class Outcome:
    """What a write found and left: both images, and the units of the table and of each index it touched."""

    old: Row | None
    old_item: WireItem | None
    new_item: WireItem | None
    new_size: int
    table_units: float
    index_units: dict[str, float] = field(default_factory=dict)
    collection_bytes: int | None = None
    # By vector index whose entry has changed, what that is billed by.
    vector_bytes: dict[str, float] | None = None
    # Which rows of indexes the units are of.
    entries: Sequence[IndexEntryWrite] = ()
