"""Change records: what a table with a stream keeps of each write, in the order of the writes."""

from __future__ import annotations

from pksk.engine.core import Core
from pksk.engine.layout import as_stored
from pksk.engine.storage import Writer
from pksk.engine.tables.table import Table

from .write import Outcome

__all__ = ["record"]


def record(core: Core, writer: Writer, table: Table, outcome: Outcome) -> None:
    """Keep both images of an item that a write has changed."""
    space = table.changes
    assert space is not None
    change = {"at": core.now(), "old": outcome.old_item, "new": outcome.new_item}
    writer.put(space, core.next_sequence(writer, space), 0, as_stored(change))
