"""Ways to read one screen of cells, compared; and what ranges return if sort keys differ in length and case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple, TypeAlias

from pksk import Attribute, Entity, Key, Query, Store, Table, access, between
from pksk.cells import GEOHASH, CellArea, CellStatistics, Cover, Union, plan_queries

from .cells import ITEM_BYTES, Cell
from .views import SUFFIX

# As large as a page of a query, so that no gap between two ranges is worth reading.
PAGE_BYTES: Final = 1_048_576
_MOST_QUERIES: Final = 10_000


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


def _ranges(db: Store, parts: Iterable[str], length: int) -> tuple[int, list[Cell]]:
    """The cells in these parts of the map, in ranges that are not joined: as if each cell were as large as a page."""
    large = CellStatistics(1, PAGE_BYTES, "so that no gap is worth reading")
    found = Cell.primary.inside(Union([CellArea(each) for each in parts]), level=length)
    cells = db.run(found.using(large, most_queries=_MOST_QUERIES))
    return len(cells), cells


def _joined(screen: Cover, share: float) -> Iterator[str]:
    """The cells of ranges that are joined where reading the cells between costs less than another request."""
    plan = plan_queries(screen, CellStatistics(share, ITEM_BYTES, "declared"))
    for each in plan.queries:
        first, last = (GEOHASH.number(each.prefix + end) for end in (each.first, each.last))
        yield from (GEOHASH.name(number, screen.level) for number in range(first, last + 1))


def _blocks(screen: Cover) -> set[str]:
    """The whole blocks of 1,024 cells, those with the same first character of the sort key."""
    return {cell[: 1 - SUFFIX] for cell in screen.cells()}


def _one_by_one(db: Store, screen: Cover) -> tuple[int, list[Cell]]:
    names = list(screen.cells())
    return len(names), [each for each in db.run(Cell.one_by_one(names)) if each is not None]


_Way: TypeAlias = Callable[[Store, Cover, float], tuple[int, list[Cell]]]

METHODS: Final[Mapping[str, _Way]] = MappingProxyType(
    {
        "ranges, near ones joined": lambda db, screen, share: _ranges(
            db, _joined(screen, share), screen.level
        ),
        "ranges, exact": lambda db, screen, _: _ranges(db, screen.cells(), screen.level),
        "blocks of 1,024": lambda db, screen, _: _ranges(db, _blocks(screen), screen.level),
        "whole partitions": lambda db, screen, _: _ranges(db, screen.partitions(), screen.level),
        "BatchGetItem": lambda db, screen, _: _one_by_one(db, screen),
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
