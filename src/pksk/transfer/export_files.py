"""The files of an export: their names and checksums as AWS writes them, and how they are written.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
from base64 import b32encode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_bytes, token_hex
from types import TracebackType
from typing import Any, Final, NoReturn, Self

import orjson

from pksk.errors import FileError, quote_path

ROOT: Final = "AWSDynamoDB"
DATA: Final = "data"
STARTED: Final = "_started"
SUMMARY: Final = "manifest-summary"
FILES: Final = "manifest-files"
TABLE: Final = "table"  # our own: the CreateTable request for an equal table
UNFINISHED: Final = ".unfinished"

JSON: Final = "DYNAMODB_JSON"
FULL: Final = "FULL_EXPORT"
INCREMENTAL: Final = "INCREMENTAL_EXPORT"


def export_id(seconds: float) -> str:
    """A new id of an export: fourteen digits of its time, and random ones."""
    return f"{int(seconds * 1000):014d}-{token_hex(4)}"


def data_file_name() -> str:
    """A new name for a file of items."""
    return f"{b32encode(token_bytes(16)).decode().rstrip('=').lower()}.json.gz"


def timestamp(seconds: float) -> str:
    """A time in the format of manifests."""
    return datetime.fromtimestamp(round(seconds, 3), UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def checksum(digest: bytes) -> str:
    """An MD5 sum in the format of manifests."""
    return b64encode(digest).decode()


def etag(digest: bytes) -> str:
    """The entity tag that S3 gives a file that is uploaded in one part."""
    return f"{hashlib.md5(digest, usedforsecurity=False).hexdigest()}-1"


class _HashingWriter:
    """A file that computes the MD5 sum of its content."""

    def __init__(self, path: Path) -> None:
        self.file = open(path, "xb")  # noqa: SIM115 - closed by the caller
        self.sum = hashlib.md5(usedforsecurity=False)

    def write(self, data: bytes) -> int:
        """Write, and update the sum."""
        self.sum.update(data)
        return self.file.write(data)

    def flush(self) -> None:
        """Flush the file."""
        self.file.flush()


class DataFile:
    """A new file of items; it is on disk at the end of its block, and `entry` is its line in the manifest."""

    def __init__(self, path: Path, key: str) -> None:
        self.items = 0
        self._key = key
        self._raw = _HashingWriter(path)
        # Without time and name, so that equal items make equal files.
        self._packed = gzip.GzipFile(filename="", fileobj=self._raw, mode="wb", compresslevel=6, mtime=0)

    def add(self, item: Mapping[str, Any]) -> None:
        """Write an item."""
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
    """The folder to write into; renamed to `FOLDER/AWSDynamoDB/NAME` at the end of the block, removed on an error."""
    root = folder / ROOT
    unfinished = root / f"{name}{UNFINISHED}"
    created = [each for each in (folder, root) if not each.exists()]
    try:
        _create(folder)
        root.mkdir(exist_ok=True)
        (unfinished / DATA).mkdir(parents=True)
        (unfinished / STARTED).touch()
        yield unfinished
        for each in (unfinished / DATA, unfinished):
            sync_folder(each)
        unfinished.rename(root / name)
        for each in (root, folder):
            sync_folder(each)
    except OSError as error:
        _reject_unwritable(folder, error)
    finally:
        # Runs after a signal too; once the folder is renamed, there is nothing to remove.
        shutil.rmtree(unfinished, ignore_errors=True)
        for each in reversed(created):
            with suppress(OSError):  # it holds the finished export
                os.rmdir(each)


def _create(folder: Path) -> None:
    if not folder.parent.is_dir():
        raise FileError(
            "export-folder",
            f"{quote_path(str(folder.parent))}: there is no such folder.",
            expected="The folder of an export exists, or its parent does.",
            fix="create it first, or check the name.",
        )
    folder.mkdir(exist_ok=True)


def _reject_unwritable(folder: Path, error: OSError) -> NoReturn:
    reason = "it is a file" if folder.is_file() else error.strerror or str(error)
    raise FileError(
        "export-folder",
        f"{quote_path(str(folder))} cannot be written to ({reason}); nothing was left behind.",
        expected="An export needs a writable folder with enough space for the items.",
        fix="free some space, or choose another folder.",
    ) from error


def write_file(path: Path, content: bytes) -> None:
    """Write a new file to disk."""
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Write the names in a folder to disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
