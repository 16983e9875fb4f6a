"""Reads JSON values one after the other: lines, a long array, or one object over many lines, never all at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NoReturn

from pksk.errors import FileError, quote
from pksk.values.strict_json import RepeatedName, repeated_name_error, strict_decoder

__all__ = ["JsonStream"]

# DynamoDB's items are at most 400 KB; what does not end within this is not one of them.
MOST_CHARACTERS = 1 << 26

# The longest piece of JSON that is wrong while cut off and right when complete: -Infinity, \ud83d\ude00.
_CUT_OFF = 12

_BLANK = re.compile(r"[ \t\r\n]*")


_DECODER = strict_decoder(parse_float=Decimal)


class JsonStream:
    r"""The values in a text that comes in pieces, each with the line on which it begins.

    The elements of an array are values of their own. Fractions are Decimals, never floats.

    Example:
        >>> list(JsonStream("orders.json", iter(['[{"id": 1},\n', '{"id": 2.50}]'])))
        [(1, {'id': 1}), (2, {'id': Decimal('2.50')})]
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
                self._refuse("an item is missing where one should stand")
            yield self._value()
            following = self._next_character()
            if following not in (",", "]"):
                self._refuse(
                    f"the array that begins on line {opened} goes on without a comma, or does not end"
                )
            self._step_over(following)
            if following == "]":
                return

    def _next_character(self) -> str:
        """The next character that is not blank; none at the end."""
        while True:
            found = _BLANK.match(self._text, self._at)
            self._move_to(found.end() if found else self._at)
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
        """Read on, at least as much as there is; False at the end."""
        rest = self._text[self._at :]
        pieces, wanted = [rest], max(1, len(rest))
        while wanted > 0 and not self._ended:
            piece = next(self._chunks, None)
            if piece is None:
                self._ended = True
            else:
                pieces.append(piece)
                wanted -= len(piece)
        self._text, self._at = "".join(pieces), 0
        return len(self._text) > len(rest)

    def _value(self) -> tuple[int, Any]:
        line = self._line
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                self._read_on_or_refuse(error)
                continue
            except RepeatedName as error:
                raise repeated_name_error(f"{self.label}, line {self._line}", str(error)) from None
            except ValueError as error:
                self._refuse(f"{error}")
            except RecursionError:
                self._refuse("lists and maps are nested too deeply to be read")
            self._move_to(end)
            return line, value

    def _read_on_or_refuse(self, error: json.JSONDecodeError) -> None:
        """A value that is merely cut off at the end of what was read goes on; any other error is one."""
        ahead = error.pos - self._at
        cut_off = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _CUT_OFF
        if cut_off and len(self._text) - self._at > MOST_CHARACTERS:
            self._refuse_endless()
        if not (cut_off and self._fill()):
            self._move_to(self._at + ahead)
            found = self._text[self._at : self._at + 20].partition("\n")[0]
            here = f" at {quote(found)}" if found else ", and the file ends there"
            said = error.msg.removesuffix(" at")
            self._refuse(f"{said[0].lower()}{said[1:]}{here}")

    def _refuse(self, problem: str) -> NoReturn:
        raise FileError(
            "file-json",
            f"{self.label}, line {self._line}: not JSON: {problem}.",
            expected="A file holds one item, an array of items, or one item a line, in JSON or DynamoDB JSON.",
            fix="correct that line; jq . FILE finds it too.",
        )

    def _refuse_endless(self) -> NoReturn:
        raise FileError(
            "file-endless",
            f"{self.label}, line {self._line}: what begins there has not ended after {MOST_CHARACTERS:,} characters.",
            expected="An item of DynamoDB has at most 400 KB.",
            fix="check its quotes and brackets; of a large scan, make one item a line: jq -c '.Items[]'.",
        )
