"""Maps as one HTML page: cells, points and shapes over coastlines, and the ranges of keys of a view."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.resources import files
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from pksk.cells import GEOHASH, Box, CellStatistics, decode
from pksk.cells.coordinates import check_position
from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, quote
from pksk.geo.map_elements import map_panel, map_stage
from pksk.pages import page, printable, tag

if TYPE_CHECKING:
    from pksk.geometry import Geometry

# A page of so many cells is about a megabyte, and a frame of it is drawn in some ten milliseconds.
MOST_CELLS: Final = 20_000
MOST_POINTS: Final = 5_000
MOST_VERTICES: Final = 50_000
# The cells of a zoom are at least so wide, and up to eight times that.
_CELL_PIXELS: Final = 12
_SCRIPTS: Final = ("ranges.js", "drawing.js", "contents.js", "panel.js", "answers.js", "map.js")
_WORLD: Final = Box(-60, -180, 78, 180)


@dataclass(frozen=True)
class MapCell:
    """A cell with items: what their values are together, and how many they are.

    Example:
        >>> MapCell("gcpjfy6d", total=12.5)
        MapCell(cell='gcpjfy6d', total=12.5, items=1)
    """

    cell: str
    total: float
    items: int = 1


@dataclass(frozen=True)
class MapPoint:
    """A position with a label, and the number that decides its colour.

    Example:
        >>> MapPoint(51.6705, -1.2818, "Abingdon")
        MapPoint(lat=51.6705, lng=-1.2818, label='Abingdon', value=None)
    """

    lat: float
    lng: float
    label: str
    value: float | None = None


@dataclass(frozen=True)
class MapShape:
    """An outline with a name.

    Example:
        >>> from pksk.geo import read_geometry
        >>> MapShape("path", read_geometry({"type": "LineString", "coordinates": [[-1.3, 51.6], [-1.2, 51.7]]})).name
        'path'
    """

    name: str
    geometry: Geometry


@dataclass(frozen=True)
class MapKeys:
    """How cells are in keys: the attributes, and the text around the prefix and before the suffix of a cell.

    `end` follows the last suffix of a range, if several items can be in a cell; `beyond` is how many characters of a
    cell come after the suffix.

    Example:
        >>> MapKeys(names=("pk", "sk"), partition=("ShCe#", ""))
        MapKeys(names=('pk', 'sk'), partition=('ShCe#', ''), sort='', end='', suffix=3, beyond=0)
    """

    names: tuple[str, str]
    partition: tuple[str, str]
    sort: str = ""
    end: str = ""
    suffix: int = 3
    beyond: int = 0


@dataclass(frozen=True)
class LiveMap:
    """A server that answers views: the path of its answers, and the levels of cells that it has.

    Example:
        >>> LiveMap("/view", levels=range(3, 9)).url
        '/view'
    """

    url: str
    levels: Sequence[int]


@dataclass(frozen=True)
class MapAnswer:
    """The answer of a server to a view of a live map: the cells of one level, and what reading them consumed.

    Example:
        >>> seen = CellStatistics.seen(items=1, cells=100, size_bytes=95)
        >>> MapAnswer([MapCell("gcpvj0d", 7)], 7, seen, requests=1, units=0.5, milliseconds=4.2).data()["cells"]
        [('gcpvj0d', 7, 1)]
    """

    cells: Sequence[MapCell]
    level: int
    statistics: CellStatistics
    requests: int
    units: float
    milliseconds: float

    def data(self) -> dict[str, Any]:
        """What the page reads as JSON."""
        return {
            "cells": [_cell(each) for each in self.cells],
            "level": self.level,
            "statistics": _statistics(self.statistics),
            "requests": self.requests,
            "units": self.units,
            "milliseconds": round(self.milliseconds, 1),
        }


@dataclass(frozen=True)
class MapPage:
    """A map as one HTML page, which loads nothing: to zoom and to move, with the ranges of keys of each view.

    Cells of one level are added up to larger ones when the map is zoomed out; cells of several levels are shown as
    they are. With `keys` and `statistics`, the page computes what reading the view costs in several ways.

    Example:
        >>> cells = [MapCell("gcpvj0d", 7), MapCell("gcpvhbp", 2)]
        >>> html = MapPage("Reports", cells=cells, points=[MapPoint(51.5, -0.1, "<London>")]).html()
        >>> html.startswith("<!doctype html>"), "<London>" in html
        (True, False)
    """

    title: str
    cells: Sequence[MapCell] = ()
    points: Sequence[MapPoint] = ()
    shapes: Sequence[MapShape] = ()
    value_name: str = "items"
    average: bool = False
    keys: MapKeys | None = None
    statistics: Mapping[int, CellStatistics] = field(default_factory=dict)
    stored_level: int | None = None
    notes: Sequence[str] = ()
    view: Box | None = None
    live: LiveMap | None = None

    def html(self) -> str:
        """The page."""
        self._check()
        return page(
            self.title,
            tag("h1", self.title),
            *([tag("ul", [tag("li", each) for each in self.notes], class_="notes")] if self.notes else []),
            tag("div", map_stage(), map_panel(live=self.live is not None), class_="columns"),
            tag(
                "p",
                f"Land: Natural Earth, public domain. Written by pksk {import_module('pksk').__version__}.",
                class_="dim",
            ),
            style=_asset("map.css"),
            script="\n".join(['"use strict";', *map(_asset, _SCRIPTS)]),
            data=json.dumps(self._data(), ensure_ascii=False, separators=(",", ":"), allow_nan=False),
            calls=self.live is not None,
        )

    def _data(self) -> dict[str, Any]:
        levels: dict[int, list[tuple[str, float, int]]] = {}
        for each in self.cells:
            levels.setdefault(len(each.cell), []).append(_cell(each))
        return {
            "land": _asset("land.txt"),
            "valueName": printable(self.value_name),
            "isAverage": self.average,
            "cellPixels": _CELL_PIXELS,
            "levels": levels,
            "storedLevel": self.stored_level or max(levels, default=0),
            "points": [_point(each) for each in self.points],
            "shapes": [_shape(each) for each in self.shapes],
            "keys": None if self.keys is None else _keys(self.keys),
            "statistics": {level: _statistics(each) for level, each in self.statistics.items()},
            "view": _bounds(self.view or self._extent()),
            "live": None if self.live is None else {"url": self.live.url, "levels": [*self.live.levels]},
        }

    def _check(self) -> None:
        _check_count("cells", len(self.cells), MOST_CELLS)
        _check_count("points", len(self.points), MOST_POINTS)
        _check_count("vertices of shapes", sum(each.geometry.vertices for each in self.shapes), MOST_VERTICES)
        for cell in self.cells:
            GEOHASH.number(cell.cell)
            _check_value(cell.cell, cell.total)
        for point in self.points:
            check_position(point.lat, point.lng)
            if point.value is not None:
                _check_value(point.label, point.value)

    def _extent(self) -> Box:
        """What contains everything; the inhabited world if there is nothing."""
        boxes = [decode(each.cell) for each in self.cells]
        boxes += [Box(each.lat, each.lng, each.lat, each.lng) for each in self.points]
        envelopes = (each.geometry.envelope for each in self.shapes)
        boxes += [Box(each.south, each.west, each.north, each.east) for each in envelopes]
        return extent(boxes) if boxes else _WORLD


def extent(boxes: Iterable[Box]) -> Box:
    """The smallest box around some boxes: it crosses the 180th meridian if they are on both sides of it.

    Example:
        >>> extent([Box(-18, 177, -17, 179), Box(-16, -180, -15, -179)])
        Box(south=-18, west=177, north=-15, east=-179)
    """
    found = [*boxes]
    sides = sorted((part.west, part.east) for each in found for part in each.parts)
    west, reached = sides[0]
    widest, gap = (west, max(east for _, east in sides)), 0.0
    gap = west + 360 - widest[1]
    for start, end in sides:
        if start - reached > gap:
            gap, widest = start - reached, (start, reached)
        reached = max(reached, end)
    south, north = min(each.south for each in found), max(each.north for each in found)
    return Box(south, widest[0], north, widest[1])


def _statistics(statistics: CellStatistics) -> dict[str, Any]:
    return {
        "itemsPerCell": statistics.items_per_cell,
        "itemBytes": statistics.item_bytes,
        "partitionItems": dict(statistics.partition_items),
        "source": printable(statistics.source),
    }


def _check_count(what: str, count: int, most: int) -> None:
    if count > most:
        raise InvalidValue(
            "map-too-large",
            f"The map has {count:,} {what}.",
            expected=f"A page that browsers draw without delay has at most {most:,}.",
            fix="add cells up to larger ones, simplify shapes, or draw a part of them.",
        )


def _check_value(name: str, value: float) -> None:
    if not isfinite(value):
        raise InvalidValue(
            "map-value",
            f"The value of {quote(name)} is {value}, which has no colour.",
            fix="pass a finite number.",
        )


def _short(value: float) -> float:
    """A number with no more digits than can be seen, since there are thousands of them."""
    return int(value) if value == int(value) else float(f"{value:.6g}")


def _cell(each: MapCell) -> tuple[str, float, int]:
    return each.cell, _short(each.total), each.items


def _point(each: MapPoint) -> list[object]:
    value = None if each.value is None else _short(each.value)
    return [round(each.lat, 6), round(each.lng, 6), printable(each.label), value]


def _keys(keys: MapKeys) -> dict[str, object]:
    return {
        "names": [printable(each) for each in keys.names],
        "partition": [printable(each) for each in keys.partition],
        "sort": [printable(keys.sort), printable(keys.end)],
        "suffix": keys.suffix,
        "beyond": keys.beyond,
    }


def _bounds(box: Box) -> list[float]:
    return [box.south, box.west, box.north, box.east]


def _shape(each: MapShape) -> dict[str, object]:
    areas: list[Any] = []
    lines: list[Any] = []
    for kind, coordinates in _parts(each.geometry.to_dict()):
        (areas if kind == "Polygon" else lines).extend(coordinates)
    return {"name": printable(each.name), "areas": areas, "lines": lines}


def _parts(geometry: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """Polygons and lines of a GeoJSON geometry as lists of their rings and paths; points are drawn as short lines."""
    kind, coordinates = geometry["type"], geometry.get("coordinates", [])
    if kind == "GeometryCollection":
        for each in geometry["geometries"]:
            yield from _parts(each)
    elif kind == "MultiPolygon":
        yield from (("Polygon", each) for each in coordinates)
    elif kind == "Polygon":
        yield "Polygon", coordinates
    elif kind in ("LineString", "MultiLineString"):
        yield "LineString", [coordinates] if kind == "LineString" else coordinates


def _asset(name: str) -> str:
    return (files("pksk.geo") / "map_assets" / name).read_text("utf-8")
