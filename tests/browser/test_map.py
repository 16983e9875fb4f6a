"""The page of a map in Chromium: moved and zoomed by mouse, touch and keys, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pksk.cells import Box, CellStatistics, cell_count, cover, encode, plan_queries
from pksk.geo import MapCell, MapKeys, MapPage, MapPoint, MapShape, read_geometry
from tests.browser.chromium import Chromium, Page, chromium, needs_browser, shown
from tests.geo.test_map_page import HOSTILE

pytestmark = needs_browser

LOOKS = [(1280, False), (1280, True), (390, False), (390, True)]
RESTED = """new Promise(done => {
  const map = document.getElementById("map");
  const wait = () => map.dataset.state === "resting" ? done(true) : setTimeout(wait, 20);
  setTimeout(wait, 30);
})"""


def cells_around(lat: float, lng: float, count: int, levels: tuple[int, ...] = (8,)) -> list[MapCell]:
    random = Random(7)
    return [
        MapCell(
            encode(lat + random.gauss(0, 0.02), lng + random.gauss(0, 0.03), level), random.randrange(1, 500)
        )
        for _ in range(count)
        for level in levels
    ]


def heat_page() -> MapPage:
    cells = list({each.cell: each for each in cells_around(51.51, -0.12, 800, (5, 6, 7, 8))}.values())
    counted: dict[int, dict[str, int]] = {}
    for each in cells:
        partitions = counted.setdefault(len(each.cell), {})
        partitions[each.cell[:-3]] = partitions.get(each.cell[:-3], 0) + 1
    statistics = {
        level: CellStatistics(0, 95, "counted", partition_items=partitions)
        for level, partitions in counted.items()
    }
    park = {"type": "Polygon", "coordinates": [[[-0.2, 51.5], [-0.1, 51.5], [-0.1, 51.55], [-0.2, 51.5]]]}
    return MapPage(
        "Map of cells",
        cells=cells,
        points=[MapPoint(51.5, -0.1, "London", 7)],
        shapes=[MapShape("Park", read_geometry(park))],
        value_name="reports",
        keys=MapKeys(("pk", "sk"), ("ShCe#", "")),
        statistics=statistics,
        notes=["Generated."],
        view=Box(51.45, -0.22, 51.56, -0.02),
    )


def hostile_page() -> MapPage:
    shape = read_geometry(
        {"type": "Polygon", "coordinates": [[[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]]}
    )
    return MapPage(
        HOSTILE,
        cells=[MapCell("s00000", 3), MapCell("s00001", 4)],
        points=[MapPoint(0, 0, HOSTILE, 5)],
        shapes=[MapShape(HOSTILE, shape)],
        value_name=HOSTILE,
        keys=MapKeys((HOSTILE, HOSTILE), (HOSTILE, HOSTILE), HOSTILE, HOSTILE),
        statistics={6: CellStatistics(0.1, 95, HOSTILE)},
        notes=[HOSTILE],
    )


PAGES = {"heat": heat_page(), "hostile": hostile_page(), "nothing": MapPage("Nothing")}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with chromium(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture
def page(browser: Chromium, tmp_path: Path) -> Page:
    return opened(browser, tmp_path, heat_page())


def opened(browser: Chromium, folder: Path, content: MapPage, **look: Any) -> Page:
    page = shown(browser, folder, content.html(), **look)
    page.evaluate(RESTED)
    return page


def view(page: Page) -> tuple[float, Box]:
    """The zoom and the bounds that the map has come to rest with."""
    page.evaluate(RESTED)
    zoom, bounds = page.evaluate(
        "[map.dataset.zoom, map.dataset.box]".replace("map", "document.getElementById('map')")
    )
    return float(zoom), Box(*map(float, bounds.split()))


def middle(page: Page) -> tuple[float, float]:
    """The pixel in the middle of the map."""
    x, y = page.evaluate(
        "(({left, top, width, height}) => [left + width / 2, top + height / 2])"
        "(document.getElementById('map').getBoundingClientRect())"
    )
    return x, y


def mouse(page: Page, kind: str, x: float, y: float, **more: Any) -> None:
    page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)


def press(page: Page, key: str, **more: Any) -> None:
    page.call("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
    page.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)


def text(page: Page, name: str) -> str:
    return str(page.evaluate(f"document.getElementById({name!r}).innerText"))


@pytest.mark.parametrize(("width", "dark"), LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_the_page_fits_is_accessible_and_requests_nothing(
    browser: Chromium, tmp_path: Path, name: str, width: int, *, dark: bool
) -> None:
    page = opened(browser, tmp_path, PAGES[name], width=width, dark=dark)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")

    assert page.overflow() == 0
    assert page.logged == []
    assert [url for url in page.requested if not url.startswith(page.url)] == []
    assert page.violations() == []


def test_hostile_texts_are_only_shown(browser: Chromium, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, hostile_page())
    x, y = middle(page)
    mouse(page, "mouseMoved", x, y)
    page.evaluate(RESTED)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    shown_text = page.evaluate("document.body.innerText")

    assert page.dialogs == []
    assert page.evaluate("document.querySelectorAll('img, iframe, [onerror]').length") == 0
    assert page.evaluate("document.querySelectorAll('script').length") == 2
    assert "</script><script>alert(1)</script>" in shown_text
    assert "</script><script>alert(1)</script>" in text(page, "tip")


def test_hostile_names_of_points_are_only_shown(browser: Chromium, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(3)>"
    page = opened(
        browser, tmp_path, MapPage("Points", points=[MapPoint(0, 0, name, 1), MapPoint(1, 1, HOSTILE, 2)])
    )

    assert page.dialogs == []
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert name in text(page, "highest")


def test_the_map_is_dragged_with_the_mouse(page: Page) -> None:
    _, before = view(page)
    x, y = middle(page)
    mouse(page, "mousePressed", x, y, button="left", clickCount=1)
    mouse(page, "mouseMoved", x + 100, y, button="left", buttons=1)
    mouse(page, "mouseReleased", x + 100, y, button="left", clickCount=1)
    _, after = view(page)

    width = page.evaluate("document.getElementById('map').clientWidth")
    assert before.west - after.west == pytest.approx((before.east - before.west) * 100 / width, rel=0.01)
    assert after.north == pytest.approx(before.north)


def test_the_wheel_zooms_and_keeps_what_is_under_the_pointer(page: Page) -> None:
    zoom, before = view(page)
    x, y = middle(page)
    mouse(page, "mouseWheel", x + 200, y, deltaX=0, deltaY=-200)
    closer, after = view(page)

    width = page.evaluate("document.getElementById('map').clientWidth")
    part = 0.5 + 200 / width
    assert closer > zoom
    assert after.west + (after.east - after.west) * part == pytest.approx(
        before.west + (before.east - before.west) * part, abs=(before.east - before.west) / width
    )


def test_two_fingers_zoom(browser: Chromium, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, heat_page(), width=390)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    zoom, _ = view(page)
    x, y = middle(page)

    def fingers(kind: str, *away: float) -> None:
        points = [{"x": x + each, "y": y, "id": n} for n, each in enumerate(away)]
        page.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    fingers("touchStart", -40, 40)
    for distance in (50, 60, 70, 80):
        fingers("touchMove", -distance, distance)
    fingers("touchEnd")

    assert view(page)[0] == pytest.approx(zoom + 1, abs=0.05)


def test_keys_move_and_zoom_and_say_what_is_at_the_centre(page: Page) -> None:
    page.evaluate("document.getElementById('map').focus()")
    zoom, before = view(page)
    press(page, "ArrowRight")
    _, right = view(page)
    press(page, "ArrowUp")
    _, up = view(page)
    press(page, "+")
    closer, _ = view(page)

    assert right.west > before.west
    assert up.south > right.south
    assert closer == pytest.approx(zoom + 1)
    assert "At the centre: " in text(page, "view")
    press(page, "Home")
    assert view(page)[0] == pytest.approx(zoom, abs=0.01)


def test_buttons_zoom_and_show_everything_also_with_reduced_motion(page: Page) -> None:
    reduced = {"name": "prefers-reduced-motion", "value": "reduce"}
    zoom, before = view(page)
    page.evaluate("document.getElementById('zoom-in').click()")
    assert view(page)[0] == pytest.approx(zoom + 1)
    page.call("Emulation.setEmulatedMedia", features=[reduced])
    page.evaluate("document.getElementById('zoom-out').click()")
    assert view(page)[0] == pytest.approx(zoom)
    page.evaluate("document.getElementById('zoom-out').click()")
    page.evaluate("document.getElementById('home').click()")

    assert view(page)[1].west == pytest.approx(before.west)


def test_the_pointer_shows_the_cell_under_it(page: Page) -> None:
    page.evaluate("document.querySelector('#highest button').click()")
    view(page)
    name = page.evaluate("document.querySelector('#highest button').textContent")
    x, y = middle(page)
    mouse(page, "mouseMoved", x, y)
    page.evaluate(RESTED)
    page.evaluate("new Promise(requestAnimationFrame)")

    tip = text(page, "tip")
    assert f"Cell {name}" in tip
    assert "reports: " in tip
    assert f"pk ShCe#{name[:-3]}" in tip
    assert f"sk {name[-3:]}" in tip
    page.evaluate("document.getElementById('map').focus()")
    press(page, "Escape")
    page.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
    assert page.evaluate("document.getElementById('tip').hidden")


def test_costs_are_those_of_the_package_in_every_view(page: Page) -> None:
    statistics = heat_page().statistics
    page.evaluate("document.getElementById('map').focus()")
    for key in ("+", "ArrowLeft", "ArrowUp", "+", "-", "-", "-"):
        press(page, key)
        _, box = view(page)
        level = int(page.evaluate("document.getElementById('view').innerText.match(/level (\\d+)/)[1]"))
        plan = plan_queries(cover(box, level), statistics[level])
        rows = page.evaluate(
            "[...document.querySelectorAll('#ways tr')].map(row => [...row.cells].map(cell => cell.innerText.trim()))"
        )

        assert rows == [
            [way.name, f"{way.requests:,}", f"{way.units:,g}", f"{way.cells:,}"] for way in plan.ways()
        ]
        assert f"of {cell_count(box, level):,} cells of level {level}" in text(page, "view")


def test_a_view_that_takes_too_many_queries_says_so_at_once(page: Page) -> None:
    page.evaluate("level = document.getElementById('level'); level.value = 8")
    page.evaluate("level.dispatchEvent(new Event('change'))")
    page.evaluate("document.getElementById('map').focus()")
    for _ in range(12):
        press(page, "-")
        page.evaluate(RESTED)

    assert "This view would take more than 100 queries." in text(page, "costs")
    assert not page.evaluate("document.getElementById('ways').checkVisibility()")
    assert page.logged == []


def test_another_way_shows_its_queries_and_held_ranges_stay_while_the_map_moves(page: Page) -> None:
    page.evaluate("document.querySelector('input[value=\"exact ranges\"]').click()")
    page.evaluate(RESTED)
    exact = int(page.evaluate("document.querySelectorAll('#ways .chosen td')[0].innerText"))
    assert text(page, "queries-title") == f"{exact} queries"
    page.evaluate("document.getElementById('hold').click()")
    rows = text(page, "ways")
    page.evaluate("document.getElementById('zoom-out').click()")
    view(page)

    assert text(page, "ways") == rows
    assert text(page, "costs-title") == "Estimated cost of the held view"
    page.evaluate("document.getElementById('hold').click()")
    page.evaluate(RESTED)
    assert text(page, "ways") != rows


def test_cells_heat_and_ranges_are_on_the_canvas(page: Page) -> None:
    """Colours of the picture: of heat, and of the outlines of ranges only if they are shown."""
    page.evaluate("document.querySelector('input[value=\"exact ranges\"]').click()")
    page.evaluate(RESTED)
    with_ranges = pixels(page)
    page.evaluate("document.getElementById('show-ranges').click()")
    without = pixels(page)

    assert with_ranges["range"] > 200
    assert without["range"] < 20
    assert without["heat"] > 1000


def pixels(page: Page) -> dict[str, int]:
    """How many pixels of the canvas are like an outline, and how many like heat."""
    found: dict[str, int] = page.evaluate(
        """new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)).then(() => {
          const canvas = document.getElementById("map");
          const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const found = {range: 0, heat: 0};
          for (let i = 0; i < data.length; i += 4) {
            const [r, g, b] = data.subarray(i, i + 3);
            if (b > 130 && b - r > 80 && r < 60) found.range++;
            if (r > 180 && r - b > 80) found.heat++;
          }
          return found;
        })"""
    )
    return found


LAND = {
    "Sahara": (23, 10),
    "Chukotka": (67.5, 175),
    "east of 180": (66, -175),
    "Antarctica": (-80, 90),
    "Fiji": (-17.8, 178),
}
SEA = {
    "Pacific": (0, -150),
    "Norwegian Sea": (66, -3),
    "Bering Sea": (58, 180),
    "Caspian": (42, 51),
    "pole": (84, 0),
}


@pytest.mark.parametrize(("places", "kind"), [(LAND, "land"), (SEA, "sea")])
def test_land_and_sea_are_where_they_are(
    browser: Chromium, tmp_path: Path, places: dict[str, tuple[float, float]], kind: str
) -> None:
    file = shown(browser, tmp_path, MapPage("World").html()).url
    found = {}
    for name, (lat, lng) in places.items():
        page = Page(browser, f"{file}#6/{lat}/{lng}", width=390, height=600, dark=False)
        page.evaluate(RESTED)
        found[name] = page.evaluate(
            """(() => {
              const canvas = document.getElementById("map"), context = canvas.getContext("2d");
              // Beside the middle, where a line of longitude could be.
              const [r, g, b] = context.getImageData(canvas.width / 2 + 3, canvas.height / 2 + 3, 1, 1).data;
              const hex = `#${[r, g, b].map(each => each.toString(16).padStart(2, "0")).join("")}`;
              return Object.keys(SCHEMES.light).find(each => SCHEMES.light[each] === hex) ?? hex;
            })()"""
        )

    assert found == dict.fromkeys(places, kind)


def test_a_view_across_the_180th_meridian_shows_cells_of_both_sides(
    browser: Chromium, tmp_path: Path
) -> None:
    cells = [MapCell(encode(-17, 179.99, 6), 5), MapCell(encode(-17, -179.99, 6), 9)]
    statistics = {6: CellStatistics(0.5, 95, "declared")}
    keys = MapKeys(("pk", "sk"), ("", ""))
    page = opened(browser, tmp_path, MapPage("Fiji", cells=cells, keys=keys, statistics=statistics))
    _, box = view(page)

    assert box.west > box.east
    assert "2 of " in text(page, "view")
    buttons = "[...document.querySelectorAll('#highest button')].map(each => each.innerText)"
    assert page.evaluate(buttons) == [cells[1].cell, cells[0].cell]


def test_cells_of_one_level_are_added_up_when_the_map_is_zoomed_out(
    browser: Chromium, tmp_path: Path
) -> None:
    cells = cells_around(51.51, -0.12, 300)
    unique = list({each.cell: each for each in cells}.values())
    page = opened(browser, tmp_path, MapPage("One level", cells=unique, view=Box(40, -20, 60, 20)))
    total = sum(each.total for each in unique)
    shown_totals = page.evaluate(
        "[...document.querySelectorAll('#highest .number')].map(each => each.innerText)"
    )

    assert sum(float(each.replace(",", "")) for each in shown_totals) == pytest.approx(total, rel=0.01)
    assert "have items" in text(page, "view")


def test_the_address_keeps_the_view(browser: Chromium, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, heat_page())
    page.evaluate("document.getElementById('zoom-in').click()")
    zoom, box = view(page)
    again = Page(browser, page.evaluate("location.href"), width=1280, height=900, dark=False)

    assert view(again)[0] == pytest.approx(zoom, abs=0.01)
    assert view(again)[1].west == pytest.approx(box.west, abs=1e-3)
