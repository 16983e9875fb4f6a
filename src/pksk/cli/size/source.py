"""Opens what `pksk size` is given, a file, standard input or an item itself, and reads it as text."""

from __future__ import annotations

import codecs
import gzip
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import IO, NoReturn

from pksk.errors import FileProblem, did_you_mean, quote
from pksk.values.strict_json import unreadable

__all__ = ["Source", "sources"]

CHUNK_BYTES = 1 << 18

_GZIP_MAGIC = b"\x1f\x8b"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Source:
    """Something to read items from, and what messages call it."""

    given: str
    label: str

    @property
    def is_item(self) -> bool:
        """Whether the item itself was given, and not a file."""
        return self.given.lstrip().startswith("{")

    @property
    def size_bytes(self) -> int | None:
        """How much there is to read, where that is known."""
        if self.is_item:
            return len(self.given)
        path = Path(self.given)
        return path.stat().st_size if self.given != "-" and path.is_file() else None

    def chunks(self, advance: Callable[[int], None]) -> Iterator[str]:
        """The text, piece by piece; `advance` is told how many bytes were read."""
        with self._opened() as raw:
            yield from _decoded(self.label, _unzipped(raw), lambda: advance(_position(raw)))

    def _opened(self) -> AbstractContextManager[IO[bytes]]:
        if self.is_item:
            return BytesIO(self.given.encode("utf-8", "surrogateescape"))
        if self.given == "-":
            if sys.stdin is None:
                raise unreadable(self.label, OSError("it is closed"))
            return nullcontext(sys.stdin.buffer)
        try:
            return open(self.given, "rb")
        except FileNotFoundError:
            self._refuse_missing()
        except (OSError, ValueError) as error:
            raise unreadable(self.label, error) from None

    def check(self) -> None:
        """Refuse a file that is not there, before any other is read."""
        if not self.is_item and self.given != "-" and not os.path.lexists(self.given):
            self._refuse_missing()

    def _refuse_missing(self) -> NoReturn:
        path = Path(self.given)
        near = did_you_mean(path.name, _names_in(path.parent))
        raise FileProblem(
            "file-missing",
            f"{self.label}: there is no such file.",
            fix=f"did you mean {quote(str(path.parent / near), limit=1000)}?"
            if near
            else "check the name and the folder.",
        )


def sources(arguments: tuple[str, ...]) -> list[Source]:
    """What each argument stands for: `-` is standard input, and `{...}` an item itself.

    Example:
        >>> [source.label for source in sources(("orders.json", "-", '{"id": 1}'))]
        ['orders.json', 'standard input', 'argument 3']
    """
    return [Source(given, _label(given, number)) for number, given in enumerate(arguments, 1)]


def _label(given: str, number: int) -> str:
    if given.lstrip().startswith("{"):
        return f"argument {number}"
    return "standard input" if given == "-" else given


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _position(raw: IO[bytes]) -> int:
    try:
        return raw.tell()
    except OSError:  # a pipe has no position
        return 0


def _unzipped(raw: IO[bytes]) -> IO[bytes]:
    """The content, unpacked where it begins as gzip does, whatever the file is called."""
    content = raw if isinstance(raw, BufferedReader) else BufferedReader(raw)  # type: ignore[type-var]
    if content.peek(2)[:2] == _GZIP_MAGIC:
        return gzip.GzipFile(fileobj=content)  # type: ignore[return-value]
    return content


def _decoded(label: str, content: IO[bytes], after_each: Callable[[], None]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    while True:
        data = _read(label, content, line)
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            _refuse_encoding(label, line, error)
        line += data.count(b"\n")
        after_each()
        if text:
            yield text
        if not data:
            return


def _read(label: str, content: IO[bytes], line: int) -> bytes:
    try:
        return content.read(CHUNK_BYTES)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileProblem(
            "file-gzip",
            f"{label}, after line {line}: the gzip data is damaged or cut off ({error}).",
            fix="copy or download the file again, and check it with gzip -t.",
        ) from None
    except OSError as error:
        raise unreadable(label, error) from None


def _refuse_encoding(label: str, line: int, error: UnicodeDecodeError) -> NoReturn:
    utf16 = line == 1 and error.object[:2] in _UTF16_MARKS
    at = line + error.object[: error.start].count(b"\n")
    found = "it begins as UTF-16 does" if utf16 else f"byte 0x{error.object[error.start]:02x} is not UTF-8"
    raise FileProblem(
        "file-encoding",
        f"{label}, line {at}: {found}.",
        expected="JSON is text in UTF-8; a file may be packed with gzip, and in no other way.",
        fix="save the file as UTF-8 (iconv -f UTF-16 -t UTF-8), or unpack it first.",
    )
