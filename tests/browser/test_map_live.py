"""The live map of the heatmap in Chromium: panning reads the store, and shows what that consumed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.heatmap.cells import Cell, heatmap
from examples.heatmap.data import NOW, generate
from examples.heatmap.serve import MapServer
from pksk import Clock, Store, connect
from tests.browser.chromium import Chromium, Page, chromium, needs_browser
from tests.browser.test_map import LOOKS, RESTED, press, text, view
from tests.examples.heatmap.test_serve import answer, serving

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with chromium(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture(scope="module")
def db() -> Iterator[Store]:
    with connect("memory:", clock=Clock(NOW.timestamp())) as store:
        store.create_tables(heatmap)
        store.batch_put(*(each for each in generate(2000) if isinstance(each, Cell)))
        yield store


@pytest.fixture
def server(db: Store) -> Iterator[MapServer]:
    with serving(db) as started:
        yield started


def opened(browser: Chromium, url: str, *, width: int = 1280, dark: bool = False) -> Page:
    page = Page(browser, url, width=width, height=900, dark=dark)
    page.evaluate(RESTED)
    return page


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_the_page_fits_is_accessible_and_requests_only_its_server(
    browser: Chromium, server: MapServer, width: int, *, dark: bool
) -> None:
    page = opened(browser, server.url, width=width, dark=dark)

    assert page.overflow() == 0
    assert page.logged == []
    assert page.requested
    assert all(url.startswith(server.url) for url in page.requested)
    assert page.violations() == []


def test_moving_the_map_reads_the_new_view_and_shows_what_it_consumed(
    browser: Chromium, server: MapServer
) -> None:
    page = opened(browser, server.url)
    before = text(page, "highest")
    page.evaluate("document.getElementById('map').focus()")
    for _ in range(4):
        press(page, "ArrowRight", modifiers=8)
    _, box = view(page)
    query = next(url for url in reversed(page.requested) if "/view?" in url).removeprefix(server.url[:-1])
    found = answer(server, query)
    bounds = f"south={box.south!r}&west={box.west!r}&north={box.north!r}&east={box.east!r}"

    assert bounds in query
    assert text(page, "highest") != before
    requests, units = found["requests"], found["units"]
    assert (
        f"The store answered with {requests} request{'s' * (requests != 1)} and {units:g} read unit"
        in text(page, "answer")
    )
    assert f"{len(found['cells'])} of " in text(page, "view")


def test_only_the_last_of_several_moves_is_read(browser: Chromium, server: MapServer) -> None:
    page = opened(browser, server.url)
    count = len(page.requested)
    page.evaluate("document.getElementById('map').focus()")
    for _ in range(10):
        press(page, "ArrowUp")
    view(page)

    assert len(page.requested) - count < 10


def test_answers_for_earlier_views_are_dropped(browser: Chromium, server: MapServer) -> None:
    page = opened(browser, server.url)
    shown = page.evaluate(
        """(async () => {
          const answers = [], waiting = [];
          window.fetch = url => new Promise(done => waiting.push(requests => done(
            {ok: true, json: async () => ({requests, units: 0, milliseconds: 0})})));
          const asked = new Answers({url: "/view"}, answer => answers.push(answer.requests));
          const first = asked.request([0, 0, 1, 1], 5, 3), second = asked.request([0, 0, 2, 2], 5, 3);
          waiting[1](2);
          waiting[0](1);
          await Promise.all([first, second]);
          return answers;
        })()"""
    )

    assert shown == [2]


def test_a_view_above_the_cap_keeps_the_map_and_says_why(
    browser: Chromium, db: Store, tmp_path: Path
) -> None:
    with serving(db, units_per_second=0.001) as server:
        page = opened(browser, server.url)
        cells = text(page, "highest")
        page.evaluate("document.getElementById('zoom-in').click()")
        view(page)

        assert "have consumed enough. Fix: wait " in text(page, "answer")
        assert text(page, "highest").split()[0] in cells
        assert "429" in "".join(page.logged)  # browsers log each such answer


def test_a_server_that_has_stopped_is_named(browser: Chromium, db: Store) -> None:
    with serving(db) as server:
        page = opened(browser, server.url)
    page.evaluate("document.getElementById('zoom-in').click()")
    view(page)

    assert "The server does not answer." in text(page, "answer")
