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


def _two_halves(cuts: Sequence[tuple[slice, str]]) -> str | None:
    """The text of which two slices are the first and the second half; None if there are no such slices."""
    for head, first in cuts:
        for tail, second in cuts:
            if head.start is None and tail.stop is None and head.stop is not None and head.stop == tail.start:
                return first + second
    return None


class SlicePart(TextPart):
    """The first characters of a string, or another slice; it may be empty."""

    lossy = True

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
        return _two_halves([(part.slice, "") for part in parts]) is not None

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
        self.may_be_empty = True
        self.discrete = False
        if self.encoded_length == (0, 0):
            raise TemplateError(
                "template-slice",
                f"{context.where}: {placeholder} is always empty.",
                fix="take at min_length one character: [:3], [-3:] or [2:5].",
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
        return value[self.slice]

    def decode(self, text: str) -> Any:
        return text_with_slices([(self.slice, super().decode(text))], self.min_length, self.max_length)

    def encode_code(self, name: str) -> PartCode:
        return Part.encode_code(self, name)
