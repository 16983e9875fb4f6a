"""Finds the delimiter of a template, and escapes it in values, so that a value never looks like two parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from string import punctuation
from typing import NoReturn

from pksk.dataclass import dataclass
from pksk.errors import TemplateError, quote
from pksk.keys.parse import Placeholder

DEFAULT_DELIMITER = "#"


@dataclass(frozen=True)
class Delimiter:
    """The text between two parts; with `raw`, values are not escaped.

    Example:
        >>> Delimiter("::", raw=False).escape_character
        ';'
    """

    text: str
    raw: bool

    @property
    def character(self) -> str:
        """The first character of the delimiter, which is escaped in values."""
        return self.text[0]

    @cached_property
    def escape_character(self) -> str:
        """The next ASCII character: it sorts right after the delimiter, so escaping preserves the order."""
        return chr(ord(self.character) + 1)

    @cached_property
    def ends_below_all(self) -> bool:
        """Whether the delimiter sorts below every character of an escaped value.

        Only `#` does: the smaller characters are rare in values, so escaping them too keeps keys readable.
        """
        return not self.raw and self.character == "#"

    def fits_before(self, text: str) -> bool:
        """Whether the first delimiter in `text` plus delimiter is the one at its end."""
        return (text + self.text).find(self.text) == len(text)


def find_delimiter(
    pieces: Sequence[str | Placeholder], *, declared: str | None, raw: bool, where: str
) -> Delimiter:
    """The declared delimiter of a template, or the one that its literals use."""
    text = _check_punctuation(declared, where) if declared is not None else _infer_delimiter(pieces, where)
    _check_follows_every_part(pieces, text, where)
    delimiter = Delimiter(text, raw)
    if not raw:
        _check_escapable(pieces, delimiter, where)
    return delimiter


def _check_punctuation(text: str, where: str) -> str:
    if isinstance(text, str) and text and all(character in punctuation for character in text):
        return text
    raise TemplateError(
        "template-delimiter",
        f"{where}: delimiter={quote(text)} is not punctuation.",
        fix="use one of the ASCII punctuation characters, for example '#', '::' or '|'.",
    )


def _infer_delimiter(pieces: Sequence[str | Placeholder], where: str) -> str:
    parts = [index for index, piece in enumerate(pieces) if isinstance(piece, Placeholder)]
    if len(parts) > 1:
        candidates = [_leading_run(pieces[index + 1]) for index in parts[:-1]]
    else:
        candidates = [
            run
            for index in parts
            for run in (
                _leading_run(_at(pieces, index - 1), reverse=True),
                _leading_run(_at(pieces, index + 1)),
            )
        ]
    distinct = sorted({run for run in candidates if run})
    if len(distinct) > 1:
        _reject_two(distinct, where)
    return distinct[0] if distinct else DEFAULT_DELIMITER


def _at(pieces: Sequence[str | Placeholder], index: int) -> str | Placeholder:
    return pieces[index] if 0 <= index < len(pieces) else ""


def _leading_run(piece: str | Placeholder, *, reverse: bool = False) -> str:
    """The run of one punctuation character at the start (or end) of a literal."""
    if isinstance(piece, Placeholder):
        return ""
    text = piece[::-1] if reverse else piece
    first = text[:1]
    return first * (len(text) - len(text.lstrip(first))) if first and first in punctuation else ""


def _reject_two(distinct: list[str], where: str) -> NoReturn:
    raise TemplateError(
        "template-delimiter",
        f"{where}: two delimiters, {' and '.join(map(quote, distinct))}, are next to its parts.",
        expected="One template has one delimiter: the punctuation that begins every text between two parts.",
        fix=f"use {quote(distinct[0])} throughout, or declare one with delimiter={quote(distinct[0])}.",
    )


def _check_follows_every_part(pieces: Sequence[str | Placeholder], delimiter: str, where: str) -> None:
    for part, after in pairwise(pieces):
        if not isinstance(part, Placeholder):
            continue
        if isinstance(after, Placeholder):
            raise TemplateError(
                "template-adjacent",
                f"{where}: {part} and {after} are next to each other, so the end of a value is unknown.",
                fix=f"put the delimiter between them: {part}{delimiter}{after}.",
            )
        if not after.startswith(delimiter):
            raise TemplateError(
                "template-delimiter",
                f"{where}: {quote(after)} follows {part} and does not begin with the delimiter {quote(delimiter)}.",
                fix=f"put {quote(delimiter)} right after {part}, or declare another one with delimiter=.",
            )


def _check_escapable(pieces: Sequence[str | Placeholder], delimiter: Delimiter, where: str) -> None:
    escape = delimiter.escape_character
    if not any(isinstance(piece, Placeholder) for piece in pieces):
        return
    if escape not in punctuation:
        raise TemplateError(
            "template-delimiter-raw-only",
            f"{where}: delimiter {quote(delimiter.text)} cannot be escaped, because the next ASCII character, "
            f"{quote(escape)}, is not punctuation.",
            fix="use '#', '::' or '|', or leave values unescaped with codec=\"raw\".",
        )
    for literal in pieces:
        if isinstance(literal, str) and escape in literal:
            raise TemplateError(
                "template-literal-escape",
                f"{where}: literal {quote(literal)} contains {quote(escape)}, which marks escaped characters "
                f"when the delimiter is {quote(delimiter.text)}.",
                fix=f"leave {quote(escape)} out of the literal, or choose another delimiter.",
            )


# Halves of UTF-16 pairs, which are not valid text.
SURROGATES = "\ud800-\udfff"


class Escaper:
    """Escapes character by character: the escape character and two hex digits.

    The delimiter's character and the escape character are always escaped. If the delimiter sorts below all
    other characters (`#`) and the part is not the last, all smaller characters are escaped too. Then `a#`
    sorts before every longer value, and ranges are exact.

    Example:
        >>> escaper = Escaper(Delimiter("#", raw=False), last=False)
        >>> escaper.escape("a#b c")
        'a$23b$20c'
        >>> escaper.unescape("a$23b$20c")
        'a#b c'
    """

    def __init__(self, delimiter: Delimiter, *, last: bool) -> None:
        self.delimiter = delimiter
        self.last = last

    @cached_property
    def escaped(self) -> str:
        """The characters to escape, in order; empty in a raw template."""
        if self.delimiter.raw:
            return ""
        low = ord(self.delimiter.character)
        first = 0 if self.delimiter.ends_below_all and not self.last else low
        return "".join(map(chr, range(first, low + 2)))

    @cached_property
    def table(self) -> dict[int, str]:
        """The table for str.translate."""
        return {ord(char): self.delimiter.escape_character + f"{ord(char):02x}" for char in self.escaped}

    @cached_property
    def _characters(self) -> dict[str, str]:
        return {f"{ord(char):02x}": char for char in self.escaped}

    @property
    def hex_digits(self) -> dict[str, str]:
        """For each first hex digit of an escaped character, the second digits."""
        digits: dict[str, str] = {}
        for code in self._characters:
            digits[code[0]] = digits.get(code[0], "") + code[1]
        return digits

    def pattern(self, least: int, most: int | None) -> str:
        """A regular expression for encoded text of `least` to `most` characters.

        It is unambiguous, so matching takes linear time. (Possessive quantifiers are wrong before Python 3.11.5.)
        """
        plain = f"[^{re.escape(self.escaped)}{SURROGATES}]"
        if self.delimiter.raw:
            ahead = "" if self.last else f"(?!{re.escape(self.delimiter.text)})"
            return f"(?:{ahead}{plain}){{{least},{'' if most is None else most}}}"
        codes = "|".join(f"{high}[{low}]" for high, low in self.hex_digits.items())
        escapes = f"{re.escape(self.delimiter.escape_character)}(?:{codes})"
        if most is not None or least > 1:
            return f"(?:{plain}|{escapes}){{{least},{'' if most is None else most}}}"
        rest = f"(?:{escapes}{plain}*)"
        return f"(?:{plain}+{rest}*|{rest}+)" if least else f"{plain}*{rest}*"

    def escape(self, text: str) -> str:
        """The escaped text."""
        if len(self.escaped) != 2:
            return text.translate(self.table)
        for character in reversed(self.escaped):
            text = text.replace(character, self.table[ord(character)])
        return text

    def unescape(self, text: str) -> str:
        """The original text."""
        if self.delimiter.raw or self.delimiter.escape_character not in text:
            return text
        first, *rest = text.split(self.delimiter.escape_character)
        return first + "".join([self._characters[piece[:2]] + piece[2:] for piece in rest])

    def allows(self, text: str) -> bool:
        """Whether this part can contain the text; with escaping, always."""
        return not self.delimiter.raw or self.last or self.delimiter.fits_before(text)
