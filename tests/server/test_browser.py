"""The page at / in a real browser, and a page from elsewhere that calls the server."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from threading import Thread

import pytest

from pksk.engine import Engine
from pksk.server import Server
from tests.browser.chromium import Chromium, Page, chromium, needs_browser

ELSEWHERE = """<!doctype html><p id="result">nothing</p><script>
fetch("URL", {method: "POST", body: "{}", headers: {
  "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables"}})
  .then(async answer => {
    result.textContent = await answer.text() + answer.headers.get("x-amzn-RequestId").length;
  }, error => { result.textContent = "refused"; });
</script>"""

RESULT = """new Promise(done => {
  const wait = () => result.textContent === "nothing" ? setTimeout(wait, 20) : done(result.textContent); wait();
})"""

pytestmark = needs_browser


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its base calls it so
        return


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder that another server shows, at the address in its file `url`."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    with HTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as other:
        thread = Thread(target=other.serve_forever)
        thread.start()
        (folder / "url").write_text(f"http://127.0.0.1:{other.server_port}/page.html")
        yield folder
        other.shutdown()
        thread.join()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chromium]:
    with chromium(tmp_path) as started:
        yield started


def opened(browser: Chromium, url: str) -> Page:
    return Page(browser, url, width=1280, height=900, dark=False)


def test_a_browser_shows_the_server_and_how_to_connect(engine: Engine, browser: Chromium) -> None:
    with Server(engine, data="shop.db") as server:
        page = opened(browser, server.url).evaluate("document.documentElement.outerHTML")

        assert f'<dd id="url">{server.url}</dd>' in page
    assert "shop.db" in page
    assert "boto3.resource" in page


@pytest.mark.parametrize(("cors", "result"), [("*", '{"TableNames":[]}52'), (None, "refused")])
def test_a_page_of_another_origin_can_call_the_server_if_allowed(
    engine: Engine, elsewhere: Path, browser: Chromium, cors: str | None, result: str
) -> None:
    with Server(engine, cors=cors) as server:
        (elsewhere / "page.html").write_text(ELSEWHERE.replace("URL", server.url))

        assert opened(browser, (elsewhere / "url").read_text()).evaluate(RESULT) == result
