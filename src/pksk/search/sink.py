"""Where documents go: the contract of a sink, whose unit is an item with all of its documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, Protocol, TypeAlias

from pksk.dataclass import dataclass, field
from pksk.search.item_documents import ItemDocuments
from pksk.values import WireItem

# A version is the epoch of a lease, and the number of the record since the lease was acquired; 0 is a backfill.
EPOCH_SHIFT: Final = 40
Status: TypeAlias = Literal["applied", "superseded", "fenced", "rejected"]


@dataclass(frozen=True)
class ItemWrite:
    """An item to be shown as it is at a version: without documents it is removed.

    `error` says why its documents could not be made; then it becomes a dead letter and keeps its former documents.
    """

    item: ItemDocuments
    version: int = 0
    error: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a write; `version` is the one that the item has afterwards.

    Superseded means that the item has this version or a later one, so there was nothing to do. Fenced is the same with
    a version of a later epoch: the writer may no longer own the item.
    """

    status: Status
    version: int
    reason: str = ""


@dataclass(frozen=True)
class IndexedItem:
    """An item that has documents: its id, its version, its digest and its key."""

    id: str
    version: int
    digest: int
    table: str = ""
    entity: str = ""
    key: WireItem = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class BucketDigest:
    """The items of a bucket in three numbers: their count, and the sums of the low and the middle bits of digests."""

    count: int = 0
    low: int = 0
    middle: int = 0

    @classmethod
    def of(cls, digests: Iterable[int]) -> BucketDigest:
        """The three numbers of these digests.

        Example:
            >>> BucketDigest.of([1, -1])
            BucketDigest(count=2, low=67108864, middle=67108863)
        """
        listed = list(digests)
        return cls(
            len(listed),
            sum(each & LOW_BITS for each in listed),
            sum(each >> 26 & LOW_BITS for each in listed),
        )


# Sums of so many bits stay exact in the doubles of OpenSearch up to 2**27 items.
LOW_BITS: Final = (1 << 26) - 1


@dataclass(frozen=True)
class FailedItem:
    """A dead letter: an item whose latest version could not be indexed, and why."""

    id: str
    table: str
    key: WireItem = field(repr=False)
    version: int
    reason: str
    count: int


class Sink(Protocol):
    """Keeps the documents of items at their versions. Late and repeated writes have no effect.

    A removed item keeps its version as a tombstone until `purge`. Raises `ServiceUnreachable` during an outage; what it
    has returned from `apply` is durable.
    """

    def apply(self, writes: Sequence[ItemWrite]) -> list[Outcome]:
        """Apply writes in their order; a write of version 0 only if the item has no version."""

    def versions(self, ids: Sequence[str]) -> Mapping[str, int]:
        """The versions of the items that have one, removed ones included."""

    def highest_version(self, table: str) -> int:
        """The highest version of the items of a table, removed ones included; 0 if there are none."""

    def digests(self) -> Mapping[int, BucketDigest]:
        """For each bucket with items, what identifies its contents."""

    def bucket(self, number: int) -> list[IndexedItem]:
        """The items of a bucket that have documents, by id."""

    def altered(self) -> list[IndexedItem]:
        """The items whose documents, as they are stored, no longer have the digest that they were written with."""

    def sweep(self, table: str, version: int) -> int:
        """Remove a table's items with a lower version, but for dead letters, as of this version; returns how many."""

    def purge(self, before: float) -> int:
        """Forget the versions of items that were removed before a time; returns how many."""

    def dead_letters(self) -> list[FailedItem]:
        """The items whose latest version could not be indexed, by id."""

    def drop(self, item: str) -> None:
        """Drop the dead letter of an item."""

    def note(self, name: str) -> str:
        """A text that was stored under a name; empty if none was."""

    def write_note(self, name: str, text: str) -> None:
        """Store a text under a name."""


def verdict(write: ItemWrite, stored: int | None) -> Status | None:
    """What a sink answers to a write by versions alone; None if it is to be applied.

    Example:
        >>> from pksk.search import ItemDocuments
        >>> write = ItemWrite(ItemDocuments("a#b", "shop", "Order", {}), version=5)
        >>> verdict(write, None), verdict(write, 4), verdict(write, 5), verdict(write, 1 << 40)
        (None, None, 'superseded', 'fenced')
    """
    if stored is None or write.version > stored:
        return None
    newer_epoch = stored >> EPOCH_SHIFT > write.version >> EPOCH_SHIFT
    return "fenced" if newer_epoch and write.version else "superseded"
