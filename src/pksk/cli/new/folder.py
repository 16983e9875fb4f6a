"""Writes the files of a new folder, all of them or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import NoReturn

from pksk.errors import FileProblem

__all__ = ["write_folder"]


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Make a folder with these files, by name; what is there already is never touched.

    They are written into a folder beside it, which gets its name when all is complete.
    """
    if not folder.parent.is_dir():
        raise FileProblem(
            "new-folder",
            f"{folder.parent}: there is no such folder.",
            fix="make it first, or choose another with --here.",
        )
    if os.path.lexists(folder):
        _refuse_existing(folder)
    unfinished = folder.with_name(f".{folder.name}-{token_hex(4)}")
    try:
        unfinished.mkdir()
        for name, text in files.items():
            (unfinished / name).write_text(text, encoding="utf-8")
        unfinished.rename(folder)
    except OSError as error:
        _refuse_unwritable(folder, error)
    finally:
        # Also where a signal ends it; once renamed, there is nothing to remove.
        shutil.rmtree(unfinished, ignore_errors=True)


def _refuse_existing(folder: Path) -> NoReturn:
    raise FileProblem(
        "new-exists",
        f"{folder} is there already, and nothing is overwritten.",
        fix="choose another name, or another folder with --here.",
    )


def _refuse_unwritable(folder: Path, error: OSError) -> NoReturn:
    if os.path.lexists(folder):  # somebody was quicker
        _refuse_existing(folder)
    raise FileProblem(
        "new-folder",
        f"{folder} cannot be written ({error.strerror or error}); nothing was left behind.",
        fix="make room, or choose a folder that you may write to with --here.",
    ) from None
