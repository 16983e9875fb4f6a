"""A slice of a string in a key, such as its first characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pksk.errors import TemplateError
from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import FieldType, Part, PartCode, PartContext
from pksk.keys.parts.text import TextPart, is_text


def text_with_slices(cuts: Sequence[tuple[slice, str]], min_length: int, max_length: int | None) -> str:
    """A text with these slices, and 'a' at all other positions; raises ValueError if there is none.

    Example:
        >>> text_with_slices([(slice(None, 2), "xy"), (slice(-1, None), "z")], 5, 5)
        'xyaaz'
    """
    reach = max(abs(bound or 0) for cut, _ in cuts for bound in (cut.start, cut.stop))
    longest = reach + sum(len(text) for _, text in cuts) if max_length is None else max_length
    for length in range(min_length, max(longest, min_length) + 1):
        characters = ["a"] * length
        for cut, text in cuts:
            for index, character in zip(range(length)[cut], text, strict=False):
                characters[index] = character
        value = "".join(characters)
        if all(value[cut] == text for cut, text in cuts):
            return value
    raise ValueError(cuts)


def texts_with_same_slices(
    cuts: Sequence[slice], min_length: int, max_length: int | None
) -> tuple[str, str] | None:
    """Two texts of these lengths with the same slices; None if the slices determine the text.

    Example:
        >>> texts_with_same_slices([slice(None, 2)], 0, None), texts_with_same_slices([slice(None, 2)], 0, 2)
        (('abc', 'abx'), None)
    """
    seen: dict[tuple[int, ...], int] = {}
    example: tuple[str, str] | None = None
    for length in _telling_lengths(cuts, min_length, max_length):
        missing = _first_outside(cuts, length)
        sizes = tuple(len(range(length)[cut]) for cut in cuts)
        if missing < length:
            text = ("abcdefgh" * length)[:length]
            example = text, f"{text[:missing]}x{text[missing + 1 :]}"
        # Texts of one repeated character have the same slices if these have the same lengths.
        elif example is None and seen.setdefault(sizes, length) != length:
            example = "a" * seen[sizes], "a" * length
        # An example without empty slices is easier to read.
        if example is not None and all(sizes):
            return example
    return example


def _telling_lengths(cuts: Sequence[slice], min_length: int, max_length: int | None) -> range:
    """The lengths that decide: above them, the slices only grow with the text, or stay as they are."""
    reach = max(abs(bound or 0) for cut in cuts for bound in (cut.start, cut.stop))
    longest = max(4 * reach + 2, min_length + 1)
    return range(min_length, min(longest, longest if max_length is None else max_length) + 1)


def _first_outside(cuts: Sequence[slice], length: int) -> int:
    """The first position of a text that no slice contains; its length if there is none."""
    position = 0
    for start, stop, _ in sorted(cut.indices(length) for cut in cuts):
        if start > position:
            break
        position = max(position, stop)
    return position


def _two_halves(cuts: Sequence[tuple[slice, str]]) -> str | None:
    """The text that two slices are the first and the second half of; None if there are no such slices."""
    for head, first in cuts:
        for tail, second in cuts:
            if head.start is None and tail.stop is None and head.stop is not None and head.stop == tail.start:
                return first + second
    return None


class SlicePart(TextPart):
    """The first characters of a string, or another slice; it may be empty."""

    @classmethod
    def build(cls, placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part | None:
        first = re.fullmatch(r"\.([1-9][0-9]*)", placeholder.spec)
        if not is_text(declared) or bool(placeholder.cut) == bool(placeholder.spec):
            return None
        cut = placeholder.cut or (slice(None, int(first[1])) if first else None)
        if cut is None:
            return None
        return cls(placeholder, context, cut, min_length=declared.min_length, max_length=declared.max_length)

    @classmethod
    def determines_value(cls, parts: Sequence[Any]) -> bool:
        first, cuts = parts[0], [part.slice for part in parts]
        return texts_with_same_slices(cuts, first.min_length, first.max_length) is None

    @classmethod
    def join(cls, texts: Sequence[tuple[Any, str]]) -> str:
        part = texts[0][0]
        cuts = [(each.slice, each.escaper.unescape(text)) for each, text in texts]
        halves = _two_halves(cuts)
        return text_with_slices(cuts, part.min_length, part.max_length) if halves is None else halves

    def __init__(
        self,
        placeholder: Placeholder,
        context: PartContext,
        cut: slice,
        *,
        min_length: int = 0,
        max_length: int | None = None,
    ) -> None:
        super().__init__(placeholder, context, min_length=min_length, max_length=max_length)
        self.slice = cut
        self.lossy = texts_with_same_slices([cut], min_length, max_length) is not None
        self.may_be_empty = True
        # A slice that is the whole text has a next value where the text has one.
        self.discrete = self.prefix_free and self.is_prefix and not self.lossy
        if self.encoded_length == (0, 0):
            raise TemplateError(
                "template-slice",
                f"{context.where}: {placeholder} is always empty.",
                fix="take at least one character: [:3], [-3:] or [2:5].",
            )
        self.ordered = self.is_prefix
        if not self.is_prefix:
            self.unordered_because = f"{placeholder} is not the beginning of the field"

    @property
    def is_prefix(self) -> bool:
        """Whether the slice is the first characters."""
        return self.slice.start is None and self.slice.stop is not None and self.slice.stop >= 0

    @property
    def encoded_length(self) -> tuple[int, int | None]:
        if self.prefix_free and self.max_length is not None:
            fixed = len(range(self.max_length)[self.slice])
            return fixed, fixed
        start, stop = self.slice.start or 0, self.slice.stop
        if start < 0:
            return 0, -start if stop is None or stop < 0 else min(-start, stop)
        return 0, max(stop - start, 0) if stop is not None and stop >= 0 else None

    def cut(self, value: str) -> str:
        # No value goes beyond a slice that is the whole text, but the operand of a query may.
        return value if self.is_prefix and not self.lossy else value[self.slice]

    def decode(self, text: str) -> Any:
        return text_with_slices([(self.slice, super().decode(text))], self.min_length, self.max_length)

    def encode_code(self, name: str) -> PartCode:
        return Part.encode_code(self, name)
