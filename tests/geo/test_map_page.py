"""The page of a map: what is in it is data, whatever it contains, and nothing else runs or loads."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from pksk.cells import Box, decode, encode
from pksk.errors import PkskError
from pksk.geo import LiveMap, MapCell, MapKeys, MapPage, MapPoint, MapShape, read_geometry
from pksk.geo.map_page import MOST_CELLS, extent
from tests.project.base_map import ALPHABET, STEPS_PER_DEGREE, encoded

HOSTILE = "</script><script>alert(1)</script><!--<script>\u2028\u2029&amp;\"'`${alert(2)}\u202e]]>\x00"


def data(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


def scripts(html: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", html, re.DOTALL)


def test_hostile_texts_are_data_and_open_no_element() -> None:
    geometry = read_geometry({"type": "LineString", "coordinates": [[0, 0], [1, 1]]})
    html = MapPage(
        HOSTILE,
        points=[MapPoint(0, 0, HOSTILE)],
        shapes=[MapShape(HOSTILE, geometry)],
        value_name=HOSTILE,
        keys=MapKeys((HOSTILE, HOSTILE), (HOSTILE, HOSTILE), HOSTILE),
        notes=[HOSTILE],
    ).html()
    found = data(html)

    assert html.count("<script") == 2
    assert html.count("</script") == 2
    assert "\u2028" not in html
    assert found["points"][0][2] == found["shapes"][0]["name"] == found["valueName"]
    assert "\\u202e" in found["valueName"]
    assert "alert(1)</script>" in found["valueName"]


def test_only_the_script_and_the_style_of_the_page_are_allowed() -> None:
    html = MapPage("Map").html()
    [policy] = re.findall(r'Content-Security-Policy" content="(.*?)"', html)
    [script] = scripts(html)
    [style] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)

    assert "default-src &#x27;none&#x27;" in policy
    assert f"script-src &#x27;{hash_of(script)}&#x27;" in policy
    assert f"style-src &#x27;{hash_of(style)}&#x27;" in policy
    assert "connect-src" not in policy
    assert "unsafe" not in policy
    assert " style=" not in html


def hash_of(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def test_a_live_page_may_call_its_own_server() -> None:
    html = MapPage("Map", live=LiveMap("/view", [3, 4])).html()

    assert "connect-src &#x27;self&#x27;" in html
    assert data(html)["live"] == {"url": "/view", "levels": [3, 4]}


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (MapPage("Map", cells=[MapCell("GCP", 1)]), "cell-name"),
        (MapPage("Map", cells=[MapCell("gca", 1)]), "cell-name"),
        (MapPage("Map", cells=[MapCell("", 1)]), "cell-level"),
        (MapPage("Map", cells=[MapCell("gcp", float("nan"))]), "map-value"),
        (MapPage("Map", cells=[MapCell("gcp", 1)] * (MOST_CELLS + 1)), "map-too-large"),
        (MapPage("Map", points=[MapPoint(91, 0, "")]), "cell-position"),
        (MapPage("Map", points=[MapPoint(0, 181, "")]), "cell-position"),
        (MapPage("Map", points=[MapPoint(float("nan"), 0, "")]), "cell-position"),
        (MapPage("Map", points=[MapPoint(0, 0, "", float("inf"))]), "map-value"),
        (MapPage("Map", points=[MapPoint(0, 0, "")] * 5001), "map-too-large"),
    ],
)
def test_what_cannot_be_shown_is_rejected(page: MapPage, code: str) -> None:
    with pytest.raises(PkskError) as raised:
        page.html()

    assert raised.value.code == code


def test_the_largest_page_is_about_a_megabyte() -> None:
    random = Random()
    cells = [
        MapCell(encode(random.uniform(-80, 80), random.uniform(-180, 180), 8), random.random())
        for _ in range(MOST_CELLS)
    ]

    assert len(MapPage("Map", cells=cells).html()) < 1_000_000


def test_a_page_begins_with_everything_in_view() -> None:
    random = Random()
    for _ in range(100):
        cells = [
            encode(random.uniform(-80, 80), random.uniform(-180, 180), 5)
            for _ in range(random.randrange(1, 5))
        ]
        found = extent(decode(each) for each in cells)

        assert all(decode(each).centre in found for each in cells)


def test_a_view_of_places_on_both_sides_of_the_180th_meridian_crosses_it() -> None:
    found = extent([Box(-18, 177, -17, 179), Box(-17, -179, -16, -178), Box(-20, 175, -19, 176)])

    assert found == Box(-20, 175, -16, -178)
    assert extent([Box(0, 10, 1, 11), Box(0, -20, 1, -19)]) == Box(0, -20, 1, 11)


def test_the_base_map_is_small_and_its_rings_are_on_the_earth() -> None:
    text = (files("pksk.geo") / "map_assets" / "land.txt").read_text("ascii")
    rings = [decoded(line) for line in text.split()]

    assert len(text) < 60_000
    assert all(-90 <= lat <= 90 for ring in rings for _, lat in ring)
    # No ring jumps to the other side of the 180th meridian: it goes on beyond it.
    steps = [pairwise(ring) for ring in rings if min(lat for _, lat in ring) > -89]
    assert max(abs(lng - before) for each in steps for (before, _), (lng, _) in each) < 20
    assert all(max(lng for lng, _ in ring) - min(lng for lng, _ in ring) <= 360 for ring in rings)
    assert any(abs(lng - 177.9) < 1 and abs(lat + 17.8) < 1 for ring in rings for lng, lat in ring)  # Fiji
    ring = [(random_step(180), random_step(90)) for _ in range(40)]
    assert decoded(encoded([*ring, ring[0]])) == [
        (x / STEPS_PER_DEGREE, y / STEPS_PER_DEGREE) for x, y in ring
    ]


def random_step(edge: int) -> int:
    return Random().randrange(-edge * STEPS_PER_DEGREE, edge * STEPS_PER_DEGREE)


def decoded(line: str) -> list[tuple[float, float]]:
    """What the page reads from a line of the base map."""
    numbers, value, shift = [], 0, 0
    for character in line:
        digit = ALPHABET.index(character)
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            numbers.append((value >> 1) ^ -(value & 1))
            value = shift = 0
    x = y = 0
    ring = []
    for across, up in zip(numbers[::2], numbers[1::2], strict=True):
        x, y = x + across, y + up
        ring.append((x / STEPS_PER_DEGREE, y / STEPS_PER_DEGREE))
    return ring
