"""The tour of the heatmap: its cells and views, the ways to read a screen, its reports, its markers, two cautions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from itertools import zip_longest
from typing import Final

from pksk import Entity, Store, batch
from pksk.cells import Box, CellArea, Cover, decode, encode, layout, view_of_screen

from ..tour import Tour
from .cells import Cell
from .comparisons import METHODS, SUFFIXES, LooseCell, ReadCost, read_screen
from .data import CITIES, NOW, generate, partition
from .errors import ReportRejected
from .expected import Expected
from .markers import LENGTH, Marker, live
from .operations import Reporter, heat, report
from .reports import Sender
from .views import LENGTHS, SUFFIX, WORLD, cells_of, length_at

_LONDON: Final = CITIES[0]
_HOUR: Final = timedelta(hours=1)
# A zoom for each length of cells, from a continent to a street.
_ZOOMS: Final = (5, 8, 11, 14, 16, 18)
# Two partitions without reports, to be filled and measured.
_DENSE: Final = "gcr00"
_SPARSE: Final = "gcr01"
_ABINGDON: Final = (51.6705, -1.2818)

_ANN, _BEN = Reporter("198.051/100", *_ABINGDON), Reporter("198.051/101", *_ABINGDON)
_BY_ADDRESS = Reporter("198.051/102", _LONDON.lat, _LONDON.lng, precise=False)
_ABROAD = Reporter("198.051/103", 48.857, 2.352)
_IN_LONDON = Reporter("198.051/104", _LONDON.lat, _LONDON.lng)
# The story of Abingdon: the event, how long from now, the reporter, and the outcome.
_STORY: Final = (
    ("The first report of a day, from the place itself", timedelta(), _ANN, "counted"),
    ("The same again, as after a lost response", timedelta(), _ANN, "repeated"),
    ("Another reporter, on the same day", timedelta(minutes=20), _BEN, "touched"),
    ("From London, by the network address, on the same day", timedelta(minutes=30), _BY_ADDRESS, "touched"),
    ("From Paris", timedelta(minutes=30), _ABROAD, "ReporterTooFar"),
    ("The night of that day", timedelta(hours=8), _ANN, "counted"),
    ("The same night, an hour later", timedelta(hours=9), _ANN, "touched"),
    ("A fourth one within a day", timedelta(hours=10), _ANN, "TooMany"),
    ("The next day, located by address: counted, but no marker", timedelta(days=1), _BY_ADDRESS, "counted"),
    ("A day in the next half-year, in which all counters start again", timedelta(days=110), _ANN, "counted"),
    (
        "Certainly from London: no marker, and no change of the last report",
        timedelta(days=110, hours=1),
        _IN_LONDON,
        "touched",
    ),
)
# Reporters who are known to be there.
_PRESENT: Final = (_ANN, _BEN)


def run_tour(tour: Tour, items: int) -> None:
    """Fill the store, and run everything; the model computes the expected answers."""
    expected = Expected()
    _fill(tour, expected, generate(items), "items")
    _cells(tour, expected)
    _screens(tour, expected)
    _ways(tour, expected, items)
    _reports(tour, expected)
    _markers(tour, expected)
    _cautions(tour)


def _fill(tour: Tour, expected: Expected, entities: Iterable[Entity], what: str) -> None:
    items = list(entities)
    for each in items:
        expected.add(each)
    tour.fill(items, len(items), what)


def _cells(tour: Tour, expected: Expected) -> None:
    tour.section("Cells: a partition has up to 32,768 of one size, sorted by their last three characters")
    town = encode(_LONDON.lat, _LONDON.lng, LENGTHS[-1] - SUFFIX)
    smallest = expected.within(f"{town}000", f"{town}zzz")
    tour.run(Cell.one(smallest[0].cell), smallest[0])
    tour.run(Cell.children(town), expected.within(f"{town}0", f"{town}z"))
    tour.run(Cell.block(f"{town}0"), expected.within(f"{town}000", f"{town}0zz"))
    tour.run(Cell.partition(town), smallest)
    tour.note(
        "The 32 cells in a cell, as they are on the map: 8 by 4 if their length is odd, 4 by 8 if it is even."
    )
    layouts = ([" ".join(each[-1] for each in row) for row in layout(cell)] for cell in ("gc", "gcp"))
    tour.table(["in gc", "in gcp"], zip_longest(*layouts, fillvalue=""))


def _screens(tour: Tour, expected: Expected) -> None:
    tour.section("Screens: the cells of a view as ranges of sort keys, in one or more partitions")
    rows = []
    for zoom in _ZOOMS:
        view, length = view_of_screen(_LONDON.lat, _LONDON.lng, zoom), length_at(zoom)
        _shown(tour, expected, f"London at zoom {zoom}, in cells of length {length}", view, zoom)
        ranges = cells_of(view, length)
        rows.append(
            (
                zoom,
                length,
                f"{len(ranges):,}",
                len(ranges.partitions()),
                len(ranges.key_ranges()),
                tour.steps[-1],
            )
        )
    headers = ["zoom", "length", "cells", "partitions", "exact ranges", "requests", "read units"]
    tour.table(
        headers,
        [[*row[:-1], len(row[-1].requests), f"{row[-1].consumed.read:g}"] for row in rows],
        right=range(7),
    )
    _shown(tour, expected, "Fiji, across the 180th meridian", Box(-19, 177, -16, -179), 11)
    _shown(tour, expected, "The whole world, from one partition", WORLD, 5)
    _shown(tour, expected, "The north pole, without reports", Box(80, -180, 90, 180), 5)


def _shown(tour: Tour, expected: Expected, title: str, view: Box, zoom: int) -> None:
    tour.call(title, lambda db: heat(db, view, NOW, zoom), expected.points(view, length_at(zoom), NOW))


def _ways(tour: Tour, expected: Expected, items: int) -> None:
    tour.section("Five ways to read one screen of cells")
    rows = []
    # All cells of a partition would take longer to store than the rest of this tour together.
    for prefix, share in ((_DENSE, min(0.25, items / 20_000)), (_SPARSE, 0.02)):
        _fill(tour, expected, partition(prefix, share), "cells to measure on")
        for zoom in (17, 19):
            view = view_of_screen(*decode(prefix).centre, zoom)
            seen = expected.seen_in(view, LENGTHS[-1])
            title = f"Zoom {zoom} where {share:.0%} of all cells exist, in {len(METHODS)} ways"
            costs = tour.call(title, _in_all_ways(cells_of(view, LENGTHS[-1]), share), _all_found(seen))
            rows += [(zoom, f"{share:.0%}", *_figures(each)) for each in costs]
    headers = ["zoom", "exist", "way", "requests", "read", "shown", "read units"]
    tour.table(headers, rows, right=(0, 1, 3, 4, 5, 6))
    screens = [row[2:] for row in rows[: len(METHODS)]]
    tour.compare(
        f"A screen at zoom 17 in a town where {rows[0][1]} of all cells exist, read in {len(METHODS)} ways",
        headers[2:],
        screens,
        right=(1, 2, 3, 4),
        conclusion="A query pays for the bytes that it reads, and BatchGetItem for each key, whether the item exists "
        "or not. So ranges win, and joining near ones saves requests, each of which is rounded up.",
    )
    _, requests, read, cell_count, _ = next(row for row in screens if row[0] == "ranges, exact")
    tour.prove(
        f"{requests} exact ranges read {read} cells and show {cell_count}: every cell of the screen, and no other, as "
        "a model in plain Python finds them.",
        holds=read == cell_count,
    )
    tour.note(
        "A query is charged for the bytes that it reads, BatchGetItem for each key, whether the item exists or not. "
        "So ranges win. Joined ranges are cheaper than exact ones, since every request is rounded up."
    )


def _in_all_ways(ranges: Cover, share: float) -> Callable[[Store], list[ReadCost]]:
    return lambda db: [read_screen(db, way, ranges, share) for way in METHODS]


def _all_found(seen: list[Cell]) -> Callable[[list[ReadCost]], bool]:
    return lambda costs: all(each.cells == seen for each in costs)


def _figures(cost: ReadCost) -> tuple[str, ...]:
    return (cost.way, f"{cost.requests:,}", f"{cost.read:,}", f"{len(cost.cells):,}", f"{cost.units:,g}")


def _reports(tour: Tour, expected: Expected) -> None:
    tour.section("Reports: counted once a day and once a night, in six cells at once, all or nothing")
    cell = encode(*_ABINGDON, LENGTHS[-1])
    for title, later, reporter, outcome in _STORY:
        at = NOW + later
        tour.call(title, partial(_report_outcome, at=at, reporter=reporter), outcome)
        if outcome in ("counted", "touched"):
            expected.report(cell, int(at.timestamp()), active=reporter in _PRESENT)
    ahead = partial(_report_outcome, at=NOW + timedelta(days=800), reporter=_BEN, now=NOW)
    tour.call("A report in the future, which would make all others too old", ahead, "ReportInFuture")
    cells = batch(*(Cell.one(cell[:length]) for length in reversed(LENGTHS)))
    tour.run(cells, expected.around(cell), title="The six cells after all these reports")
    tour.run(Sender.one(_ANN.block), lambda sender: sender.reports == 1 and sender.last_cell == cell)


def _report_outcome(db: Store, *, at: datetime, reporter: Reporter, now: datetime | None = None) -> str:
    try:
        return report(db, *_ABINGDON, at, reporter, now=now or at)
    except ReportRejected as error:
        return type(error).__name__


def _markers(tour: Tour, expected: Expected) -> None:
    tour.section("Live markers: with a key prefix of their own, so that nothing else is read")
    view, now = view_of_screen(_LONDON.lat, _LONDON.lng, 14), int(NOW.timestamp())
    with_age = [(each, now - each.at <= 15 * 60) for each in expected.live_in(view, NOW)]
    tour.call(
        "The live markers in London, strong for a quarter of an hour", partial(_lit, view=view), with_age
    )
    tour.call("An hour later they are expired, and not shown", lambda db: live(db, view, NOW + _HOUR), [])
    town = encode(_LONDON.lat, _LONDON.lng, LENGTH - SUFFIX)
    recent = [
        each
        for each in expected.within(f"{town}000", f"{town}zzz")
        if (each.last_report or 0) >= now - 60 * 60
    ]
    tour.run(Cell.live(town, now), recent)
    by_cells = tour.steps[-1].consumed.read
    markers = sorted((each for each in expected.markers if each.square.startswith(town)), key=_sort_key)
    tour.run(Marker.within(CellArea(town), now), [each for each in markers if each.at <= now < each.expires])
    by_markers = tour.steps[-1].consumed.read
    tour.note(
        f"The live reports of one partition cost {by_cells:g} read units by its cells, {by_markers:g} by its markers."
    )


def _lit(db: Store, *, view: Box) -> list[tuple[Marker, bool]]:
    return [(each, each.strong(NOW)) for each in live(db, view, NOW)]


def _sort_key(marker: Marker) -> tuple[str, int, str]:
    return marker.square, marker.at, marker.rest


def _cautions(tour: Tour) -> None:
    tour.section("Pitfalls: sort keys of several lengths, and capitals, in one partition")
    tour.fill([LooseCell(prefix="gcpjf", suffix=each) for each in SUFFIXES], len(SUFFIXES), "loose cells")
    rows = []
    for first, last in (("w00", "wzz"), ("W00", "WZZ"), ("000", "zzz")):
        between = [each for each in sorted(SUFFIXES) if first <= each <= last]
        expected = [LooseCell(prefix="gcpjf", suffix=each) for each in between]
        cells = tour.run(LooseCell.within("gcpjf", first, last), expected)
        rows.append((f"{first} to {last}", " ".join(each.suffix for each in cells)))
    tour.note(f"Stored are: {' '.join(sorted(SUFFIXES))}")
    tour.table(["between", "returned"], rows)
    tour.note(
        "A shorter key sorts before those that begin with it: w0 is not between w00 and wzz, but w1 to wz are. "
        "Capitals sort before all lower case letters, so a range in one case misses the other."
    )
