"""Ways to read one screen of cells, compared; and what ranges return if sort keys differ in length and case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple, TypeAlias

from pksk import (
    Attribute,
    Entity,
    GeoQuery,
    Key,
    Query,
    RequestFinished,
    RequestStarted,
    Store,
    Table,
    access,
    between,
    connect,
)
from pksk.cells import CellArea, CellStatistics, Cover, Union

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
    counter = _ReadItems()
    with connect(db.client, hooks=[counter]) as store, store.meter() as meter:
        cells = METHODS[way](store, screen, share)
    on_screen = sorted(
        (each for each in cells if each is not None and each.cell in screen), key=lambda each: each.cell
    )
    return ReadCost(way, meter.calls, counter.read, on_screen, meter.consumed.read)


class _ReadItems:
    """A hook that counts the items which queries read, and the keys of batches."""

    def __init__(self) -> None:
        self.read = 0

    def __call__(self, started: RequestStarted) -> Callable[[RequestFinished], None]:
        keys = started.parameters.get("RequestItems", {}).values()
        self.read += sum(len(each["Keys"]) for each in keys)
        return self._count

    def _count(self, finished: RequestFinished) -> None:
        self.read += (finished.answer or {}).get("ScannedCount", 0)


def _exactly(parts: Iterable[str], length: int) -> GeoQuery[Cell]:
    """The cells in these larger ones, as ranges that are not joined: as if each cell were as large as a page."""
    large = CellStatistics(1, PAGE_BYTES, "to keep ranges apart")
    found = Cell.primary.inside(Union([CellArea(each) for each in parts]), level=length)
    return found.using(large, most_queries=_MOST_QUERIES)


def _joined(screen: Cover, share: float) -> GeoQuery[Cell]:
    """Ranges joined where reading the cells between costs less than another request."""
    return _exactly(screen.cells(), screen.level).using(CellStatistics(share, ITEM_BYTES, "declared"))


def _blocks(screen: Cover) -> GeoQuery[Cell]:
    """The whole blocks of 1,024 cells, those with the same first character of the sort key."""
    return _exactly({cell[: 1 - SUFFIX] for cell in screen.cells()}, screen.level)


def _partitions(screen: Cover) -> list[GeoQuery[Cell]]:
    return [Cell.partition(prefix).using(CellStatistics(0)) for prefix in screen.partitions()]


_Way: TypeAlias = Callable[[Store, Cover, float], Iterable[Cell | None]]

METHODS: Final[Mapping[str, _Way]] = MappingProxyType(
    {
        "ranges, near ones joined": lambda db, screen, share: db.run(_joined(screen, share)),
        "ranges, exact": lambda db, screen, _: db.run(_exactly(screen.cells(), screen.level)),
        "blocks of 1,024": lambda db, screen, _: db.run(_blocks(screen)),
        "whole partitions": lambda db, screen, _: [
            each for one in _partitions(screen) for each in db.run(one)
        ],
        "BatchGetItem": lambda db, screen, _: db.run(Cell.one_by_one(list(screen.cells()))),
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
