"""A model of the heatmap in plain Python, which a tour and tests hold answers to: no keys, no ranges, no conditions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pksk import Entity

from .cells import YEAR, Cell
from .geohash import Area, area
from .heat import Point
from .markers import Marker
from .periods import COUNTERS, Period, period, seconds
from .senders import Sender
from .views import LENGTHS, View

__all__ = ["Model"]


class Model:
    """All that is stored, by name."""

    def __init__(self, entities: Iterable[Entity] = ()) -> None:
        self.cells: dict[str, Cell] = {}
        self.markers: list[Marker] = []
        self.senders: dict[str, Sender] = {}
        for each in entities:
            self.add(each)

    def add(self, entity: Entity) -> None:
        """Take in what is stored."""
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

    def seen_in(self, view: View, length: int) -> list[Cell]:
        """The cells of a length that a view touches, by their names."""
        named = sorted(name for name in self.cells if len(name) == length and touches(view, area(name)))
        return [self.cells[name] for name in named]

    def points(self, view: View, length: int, at: datetime) -> list[Point]:
        """What a map shows, the hottest first."""
        points = (Point.of(each, at) for each in self.seen_in(view, length))
        return sorted((each for each in points if each.intensity), key=lambda each: -each.intensity)

    def live_in(self, view: View, at: datetime) -> list[Marker]:
        """The markers that a view shows, the newest first."""
        now = seconds(at)
        shown = (each for each in self.markers if each.at <= now < each.expires)
        seen = [each for each in shown if touches(view, area(each.cell[:-1]))]
        return sorted(seen, key=lambda each: (-each.at, each.cell))

    def report(self, cell: str, at: int, *, active: bool) -> str:
        """Take a report of a smallest cell, and say whether it counts."""
        number = period(cell, at).number
        old = self.cells.get(cell)
        counts = old is None or old.period is None or old.period < number
        if counts:
            for length in LENGTHS:
                name = cell[:length]
                self.cells[name] = _counted(self.cells.get(name), name, period(cell, at), at)
            self.cells[cell] = self.cells[cell].model_copy(update={"period": number})
        if active:
            self.markers.append(Marker.of(cell, at))
            for name in (cell, cell[:-1]):
                last = max(self.cells[name].last_report or 0, at)
                self.cells[name] = self.cells[name].model_copy(update={"last_report": last})
        return "counted" if counts else "touched"

    def around(self, cell: str) -> list[Cell | None]:
        """A smallest cell and those around it, the smallest first."""
        return [self.cells.get(cell[:length]) for length in reversed(LENGTHS)]


def touches(view: View, part: Area) -> bool:
    """Whether a view has a point of an area, which holds its southern and western borders and those of the map."""
    up = part.south <= view.north and (view.south < part.north or part.north == 90)
    pieces = [(view.west, view.east)]
    if view.west > view.east:
        pieces = [(view.west, 180.0), (-180.0, view.east)]
    across = any(part.west <= east and (west < part.east or part.east == 180) for west, east in pieces)
    return up and across


def _counted(old: Cell | None, name: str, period: Period, at: int) -> Cell:
    """A cell with one more report: it holds the newest half-year that it has seen, and the one before."""
    half = period.half if old is None else max(period.half, old.half)
    counts = {each: [0, 0] if old is None else list(old.counts(each)) for each in (half, half - 1)}
    counts[period.half][period.night] += 1
    values = {COUNTERS[each % 2][night]: counts[each][night] for each in counts for night in (False, True)}
    late = old is not None and old.half > period.half
    return Cell(
        prefix=name[:-3],
        suffix=name[-3:],
        half=half,
        period=None if old is None else old.period,
        last_report=None if old is None else old.last_report,
        expires=old.expires if old is not None and late else at + YEAR,
        **values,
    )
