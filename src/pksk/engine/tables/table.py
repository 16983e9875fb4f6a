"""A table as operations on items see it: its name, its rows and those of its indexes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pksk.engine.faults import validation
from pksk.engine.heat.tally import Tally
from pksk.engine.layout import Rows
from pksk.engine.placement.room import Room
from pksk.engine.texts import indexes as texts
from pksk.engine.vectors.searched import Searched
from pksk.engine.vectors.vector_index import VectorIndex
from pksk.partitions import Partitions

__all__ = ["Expiry", "Table"]


class Expiry(NamedTuple):
    """By which attribute items expire, and the space where they stand in the order of their expiry."""

    attribute: str
    space: int


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
    # What the keys of its change records begin with, by the number of an item's partition.
    shards: dict[int, bytes] = field(default_factory=dict)
    # With time to live: where items stand in the order of their expiry.
    expiry: Expiry | None = None
    # What DescribeTable shows, and all other settings.
    settings: dict[str, Any] = field(default_factory=dict)
    # Indexes that writes keep already, and that reads are still refused.
    backfilling: frozenset[str] = frozenset()
    # Every vector index that writes must keep, and what searches of them have in memory.
    vectors: dict[str, VectorIndex] = field(default_factory=dict)
    searched: Searched = field(default_factory=Searched, repr=False, compare=False)
    # Where its rows stand, and those of each global index.
    partitions: Partitions = field(default_factory=lambda: Partitions.even(1))
    index_partitions: dict[str, Partitions] = field(default_factory=dict)
    # By how much these can grow before one must be split.
    room: Room = field(default_factory=Room, repr=False, compare=False)
    # What calls have consumed of it, and of its indexes by their spaces.
    tally: Tally = field(default_factory=Tally, repr=False, compare=False)
    index_tallies: dict[int, Tally] = field(default_factory=dict, repr=False, compare=False)
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

    def spaces(self, names: Iterable[str]) -> list[int]:
        """The spaces of the vector indexes with these names that are still there."""
        vectors = self.vectors
        return [vectors[name].space for name in names if name in vectors]
