"""Ways to read one screen of cells, compared; and what ranges return if sort keys differ in length and case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple, TypeAlias

from pksk import Attribute, Entity, Key, Query, Store, Table, access, between
from pksk.cells import CellRange, CellStatistics, Cover, plan_queries

from .cells import Cell
from .reading import ITEM_BYTES
from .views import SUFFIX


class ReadCost(NamedTuple):
    """The cost of one way: requests, keys or items read, cells found, and read units."""

    way: str
    requests: int
    read: int
    cells: list[Cell]
    units: float


def read_screen(db: Store, way: str, screen: Cover, share: float) -> ReadCost:
    """Read a screen in one of the ways, with a meter; `share` is the share of all cells that exists."""
    with db.meter(everywhere=True) as meter:
        read, cells = METHODS[way](db, screen, share)
    on_screen = sorted((each for each in cells if each.cell in screen), key=lambda each: each.cell)
    return ReadCost(way, meter.calls, read, on_screen, meter.consumed.read)


def _ranges(db: Store, ranges: list[CellRange]) -> tuple[int, list[Cell]]:
    cells = [each for one in ranges for each in db.iter(Cell.within(*one))]
    return len(cells), cells


def _joined(screen: Cover, share: float) -> list[CellRange]:
    """Ranges joined where reading the cells between costs less than another request."""
    plan = plan_queries(screen, CellStatistics(share, ITEM_BYTES, "declared"))
    return [CellRange(each.prefix, each.first, each.last) for each in plan.queries]


def _blocks(screen: Cover) -> list[CellRange]:
    """The whole blocks of 1,024 cells, those with the same first character of the sort key."""
    blocks = dict.fromkeys((cell[:-SUFFIX], cell[-SUFFIX]) for cell in screen.cells())
    return [CellRange(prefix, f"{first}00", f"{first}zz") for prefix, first in blocks]


def _partitions(db: Store, screen: Cover, _: float) -> tuple[int, list[Cell]]:
    cells = [each for prefix in screen.partitions() for each in db.iter(Cell.partition(prefix))]
    return len(cells), cells


def _one_by_one(db: Store, screen: Cover, _: float) -> tuple[int, list[Cell]]:
    names = list(screen.cells())
    return len(names), [each for each in db.run(Cell.one_by_one(names)) if each is not None]


_Way: TypeAlias = Callable[[Store, Cover, float], tuple[int, list[Cell]]]

METHODS: Final[Mapping[str, _Way]] = MappingProxyType(
    {
        "ranges, near ones joined": lambda db, screen, share: _ranges(db, _joined(screen, share)),
        "ranges, exact": lambda db, screen, _: _ranges(db, screen.key_ranges()),
        "blocks of 1,024": lambda db, screen, _: _ranges(db, _blocks(screen)),
        "whole partitions": _partitions,
        "BatchGetItem": _one_by_one,
    }
)


loose = Table("heatmap-loose", pk="PK", sk="SK", discriminator=None)

# Sort keys in one partition, without a rule for length and case.
SUFFIXES: Final = ("w", "w0", "w00", "w0z", "w1", "wh", "wz", "wzz", "x", "x00", "W00", "WZZ", "wZZ", "9zz")


class LooseCell(Entity, table=loose):
    """A cell whose suffix may have any length and case."""

    prefix: str
    suffix: Annotated[str, Attribute("SK")]

    primary = Key("ShCe#{prefix:*}", "{suffix}", codec="raw")

    @access(items=8, item_size=30, example={"prefix": "gcpjf", "first": "w00", "last": "wzz"})
    @classmethod
    def within(cls, prefix: str, first: str, last: str) -> Query[LooseCell]:
        """The cells between two suffixes, both included."""
        return cls.primary(prefix=prefix, suffix=between(first, last))
