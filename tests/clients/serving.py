"""`pksk serve` as a process of its own, for clients that are processes too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def serving(*options: str, environ: Mapping[str, str] | None = None) -> Iterator[str]:
    """The URL of a server on a free port, which is stopped as a terminal stops it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pksk", "serve", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **(environ or {})},
        text=True,
    )
    assert process.stdout is not None
    with process.stdout:
        try:
            line = process.stdout.readline()
            assert line.startswith("Serving on http"), line
            yield line.split()[-1]
        finally:
            process.terminate()
            assert process.wait(20) == 0
