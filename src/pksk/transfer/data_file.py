"""One file of items in an export: written with gzip, and summed up while it is written."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from .layout import checksum, etag

__all__ = ["DataFile"]


class _Summed:
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
        self._raw = _Summed(path)
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
