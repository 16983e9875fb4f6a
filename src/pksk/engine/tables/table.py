"""A table as operations on items see it: its name, its rows and those of its indexes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pksk.engine.faults import validation
from pksk.engine.layout import Rows
from pksk.engine.texts import indexes as texts
from pksk.partitions import Partitions

__all__ = ["Table"]


@dataclass
class Table:
    """A table that exists: what describes it, and where its rows are.

    One object for as long as the table is there: what changes is replaced whole, by whoever is
    writing, so that a write which began before sees it too.
    """

    name: str
    arn: str
    rows: Rows
    # Every GSI and LSI that writes must keep, also while it is being filled.
    indexes: dict[str, Rows]
    # With LSIs: where the sizes of item collections are kept.
    collections: int | None = None
    # With a stream: where change records are kept, and which images they hold.
    changes: int | None = None
    stream_view: str | None = None
    # What DescribeTable shows, and all other settings.
    settings: dict[str, Any] = field(default_factory=dict)
    # Indexes that writes keep already, and that reads are still refused.
    backfilling: frozenset[str] = frozenset()
    # Vector indexes, which neither writes nor queries know.
    vectors: frozenset[str] = frozenset()
    # Where its rows stand, and those of each global index.
    partitions: Partitions = field(default_factory=lambda: Partitions.even(1))
    index_partitions: dict[str, Partitions] = field(default_factory=dict)
    # False from the moment that it is deleted, and its rows with it.
    alive: bool = True

    def index(self, name: str) -> Rows:
        """The rows of an index that can be read now."""
        found = self.indexes.get(name)
        if found is None:
            raise validation(texts.no_index(name))
        if name in self.backfilling:
            raise validation(texts.backfilling(name))
        return found
