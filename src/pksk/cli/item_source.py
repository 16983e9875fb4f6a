"""Reads items from files, standard input or arguments, in DynamoDB JSON or plain JSON."""

from __future__ import annotations

import codecs
import gzip
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import IO, Any, Literal, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue
from pksk.transfer import file_errors
from pksk.values import WireItem, item_from_wire, item_to_wire

CHUNK_BYTES = 1 << 18

_GZIP_MAGIC = b"\x1f\x8b"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class ItemSource:
    """A file, standard input or an item, and its name in messages."""

    argument: str
    label: str

    @property
    def is_item(self) -> bool:
        """Whether the argument is an item, and not a file."""
        return self.argument.lstrip().startswith("{")

    @property
    def size_bytes(self) -> int | None:
        """The number of bytes to read, if it is known."""
        if self.is_item:
            return len(self.argument)
        path = Path(self.argument)
        return path.stat().st_size if self.argument != "-" and path.is_file() else None

    def chunks(self, advance: Callable[[int], None]) -> Iterator[str]:
        """The text in pieces; calls `advance` with the number of bytes read."""
        with self._open() as raw:
            yield from _decode(self.label, _unzip(raw), lambda: advance(_position(raw)))

    def _open(self) -> AbstractContextManager[IO[bytes]]:
        if self.is_item:
            return BytesIO(self.argument.encode("utf-8", "surrogateescape"))
        if self.argument == "-":
            if sys.stdin is None:
                raise file_errors.unreadable_file_error(self.label, OSError("it is closed"))
            return nullcontext(sys.stdin.buffer)
        try:
            return open(self.argument, "rb")
        except FileNotFoundError:
            raise file_errors.missing_file_error(Path(self.argument)) from None
        except (OSError, ValueError) as error:
            raise file_errors.unreadable_file_error(self.label, error) from None

    def check(self) -> None:
        """Raise an error for a missing file, before any other file is read."""
        if not self.is_item and self.argument != "-" and not os.path.lexists(self.argument):
            raise file_errors.missing_file_error(Path(self.argument))


def item_sources(arguments: tuple[str, ...]) -> list[ItemSource]:
    """The sources of some arguments: `-` is standard input, and `{...}` an item itself."""
    return [ItemSource(argument, _label(argument, number)) for number, argument in enumerate(arguments, 1)]


def _label(argument: str, number: int) -> str:
    if argument.lstrip().startswith("{"):
        return f"argument {number}"
    return "standard input" if argument == "-" else argument


def _position(raw: IO[bytes]) -> int:
    try:
        return raw.tell()
    except OSError:  # a pipe has no position
        return 0


def _unzip(raw: IO[bytes]) -> IO[bytes]:
    """The content, decompressed if it begins as gzip, whatever the name of the file."""
    content = raw if isinstance(raw, BufferedReader) else BufferedReader(raw)  # type: ignore[type-var]
    if content.peek(2)[:2] == _GZIP_MAGIC:
        return gzip.GzipFile(fileobj=content)  # type: ignore[return-value]
    return content


def _decode(label: str, content: IO[bytes], after_each: Callable[[], None]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    while True:
        data = _read_chunk(label, content, line)
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            _reject_encoding(label, line, error)
        line += data.count(b"\n")
        after_each()
        if text:
            yield text
        if not data:
            return


def _read_chunk(label: str, content: IO[bytes], line: int) -> bytes:
    try:
        return content.read(CHUNK_BYTES)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise file_errors.gzip_error(label, line, error) from None
    except OSError as error:
        raise file_errors.unreadable_file_error(label, error) from None


def _reject_encoding(label: str, line: int, error: UnicodeDecodeError) -> NoReturn:
    if line == 1 and error.object[:2] in _UTF16_MARKS:
        raise file_errors.utf16_error(label)
    line += error.object[: error.start].count(b"\n")
    raise file_errors.not_utf8_error(f"{label}, line {line}", error)


Form = Literal["DynamoDB JSON", "plain JSON"]

_CONTENTS: dict[str, type] = {
    "S": str, "N": str, "B": str, "BOOL": bool, "NULL": bool, "L": list, "M": dict, "SS": list, "NS": list, "BS": list,
}  # fmt: skip

# The members that `aws dynamodb get-item`, `scan` and `query` print.
_BESIDE_ITEM = {"Item", "ConsumedCapacity"}
_BESIDE_ITEMS = {"Items", "Count", "ScannedCount", "LastEvaluatedKey", "NextToken", "ConsumedCapacity"}


def items_in(value: Any, where: str) -> Iterator[tuple[Form, WireItem]]:
    """The items in a JSON value, converted to DynamoDB JSON, each with its original form."""
    if not isinstance(value, dict):
        raise file_errors.not_an_item_error(where, value)
    for item in _unwrap(value):
        try:
            yield _read_item(item)
        except InvalidValue as error:
            raise file_errors.item_error(where, error) from None


def _unwrap(value: dict[str, Any]) -> list[dict[str, Any]]:
    inner, several = value.get("Item"), value.get("Items")
    if value.keys() <= _BESIDE_ITEM and isinstance(inner, dict) and _names_types(inner):
        return [inner]
    if value.keys() <= _BESIDE_ITEMS and isinstance(several, list) and all(map(_names_types, several)):
        return several
    return [value]


def _read_item(item: dict[str, Any]) -> tuple[Form, WireItem]:
    if _names_types(item) and any(_is_typed(value) for value in item.values()):
        item_from_wire(item)
        return "DynamoDB JSON", item
    return "plain JSON", item_to_wire(item)


def _names_types(item: Any) -> bool:
    """Whether every attribute is an object with one member, whose name is that of a type."""
    return (
        isinstance(item, dict)
        and bool(item)
        and all(
            isinstance(value, dict) and len(value) == 1 and _CONTENTS.keys() >= value.keys()
            for value in item.values()
        )
    )


def _is_typed(value: dict[str, Any]) -> bool:
    """Whether the content has that type: {"S": 4} is a map of sizes, {"S": "4"} a string."""
    ((kind, content),) = value.items()
    return isinstance(content, _CONTENTS[kind])
