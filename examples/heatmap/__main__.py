"""The command of the heatmap: `python -m examples.heatmap`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import isnan
from signal import SIGINT, SIGTERM, signal
from threading import Thread
from typing import Any, Final, TypeVar

import click

from pksk import PkskError, Store, connect
from pksk.cells import Box, Cover, decode, encode, layout, view_of_screen
from pksk.cli.output import print_table

from ..tour.command import check_in_memory, command_of, name_argument, open_store, run_system
from .cells import Cell, heatmap
from .comparisons import METHODS, read_screen
from .data import NOW, partition
from .errors import OffTheMap, ReportRejected
from .markers import LENGTH, live
from .operations import Reporter, heat, make_report, submit_report
from .reports import Sender
from .serve import Allowance, MapServer, Views
from .system import system
from .views import LENGTHS, cells_of, length_at

app = command_of(system, ReportRejected, usage_errors=(OffTheMap,))

_Function = TypeVar("_Function", bound=Callable[..., Any])
_MINUTES: Final = "%Y-%m-%dT%H:%M"
_MOMENT: Final = click.DateTime([_MINUTES, "%Y-%m-%d"])


def _within_years(_: click.Context, __: click.Parameter, at: datetime) -> datetime:
    if not 1970 <= at.year < 9999:
        raise click.BadParameter(f"{at:{_MINUTES}} is out of range. Fix: give a year from 1970 to 9998.")
    return at


def _is_share(_: click.Context, __: click.Parameter, share: float) -> float:
    if isnan(share):
        raise click.BadParameter("nan is not in the range 0.001<=x<=1.")
    return share


def _fits_a_key(_: click.Context, __: click.Parameter, sender: str) -> str:
    try:
        Sender.one(sender)
    except PkskError as error:
        raise click.BadParameter(str(error)) from error
    return sender


def _moment(option: str, about: str) -> Callable[[_Function], _Function]:
    return click.option(
        option,
        type=_MOMENT,
        callback=_within_years,
        default=f"{NOW:{_MINUTES}}",
        show_default=True,
        help=about,
    )


_at = _moment("--at", "The moment in UTC; generated data ends with this one.")


def _degrees(*names: str) -> Callable[[_Function], _Function]:
    """Options for degrees, each with a name, so that none is mistaken for another."""

    def decorated(function: _Function) -> _Function:
        for name in reversed(names):
            function = click.option(f"--{name}", type=float, required=True, help="In degrees.")(function)
        return function

    return decorated


@app.command("report")
@_degrees("lat", "lng")
@_at
@_moment("--now", "What the clock shows, in UTC: later reports are rejected.")
@click.option(
    "--sender",
    type=name_argument,
    callback=_fits_a_key,
    default="198.051/100",
    show_default=True,
    help="The block of a network address.",
)
@click.option(
    "--from", "reporter", type=(float, float), help="LAT LNG of the reporter; without it, the place itself."
)
@click.option("--precise/--by-address", default=True, show_default=True, help="How well that is known.")
@click.pass_context
def report_command(
    context: click.Context,
    lat: float,
    lng: float,
    at: datetime,
    now: datetime,
    sender: str,
    reporter: tuple[float, float] | None,
    precise: bool,
) -> None:
    """Report a place, and print whether the report was counted, touched (counted before) or repeated."""
    moment, clock = at.replace(tzinfo=UTC), now.replace(tzinfo=UTC)
    who = Reporter(sender, *(reporter or (lat, lng)), precise=precise)
    # Before any store is opened, and created where there is none.
    new_report = make_report(lat, lng, moment, who, now=clock)
    db = open_store(context, may_be_empty=True)
    db.ensure_tables(heatmap)
    click.echo(f"{submit_report(db, new_report)} in {new_report.cell}")


@app.command("heat")
@_degrees("south", "west", "north", "east")
@_at
@click.option(
    "--zoom",
    type=click.FloatRange(0, 24),
    help="The zoom of a web map; by default, cells are as small as fit a screen.",
)
@click.option("--most", type=click.IntRange(1), default=10, show_default=True, help="How many to show.")
@click.pass_context
def heat_command(
    context: click.Context,
    south: float,
    west: float,
    north: float,
    east: float,
    at: datetime,
    zoom: float | None,
    most: int,
) -> None:
    """Show the hottest points of a part of the map."""
    view = Box(south, west, north, east)
    db = open_store(context)
    with db.meter(everywhere=True) as meter:
        points = heat(db, view, at.replace(tzinfo=UTC), zoom)
    rows = [(f"{each.lat:.5f}", f"{each.lng:.5f}", f"{each.intensity:.1f}") for each in points[:most]]
    print_table(["lat", "lng", "intensity"], rows, right=(0, 1, 2))
    click.echo(
        f"{len(points):,} points in cells of length {Cell.in_view(view, zoom).cell_plan.cover.level}: "
        f"{meter.calls} requests, {meter.consumed.read:g} read units"
    )


@app.command("live")
@_degrees("south", "west", "north", "east")
@_at
@click.pass_context
def live_command(
    context: click.Context, south: float, west: float, north: float, east: float, at: datetime
) -> None:
    """Show the reports of the last hour in a part of the map, newest first."""
    view = Box(south, west, north, east)
    cells_of(view, LENGTH, or_larger=False)
    moment = at.replace(tzinfo=UTC)
    markers = live(open_store(context), view, moment)
    rows = [
        (
            each.cell,
            f"{datetime.fromtimestamp(each.at, UTC):%H:%M:%S}",
            "strong" if each.strong(moment) else "weak",
        )
        for each in markers
    ]
    print_table(["cell", "at", "shown"], rows)


@app.command("ways")
@_degrees("lat", "lng")
@click.option("--zoom", type=click.IntRange(3, 20), required=True, help="The zoom of a web map.")
@click.option("--width", type=click.IntRange(1, 10_000), default=1920, show_default=True, help="In pixels.")
@click.option("--height", type=click.IntRange(1, 10_000), default=1080, show_default=True, help="In pixels.")
@click.option(
    "--share",
    type=click.FloatRange(0.001, 1),
    callback=_is_share,
    default=0.02,
    show_default=True,
    help="The assumed share of cells that exist.",
)
@click.pass_context
def ways_command(
    context: click.Context, lat: float, lng: float, zoom: int, width: int, height: int, share: float
) -> None:
    """Read one screen in five ways, and show the cost of each."""
    ranges = cells_of(view_of_screen(lat, lng, zoom, width, height), length_at(zoom))
    _show_ways(open_store(context), [(zoom, ranges)], share)


@app.command("measure")
@click.option(
    "--share",
    type=click.FloatRange(0.001, 1),
    callback=_is_share,
    default=1.0,
    show_default=True,
    help="The share of its cells that exist.",
)
@click.option("--zoom", "zooms", type=click.IntRange(17, 20), multiple=True, default=(17, 18, 19))
@click.pass_context
def measure_command(context: click.Context, share: float, zooms: Sequence[int]) -> None:
    """Fill one partition in memory, and read screens of 1920 by 1080 in five ways."""
    check_in_memory(context)
    town = encode(51.507, -0.128, LENGTHS[-1] - 3)
    with connect("memory:") as db:
        db.create_tables(heatmap)
        db.batch_put(*partition(town, share))
        screens = [
            (zoom, cells_of(view_of_screen(*decode(town).centre, zoom), LENGTHS[-1])) for zoom in zooms
        ]
        _show_ways(db, screens, share)


@app.command("serve")
@_at
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8080, show_default=True, help="0 takes a free one."
)
@click.option(
    "--units",
    type=click.FloatRange(1),
    default=50,
    show_default=True,
    help="The most read units of one view.",
)
@click.option(
    "--units-per-second",
    type=click.FloatRange(1),
    default=200,
    show_default=True,
    help="The most read units of all views.",
)
@click.pass_context
def serve_command(
    context: click.Context, at: datetime, port: int, units: float, units_per_second: float
) -> None:
    """Show the map to browsers of this machine, until Ctrl-C or SIGTERM; every view is read from the store."""
    views = Views(open_store(context), at.replace(tzinfo=UTC), units, Allowance(units_per_second))
    try:
        server = MapServer(views, port)
    except OSError as error:
        raise click.ClickException(f"Port {port}: {error.strerror}. Fix: name another --port.") from error
    with server:
        stop = Thread(target=server.shutdown)
        for number in (SIGINT, SIGTERM):
            signal(number, lambda *_: None if stop.ident else stop.start())
        click.echo(f"The map is at {server.url}. Press Ctrl-C to stop.")
        server.serve_forever(poll_interval=0.1)
    click.echo("Stopped.")


@app.command("layout")
@click.argument("cell")
def layout_command(cell: str) -> None:
    """Show the 32 cells in a CELL as they lie on the map."""
    for row in layout(cell):
        click.echo(" ".join(row))


def _show_ways(db: Store, screens: Sequence[tuple[int, Cover]], share: float) -> None:
    rows = []
    for zoom, ranges in screens:
        for way in METHODS:
            cost = read_screen(db, way, ranges, share)
            figures = (cost.requests, cost.read, len(cost.cells))
            rows.append((str(zoom), way, *(f"{each:,}" for each in figures), f"{cost.units:,g}"))
    print_table(["zoom", "way", "requests", "read", "shown", "read units"], rows, right=(0, 2, 3, 4, 5))


if __name__ == "__main__":
    sys.exit(run_system(app, "heatmap"))
