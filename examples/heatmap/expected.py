"""What answers must be: a model of the heatmap in plain Python, without keys, ranges or conditions.

It uses none of the application's calculations. Squares, days and nights, half-years and intensities are computed
here independently, so that a mistake there is not repeated here.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from pksk import Entity
from pksk.cells import Box

from .cells import Cell
from .markers import Marker
from .operations import Point
from .reports import Sender

_LENGTHS: Final = (3, 4, 5, 6, 7, 8)
_YEAR: Final = 366 * 24 * 60 * 60
_HOUR: Final = 60 * 60
_CHARACTERS: Final = "0123456789bcdefghjkmnpqrstuvwxyz"


class Expected:
    """All stored items, by name."""

    def __init__(self, entities: Iterable[Entity] = ()) -> None:
        self.cells: dict[str, Cell] = {}
        self.markers: list[Marker] = []
        self.senders: dict[str, Sender] = {}
        for each in entities:
            self.add(each)

    def add(self, entity: Entity) -> None:
        """Add a stored item."""
        if isinstance(entity, Cell):
            self.cells[entity.cell] = entity
        elif isinstance(entity, Marker):
            self.markers.append(entity)
        elif isinstance(entity, Sender):
            self.senders[entity.block] = entity

    def within(self, first: str, last: str) -> list[Cell]:
        """The cells from one name to another of the same length."""
        named = sorted(name for name in self.cells if len(name) == len(first) and first <= name <= last)
        return [self.cells[name] for name in named]

    def seen_in(self, view: Box, length: int) -> list[Cell]:
        """The cells of a length that a view touches, by their names."""
        named = sorted(name for name in self.cells if len(name) == length and touches(view, _square(name)))
        return [self.cells[name] for name in named]

    def points(self, view: Box, length: int, at: datetime) -> list[Point]:
        """The points that a map shows, hottest first."""
        points = (_point(each, at) for each in self.seen_in(view, length))
        return sorted((each for each in points if each.intensity), key=lambda each: -each.intensity)

    def live_in(self, view: Box, at: datetime) -> list[Marker]:
        """The markers that a view shows, the newest first."""
        now = int(at.timestamp())
        live = (each for each in self.markers if each.at <= now < each.expires)
        seen = [each for each in live if touches(view, _square(each.cell[:-1]))]
        return sorted(seen, key=lambda each: (-each.at, each.cell))

    def report(self, cell: str, at: int, *, active: bool) -> str:
        """Add a report of a smallest cell, and return whether it counts."""
        when = _When.at(cell, at)
        old = self.cells.get(cell)
        counts = old is None or old.period is None or old.period < when.number
        if counts:
            for length in _LENGTHS:
                name = cell[:length]
                self.cells[name] = _counted(self.cells.get(name), name, when, at)
            self.cells[cell] = self.cells[cell].model_copy(update={"period": when.number})
        if active:
            self.markers.append(Marker(square=cell[:7], rest=cell[7:], at=at, expires=at + _HOUR))
            for name in (cell, cell[:-1]):
                last = max(self.cells[name].last_report or 0, at)
                self.cells[name] = self.cells[name].model_copy(update={"last_report": last})
        return "counted" if counts else "touched"

    def around(self, cell: str) -> list[Cell | None]:
        """A smallest cell and the cells that contain it, smallest first."""
        return [self.cells.get(cell[:length]) for length in reversed(_LENGTHS)]


def touches(view: Box, part: Box) -> bool:
    """Whether a view shares a point with an area, which includes its southern and western borders.

    An area at the edge of the map also includes that edge.
    """
    up = part.south <= view.north and (view.south < part.north or part.north == 90)
    pieces = [(view.west, view.east)]
    if view.west > view.east:
        pieces = [(view.west, 180.0), (-180.0, view.east)]
    across = any(part.west <= east and (west < part.east or part.east == 180) for west, east in pieces)
    return up and across


class _When(NamedTuple):
    """A day or night by the sun: its number, odd for nights, and the half-year in which it began."""

    number: int
    half: int
    night: bool

    @classmethod
    def at(cls, cell: str, at: int) -> _When:
        """Of a moment at the middle of a cell: a degree to the east is four minutes later."""
        square = _square(cell)
        minutes_ahead = 4 * (square.west + square.east) / 2
        # A day lasts from six to six, so on this clock it begins at midnight and its night at noon.
        clock = datetime.fromtimestamp(at + round(60 * minutes_ahead) - 6 * _HOUR, UTC)
        days = (clock.date() - datetime(1970, 1, 1).date()).days
        night = clock.hour >= 12
        return cls(2 * days + night, _half(clock), night)


def _half(at: datetime) -> int:
    """Half-years since the year 0."""
    return 2 * at.year + (1 if at.month >= 7 else 0)


def _square(name: str) -> Box:
    """A square by its name: each bit of it halves the map, from west to east and from south to north in turn."""
    sides = [[-180.0, 180.0], [-90.0, 90.0]]
    for place, bit in enumerate("".join(f"{_CHARACTERS.index(each):05b}" for each in name)):
        side = sides[place % 2]
        side[0 if bit == "1" else 1] = sum(side) / 2
    (west, east), (south, north) = sides
    return Box(south, west, north, east)


def _point(cell: Cell, at: datetime) -> Point:
    square = _square(cell.cell)
    age = None if cell.last_report is None else max(0, int(at.timestamp()) - cell.last_report)
    middle = ((square.south + square.north) / 2, (square.west + square.east) / 2)
    return Point(*middle, _intensity(cell, at.astimezone(UTC)), age)


def _intensity(cell: Cell, at: datetime) -> float:
    """All reports of this half-year, and of the last one in proportion to what is left of this one."""
    this = _half(at)
    begins = datetime(at.year, 1 if at.month < 7 else 7, 1, tzinfo=UTC).timestamp()
    ends = datetime(at.year + (at.month >= 7), 7 if at.month < 7 else 1, 1, tzinfo=UTC).timestamp()
    gone = (at.timestamp() - begins) / (ends - begins)
    newest, before = _reports(cell, cell.half), _reports(cell, cell.half - 1)
    if cell.half == this:
        return newest + (1 - gone) * before
    if cell.half == this - 1:
        return (1 - gone) * newest
    # East of Greenwich the next half-year begins sooner; counts from before the last one are not shown.
    return newest + before if cell.half == this + 1 else 0.0


def _reports(cell: Cell, half: int) -> int:
    """The days and nights with reports in one of the two half-years of a cell."""
    if half % 2:
        return cell.second_half_days + cell.second_half_nights
    return cell.first_half_days + cell.first_half_nights


def _counted(old: Cell | None, name: str, when: _When, at: int) -> Cell:
    """A cell with one more report: it keeps the newest half-year and the one before."""
    values: dict[str, Any] = {"half": when.half, "expires": at + _YEAR} if old is None else old.model_dump()
    if old is not None and when.half > old.half:
        for half in range(old.half + 1, when.half + 1)[-2:]:
            values |= {_counter(half, night=night): 0 for night in (False, True)}
    if old is not None and when.half >= old.half:
        values |= {"half": when.half, "expires": at + _YEAR}
    counter = _counter(when.half, night=when.night)
    values |= {"cell": name, counter: values.get(counter, 0) + 1}
    return Cell.model_validate({field: values[field] for field in Cell.model_fields if field in values})


def _counter(half: int, *, night: bool) -> str:
    return f"{'second' if half % 2 else 'first'}_half_{'nights' if night else 'days'}"
