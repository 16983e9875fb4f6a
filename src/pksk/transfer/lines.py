"""Reads a file line by line, unpacks it where it is gzip, and sums it up on the way."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, Final, NoReturn

from pksk.errors import FileProblem
from pksk.values.strict_json import unreadable

from .formats import GZIP, refuse_bytes
from .layout import checksum

__all__ = ["LONGEST_LINE", "Lines", "md5_of"]

# An item has 400 KB. Of its bytes an empty text in a list takes the most room: one byte, written as {"S": ""},
LONGEST_LINE: Final = 1 << 23
_BOM: Final = b"\xef\xbb\xbf"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


def md5_of(path: Path) -> str:
    """The MD5 sum of a file as it stands, packed or not."""
    try:
        with open(path, "rb") as file:
            return checksum(hashlib.file_digest(file, _md5).digest())
    except OSError as error:
        raise unreadable(str(path), error) from None


def _md5() -> Any:
    return hashlib.md5(usedforsecurity=False)


class _Summed(RawIOBase):
    """A file that counts and sums what is read from it."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115 - closed below
        self.sum = _md5()
        self.read_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self.sum.update(memoryview(buffer)[:count])
        self.read_bytes += count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


class Lines:
    """The lines of a file with their numbers, without the line feed; `md5` is known when all were read.

    A line that is longer than any item can be ends the reading: it is none.
    """

    def __init__(self, path: Path, advance: Callable[[int], None] | None = None) -> None:
        self.label = str(path)
        self.number = 0
        self.md5 = ""
        self._path = path
        self._advance = advance

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        try:
            raw = _Summed(self._path)
        except OSError as error:
            raise unreadable(self.label, error) from None
        with closing(raw), BufferedReader(raw, 1 << 18) as buffered:
            yield from self._numbered(self._opened(buffered), raw)
            while buffered.read(1 << 18):  # blanks after the last member of a gzip file
                pass
            self.md5 = checksum(raw.sum.digest())

    def _opened(self, buffered: BufferedReader[_Summed]) -> Any:
        first = self._guarded(lambda: buffered.peek(4))
        if first[:2] in _UTF16_MARKS:
            self._refuse_utf16()
        refuse_bytes(self._path, first)
        return gzip.GzipFile(fileobj=buffered) if first[:2] == GZIP else buffered

    def _numbered(self, content: Any, raw: _Summed) -> Iterator[tuple[int, bytes]]:
        while True:
            line: bytes = self._guarded(lambda: content.readline(LONGEST_LINE))
            if not line:
                return
            self.number += 1
            if self.number == 1:
                refuse_bytes(self._path, line)  # inside of gzip
                line = line.removeprefix(_BOM)
            if len(line) >= LONGEST_LINE:
                self._refuse_long()
            if self._advance is not None:
                self._advance(raw.read_bytes)
            yield self.number, line.removesuffix(b"\n")

    def _guarded(self, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileProblem(
                "file-gzip",
                f"{self.label}, after line {self.number}: the gzip data is damaged or cut off ({error}).",
                expected="A file that begins as gzip does is gzip to its end.",
                fix="copy or download the file again, and check it with gzip -t.",
            ) from None
        except OSError as error:
            raise unreadable(self.label, error) from None

    def _refuse_utf16(self) -> NoReturn:
        raise FileProblem(
            "file-encoding",
            f"{self.label}, line 1: it begins as UTF-16 does.",
            expected="Items are text in UTF-8; a file may be packed with gzip, and in no other way.",
            fix="save the file as UTF-8 (iconv -f UTF-16 -t UTF-8), or unpack it first.",
        )

    def _refuse_long(self) -> NoReturn:
        raise FileProblem(
            "file-endless",
            f"{self.label}, line {self.number}: the line has not ended after {LONGEST_LINE:,} bytes.",
            expected="An item of DynamoDB has at most 400 KB, and stands on a line of its own.",
            fix="write one item a line: jq -c '.[]' of an array.",
        )
