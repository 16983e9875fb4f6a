"""Compares an index with its tables by digests of buckets, and repairs the items that differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from pksk.dataclass import dataclass, field
from pksk.search.item_documents import ItemDocuments, bucket_of
from pksk.search.sink import BucketDigest, IndexedItem, ItemWrite, Sink
from pksk.search.table_sync import TableSync
from pksk.sending import Pause, Steps
from pksk.values import WireItem

Kind: TypeAlias = Literal["missing", "extra", "stale", "altered", "failed"]
_LOOK_AGAIN_SECONDS: Final = 0.5


@dataclass(frozen=True)
class Difference:
    """An item that the index shows in another way than the table has it.

    It is missing in the index, extra there, or stale; "altered" means that somebody changed its documents in the index,
    which only a deep verification finds; "failed" means that it cannot be indexed, and `reason` says why.
    """

    id: str
    table: str
    kind: Kind
    key: WireItem = field(repr=False)
    reason: str = ""


@dataclass(frozen=True)
class Verified:
    """What a verification has found: the items with documents, the differences, and the read units that it took."""

    items: int
    differences: tuple[Difference, ...]
    read_units: float

    @property
    def agrees(self) -> bool:
        """Whether index and tables agree."""
        return not self.differences


@dataclass(frozen=True)
class Repaired:
    """What a repair has done: items written, items removed, and items that cannot be indexed."""

    written: int
    removed: int
    rejected: int


class _Folded:
    """Items of tables in three numbers for each bucket, and those that cannot be indexed."""

    def __init__(self) -> None:
        self.digests: dict[int, BucketDigest] = {}
        self.failed: list[ItemWrite] = []
        self.count = 0

    def take(self, writes: list[ItemWrite]) -> None:
        """Add a page of items."""
        for each in writes:
            if each.error:
                self.failed.append(each)
            elif each.item.documents:
                self.count += 1
                one, known = (
                    BucketDigest.of([each.item.digest]),
                    self.digests.get(each.item.bucket, BucketDigest()),
                )
                self.digests[each.item.bucket] = BucketDigest(
                    known.count + 1, known.low + one.low, known.middle + one.middle
                )


def verify(
    sink: Sink, tables: Sequence[TableSync], settle_seconds: float, *, deep: bool = False
) -> Steps[Verified]:
    """Read the tables once; and those buckets again that differ, with their items one by one."""
    folded, units = _Folded(), 0.0
    for table in tables:
        units += yield from table.scan(folded.take)
    shown = sink.digests()
    differing = {
        number for number in {*folded.digests, *shown} if folded.digests.get(number) != shown.get(number)
    }
    suspects = {each.item.id: (each.item.table, each.item.key) for each in folded.failed}
    if differing:
        stored: dict[str, ItemDocuments] = {}
        for table in tables:
            units += yield from table.scan(lambda page: _collect(page, differing, stored))
        suspects |= _suspects(sink, differing, stored)
    altered = {each.id: (each.table, each.key) for each in sink.altered()} if deep else {}
    suspects |= altered
    by_name = {each.table.name: each for each in tables}
    differences = yield from _settled(sink, by_name, suspects, settle_seconds, altered)
    return Verified(folded.count, tuple(differences), units)


def _collect(page: list[ItemWrite], buckets: set[int], stored: dict[str, ItemDocuments]) -> None:
    for each in page:
        if not each.error and each.item.documents and each.item.bucket in buckets:
            stored[each.item.id] = each.item


def _suspects(
    sink: Sink, buckets: set[int], stored: Mapping[str, ItemDocuments]
) -> dict[str, tuple[str, WireItem]]:
    shown = {each.id: each for number in buckets for each in sink.bucket(number)}
    suspects = {
        name: (item.table, item.key)
        for name, item in stored.items()
        if name not in shown or shown[name].digest != item.digest
    }
    return {
        **suspects,
        **{name: (each.table, each.key) for name, each in shown.items() if name not in stored},
    }


def _settled(
    sink: Sink,
    tables: Mapping[str, TableSync],
    suspects: Mapping[str, tuple[str, WireItem]],
    settle_seconds: float,
    altered: Container[str] = (),
) -> Steps[list[Difference]]:
    """Those suspects that still differ after the time in which changes are applied."""
    left, waited = dict(suspects), 0.0
    while True:
        differences = []
        shown = _shown(sink, left)
        for name, (table, key) in left.items():
            difference = yield from _difference(name, tables[table], key, shown.get(name))
            if difference is None and name in altered:
                difference = Difference(name, table, "altered", key)
            if difference is not None:
                differences.append(difference)
        left = {each.id: (each.table, each.key) for each in differences}
        if (
            not left
            or waited >= settle_seconds
            or all(each.kind in ("altered", "failed") for each in differences)
        ):
            return sorted(differences, key=lambda each: each.id)
        yield Pause(_LOOK_AGAIN_SECONDS)
        waited += _LOOK_AGAIN_SECONDS


def _shown(sink: Sink, names: Mapping[str, object]) -> dict[str, IndexedItem]:
    groups: dict[int, list[str]] = defaultdict(list)
    for name in names:
        groups[bucket_of(name)].append(name)
    return {each.id: each for number in groups for each in sink.bucket(number) if each.id in names}


def _difference(
    name: str, table: TableSync, key: WireItem, shown: IndexedItem | None
) -> Steps[Difference | None]:
    """How an item differs, read again; a document under a wrong id belongs to no item."""
    stored = yield from table.read_item(key)
    kind: Kind | None = None
    if stored.error and stored.item.id == name:
        kind = "failed"
    elif stored.item.id != name or not stored.item.documents:
        kind = "extra" if shown is not None else None
    elif shown is None:
        kind = "missing"
    elif shown.digest != stored.item.digest:
        kind = "stale"
    return None if kind is None else Difference(name, table.table.name, kind, key, stored.error)


def repair(tables: Mapping[str, TableSync], differences: Sequence[Difference]) -> Steps[Repaired]:
    """Write each item as it is now, with a version above those of all leases.

    A worker that writes with an earlier epoch gets a fencing signal for these items, and goes on with a later one.
    """
    written = removed = rejected = 0
    for name, table in tables.items():
        mine = [each for each in differences if each.table == name]
        if not mine:
            continue
        version = yield from table.next_version()
        for each in mine:
            stored = yield from table.read_item(each.key)
            item = stored.item if stored.item.id == each.id else ItemDocuments(each.id, name, "", each.key)
            error = stored.error if stored.item.id == each.id else ""
            (outcome,) = table.apply([ItemWrite(item, version, error)])
            written += outcome.status == "applied" and bool(item.documents)
            removed += outcome.status == "applied" and not item.documents
            rejected += outcome.status == "rejected"
    return Repaired(written, removed, rejected)
