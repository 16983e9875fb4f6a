"""`pksk serve` in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def serving(*options: str, environ: Mapping[str, str] | None = None, log: str = os.devnull) -> Iterator[str]:
    """The URL of a server on a free port, which is terminated at the end; its log goes to a file."""
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "pksk", "serve", "--port", "0", "--json", *options],
            stdout=subprocess.PIPE,
            stderr=file,
            env={**os.environ, **(environ or {})},
            text=True,
        )
    assert process.stdout is not None
    with process.stdout:
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()
            assert process.wait(20) == 0
