"""Runs `pksk`, in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from pksk.cli.app import app
from pksk.cli.user_frames import is_user_file

SOURCE = Path(__file__).parents[2] / "src"


@dataclass(frozen=True)
class Ran:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str


def pksk(*args: str, stdin: str | bytes = "") -> Ran:
    with forget_modules():
        done = CliRunner().invoke(app, list(args), input=stdin, prog_name="pksk")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Ran(done.exit_code, done.stdout, done.stderr)


def pksk_process(
    *args: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None, before: str = ""
) -> Ran:
    """In a process of its own, after some Python that prepares it."""
    start = [sys.executable, "-c", f"{before}\nimport sys; from pksk.cli import main; sys.exit(main())"]
    done = subprocess.run(
        [*start, *args], input=stdin, capture_output=True, check=False, env=process_environment(environment)
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def forget_modules() -> Iterator[None]:
    """Forget afterwards the modules of designs, so that the next one may have the same name."""
    known = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file and is_user_file(file) and not Path(file).is_relative_to(SOURCE.parent):
                del sys.modules[name]


def process_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUTF8": "1", **(more or {})}


def terminal_output(child: int, terminal: int) -> str:
    """All that a child of `pty.fork` shows on its terminal until it ends."""
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # Linux says that the other end is closed in this way
            break
        if not piece:
            break
        seen += piece
    os.waitpid(child, 0)
    os.close(terminal)
    return seen.decode().replace("\r\n", "\n")
