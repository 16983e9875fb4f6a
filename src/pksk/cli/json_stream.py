"""Reads JSON values one by one: one a line, in a long array, or over many lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NoReturn

from pksk.errors import FileError, quote
from pksk.transfer.file_errors import RepeatedName, repeated_name_error, strict_decoder

# An item has at most 400 KB, so it ends within this.
MAX_CHARACTERS = 1 << 26

# The longest JSON token that is wrong while it is incomplete: -Infinity, \ud83d\ude00.
_CUT_OFF = 12

_BLANK = re.compile(r"[ \t\r\n]*")


_DECODER = strict_decoder(parse_float=Decimal)


class JsonStream:
    r"""The values in a text that comes in pieces, each with its first line.

    Yields the elements of an array one by one. Fractions are Decimals, never floats.
    """

    def __init__(self, label: str, chunks: Iterator[str]) -> None:
        self.label = label
        self._chunks = chunks
        self._text, self._at, self._line = "", 0, 1
        self._ended = False

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        while self._next_character():
            if self._text[self._at] == "[":
                yield from self._elements()
            else:
                yield self._value()

    def _elements(self) -> Iterator[tuple[int, Any]]:
        opened = self._line
        self._step_over("[")
        if self._next_character() == "]":
            self._step_over("]")
            return
        while True:
            if self._next_character() in ("", "]", ","):
                self._reject("an item is missing here")
            yield self._value()
            character = self._next_character()
            if character not in (",", "]"):
                self._reject(f"the array that begins on line {opened} has no comma here, or does not end")
            self._step_over(character)
            if character == "]":
                return

    def _next_character(self) -> str:
        """The next character that is not white space; an empty text at the end."""
        while True:
            match = _BLANK.match(self._text, self._at)
            self._move_to(match.end() if match else self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def _step_over(self, mark: str) -> None:
        self._move_to(self._at + len(mark))

    def _move_to(self, at: int) -> None:
        self._line += self._text.count("\n", self._at, at)
        self._at = at

    def _fill(self) -> bool:
        """Read more text, at least twice as much as is left; False at the end."""
        rest = self._text[self._at :]
        pieces, missing = [rest], max(1, len(rest))
        while missing > 0 and not self._ended:
            piece = next(self._chunks, None)
            if piece is None:
                self._ended = True
            else:
                pieces.append(piece)
                missing -= len(piece)
        self._text, self._at = "".join(pieces), 0
        return len(self._text) > len(rest)

    def _value(self) -> tuple[int, Any]:
        line = self._line
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                self._read_on_or_reject(error)
                continue
            except RepeatedName as error:
                raise repeated_name_error(f"{self.label}, line {self._line}", str(error)) from None
            except ValueError as error:
                self._reject(f"{error}")
            except RecursionError:
                self._reject("lists and maps are nested too deeply to be read")
            self._move_to(end)
            return line, value

    def _read_on_or_reject(self, error: json.JSONDecodeError) -> None:
        """Read more if the value is only incomplete so far; else raise the error."""
        ahead = error.pos - self._at
        cut_off = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _CUT_OFF
        if cut_off and len(self._text) - self._at > MAX_CHARACTERS:
            self._reject_endless()
        if not (cut_off and self._fill()):
            self._move_to(self._at + ahead)
            excerpt = self._text[self._at : self._at + 20].partition("\n")[0]
            here = f" at {quote(excerpt)}" if excerpt else ", and the file ends there"
            message = error.msg.removesuffix(" at")
            self._reject(f"{message[0].lower()}{message[1:]}{here}")

    def _reject(self, problem: str) -> NoReturn:
        raise FileError(
            "file-json",
            f"{self.label}, line {self._line}: not JSON: {problem}.",
            expected="A file has one item, an array of items, or one item a line, in JSON or DynamoDB JSON.",
            fix="correct that line; jq . FILE finds it too.",
        )

    def _reject_endless(self) -> NoReturn:
        raise FileError(
            "file-endless",
            f"{self.label}, line {self._line}: the value has not ended after {MAX_CHARACTERS:,} characters.",
            expected="An item of DynamoDB has at most 400 KB.",
            fix="check its quotes and brackets; write a large scan with one item a line: jq -c '.Items[]'.",
        )
