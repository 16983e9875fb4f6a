"""Serves the map of the heatmap to browsers of this machine: every view is read from the store, within a cap."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from math import isfinite
from threading import Lock
from time import monotonic
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from pksk import PkskError, Store
from pksk.cells import Box, CellStatistics, Cover
from pksk.errors import quote
from pksk.geo import LiveMap, MapAnswer, MapCell, MapKeys, MapPage
from pksk.values import item_size

from .cells import ITEM_BYTES, REQUEST_UNITS, Cell
from .errors import OffTheMap
from .views import LENGTHS, SUFFIX, cells_of

ADDRESS: Final = "127.0.0.1"
_LONDON: Final = Box(51.38, -0.42, 51.64, 0.18)
_FIELDS: Final = ("south", "west", "north", "east", "level")
_FIELD_LIST: Final = f"{', '.join(_FIELDS[:-1])} and {_FIELDS[-1]}"
_MOST_FIELDS: Final = 20
# The part of the cap that one page of items takes at most: so much can be consumed beyond the cap.
_PAGE_SHARE: Final = 0.25
# Items of a read unit, which is 8 KB of an eventually consistent query.
_UNIT_ITEMS: Final = 2 * 4096 / ITEM_BYTES
# Items whose sizes are averaged for the estimate.
_WEIGHED: Final = 100


class TooMuch(Exception):
    """A view that would consume more than the cap."""


class Allowance:
    """How many read units all views together may consume in a second; unused ones do not add up.

    Example:
        >>> allowance = Allowance(100, now=lambda: 0.0)
        >>> allowance.wait_seconds(), allowance.spend(150), allowance.wait_seconds()
        (0.0, None, 0.5)
    """

    def __init__(self, units_per_second: float, now: Callable[[], float] = monotonic) -> None:
        self._per_second, self._now = units_per_second, now
        self._left, self._at = units_per_second, now()

    def wait_seconds(self) -> float:
        """How long to wait before the next view may be read."""
        now = self._now()
        self._left = min(self._per_second, self._left + (now - self._at) * self._per_second)
        self._at = now
        return max(0.0, -self._left / self._per_second)

    def spend(self, units: float) -> None:
        """Count what a view has consumed."""
        self._left -= units


@dataclass(frozen=True)
class Views:
    """Reads views, one at a time: at most `most_units` each, and no more than the allowance together."""

    db: Store
    at: datetime
    most_units: float
    allowance: Allowance
    lock: AbstractContextManager[Any] = field(default_factory=Lock)

    def answer(self, box: Box, level: int) -> MapAnswer:
        """The cells of a view, and what reading them consumed; raises `TooMuch` or `OffTheMap`."""
        found = cells_of(box, level)
        with self.lock:
            if wait := self.allowance.wait_seconds():
                raise TooMuch(
                    f"The views of the last second have consumed enough. Fix: wait {wait:.1f} seconds."
                )
            begin = monotonic()
            with self.db.meter(everywhere=True) as meter:
                try:
                    read = [*self._read(box, level, lambda: meter.consumed.read)]
                finally:
                    self.allowance.spend(meter.consumed.read)
            milliseconds = (monotonic() - begin) * 1000
        cells = [MapCell(each.cell, value) for each in read if (value := each.intensity(self.at))]
        return MapAnswer(cells, level, _seen(read, found), meter.calls, meter.consumed.read, milliseconds)

    def _read(self, box: Box, level: int, consumed: Callable[[], float]) -> Iterator[Cell]:
        """The stored cells of a view, in pages of a part of the cap, until it is exceeded."""
        items = int(self.most_units * _PAGE_SHARE * _UNIT_ITEMS) or 1
        query = Cell.primary.inside(box, level=level).using(request_units=REQUEST_UNITS).limit(items)
        after = None
        while True:
            page = self.db.page(query, after=after)
            yield from page
            if consumed() > self.most_units:
                raise TooMuch(
                    f"This view takes more than {self.most_units:g} read units. Fix: zoom in, or choose larger cells."
                )
            if (after := page.next) is None:
                return


def _seen(read: list[Cell], found: Cover) -> CellStatistics:
    sizes = [item_size(each.__pksk__.to_item(each)) for each in islice(read, _WEIGHED)]
    average = sum(sizes) / len(sizes) if sizes else 0
    return CellStatistics(len(read) / len(found), average or None, "seen in this answer")


def page_of() -> str:
    """The page, which asks for the cells of its view when it has come to rest."""
    return MapPage(
        "Heatmap",
        value_name="reports",
        keys=MapKeys(("PK", "SK"), ("ShCe#", ""), suffix=SUFFIX),
        view=_LONDON,
        live=LiveMap("/view", levels=[*LENGTHS]),
    ).html()


class MapServer(ThreadingHTTPServer):
    """An HTTP server on the loopback address; 0 takes a free port."""

    daemon_threads = True
    is_closed = False

    def __init__(self, views: Views, port: int) -> None:
        super().__init__((ADDRESS, port), _Handler)
        self.views = views
        self.page = page_of().encode()
        # What a browser sends as Host for this server. Another name may lead here as well, under which a page from
        # elsewhere would be of the same origin.
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}

    def server_close(self) -> None:
        """Stop, also for connections that browsers have opened ahead of a request."""
        self.is_closed = True
        super().server_close()

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{ADDRESS}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    """Answers one request of a connection, in HTTP/1.0, so that no connection outlives the server."""

    server: MapServer
    server_version = "pksk"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if self.server.is_closed:
            return
        if self.headers.get("Host", "").lower() not in self.server.hosts:
            self._problem(421, f"This server is {self.server.url} only.")
        elif self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            self._problem(403, "Pages of other sites may not read this map.")
        elif path == "/":
            self._send(200, self.server.page, "text/html; charset=utf-8")
        elif path == "/view":
            self._view()
        else:
            self._problem(404, "There is nothing here. Fix: open /.")

    do_HEAD = do_GET  # noqa: N815 - the names of http.server

    def do_POST(self) -> None:
        self._problem(405, "This map can only be read.", {"Allow": "GET, HEAD"})

    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST  # noqa: N815

    def _view(self) -> None:
        try:
            box, level = view_of(urlsplit(self.path).query)
            answer = self.server.views.answer(box, level)
        except TooMuch as error:
            self._problem(429, str(error), {"Retry-After": "1"})
        except (PkskError, OffTheMap) as error:
            self._problem(400, str(error))
        else:
            self._send(200, json.dumps(answer.data()).encode(), "application/json")

    def _problem(self, status: int, problem: str, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps({"problem": problem}).encode(), "application/json", headers)

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        always = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        for name, value in {**always, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its base calls it so
        return


def view_of(query: str) -> tuple[Box, int]:
    """The box and the level of a query string.

    Example:
        >>> view_of("south=51&west=-1&north=52&east=0&level=5")
        (Box(south=51.0, west=-1.0, north=52.0, east=0.0), 5)
        >>> view_of("south=51&west=-1&north=52&east=nan&level=5")
        Traceback (most recent call last):
        examples.heatmap.errors.OffTheMap: east is 'nan'. Fix: pass south, west, north, east and level as numbers.
    """
    try:
        given = parse_qs(query, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise OffTheMap(
            f"The address has more than {_MOST_FIELDS} fields. Fix: pass {_FIELD_LIST} alone."
        ) from None
    found = [_number(name, given.get(name, [""])[-1]) for name in _FIELDS]
    south, west, north, east, level = found
    return Box(south, west, north, east), int(level)


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise OffTheMap(f"{name} is {quote(text)}. Fix: pass {_FIELD_LIST} as numbers.")
    return value
