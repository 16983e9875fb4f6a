"""The harness sees what a page must not do: so a test that finds nothing says something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium, chromium, needs_browser, shown

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with chromium(tmp_path_factory.mktemp("browser")) as started:
        yield started


def test_a_page_that_does_nothing_has_no_findings(browser: Chromium, tmp_path: Path) -> None:
    page = shown(
        browser, tmp_path, "<!doctype html><html lang=en><title>t</title><main><h1>Nothing</h1></main>"
    )

    assert (page.logged, page.requested, page.dialogs, page.overflow()) == ([], [], [], 0)
    assert page.violations() == []


def test_messages_errors_and_blocked_styles_are_seen(browser: Chromium, tmp_path: Path) -> None:
    policy = "<meta http-equiv=Content-Security-Policy content=\"style-src 'none'\">"
    script = "<script>console.log('hello'); throw Error('oh')</script>"
    page = shown(browser, tmp_path, f"<!doctype html>{policy}<p style='color:red'>{script}")
    logged = "\n".join(page.logged)

    assert "hello" in logged
    assert "oh" in logged
    assert "Content Security Policy" in logged


def test_requests_are_seen_even_if_nothing_answers(browser: Chromium, tmp_path: Path) -> None:
    page = shown(browser, tmp_path, "<!doctype html><img src='http://127.0.0.1:9/picture'>")

    assert page.requested == ["http://127.0.0.1:9/picture"]


def test_a_wide_page_and_faults_of_accessibility_are_seen(browser: Chromium, tmp_path: Path) -> None:
    html = "<!doctype html><img src='data:,'><p style='color:#eee;width:800px'>pale"
    page = shown(browser, tmp_path, html, width=390)

    assert page.overflow() > 400
    found = "\n".join(page.violations())
    assert "image-alt" in found
    assert "color-contrast" in found
