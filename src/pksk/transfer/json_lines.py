"""Reads items in DynamoDB JSON, one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import orjson

from pksk.errors import FileError, InvalidValue, quote
from pksk.limits import ITEM_BYTES
from pksk.values import WireItem, item_from_wire, item_size

from .file_errors import RepeatedName, item_error, not_utf8_error, repeated_name_error, strict_decoder
from .item_checks import storage_problem
from .item_file import ItemFile, Lines

_DECODER: Final = strict_decoder()
_CHANGE_MEMBERS: Final = {"Keys", "NewImage", "OldImage", "Metadata"}


def items_in(data: ItemFile) -> Iterator[WireItem]:
    """The items of a file; raises an error for the first wrong line, or if the file does not match its manifest."""
    lines, count = data.lines(), 0
    for _, item in read_json(lines):
        if isinstance(item, FileError):
            raise item
        count += 1
        yield item
    data.finish(lines, count)


def read_json(lines: Lines, *, trusted: bool = False) -> Iterator[tuple[int, WireItem | FileError]]:
    """Each line's number with its item, or with the error of a wrong line; skips blank lines.

    `trusted` is for files whose lines were all checked before. It saves a fifth of an import.
    """
    for number, line in lines:
        if line.strip():
            item = _parse_trusted(line) if trusted else None
            yield number, item or _item_or_problem(line, f"{lines.label}, line {number}")


def _item_or_problem(line: bytes, where: str) -> WireItem | FileError:
    try:
        return parse_item(line.removesuffix(b"\r"), where)
    except FileError as problem:
        if problem.code == "import-format":
            raise
        return problem


def _parse_trusted(line: bytes) -> WireItem | None:
    try:
        item = orjson.loads(line)["Item"]
    except (ValueError, LookupError, TypeError):
        return None
    return item if type(item) is dict else None


def parse_item(line: bytes, where: str) -> WireItem:
    """The item on a line."""
    text = decode_line(line, where)
    try:
        value = _DECODER.decode(text)
    except RepeatedName as error:
        raise repeated_name_error(where, str(error)) from None
    except (ValueError, RecursionError) as error:
        _reject_json(text, error, where)
    item = value.get("Item") if isinstance(value, dict) else None
    if not isinstance(item, dict) or len(value) != 1:
        _reject_shape(value, where)
    return check_item(item, where)


def check_item(item: WireItem, where: str) -> WireItem:
    """The item; raises an error if DynamoDB cannot store it."""
    try:
        item_from_wire(item)
        size = item_size(item)
    except InvalidValue as error:
        raise item_error(where, error) from None
    wrong = storage_problem(item)
    if wrong is not None:
        raise FileError(
            "file-item",
            f"{where}: {wrong}.",
            expected="DynamoDB takes names of at most 64 KB, and canonical base64.",
            fix="correct it in the file.",
        )
    if size > ITEM_BYTES:
        raise FileError(
            "file-item",
            f"{where}: the item has {size:,} bytes.",
            expected=f"An item has at most 400 KB ({ITEM_BYTES:,} bytes).",
            fix="split it, or leave attributes out.",
        )
    return item


def decode_line(line: bytes, where: str) -> str:
    """A line as text."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise not_utf8_error(where, error) from None


def _reject_json(text: str, error: Exception, where: str) -> NoReturn:
    problem = "lists and maps are nested too deeply to be read"
    if isinstance(error, json.JSONDecodeError):
        excerpt = text[error.pos : error.pos + 20]
        here = f" at {quote(excerpt)}" if excerpt else ", and the line ends there"
        problem = f"{error.msg[0].lower()}{error.msg[1:].removesuffix(' at')}{here}"
    elif isinstance(error, ValueError):
        problem = str(error)
    raise FileError(
        "file-json",
        f"{where}: not JSON: {problem}.",
        expected='Each line is one item, such as {"Item": {"id": {"S": "a"}}}.',
        fix="correct that line; jq . FILE finds it too.",
    ) from None


def _reject_shape(value: Any, where: str) -> NoReturn:
    if isinstance(value, dict) and "Keys" in value and value.keys() <= _CHANGE_MEMBERS:
        raise FileError(
            "import-format",
            f"{where}: {quote(value)} is a change of an incremental export, and not an item.",
            expected='Each line is one item, such as {"Item": {"id": {"S": "a"}}}.',
            fix="export the whole table (--export-type FULL_EXPORT).",
        )
    is_scan = isinstance(value, dict) and isinstance(value.get("Items"), list)
    selection = ".[] | " if isinstance(value, list) else ".Items[] | " if is_scan else ""
    raise FileError(
        "file-not-an-item",
        f"{where}: {quote(value)} is not an item in the format of exports.",
        expected='Each line is one item, such as {"Item": {"id": {"S": "a"}}}.',
        fix=f"wrap each item: jq -c '{selection}{{Item: .}}'.",
    )
