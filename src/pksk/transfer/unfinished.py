"""A folder that an export is written into, which gets its own name when all of it is on disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from pksk.errors import FileProblem, quote_path

from .durable import sync_folder
from .layout import DATA, ROOT, STARTED, UNFINISHED

__all__ = ["unfinished"]


@contextmanager
def unfinished(folder: Path, name: str) -> Iterator[Path]:
    """The folder to write into; it is `FOLDER/AWSDynamoDB/NAME` once the block has ended, or not there at all."""
    root = folder / ROOT
    writing = root / f"{name}{UNFINISHED}"
    made = [each for each in (folder, root) if not each.exists()]
    try:
        _make(folder)
        root.mkdir(exist_ok=True)
        (writing / DATA).mkdir(parents=True)
        (writing / STARTED).touch()
        yield writing
        for each in (writing / DATA, writing):
            sync_folder(each)
        writing.rename(root / name)
        for each in (root, folder):
            sync_folder(each)
    except OSError as error:
        _refuse_unwritable(folder, error)
    finally:
        # Also where a signal ends it; once renamed, there is nothing to remove.
        shutil.rmtree(writing, ignore_errors=True)
        for each in reversed(made):
            with suppress(OSError):  # what it was made for is in it
                os.rmdir(each)


def _make(folder: Path) -> None:
    if not folder.parent.is_dir():
        raise FileProblem(
            "export-folder",
            f"{quote_path(str(folder.parent))}: there is no such folder.",
            expected="An export is written into a folder that is there, or a new one in such a folder.",
            fix="make it first, or check the name.",
        )
    folder.mkdir(exist_ok=True)


def _refuse_unwritable(folder: Path, error: OSError) -> NoReturn:
    reason = "it is a file" if folder.is_file() else error.strerror or str(error)
    raise FileProblem(
        "export-folder",
        f"{quote_path(str(folder))} cannot be written to ({reason}); nothing was left behind.",
        expected="An export needs a folder that you may write to, and room for the items in it.",
        fix="make room, or choose another folder.",
    ) from error
