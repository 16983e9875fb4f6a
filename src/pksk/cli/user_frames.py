"""Shortens a traceback to the frames of the user's own files."""

from __future__ import annotations

import os
import sysconfig
from functools import cache
from traceback import FrameSummary, TracebackException, extract_tb

import pksk

_MAX_FRAMES = 20
_PACKAGES = ("site-packages", "dist-packages")
_MACHINERY = ("importlib", "pksk", "pydantic", "pydantic_core")


def user_traceback(error: BaseException) -> str:
    """A traceback without the frames of Python, of pksk and of installed packages."""
    summary = TracebackException.from_exception(error)
    _shorten(summary)
    return "".join(summary.format()).rstrip()


def last_user_line(error: BaseException) -> tuple[str, str]:
    """The last line of the user's files in a traceback, as `shop.py, line 3` and its text; empty if there is none."""
    frames = _user_frames(extract_tb(error.__traceback__))
    if not frames:
        return "", ""
    last = frames[-1]
    return f"{_short_path(last.filename)}, line {last.lineno}", last.line or ""


def has_user_frame(error: BaseException) -> bool:
    """Whether the traceback has a frame of a user's file."""
    return any(is_user_file(frame.filename) for frame in extract_tb(error.__traceback__))


def is_user_file(file: str) -> bool:
    """Whether a file is the user's: not of the standard library, an installed package or pksk."""
    if file.startswith("<"):
        return False
    real = os.path.realpath(file)
    parts = real.split(os.sep)
    return not real.startswith(_library_folders()) and not any(name in parts for name in _PACKAGES)


@cache
def _library_folders() -> tuple[str, ...]:
    folders = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(pksk.__file__)]
    return tuple(os.path.join(os.path.realpath(folder), "") for folder in folders)


def _shorten(summary: TracebackException | None) -> None:
    if summary is None:
        return
    frames = _user_frames(summary.stack)
    if len(frames) > _MAX_FRAMES:
        frames = [*frames[: _MAX_FRAMES // 2], *frames[-_MAX_FRAMES // 2 :]]
    for frame in frames:
        frame.line  # noqa: B018 - reads the line before the file name is shortened
        frame.filename = _short_path(frame.filename)
    summary.stack[:] = frames
    if not frames:
        summary.stack = None  # type: ignore[assignment] # without frames, no heading
    if isinstance(getattr(summary, "filename", None), str):  # of a SyntaxError
        summary.filename = _short_path(summary.filename)
    for inner in (summary.__cause__, summary.__context__, *(summary.exceptions or ())):
        _shorten(inner)


def _user_frames(frames: list[FrameSummary]) -> list[FrameSummary]:
    """The user's frames; if the design itself is installed, all but those of the import system and pydantic."""
    own = [frame for frame in frames if is_user_file(frame.filename)]
    return own or [frame for frame in frames if not _is_machinery(frame.filename)]


def _is_machinery(file: str) -> bool:
    parts = os.path.realpath(file).split(os.sep)
    return file.startswith("<") or any(name in parts for name in _MACHINERY)


def _short_path(file: str) -> str:
    """A path relative to the current folder, if it is inside."""
    if file.startswith("<"):
        return file
    near = os.path.relpath(file)
    return file if near.startswith(os.pardir) else near
