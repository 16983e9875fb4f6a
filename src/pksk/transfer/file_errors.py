"""The errors of files of items that are missing, damaged or not text."""

from __future__ import annotations

import os
from pathlib import Path

from pksk.errors import FileError, did_you_mean, quote_path

_TEXT = "A file is text in UTF-8, plain or compressed with gzip."


def missing_file_error(
    path: Path, *, what: str = "file", expected: str = "", ignore: tuple[str, ...] = ()
) -> FileError:
    """The error of a file that does not exist; suggests the nearest name, unless it ends as in `ignore`."""
    try:
        names = [name for name in os.listdir(path.parent) if not name.endswith(ignore)]
    except OSError:
        names = []
    near = did_you_mean(path.name, names)
    fix = f"did you mean {quote_path(str(path.parent / near))}?" if near else "check the name and the folder."
    return FileError("file-missing", f"{path}: there is no such {what}.", expected=expected, fix=fix)


def gzip_error(label: str, line: int, error: Exception) -> FileError:
    """The error of a gzip file that is damaged or cut off after a line."""
    return FileError(
        "file-gzip",
        f"{label}, after line {line}: the gzip data is damaged or cut off ({error}).",
        expected="A file that begins as gzip is gzip to its end.",
        fix="copy or download the file again, and check it with gzip -t.",
    )


def utf16_error(label: str) -> FileError:
    """The error of a file that begins with the byte order mark of UTF-16."""
    return FileError(
        "file-encoding",
        f"{label}, line 1: it begins as UTF-16 does.",
        expected=_TEXT,
        fix="save the file as UTF-8 (iconv -f UTF-16 -t UTF-8), or decompress it first.",
    )


def not_utf8_error(where: str, error: UnicodeDecodeError) -> FileError:
    """The error of a line with a byte that is not UTF-8."""
    return FileError(
        "file-encoding",
        f"{where}: byte 0x{error.object[error.start]:02x} is not UTF-8.",
        expected=_TEXT,
        fix="save the file as UTF-8 (iconv -f LATIN1 -t UTF-8), or decompress it first.",
    )
