"""Text in a key: a whole string, escaped unless the template is raw."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.errors import TemplateError, quote
from pksk.keys.delimiter import SURROGATES
from pksk.keys.parse import Placeholder, is_utf8
from pksk.keys.parts.part import FieldType, Part, PartCode, PartContext, UncheckedText

if TYPE_CHECKING:
    from pksk.keys.automaton import AutomatonBuilder

# Longer runs of single characters only make an automaton larger.
_MAX_UNROLLED = 12

_UTF8_BYTES = 4


# Characters are numbered in order, without the surrogates.
_SURROGATE_CODES = 0xE000 - 0xD800
_RANKS = 0x110000 - _SURROGATE_CODES


def _rank(character: str) -> int:
    code = ord(character)
    return code if code < 0xD800 else code - _SURROGATE_CODES


def _character_of_rank(rank: int) -> str:
    return chr(rank if rank < 0xD800 else rank + _SURROGATE_CODES)


def is_text(declared: FieldType) -> bool:
    """Whether the field is a string, or of a class derived from it."""
    return isinstance(declared.type, type) and issubclass(declared.type, str)


class TextPart(Part):
    """A whole string, escaped unless the template is raw."""

    names = ("str",)
    value_class = str
    takes = "str"

    def __init__(
        self,
        placeholder: Placeholder,
        context: PartContext,
        *,
        min_length: int = 0,
        max_length: int | None = None,
    ) -> None:
        super().__init__(placeholder, context)
        self.min_length, self.max_length = min_length, max_length
        self.escaper = context.escaper
        self.may_be_empty = context.delimiter.raw
        self.prefix_free = self.discrete = max_length is not None and max_length == min_length > 0

    @classmethod
    def build(cls, placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part | None:
        if not is_text(declared):
            return None
        if not placeholder.spec and not placeholder.cut:
            return cls(placeholder, context, min_length=declared.min_length, max_length=declared.max_length)
        raise TemplateError(
            "template-spec",
            f"{context.where}: {placeholder} is not a format for str in a key.",
            expected="Text is {field}, its first characters {field:.2}, a slice {field[-3:]}, or, last, {field:*}.",
            fix=f"write {{{placeholder.field}}}, or declare {placeholder.field!r} with the type of this format.",
        )

    @property
    def sample_texts(self) -> tuple[str, ...]:
        return ()

    @cached_property
    def pattern(self) -> str:
        return self.escaper.pattern(*self.encoded_length)

    @property
    def encoded_length(self) -> tuple[int, int | None]:
        """The minimum and maximum number of characters of the value in the key."""
        return max(self.min_length, 0 if self.may_be_empty else 1), self.max_length

    def encode(self, value: Any) -> str:
        return self.encode_text(self.cut(self.check_value(value)))

    def check_value(self, value: Any) -> str:
        """The value, if this field can hold it."""
        text = self.check_text(value)
        fits = len(text) >= self.min_length and (self.max_length is None or len(text) <= self.max_length)
        if not fits and not isinstance(value, UncheckedText):
            self._reject_length(text)
        return text

    def check_text(self, value: Any) -> str:
        """The value, if it is text that can be stored."""
        if not isinstance(value, str):
            self.reject_type(value)
        if not is_utf8(value):
            self.reject(
                "key-surrogate",
                f"field {self.field!r} is {quote(value)}, which contains half of a surrogate pair and is not text.",
                fix="decode the text with the right codec first; DynamoDB stores only UTF-8.",
            )
        # Not str(value), which is the name of an Enum member.
        return str.__str__(value)

    def _reject_length(self, value: str) -> None:
        length = (
            f"exactly {self.min_length}"
            if self.prefix_free
            else f"{self.min_length} to {self.max_length or 'any number of'}"
        )
        self.reject(
            "key-length",
            f"field {self.field!r} is {quote(value)}, {len(value)} characters long; {length} are declared.",
            fix=f"pass {self.field!r} with the declared length, or change the declaration.",
        )

    def cut(self, value: str) -> str:
        """The part of the value that the key contains."""
        return value

    def encode_text(self, text: str) -> str:
        """The text in the key."""
        if not text and not self.may_be_empty:
            self.reject(
                "key-empty-part",
                f"field {self.field!r} is empty, and {self.placeholder} cannot be empty in the key.",
                fix=f"pass a value for {self.field!r}; only slices may be empty.",
            )
        if not self.escaper.allows(text):
            delimiter = self.context.delimiter.text
            self.reject(
                "key-raw-delimiter",
                f"field {self.field!r} is {quote(text)}, which contains the delimiter {quote(delimiter)} "
                "or ends with its first characters; this template does not escape values.",
                fix='leave out codec="raw" so that values are escaped, or keep the delimiter out of the value.',
            )
        return self.escaper.escape(text)

    def neighbour(self, value: Any, by: int) -> Any | None:
        """The adjacent text of the same length."""
        codes = [_rank(character) for character in value]
        for index in reversed(range(len(codes))):
            codes[index] += by
            if 0 <= codes[index] < _RANKS:
                return "".join(map(_character_of_rank, codes))
            codes[index] %= _RANKS
        return None

    def encode_prefix(self, start: Any) -> str | None:
        prefix = self.cut(self.check_text(start))
        if self.context.delimiter.raw and not self.last and self.context.delimiter.text in prefix:
            return None
        return self.escaper.escape(prefix)

    def is_beginning(self, value: Any) -> bool:
        return isinstance(value, str) and len(value) < max(self.min_length, 0 if self.may_be_empty else 1)

    def prefix_is_exact(self, start: str) -> bool:
        return self.escaper.allows(self.cut(start)) and not self.truncates(start)

    def truncates(self, start: str) -> bool:
        return len(self.cut(start)) < len(start)

    def decode(self, text: str) -> Any:
        value = self.escaper.unescape(text)
        min_length, max_length = self.encoded_length
        if len(value) < min_length or (max_length is not None and len(value) > max_length):
            raise ValueError(text)
        return value

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        min_length, max_length = self.encoded_length
        if self.context.delimiter.raw and not self.last:
            _extend_raw(language, self.context.delimiter.text, min_length, max_length)
        elif max_length is not None and max_length <= _MAX_UNROLLED:
            self._extend_up_to(language, min_length, max_length)
        else:
            for _ in range(min(min_length, _MAX_UNROLLED)):
                self._extend_one(language)
            start = language.end
            self._extend_one(language)
            language.jumps[language.end].append(start)
            language.end = start

    def _extend_up_to(self, language: AutomatonBuilder, min_length: int, max_length: int) -> None:
        early = []
        for index in range(max_length):
            if index >= min_length:
                early.append(language.end)
            self._extend_one(language)
        for state in early:
            language.jumps[state].append(language.end)

    def _extend_one(self, language: AutomatonBuilder) -> None:
        start, target = language.end, language.state()
        language.arc(start, language.all_except(self.escaper.escaped), target)
        if self.escaper.escaped:
            escape, marked = ord(self.context.delimiter.escape_character), language.state()
            language.arc(start, [(escape, escape)], marked)
            for high, lows in self.escaper.hex_digits.items():
                middle = language.state()
                language.arc(marked, [(ord(high), ord(high))], middle)
                language.arc(middle, [(ord(low), ord(low)) for low in lows], target)
        language.end = target

    def encode_code(self, name: str) -> PartCode:
        if self.min_length or self.max_length is not None:
            return super().encode_code(name)
        delimiter, guard, piece = self.context.delimiter, f"{name}.__class__ is str", f"{{{name}}}"
        if delimiter.raw and self.last:
            return PartCode(guard, piece)
        if delimiter.raw:
            checked = f"if {delimiter.character!r} in {name}: {name} = checked_{name}({name})"
            return PartCode(guard, piece, {f"checked_{name}": self.encode_text}, checked)
        return PartCode(f"{guard} and {name}", piece, *self._escape_code(name))

    def _escape_code(self, name: str) -> tuple[dict[str, object], str]:
        """The names and the statement that escape the variable `name` if necessary."""
        if len(self.escaper.escaped) == 2:
            test = " or ".join(f"{char!r} in {name}" for char in self.escaper.escaped)
            replaced = "".join(
                f".replace({char!r}, {self.escaper.escape(char)!r})"
                for char in reversed(self.escaper.escaped)
            )
            return {}, f"if {test}: {name} = {name}{replaced}"
        names = {
            f"dirty_{name}": re.compile(f"[{re.escape(self.escaper.escaped)}]").search,
            f"table_{name}": self.escaper.table,
        }
        clean = f"{name}.isalnum() or {name}.isidentifier() or not dirty_{name}({name})"
        return names, f"if not ({clean}): {name} = {name}.translate(table_{name})"

    @property
    def bytes_range(self) -> tuple[int, int | None]:
        min_length, max_length = self.encoded_length
        return min_length, None if max_length is None else max_length * _UTF8_BYTES


def _extend_raw(language: AutomatonBuilder, delimiter: str, min_length: int, max_length: int | None) -> None:
    """Add texts that do not contain the delimiter or run into the next one.

    A state is the number of characters read, as far as it matters, and the prefix of the delimiter at their end.
    """
    counted = (
        max_length
        if max_length is not None and max_length <= _MAX_UNROLLED
        else min(min_length, _MAX_UNROLLED)
    )
    starts = [delimiter[:length] for length in range(len(delimiter))]
    states = {(count, seen): language.state() for count in range(counted + 1) for seen in starts}
    language.jumps[language.end].append(states[0, ""])
    target = language.state()
    for (count, seen), state in states.items():
        if count >= min_length and (seen + delimiter).find(delimiter) == len(seen):
            language.jumps[state].append(target)
        if count == counted == max_length:
            continue
        then = min(count + 1, counted)
        language.arc(state, language.all_except("".join(set(delimiter))), states[then, ""])
        for character in sorted(set(delimiter)):
            tail = _longest_start(seen + character, delimiter)
            if tail != delimiter:
                language.arc(state, [(ord(character), ord(character))], states[then, tail])
    language.end = target


def _longest_start(text: str, delimiter: str) -> str:
    return next(text[index:] for index in range(len(text) + 1) if delimiter.startswith(text[index:]))


class RestPart(TextPart):
    """All that is left of the key, as it is; it may contain the delimiter."""

    @classmethod
    def build(cls, placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part | None:
        if not is_text(declared) or placeholder.spec != "*" or placeholder.cut:
            return None
        if context.last:
            return cls(placeholder, context, min_length=declared.min_length, max_length=declared.max_length)
        raise TemplateError(
            "template-rest-not-last",
            f"{context.where}: {placeholder} takes the rest of the key, and something follows it.",
            fix=f"move {placeholder} to the end, or write {{{placeholder.field}}}.",
        )

    @cached_property
    def pattern(self) -> str:
        return f"[^{SURROGATES}]{'*' if self.may_be_empty else '+'}"

    def encode_text(self, text: str) -> str:
        if text or self.may_be_empty:
            return text
        return super().encode_text(text)

    def decode(self, text: str) -> Any:
        min_length, max_length = self.encoded_length
        if len(text) < min_length or (max_length is not None and len(text) > max_length):
            raise ValueError(text)
        return text

    def add_to_automaton(self, language: AutomatonBuilder) -> None:
        language.repeat(language.ALL_CHARACTERS, minimum=0 if self.may_be_empty else 1)

    def encode_prefix(self, start: Any) -> str | None:
        return self.check_text(start)

    def prefix_is_exact(self, start: str) -> bool:
        return True

    def encode_code(self, name: str) -> PartCode:
        if self.min_length or self.max_length is not None:
            return Part.encode_code(self, name)
        return PartCode(f"{name}.__class__ is str and {'True' if self.may_be_empty else name}", f"{{{name}}}")
