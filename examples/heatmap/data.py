"""Generated data: two half-years of reports in some cities, always the same, generated lazily.

Every cell is the sum of the cells in it, as if all reports had been counted one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Final, NamedTuple

from pksk import Entity
from pksk.cells import ALPHABET, GEOHASH, encode

from .cells import LIVE, YEAR, Cell
from .markers import Marker
from .periods import COUNTERS, period, seconds
from .reports import Sender
from .views import LENGTHS, SUFFIX

# When the generated reports end: far in the future, so that no store considers any of them expired.
NOW: Final = datetime(2045, 9, 20, 14, 0, tzinfo=UTC)


class City(NamedTuple):
    """A city, and its share of the reports in per cent."""

    name: str
    lat: float
    lng: float
    percent: float


CITIES: Final = (
    City("London", 51.507, -0.128, 40),
    City("Birmingham", 52.481, -1.899, 8),
    City("Manchester", 53.479, -2.245, 8),
    City("Glasgow", 55.861, -4.250, 6),
    City("Oxford", 51.752, -1.258, 3),
    City("Paris", 48.857, 2.352, 6),
    City("Madrid", 40.417, -3.704, 3),
    City("Berlin", 52.520, 13.405, 3),
    City("Rome", 41.894, 12.483, 2),
    City("New York", 40.713, -74.006, 6),
    City("Vancouver", 49.283, -123.121, 2),
    City("Sao Paulo", -23.551, -46.633, 2),
    City("Lagos", 6.455, 3.394, 2),
    City("Cape Town", -33.925, 18.424, 2),
    City("Mumbai", 19.076, 72.878, 2),
    City("Tokyo", 35.690, 139.692, 3),
    City("Sydney", -33.869, 151.209, 1.5),
    City("Suva", -18.141, 178.442, 0.5),
)

_BEGIN: Final = 2
# The share of the smallest cells in the items of some reports.
_SMALLEST: Final = 0.7
# The share of these with a report in the last hour.
_LIVE: Final = 0.03
_DAY: Final = 86_400
_TOWN: Final = 5
_TOWN_DEGREES: Final = 0.0439


class _Held(NamedTuple):
    """The counts of a cell by half-year and night, and the times of its last count and its last report."""

    counts: Counter[tuple[int, bool]]
    counted: int
    last_report: int | None


def generate(items: int) -> Iterator[Entity]:
    """About so many cells, markers and senders; the parts of a cell come before it."""
    towns: Counter[str] = Counter()
    for city in CITIES:
        towns += _towns(city, round(items * _SMALLEST * city.percent / 100))
    return _Grown(Random(_BEGIN)).within("", towns)


def partition(prefix: str, share: float = 1) -> Iterator[Cell]:
    """So much of a whole partition of smallest cells, to measure on."""
    random = Random(_BEGIN)
    for number in range(32**SUFFIX):
        if random.random() < share:
            cell = prefix + GEOHASH.name(number, SUFFIX)
            counted = seconds(NOW) - 1 - random.randrange(40 * _DAY)
            last = period(cell, counted)
            held = _Held(Counter({(last.half, last.night): 1 + random.randrange(40)}), counted, counted)
            yield _cell(cell, held, last.number)


def _towns(city: City, cells: int) -> Counter[str]:
    """How many smallest cells are in each cell of length 5 around the centre of a city, where most of them are."""
    around = [(up, across) for up in range(-2, 3) for across in range(-2, 3)]
    around.sort(key=lambda each: (abs(each[0]) + abs(each[1]), each))
    towns: Counter[str] = Counter()
    for up, across in around:
        share = min(cells, 32**SUFFIX, cells // 3 + 1)
        town = encode(city.lat + up * _TOWN_DEGREES, city.lng + across * _TOWN_DEGREES, _TOWN)
        towns[town] += share
        cells -= share
    return towns


class _Grown:
    """Generates cells from the largest to the smallest, and yields them on the way back."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._senders = 0

    def within(self, cell: str, smallest: Mapping[str, int]) -> Generator[Entity, None, _Held]:
        """All cells in a cell and then the cell itself; `smallest` says how many of the smallest are in it."""
        if len(cell) == LENGTHS[-1]:
            return (yield from self._one(cell))
        parts = []
        for child, more in self._parts(cell, smallest):
            parts.append((yield from self.within(child, more)))
        held = _sum(parts)
        if len(cell) in LENGTHS:
            yield _cell(cell, held)
        return held

    def _parts(self, cell: str, smallest: Mapping[str, int]) -> Iterator[tuple[str, Mapping[str, int]]]:
        if cell in smallest:
            room = 32 ** (LENGTHS[-1] - len(cell) - 1)
            yield from ((child, {child: many}) for child, many in self._split(cell, smallest[cell], room))
            return
        for child in sorted({town[: len(cell) + 1] for town in smallest}):
            yield child, {town: many for town, many in smallest.items() if town.startswith(child)}

    def _split(self, cell: str, many: int, room: int) -> Iterator[tuple[str, int]]:
        """So many smallest cells among the children of a cell, most of them in few children, like crimes in streets."""
        children = max(-(-many // room), min(len(ALPHABET), round(many**0.5)))
        weights = [self._random.paretovariate(1) for _ in range(children)]
        for left, child in zip(
            range(children, 0, -1), sorted(self._random.sample(ALPHABET, children)), strict=True
        ):
            target = round(many * weights[-left] / sum(weights[-left:]))
            share = min(room, many, max(many - room * (left - 1), target))
            many -= share
            if share:
                yield cell + child, share

    def _one(self, cell: str) -> Generator[Entity, None, _Held]:
        """A smallest cell; with its marker and sender, if its last report is of this hour."""
        random = self._random
        live = random.random() < _LIVE
        age = random.uniform(0, LIVE) if live else LIVE + min(random.expovariate(1 / 40), 240) * _DAY
        counted = seconds(NOW) - int(age)
        last = period(cell, counted)
        counts = Counter({(last.half, last.night): 1})
        for half in {last.half, last.half - random.getrandbits(1)}:
            for night in (False, True):
                counts[half, night] += min(int(random.expovariate(0.5)), 60)
        held = _Held(counts, counted, counted if live or random.random() < 0.7 else None)
        yield _cell(cell, held, last.number)
        if live:
            yield Marker.of(cell, counted)
            yield self._sender(cell, counted)
        return held

    def _sender(self, cell: str, at: int) -> Sender:
        self._senders += 1
        block = f"{self._senders // 256 % 224:03d}.{self._senders % 256:03d}/{self._senders // 57_344:03d}"
        return Sender(block=block, reports=1, last_report=at, last_cell=cell, expires=at + _DAY)


def _sum(parts: Sequence[_Held]) -> _Held:
    counts: Counter[tuple[int, bool]] = Counter()
    for each in parts:
        counts += each.counts
    last = max((each.last_report or 0 for each in parts), default=0)
    return _Held(counts, max((each.counted for each in parts), default=0), last or None)


def _cell(cell: str, held: _Held, period: int | None = None) -> Cell:
    newest = max(half for half, _ in held.counts)
    counts = {
        COUNTERS[half % 2][night]: number
        for (half, night), number in held.counts.items()
        if half >= newest - 1
    }
    return Cell(
        cell=cell,
        half=newest,
        period=period,
        last_report=held.last_report if len(cell) > 6 else None,
        expires=held.counted + YEAR,
        **counts,
    )
