"""Chromium without a window, driven over pipes by its DevTools protocol: what a page logs, requests and measures."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
SECONDS = 60

# .ci/run sets it, and has a browser; in make test these tests would be the slowest.
needs_browser = pytest.mark.skipif("PKSK_BROWSER" not in os.environ, reason="PKSK_BROWSER is not set")


class Chromium:
    """A browser process, and the messages to and from it."""

    def __init__(self, folder: Path) -> None:
        assert PROGRAM is not None, "there is no chromium and no chrome here"
        to_browser, self._to_browser = os.pipe()
        self._from_browser, from_browser = os.pipe()
        # It reads from file 3 and writes to file 4.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        arguments = [PROGRAM, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--remote-debugging-pipe"]
        with open(folder / "chromium.log", "wb") as log:
            self._process = subprocess.Popen(
                ["bash", "-c", shell, "chromium", *arguments],
                pass_fds=(to_browser, from_browser),
                stdout=log,
                stderr=log,
            )
        os.close(to_browser)
        os.close(from_browser)
        self._numbers = count(1)
        self._buffer = b""
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command, and return its result."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._to_browser, json.dumps(message).encode() + b"\0")
        while True:
            received = self._receive()
            if received.get("id") == number:
                assert "error" not in received, f"{method}: {received['error']}"
                result: dict[str, Any] = received["result"]
                return result
            self.events.append(received)

    def wait_for(self, method: str, session: str) -> None:
        """Wait for an event that was not seen before."""
        start = len(self.events)
        while not any(_is(each, method, session) for each in self.events[start:]):
            self.events.append(self._receive())

    def seen(self, method: str, session: str) -> list[dict[str, Any]]:
        """The parameters of all events of a kind so far."""
        return [each["params"] for each in self.events if _is(each, method, session)]

    def close(self) -> None:
        """End the process."""
        os.close(self._to_browser)
        os.close(self._from_browser)
        self._process.terminate()
        self._process.wait(SECONDS)

    def _receive(self) -> dict[str, Any]:
        end = monotonic() + SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from_browser], [], [], max(0.0, end - monotonic()))
            assert ready, "the browser does not answer"
            received = os.read(self._from_browser, 1 << 20)
            assert received, "the browser has ended"
            self._buffer += received
        message, _, self._buffer = self._buffer.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded


def _is(event: Mapping[str, Any], method: str, session: str) -> bool:
    return event.get("method") == method and event.get("sessionId") == session


class Page:
    """One page in a browser."""

    def __init__(self, browser: Chromium, url: str, *, width: int, height: int, dark: bool) -> None:
        self._browser = browser
        self.url = url
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session: str = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.prefer(dark=dark)
        self.call("Page.navigate", url=url)
        browser.wait_for("Page.loadEventFired", self._session)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command to the page."""
        return self._browser.call(method, self._session, **parameters)

    def prefer(self, *, dark: bool, media: str = "") -> None:
        """Let the page take light or dark colours, on a screen or on paper."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    @property
    def logged(self) -> list[str]:
        """What is in the console: messages, violations of the content security policy, uncaught errors."""
        self.evaluate("new Promise(done => setTimeout(done, 50))")
        seen = self._browser.seen
        entries = [each["entry"]["text"] for each in seen("Log.entryAdded", self._session)]
        entries += [str(each["args"]) for each in seen("Runtime.consoleAPICalled", self._session)]
        return entries + [str(each) for each in seen("Runtime.exceptionThrown", self._session)]

    @property
    def requested(self) -> list[str]:
        """The addresses that the page requested, apart from its own."""
        seen = self._browser.seen("Network.requestWillBeSent", self._session)
        urls = [each["request"]["url"] for each in seen]
        return [url for url in urls if url != self.url and not url.startswith("data:")]

    @property
    def dialogs(self) -> list[str]:
        """The messages of alert() and its like."""
        return [each["message"] for each in self._browser.seen("Page.javascriptDialogOpening", self._session)]

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        root = "document.documentElement"
        return int(self.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))

    def screenshot(self, path: Path) -> None:
        """Save a picture of the whole page."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def violations(self) -> list[str]:
        """What axe finds, the checker of accessibility, with its rules for WCAG 2.2 and its best practices."""
        self.evaluate(_axe())
        found = self.evaluate(
            "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map("
            "each => each.id + ': ' + each.help + ' ' + each.nodes.map(node => node.html).slice(0, 3)))"
        )
        return list(found)


def _axe() -> str:
    folder = os.environ.get("PKSK_AXE")
    assert folder, "PKSK_AXE is not set: npm ci in tests/browser/axe, and PKSK_AXE is that folder"
    return (Path(folder) / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


@contextmanager
def chromium(folder: Path) -> Iterator[Chromium]:
    """A browser with a profile of its own."""
    browser = Chromium(folder)
    try:
        yield browser
    finally:
        browser.close()


def shown(
    browser: Chromium, folder: Path, html: str, *, width: int = 1280, height: int = 900, dark: bool = False
) -> Page:
    """A document in a browser."""
    file = folder / "page.html"
    file.write_text(html, encoding="utf-8")
    return Page(browser, file.as_uri(), width=width, height=height, dark=dark)
