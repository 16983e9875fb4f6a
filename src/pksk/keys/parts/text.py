"""Text in a key: a whole string, escaped where the template escapes."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from pksk.errors import quote
from pksk.keys.automaton import ALL_CHARACTERS, AutomatonBuilder, exclude
from pksk.keys.delimiter import SURROGATES
from pksk.keys.parse import Placeholder, is_utf8
from pksk.keys.parts.part import Part, PartCode, PartContext

__all__ = ["RestPart", "TextPart"]

# A longer run of single characters makes an automaton large and tells nothing new.
_MAX_UNROLLED = 12

_UTF8_BYTES = 4


# Characters numbered in order without the surrogates, which no text holds.
_SURROGATE_CODES = 0xE000 - 0xD800
_RANKS = 0x110000 - _SURROGATE_CODES


def _rank(character: str) -> int:
    code = ord(character)
    return code if code < 0xD800 else code - _SURROGATE_CODES


def _character_of_rank(rank: int) -> str:
    return chr(rank if rank < 0xD800 else rank + _SURROGATE_CODES)


class TextPart(Part):
    """A whole string, escaped where the template escapes."""

    def __init__(
        self, placeholder: Placeholder, place: PartContext, *, least: int = 0, most: int | None = None
    ) -> None:
        super().__init__(placeholder, place)
        self.least, self.most = least, most
        self.escaper = place.escaper
        self.may_be_empty = place.delimiter.raw
        self.prefix_free = self.discrete = most is not None and most == least > 0

    @property
    def type_name(self) -> str:
        return "str"

    @property
    def samples(self) -> tuple[str, ...]:
        return ()

    @cached_property
    def pattern(self) -> str:
        return self.escaper.pattern(*self.encoded_length)

    @property
    def encoded_length(self) -> tuple[int, int | None]:
        """The fewest and the most characters of the value that stand in the key."""
        return max(self.least, 0 if self.may_be_empty else 1), self.most

    def encode(self, value: Any) -> str:
        return self.encode_text(self.cut(self.checked(value)))

    def checked(self, value: Any) -> str:
        """The value, if it is text that this field may hold."""
        text = self.checked_text(value)
        if len(text) < self.least or (self.most is not None and len(text) > self.most):
            self._refuse_length(text)
        return text

    def checked_text(self, value: Any) -> str:
        """The value, if it is text that can be stored."""
        if not isinstance(value, str):
            self.refuse_type(value)
        if not is_utf8(value):
            self.refuse(
                "key-surrogate",
                f"field {self.field!r} is {quote(value)}, which holds half of a surrogate pair and is not text.",
                fix="decode the text properly before it gets here; DynamoDB stores UTF-8 only.",
            )
        # Not str(value): that is the name of a member where the text comes from an Enum.
        return str.__str__(value)

    def _refuse_length(self, value: str) -> None:
        wanted = (
            f"exactly {self.least}" if self.prefix_free else f"{self.least} to {self.most or 'any number of'}"
        )
        self.refuse(
            "key-length",
            f"field {self.field!r} is {quote(value)}, {len(value)} characters long; {wanted} are declared.",
            fix=f"give {self.field!r} a value of the declared length, or change the declaration.",
        )

    def cut(self, value: str) -> str:
        """What of the value stands in the key."""
        return value

    def encode_text(self, text: str) -> str:
        """The text as it stands in the key."""
        if not text and not self.may_be_empty:
            self.refuse(
                "key-empty-part",
                f"field {self.field!r} is empty, and {self.placeholder} would leave no trace in the key.",
                fix=f"give {self.field!r} a value; only a slice or a prefix of a field may be empty.",
            )
        if not self.escaper.allows(text):
            delimiter = self.place.delimiter.text
            self.refuse(
                "key-raw-delimiter",
                f"field {self.field!r} is {quote(text)}, which contains or runs into the delimiter "
                f"{quote(delimiter)}; this template takes values as they are.",
                fix='leave out codec="raw" so that values are escaped, or keep the delimiter out of the value.',
            )
        return self.escaper.escape(text)

    def step(self, value: Any, by: int) -> Any | None:
        """The text of the same length that sorts next to this one."""
        codes = [_rank(character) for character in value]
        for index in reversed(range(len(codes))):
            codes[index] += by
            if 0 <= codes[index] < _RANKS:
                return "".join(map(_character_of_rank, codes))
            codes[index] %= _RANKS
        return None

    def encode_start(self, start: Any) -> str | None:
        shown = self.cut(self.checked_text(start))
        if self.place.delimiter.raw and not self.last and self.place.delimiter.text in shown:
            return None
        return self.escaper.escape(shown)

    def start_is_exact(self, start: str) -> bool:
        return self.escaper.allows(self.cut(start)) and not self.cuts_off(start)

    def cuts_off(self, start: str) -> bool:
        return len(self.cut(start)) < len(start)

    def decode(self, text: str) -> Any:
        value = self.escaper.unescape(text)
        least, most = self.encoded_length
        if len(value) < least or (most is not None and len(value) > most):
            raise ValueError(text)
        return value

    def extend(self, language: AutomatonBuilder) -> None:
        least, most = self.encoded_length
        if self.place.delimiter.raw and not self.last:
            _extend_raw(language, self.place.delimiter.text, least, most)
        elif most is not None and most <= _MAX_UNROLLED:
            self._extend_up_to(language, least, most)
        else:
            for _ in range(min(least, _MAX_UNROLLED)):
                self._extend_one(language)
            start = language.end
            self._extend_one(language)
            language.jumps[language.end].append(start)
            language.end = start

    def _extend_up_to(self, language: AutomatonBuilder, least: int, most: int) -> None:
        early = []
        for index in range(most):
            if index >= least:
                early.append(language.end)
            self._extend_one(language)
        for state in early:
            language.jumps[state].append(language.end)

    def _extend_one(self, language: AutomatonBuilder) -> None:
        start, target = language.end, language.state()
        language.arc(start, exclude(self.escaper.escaped), target)
        if self.escaper.escaped:
            escape, marked = ord(self.place.delimiter.escape_character), language.state()
            language.arc(start, [(escape, escape)], marked)
            for high, lows in self.escaper.hex_digits.items():
                middle = language.state()
                language.arc(marked, [(ord(high), ord(high))], middle)
                language.arc(middle, [(ord(low), ord(low)) for low in lows], target)
        language.end = target

    def fast(self, name: str) -> PartCode:
        if self.least or self.most is not None:
            return super().fast(name)
        delimiter, guard, piece = self.place.delimiter, f"{name}.__class__ is str", f"{{{name}}}"
        if delimiter.raw and self.last:
            return PartCode(guard, piece)
        if delimiter.raw:
            checked = f"if {delimiter.character!r} in {name}: {name} = checked_{name}({name})"
            return PartCode(guard, piece, {f"checked_{name}": self.encode_text}, checked)
        return PartCode(f"{guard} and {name}", piece, *self._fast_escape(name))

    def _fast_escape(self, name: str) -> tuple[dict[str, object], str]:
        """The names and the statement that escape the variable `name` if it must be."""
        if len(self.escaper.escaped) == 2:
            found = " or ".join(f"{char!r} in {name}" for char in self.escaper.escaped)
            replaced = "".join(
                f".replace({char!r}, {self.escaper.escape(char)!r})"
                for char in reversed(self.escaper.escaped)
            )
            return {}, f"if {found}: {name} = {name}{replaced}"
        names = {
            f"dirty_{name}": re.compile(f"[{re.escape(self.escaper.escaped)}]").search,
            f"table_{name}": self.escaper.table,
        }
        clean = f"{name}.isalnum() or {name}.isidentifier() or not dirty_{name}({name})"
        return names, f"if not ({clean}): {name} = {name}.translate(table_{name})"

    def fast_decode(self, name: str) -> PartCode:
        if self.least or self.most is not None:
            return super().fast_decode(name)
        if self.place.delimiter.raw:
            return PartCode("True", name)
        escape = self.place.delimiter.escape_character
        code = f"{name} if {escape!r} not in {name} else unescape_{name}({name})"
        return PartCode("True", code, {f"unescape_{name}": self.escaper.unescape})

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        least, most = self.encoded_length
        return least, None if most is None else most * _UTF8_BYTES


def _extend_raw(language: AutomatonBuilder, delimiter: str, least: int, most: int | None) -> None:
    """Texts after which the next delimiter is the first one.

    A state is how many characters were read, up to where that ceases to matter, and the beginning of a
    delimiter that they end in.
    """
    counted = most if most is not None and most <= _MAX_UNROLLED else min(least, _MAX_UNROLLED)
    starts = [delimiter[:length] for length in range(len(delimiter))]
    states = {(count, seen): language.state() for count in range(counted + 1) for seen in starts}
    language.jumps[language.end].append(states[0, ""])
    target = language.state()
    for (count, seen), state in states.items():
        if count >= least and (seen + delimiter).find(delimiter) == len(seen):
            language.jumps[state].append(target)
        if count == counted == most:
            continue
        then = min(count + 1, counted)
        language.arc(state, exclude("".join(set(delimiter))), states[then, ""])
        for character in sorted(set(delimiter)):
            tail = _longest_start(seen + character, delimiter)
            if tail != delimiter:
                language.arc(state, [(ord(character), ord(character))], states[then, tail])
    language.end = target


def _longest_start(text: str, delimiter: str) -> str:
    return next(text[index:] for index in range(len(text) + 1) if delimiter.startswith(text[index:]))


class RestPart(TextPart):
    """All that is left of the key, taken as it is: the delimiter may stand in it."""

    @cached_property
    def pattern(self) -> str:
        return f"[^{SURROGATES}]{'*' if self.may_be_empty else '+'}"

    def encode_text(self, text: str) -> str:
        if text or self.may_be_empty:
            return text
        return super().encode_text(text)

    def decode(self, text: str) -> Any:
        least, most = self.encoded_length
        if len(text) < least or (most is not None and len(text) > most):
            raise ValueError(text)
        return text

    def extend(self, language: AutomatonBuilder) -> None:
        language.repeat(ALL_CHARACTERS, least=0 if self.may_be_empty else 1)

    def encode_start(self, start: Any) -> str | None:
        return self.checked_text(start)

    def start_is_exact(self, start: str) -> bool:
        return True

    def fast(self, name: str) -> PartCode:
        if self.least or self.most is not None:
            return Part.fast(self, name)
        return PartCode(f"{name}.__class__ is str and {'True' if self.may_be_empty else name}", f"{{{name}}}")

    def fast_decode(self, name: str) -> PartCode:
        return Part.fast_decode(self, name) if self.least or self.most is not None else PartCode("True", name)
