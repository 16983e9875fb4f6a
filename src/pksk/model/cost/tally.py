"""The running sum of an estimate: charges, assumptions, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from pksk.capacity import Charge, Cost, read_units, write_units
from pksk.dataclass import dataclass, field
from pksk.limits import VECTOR_REQUEST_BYTES
from pksk.model.access_options import AccessOptions
from pksk.model.cost.item_sizes import ItemSizes
from pksk.model.declaration import Declaration
from pksk.schema import Index, Table
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.model.requests.keyed_request import ItemRequest

Side: TypeAlias = Literal["read", "write"]
# A table or an index of it, and whether it is read or written.
IndexUse: TypeAlias = "tuple[str, str | None, Side]"


def items_in_words(count: int) -> str:
    """So many items, in words."""
    return f"{count:,} item" if count == 1 else f"{count:,} items"


@dataclass(frozen=True)
class VectorWrite:
    """The bytes that a call writes to a vector index, which is not billed in units."""

    table: str
    index: str
    size_bytes: float


@dataclass(frozen=True)
class VectorSearch:
    """How often a call searches a vector index, which is billed by bytes that AWS does not tell beforehand."""

    table: str
    index: str
    searches: float = 1.0

    def __str__(self) -> str:
        times = f"{self.searches:,.3f}".rstrip("0").rstrip(".")
        return f"a search of {self.index}" if times == "1" else f"{times} searches of {self.index}"


@dataclass(frozen=True)
class EntryWrite:
    """How many writes of an entry a write of its item makes in an index, and why, in words."""

    index: Index
    times: int = 1
    reason: str = ""


@dataclass
class Tally:
    """The sum of an estimate in the making.

    `share` is how many requests share the declared items; `members` are those of the transaction that is counted,
    and `checked` the items that it checks for references, by table and key. `other_items` are those of the charges
    that are for guard items and checks, which have partition keys of their own.
    """

    options: AccessOptions
    share: int = 1
    members: tuple[ItemRequest, ...] = ()
    checked: list[tuple[str, WireItem]] = field(default_factory=list)
    charges: list[Charge] = field(default_factory=list)
    other_items: list[Charge] = field(default_factory=list)
    vectors: list[VectorWrite] = field(default_factory=list)
    searches: list[VectorSearch] = field(default_factory=list)
    touched: set[IndexUse] = field(default_factory=set)
    assumptions: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def sizes(self, declaration: Declaration, *, declared: bool = True) -> ItemSizes:
        """The sizes of an entity's items, noted as an assumption, or as missing where there are none.

        Not `declared` is the size of an entity that the call is not about.
        """
        sizes = ItemSizes(declaration, self.options.item_size if declared else None)
        if sizes.item is None:
            self.missing.append(f"how large the items of {declaration.name} are (item_size=)")
        else:
            self.assumptions.append(sizes.assumption)
        return sizes

    def entry(self, sizes: ItemSizes, index: Index) -> int | None:
        """The size of an entry in an index, noted as an assumption where it is not that of the item."""
        text = sizes.entry_assumption(index)
        if text:
            self.assumptions.append(text)
        return sizes.entry(index)

    def touch(self, table: Table, index: str | None, side: Side) -> None:
        """Note that a table or an index is read or written, whether or not it is known how much."""
        self.touched.add((table.name, index, side))

    def charge(
        self, table: Table, index: str | None = None, *, read: float = 0.0, write: float = 0.0
    ) -> None:
        """Add units to a table or an index."""
        if read:
            self.touch(table, index, "read")
        if write:
            self.touch(table, index, "write")
        self.charges.append(Charge(table.name, index, read, write))

    def charge_other_item(self, table: Table, write: float) -> None:
        """Add the write units of a guard item or of a check."""
        self.charge(table, write=write)
        self.other_items.append(self.charges[-1])

    def read_item(self, declaration: Declaration, why: str) -> None:
        """Add a consistent read of one item before or after a write, and why it is needed."""
        size = self.sizes(declaration).item
        self.touch(declaration.table, None, "read")
        if size is not None:
            self.charge(declaration.table, read=read_units(size, consistent=True))
            self.assumptions.append(why)

    def write_item(
        self, declaration: Declaration, entries: Sequence[EntryWrite], *, transactional: bool
    ) -> None:
        """Add the write of one item, and of its entries in indexes."""
        sizes, table = self.sizes(declaration), declaration.table
        for index in (None, *(each.index.name for each in entries)):
            self.touch(table, index, "write")
        if sizes.item is None:
            return
        self.charge(table, write=write_units(sizes.item, transactional=transactional))
        for each in entries:
            size = self.entry(sizes, each.index) or 0
            if each.index.kind == "vector":
                written = max(VECTOR_REQUEST_BYTES, size)
                self.vectors.append(VectorWrite(table.name, str(each.index.name), written))
            else:
                self.charge(table, each.index.name, write=each.times * write_units(size))

    def add(self, other: Tally, times: float) -> None:
        """Add another sum, so many times."""
        self.charges += (Cost(other.charges) * times).charges
        self.vectors += [VectorWrite(v.table, v.index, v.size_bytes * times) for v in other.vectors]
        self.searches += [VectorSearch(s.table, s.index, s.searches * times) for s in other.searches]
        self.touched |= other.touched
        self.assumptions += other.assumptions
        self.missing += other.missing
