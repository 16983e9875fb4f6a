"""Writes the files of an export: on disk and complete before the export has its name."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

import orjson

from pksk.errors import FileError, quote_path

from .export_layout import DATA, ROOT, STARTED, UNFINISHED, checksum, etag

__all__ = ["DataFile", "sync_folder", "unfinished_export", "write_file"]


class _HashingWriter:
    """A file whose MD5 sum grows with what is written to it."""

    def __init__(self, path: Path) -> None:
        self.file = open(path, "xb")  # noqa: SIM115 - closed by whoever made this
        self.sum = hashlib.md5(usedforsecurity=False)

    def write(self, data: bytes) -> int:
        """Write, and add to the sum."""
        self.sum.update(data)
        return self.file.write(data)

    def flush(self) -> None:
        """Give to the system what waits here."""
        self.file.flush()


class DataFile:
    """A new file; once its block is left it is on disk, and `entry` is its line in the manifest."""

    def __init__(self, path: Path, key: str) -> None:
        self.items = 0
        self._key = key
        self._raw = _HashingWriter(path)
        # No time and no name in it: the same items make the same file.
        self._packed = gzip.GzipFile(filename="", fileobj=self._raw, mode="wb", compresslevel=6, mtime=0)

    def add(self, item: Mapping[str, Any]) -> None:
        """Write one item more."""
        self._packed.write(orjson.dumps({"Item": item}, option=orjson.OPT_APPEND_NEWLINE))
        self.items += 1

    @property
    def entry(self) -> dict[str, Any]:
        """Its line in the files manifest."""
        digest = self._raw.sum.digest()
        return {
            "itemCount": self.items,
            "md5Checksum": checksum(digest),
            "etag": etag(digest),
            "dataFileS3Key": self._key,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._packed.close()
            self._raw.flush()
            os.fsync(self._raw.file.fileno())
        finally:
            self._raw.file.close()


@contextmanager
def unfinished_export(folder: Path, name: str) -> Iterator[Path]:
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
        raise FileError(
            "export-folder",
            f"{quote_path(str(folder.parent))}: there is no such folder.",
            expected="An export is written into a folder that is there, or a new one in such a folder.",
            fix="make it first, or check the name.",
        )
    folder.mkdir(exist_ok=True)


def _refuse_unwritable(folder: Path, error: OSError) -> NoReturn:
    reason = "it is a file" if folder.is_file() else error.strerror or str(error)
    raise FileError(
        "export-folder",
        f"{quote_path(str(folder))} cannot be written to ({reason}); nothing was left behind.",
        expected="An export needs a folder that you may write to, and room for the items in it.",
        fix="make room, or choose another folder.",
    ) from error


def write_file(path: Path, content: bytes) -> None:
    """Write a new file, and wait until it is on disk."""
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are on disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
