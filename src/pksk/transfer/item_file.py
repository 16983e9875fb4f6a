"""A file of items: its format, its lines and its checksum."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, Final, Literal, NoReturn, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import FileError, quote_path

from .export_files import INCREMENTAL, checksum
from .file_errors import gzip_error, unreadable_file_error, utf16_error

COMMA: Final = ","


@dataclass(frozen=True)
class ItemFile:
    """A file, its format, and the item count and MD5 sum of its manifest, if it has one."""

    path: Path
    format: Format
    items: int | None = None
    md5: str | None = None
    delimiter: str = COMMA
    header: tuple[str, ...] | None = None

    def lines(self, advance: Callable[[int], None] | None = None) -> Lines:
        """The lines of the file."""
        return Lines(self.path, advance)

    def verify(self) -> None:
        """Check the MD5 sum, before any line is parsed."""
        if self.md5 is not None:
            self._check_sum(md5_of(self.path))

    def finish(self, lines: Lines, items: int) -> None:
        """Check the MD5 sum and the item count, after all lines are read."""
        self._check_sum(lines.md5)
        if self.items is not None and items != self.items:
            raise FileError(
                "export-count",
                f"{quote_path(str(self.path))} has {items:,} items, but its manifest says {self.items:,}.",
                expected="The manifest has the number of items in each file.",
                fix="copy or download the export again.",
            )

    def _check_sum(self, md5: str) -> None:
        if self.md5 is not None and md5 != self.md5:
            raise FileError(
                "export-checksum",
                f"{quote_path(str(self.path))} has the MD5 sum {md5}, but its manifest says {self.md5}.",
                expected="The files of an export do not change after the export.",
                fix="copy or download the export again; the file was changed or damaged.",
            )


# An item has 400 KB. Empty strings in a list are the longest in JSON: one byte is written as {"S": ""},
LONGEST_LINE: Final = 1 << 23
_BOM: Final = b"\xef\xbb\xbf"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


def md5_of(path: Path) -> str:
    """The MD5 sum of a file, compressed or not."""
    try:
        with open(path, "rb") as file:
            return checksum(hashlib.file_digest(file, _md5).digest())
    except OSError as error:
        raise unreadable_file_error(str(path), error) from None


def _md5() -> Any:
    return hashlib.md5(usedforsecurity=False)


class _HashingReader(RawIOBase):
    """A file that counts the bytes it reads, and computes their MD5 sum."""

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
    """The lines of a file with their numbers, without the line feed; `md5` is set when all are read.

    A line that is too long to be an item raises an error.
    """

    def __init__(self, path: Path, advance: Callable[[int], None] | None = None) -> None:
        self.label = str(path)
        self.number = 0
        self.md5 = ""
        self._path = path
        self._advance = advance

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        try:
            raw = _HashingReader(self._path)
        except OSError as error:
            raise unreadable_file_error(self.label, error) from None
        with closing(raw), BufferedReader(raw, 1 << 18) as buffered:
            yield from self._numbered(self._open(buffered), raw)
            while buffered.read(1 << 18):  # zeros after the last member of a gzip file
                pass
            self.md5 = checksum(raw.sum.digest())

    def _open(self, buffered: BufferedReader[_HashingReader]) -> Any:
        first = self._guarded(lambda: buffered.peek(4))
        if first[:2] in _UTF16_MARKS:
            raise utf16_error(self.label)
        reject_unsupported(self._path, first)
        return gzip.GzipFile(fileobj=buffered) if first[:2] == GZIP else buffered

    def _numbered(self, content: Any, raw: _HashingReader) -> Iterator[tuple[int, bytes]]:
        while True:
            line: bytes = self._guarded(lambda: content.readline(LONGEST_LINE))
            if not line:
                return
            self.number += 1
            if self.number == 1:
                reject_unsupported(self._path, line)  # inside of gzip
                line = line.removeprefix(_BOM)
            if len(line) >= LONGEST_LINE:
                self._reject_long()
            if self._advance is not None:
                self._advance(raw.read_bytes)
            yield self.number, line.removesuffix(b"\n")

    def _guarded(self, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise gzip_error(self.label, self.number, error) from None
        except OSError as error:
            raise unreadable_file_error(self.label, error) from None

    def _reject_long(self) -> NoReturn:
        raise FileError(
            "file-endless",
            f"{self.label}, line {self.number}: the line has not ended after {LONGEST_LINE:,} bytes.",
            expected="An item of DynamoDB has at most 400 KB, and each line has one item.",
            fix="write one item a line: jq -c '.[]' for an array.",
        )


Format: TypeAlias = Literal["dynamodb-json", "csv"]
FORMATS: Final[tuple[Format, ...]] = ("dynamodb-json", "csv")

GZIP: Final = b"\x1f\x8b"
_BY_NAME: Final[dict[str, Format]] = {
    ".json": "dynamodb-json",
    ".jsonl": "dynamodb-json",
    ".ndjson": "dynamodb-json",
    ".csv": "csv",
    ".tsv": "csv",
}
_UNSUPPORTED: Final = {".ion": "ION", ".10n": "ION", ".zst": "ZSTD", ".zstd": "ZSTD"}
_BEGINNINGS: Final = {b"\xe0\x01\x00\xea": "ION", b"$ion": "ION", b"\x28\xb5\x2f\xfd": "ZSTD"}
_REASONS: Final = {
    "ION": (
        "it is in Amazon Ion, which pksk does not read",
        "export the table again as DYNAMODB_JSON (aws dynamodb export-table-to-point-in-time "
        "--export-format DYNAMODB_JSON).",
    ),
    "ZSTD": ("it is compressed with zstd, which pksk does not read", "decompress it first: zstd -d FILE."),
    INCREMENTAL: (
        "it is an incremental export, which has changes and not the items of a table",
        "export the whole table (--export-type FULL_EXPORT).",
    ),
}


def format_of(path: Path) -> Format:
    """The format of a file, by its name."""
    endings = [ending.lower() for ending in path.suffixes if ending.lower() not in (".gz", ".gzip")]
    for ending in endings[-2:]:
        if ending in _UNSUPPORTED:
            reject_format(path, _UNSUPPORTED[ending])
    form = _BY_NAME.get(endings[-1]) if endings else None
    if form is None:
        reject_format(path, "")
    return form


def is_data_file(path: Path) -> bool:
    """Whether a file in a folder holds items: its name begins with neither a dot nor an underscore."""
    return not path.name.startswith((".", "_"))


def reject_unsupported(path: Path, first: bytes) -> None:
    """Raise an error for a file whose first bytes are those of an unsupported format."""
    reason = _BEGINNINGS.get(first[:4])
    if reason:
        reject_format(path, reason)


def reject_format(path: Path, kind: str) -> NoReturn:
    """Raise the error of a file or an export in an unsupported or unknown format."""
    unknown = f"{kind} is not a format that pksk reads" if kind else "its name does not show its format"
    reason, fix = _REASONS.get(kind, (unknown, "add --format dynamodb-json or --format csv."))
    raise FileError(
        "import-format",
        f"{quote_path(str(path))}: {reason}.",
        expected="Items are in DynamoDB JSON (.json, .jsonl) or CSV (.csv, .tsv), plain or compressed with gzip (.gz).",
        fix=fix,
    ) from None
