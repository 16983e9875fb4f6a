"""The server of the live map: what it answers, to whom, and how much it reads at most."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from examples.heatmap.cells import Cell
from examples.heatmap.data import NOW, generate, partition
from examples.heatmap.operations import heat
from examples.heatmap.serve import ADDRESS, Allowance, MapServer, Views
from pksk import Store
from pksk.cells import Box, encode
from tests.cli.run_pksk import SOURCE

LONDON = Box(51.4, -0.3, 51.6, 0.1)
VIEW = "/view?south=51.4&west=-0.3&north=51.6&east=0.1&level=6"


@contextmanager
def serving(db: Store, *, most_units: float = 50, units_per_second: float = 10_000) -> Iterator[MapServer]:
    with MapServer(Views(db, NOW, most_units, Allowance(units_per_second)), port=0) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server(db: Store) -> Iterator[MapServer]:
    db.batch_put(*(each for each in generate(600) if isinstance(each, Cell)))
    with serving(db) as started:
        yield started


def ask(
    server: MapServer, path: str = VIEW, method: str = "GET", **headers: str
) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(ADDRESS, server.server_port, timeout=30)
    try:
        connection.request(
            method, path, headers={name.replace("_", "-"): text for name, text in headers.items()}
        )
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def answer(server: MapServer, path: str = VIEW) -> dict[str, Any]:
    response, body = ask(server, path)
    assert response.status == 200, body
    found: dict[str, Any] = json.loads(body)
    return found


def test_a_view_has_the_cells_of_heat_and_what_the_store_consumed(server: MapServer, db: Store) -> None:
    with db.meter(everywhere=True) as meter:
        found = answer(server)
    points = heat(db, LONDON, NOW, zoom=13)  # where cells have 6 characters

    assert sorted(total for _, total, _ in found["cells"]) == pytest.approx(
        sorted(each.intensity for each in points), rel=1e-5
    )
    assert (found["requests"], found["units"]) == (meter.calls, meter.consumed.read)
    assert meter.consumed.write == 0
    assert found["level"] == 6


def test_the_page_calls_only_this_server(server: MapServer) -> None:
    response, body = ask(server, "/")

    assert response.status == 200
    assert b"connect-src &#x27;self&#x27;" in body
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Frame-Options"] == "DENY"


def test_it_listens_on_the_loopback_address_alone(server: MapServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("path", ["/", VIEW])
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:{port}", ""])
def test_other_names_of_the_host_are_rejected(server: MapServer, path: str, host: str) -> None:
    response, body = ask(server, path, Host=host.format(port=server.server_port))

    assert response.status == 421
    assert json.loads(body) == {"problem": f"This server is {server.url} only."}


def test_its_own_names_are_accepted(server: MapServer) -> None:
    for host in ("localhost", "LOCALHOST", "127.0.0.1"):
        response, _ = ask(server, "/", Host=f"{host}:{server.server_port}")
        assert response.status == 200


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)]
)
def test_pages_of_other_sites_may_not_read(server: MapServer, site: str, status: int) -> None:
    response, _ = ask(server, Sec_Fetch_Site=site)

    assert response.status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_it_can_only_be_read(server: MapServer, method: str) -> None:
    response, _ = ask(server, method=method)

    assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD")


def test_head_has_no_body(server: MapServer) -> None:
    response, body = ask(server, "/", "HEAD")

    assert (response.status, body) == (200, b"")
    assert int(response.headers["Content-Length"]) > 100_000


def test_there_is_nothing_at_other_paths(server: MapServer) -> None:
    for path in ("/favicon.ico", "/view/", "/../design.py", "//evil.example/"):
        assert ask(server, path)[0].status == 404


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "south is ''"),
        ("south=51&west=0&north=52&east=1&level=x", "level is 'x'"),
        ("south=nan&west=0&north=52&east=1&level=6", "south is 'nan'"),
        ("south=51&west=0&north=52&east=1e999&level=6", "east is '1e999'"),
        ("south=51&west=0&north=50&east=1&level=6", "north of its north"),
        ("south=91&west=0&north=92&east=1&level=6", "Latitude 91.0 is not from -90 to 90."),
        ("south=51&west=0&north=52&east=1&level=2", "Cells have 3 to 8 characters, not 2."),
        ("south=51&west=0&north=52&east=1&level=1e9", "Cells have 3 to 8 characters"),
        ("south=-90&west=-180&north=90&east=180&level=8", "Fix: take a smaller view"),
        ("&".join(f"field{number}=1" for number in range(50)), "more than 20 fields"),
        (f"south={'9' * 9000}", "(9000 characters)"),
    ],
)
def test_views_that_cannot_be_shown_are_rejected_with_a_reason(
    server: MapServer, query: str, problem: str
) -> None:
    response, body = ask(server, f"/view?{query}")

    assert response.status == 400
    assert problem in json.loads(body)["problem"]


def test_a_view_across_the_180th_meridian_has_cells_of_both_sides(server: MapServer, db: Store) -> None:
    cells = [encode(-17, lng, 6) for lng in (179.99, -179.99)]
    template = next(iter(partition("gcpvj")))
    db.batch_put(*(template.model_copy(update={"cell": each}) for each in cells))
    found = answer(server, "/view?south=-18&west=179.5&north=-16&east=-179.5&level=6")

    assert {name for name, _, _ in found["cells"]} == set(cells)


@pytest.mark.parametrize("cap", [5, 20])
def test_reading_stops_at_the_cap_of_a_view(db: Store, cap: int) -> None:
    db.batch_put(*partition("gcpvj", share=0.4))
    with serving(db, most_units=cap) as server, db.meter(everywhere=True) as meter:
        response, body = ask(server, "/view?south=51.5&west=-0.14&north=51.54&east=-0.08&level=8")

    assert response.status == 429
    assert json.loads(body)["problem"] == (
        f"This view takes more than {cap} read units. Fix: zoom in, or choose larger cells."
    )
    assert cap < meter.consumed.read < 1.5 * cap


def test_views_wait_when_those_of_the_last_second_have_consumed_enough(db: Store) -> None:
    db.batch_put(*(each for each in generate(600) if isinstance(each, Cell)))
    with serving(db, units_per_second=0.001) as server:
        first, _ = ask(server)
        second, body = ask(server)

    assert (first.status, second.status, second.headers["Retry-After"]) == (200, 429, "1")
    assert "have consumed enough" in json.loads(body)["problem"]


def test_an_allowance_grows_with_time_up_to_what_a_second_has() -> None:
    clock = [0.0]
    allowance = Allowance(100, now=lambda: clock[0])
    allowance.spend(250)
    assert allowance.wait_seconds() == pytest.approx(1.5)
    clock[0] = 1.5
    assert allowance.wait_seconds() == 0
    clock[0] = 100
    assert allowance.wait_seconds() == 0
    allowance.spend(150)

    assert allowance.wait_seconds() == pytest.approx(0.5)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_stops_on_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (SOURCE, SOURCE.parent)))}
    command = [sys.executable, "-m", "examples.heatmap"]
    subprocess.run(
        [*command, "load", "--items", "100"], cwd=tmp_path, env=environment, check=True, capture_output=True
    )
    with subprocess.Popen(
        [*command, "serve", "--port", "0"],
        cwd=tmp_path,
        env={**environment, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(number)
        rest = process.stdout.read()
        code = process.wait(30)

    assert first.startswith("The map is at http://127.0.0.1:")
    assert (rest, code) == ("Stopped.\n", 0)
