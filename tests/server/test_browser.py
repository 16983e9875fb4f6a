"""The page at / in a real browser, and a page from elsewhere that calls the server."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from threading import Thread

import pytest

from pksk.engine import Engine
from pksk.server import Server

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--virtual-time-budget=5000",
)  # fmt: skip
ELSEWHERE = """<!doctype html><p id="told">nothing</p><script>
fetch("URL", {method: "POST", body: "{}", headers: {
  "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables"}})
  .then(async answer => {
    told.textContent = await answer.text() + answer.headers.get("x-amzn-RequestId").length;
  }, error => { told.textContent = "refused"; });
</script>"""

# .ci/run asks for it, and has a browser; in make test it would take longer than all else about servers.
pytestmark = pytest.mark.skipif("PKSK_BROWSER" not in os.environ, reason="PKSK_BROWSER is not set")


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


def shown(url: str, folder: Path) -> str:
    """The page at an address, after its scripts have run."""
    assert BROWSER is not None, "there is no chromium and no chrome here"
    command = [BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", url]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_browser_shows_what_runs_and_how_to_connect(engine: Engine, tmp_path: Path) -> None:
    with Server(engine, data="shop.db") as server:
        page = shown(server.url, tmp_path)

        assert f'<dd id="url">{server.url}</dd>' in page
    assert "shop.db" in page
    assert "boto3.resource" in page


@pytest.mark.parametrize(("cors", "told"), [("*", '{"TableNames":[]}52'), (None, "refused")])
def test_a_page_from_elsewhere_calls_the_server_where_it_may(
    engine: Engine, elsewhere: Path, tmp_path: Path, cors: str | None, told: str
) -> None:
    with Server(engine, cors=cors) as server:
        (elsewhere / "page.html").write_text(ELSEWHERE.replace("URL", server.url))

        assert f'<p id="told">{told}</p>' in shown((elsewhere / "url").read_text(), tmp_path)
