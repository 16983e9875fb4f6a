"""The command `pksk map`: one HTML page that shows items and shapes on a map."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pksk.cells import Box
from pksk.cli.commands import command, complete_file
from pksk.cli.database_file import FILE_SUFFIXES
from pksk.cli.item_source import item_sources, items_in
from pksk.cli.json_stream import JsonStream
from pksk.cli.output import format_count, json_option, print_json
from pksk.cli.target import load
from pksk.connection import connect
from pksk.connection.target import Embedded, read_target
from pksk.dataclass import replace
from pksk.errors import DesignError, FileError, InvalidValue, did_you_mean, quote
from pksk.geo.map_items import MapItems
from pksk.geo.map_page import MapPage
from pksk.geo.map_source import MapSource, choose_source, choose_values, number_fields
from pksk.model.entity_of_item import is_item_of
from pksk.transfer.file_errors import missing_file_error, unreadable_file_error

if TYPE_CHECKING:
    from pksk.geo.map_shapes import MapShapes

# A scan of a table on AWS costs money; a table that is larger needs a decision.
_AWS_UNITS: Final = 1000
_PAGE_ITEMS: Final = 1000


def _option(name: str, metavar: str, help_text: str, **more: Any) -> Callable[[Any], Any]:
    return click.option(name, metavar=metavar, help=help_text, **more)


@command(
    "pksk map heat.py --on heat.db",
    "pksk map heat.py --items cells.jsonl --value reports -o reports.html",
    "pksk map --shapes park.geojson",
)
@click.argument("target", required=False, shell_complete=complete_file)
@_option("--on", "DB", "Where the items are: a file, a URL or dynamodb://REGION.")
@_option(
    "--items",
    "FILE",
    "Items in a file instead: JSON, or JSON lines; - is standard input.",
    shell_complete=complete_file,
)
@_option("--entity", "NAME", "The entity to show, if several can be.")
@_option("--cell", "FIELD", "The field or property that is a cell, if no field is declared so.")
@_option("--key", "NAME", "The key whose ranges are shown, if several have the cell.")
@_option("--value", "FIELD", "A number that decides the colour; of several options, the sum.", multiple=True)
@click.option("--average", is_flag=True, help="Show averages of items in larger cells, instead of sums.")
@_option(
    "--shapes",
    "FILE",
    "A GeoJSON file to draw; may be repeated.",
    multiple=True,
    shell_complete=complete_file,
)
@_option(
    "--view",
    "SOUTH WEST NORTH EAST",
    "What the page shows first; everything by default.",
    type=float,
    nargs=4,
)
@_option(
    "--units",
    "N",
    f"The most read units to consume; {_AWS_UNITS:,} on AWS by default.",
    type=click.FloatRange(0.5),
)
@click.option("-o", "--output", metavar="FILE", default="map.html", show_default=True,
              type=click.Path(dir_okay=False, path_type=Path), help="The page to write.")  # fmt: skip
@json_option
def map(target: str | None, output: Path, wants_json: bool, **options: Any) -> None:  # noqa: A001 - commands have their names
    """Show items and shapes on a map, as one HTML page.

    TARGET is the design: a module, a file or a package folder. An entity with a cell (a field with CellLevel) is shown
    as coloured cells, one with the numbers lat and lng as points. The page shows what is read, in which ranges and at
    what cost, wherever you move the map. It loads nothing, and needs no server.
    """
    shapes = _shapes(options["shapes"]) if options["shapes"] else None
    view = Box(*options["view"]) if options["view"] else None
    if target is None:
        page, items = _page_of_shapes(shapes, view, options), 0
    else:
        page, items = _page_of_items(target, shapes, view, options)
    html = page.html()
    try:
        output.write_text(html, encoding="utf-8")
    except OSError as error:
        raise FileError(
            "file-unwritable",
            f"{output}: it cannot be written: {error.strerror or error}.",
            fix="name a file in a folder that exists: -o FILE.",
        ) from None
    _print_result(page, output, items, len(html.encode()), wants_json=wants_json)


def _page_of_shapes(shapes: MapShapes | None, view: Box | None, options: dict[str, Any]) -> MapPage:
    needs_design = [name for name in ("on", "items", "entity", "cell", "key", "value") if options[name]]
    if needs_design:
        raise click.UsageError(f"--{needs_design[0]} needs a TARGET: the design of the items.")
    if shapes is None:
        raise click.UsageError("Name a TARGET with --on or --items, or shapes with --shapes.")
    title = f"Map of {', '.join(Path(each).name for each in options['shapes'])}"
    return MapPage(title, shapes=shapes.shapes, points=shapes.points, notes=shapes.notes, view=view)


def _page_of_items(
    target: str, shapes: MapShapes | None, view: Box | None, options: dict[str, Any]
) -> tuple[MapPage, int]:
    design = load(target)
    tables = [design.only.__pksk__.table] if design.only else design.tables
    entity = options["entity"] or (design.only.__name__ if design.only else None)
    with design.importable():
        source = choose_source(tables, entity, options["cell"])
        values = choose_values(source, options["value"])
        key = None if options["key"] is None else _key(source, options["key"])
        found = MapItems(source, values, key)
        notes = [*_read(source, found, options)]
    if not found.items:
        raise DesignError(
            "map-no-items",
            f"There is no item of {source.name} in {options['items'] or options['on']}.",
            fix="load items, or name another source with --on or --items.",
        )
    where = "standard input" if options["items"] == "-" else options["items"] or options["on"]
    notes.insert(0, f"{format_count(found.items, 'item')} of {source.name} in {where}.")
    if not values and (numbers := number_fields(source.declaration)):
        shown = "Colours show how many items there are" if source.cell else "All points have one colour"
        notes.append(f"{shown}. For values: --value {' or '.join(numbers[:4])}.")
    page = found.page(f"Map of {source.name}", notes=notes, average=options["average"], view=view)
    if shapes is not None:
        points, notes = [*page.points, *shapes.points], [*page.notes, *shapes.notes]
        page = replace(page, shapes=shapes.shapes, points=points, notes=notes)
    return page, found.items


def _key(source: MapSource, name: str) -> Any:
    keys = source.declaration.keys
    if name not in keys:
        near = did_you_mean(name, keys)
        raise InvalidValue(
            "map-key",
            f"{source.name} has no key {quote(name)}.",
            expected=f"Keys are: {', '.join(keys)}.",
            fix=f"did you mean {quote(near)}?" if near else "name one of them.",
        )
    if not len(keys[name].partition) == len(keys[name].sort) == 1:
        raise InvalidValue(
            "map-key",
            f"{source.name}.{name} has no sort key, or several.",
            expected="The ranges of a view are ranges of one sort key.",
            fix="name a key with one partition key and one sort key.",
        )
    return keys[name]


def _read(source: MapSource, found: MapItems, options: dict[str, Any]) -> Iterator[str]:
    """Read all items, and yield what is to be known about this."""
    if options["on"] and options["items"]:
        raise click.UsageError("--on and --items are both given: items come from a database or from a file.")
    if options["items"]:
        yield from _read_file(source, found, options["items"])
    elif options["on"]:
        yield from _read_store(source, found, options["on"], options["units"])
    else:
        raise click.UsageError(
            f"Where are the items of {source.name}? Name a database with --on, or a file with --items."
        )


def _read_file(source: MapSource, found: MapItems, name: str) -> Iterator[str]:
    declaration, others = source.declaration, 0
    (file,) = item_sources((name,))
    file.check()
    for line, value in JsonStream(file.label, file.chunks(lambda _read: None)):
        for _, item in items_in(value, f"{file.label}, line {line}"):
            if is_item_of(declaration, item):
                found.add(declaration.from_item(item), item)
            else:
                others += 1
    if others:
        yield f"{format_count(others, 'item')} of other entities left out."


def _read_store(source: MapSource, found: MapItems, name: str, units: float | None) -> Iterator[str]:
    _check_exists(name)
    if units is None and name.startswith("dynamodb:"):
        units = _AWS_UNITS
    unreadable: list[Any] = []
    with connect(name) as db:
        with db.meter() as meter:
            scan, after = source.declaration.entity.scan().pages(_PAGE_ITEMS), None
            while True:
                page = db.page(scan, after=after, unreadable=unreadable)
                for entity in page:
                    found.add(entity, source.declaration.to_item(entity))
                after = page.next
                if after is None or (units is not None and meter.consumed.read >= units):
                    break
        if after is not None:
            yield f"Only a part was read: after {meter.consumed.read:g} read units there were more items (--units)."
    if unreadable:
        yield f"{format_count(len(unreadable), 'item')} left out that cannot be read as {source.name}."


def _check_exists(name: str) -> None:
    place = read_target(name)
    if isinstance(place, Embedded) and place.path != ":memory:" and not os.path.lexists(place.path):
        raise missing_file_error(Path(place.path), ignore=FILE_SUFFIXES[1:])


def _shapes(names: Sequence[str]) -> MapShapes:
    """The shapes and points of GeoJSON files."""
    from pksk.geo.map_shapes import MapShapes, read_shapes  # needs the extra geo

    found = MapShapes()
    for name in names:
        path = Path(name)
        try:
            found += read_shapes(path.read_bytes(), path.stem)
        except FileNotFoundError:
            raise missing_file_error(path) from None
        except OSError as error:
            raise unreadable_file_error(str(path), error) from None
        except InvalidValue as error:
            problem = f"{path}: {error.problem}"
            raise type(error)(error.code, problem, expected=error.expected, fix=error.fix) from None
    return found


def _print_result(page: MapPage, output: Path, items: int, size: int, *, wants_json: bool) -> None:
    shown = [
        format_count(len(each), thing)
        for each, thing in ((page.cells, "cell"), (page.points, "point"), (page.shapes, "shape"))
        if each
    ]
    if wants_json:
        print_json({
            "file": str(output), "bytes": size, "items": items, "cells": len(page.cells), "points": len(page.points),
            "shapes": len(page.shapes), "value": page.value_name, "notes": list(page.notes),
        })  # fmt: skip
        return
    click.echo(f"{output}: {', '.join(shown)}. Open it in a browser.")
    for note in page.notes:
        click.echo(f"  {note}")
