"""Escapes text for one part of a key, so that no value can pass for two parts."""

from __future__ import annotations

import re
from functools import cached_property

from pksk.keys.delimiter import Delimiter

__all__ = ["SURROGATES", "Escaper"]

# Halves of UTF-16 pairs, which are not text: no key holds one.
SURROGATES = "\ud800-\udfff"


class Escaper:
    """Escapes character by character: the escape character and two hex digits.

    Always escaped are the delimiter's character and the escape character. Where the delimiter sorts below
    every other character (`#`), and the part is not the last, all smaller characters are escaped too: that
    makes `a#` sort before `a#`'s every extension, and ranges exact.

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
        """The characters that are escaped here, in order; none in a raw template."""
        if self.delimiter.raw:
            return ""
        low = ord(self.delimiter.character)
        first = 0 if self.delimiter.ends_below_all and not self.last else low
        return "".join(map(chr, range(first, low + 2)))

    @cached_property
    def table(self) -> dict[int, str]:
        """What str.translate needs to escape text."""
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
        """A regular expression for encoded text of so many characters.

        Only one way leads through it, so it takes linear time. (Possessive quantifiers would say so, and are
        wrong in Python before 3.11.5.)

        Example:
            >>> pattern = Escaper(Delimiter("#", raw=False), last=True).pattern(1, None)
            >>> [bool(re.fullmatch(pattern, text)) for text in ("a b", "a$23b", "a#b", "a$2")]
            [True, True, False, False]
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
        """The text as it stands in a key."""
        if len(self.escaped) != 2:
            return text.translate(self.table)
        for character in reversed(self.escaped):
            text = text.replace(character, self.table[ord(character)])
        return text

    def unescape(self, text: str) -> str:
        """The text that was escaped."""
        if self.delimiter.raw or self.delimiter.escape_character not in text:
            return text
        first, *rest = text.split(self.delimiter.escape_character)
        return first + "".join([self._characters[piece[:2]] + piece[2:] for piece in rest])

    def allows(self, text: str) -> bool:
        """Whether the text can stand in this part at all; escaped text always can."""
        return not self.delimiter.raw or self.last or self.delimiter.fits_before(text)
