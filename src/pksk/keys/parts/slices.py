"""A piece of a string in a key: its first characters, another slice, or all that is left of the key as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pksk.errors import TemplateError
from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import Part, PartCode, PartContext
from pksk.keys.parts.text import TextPart

__all__ = ["SlicePart", "text_with_slices"]


def text_with_slices(cuts: Sequence[tuple[slice, str]], least: int, most: int | None) -> str:
    """A text whose slices are as given, with 'a' where none says what stands there; ValueError without one.

    Example:
        >>> text_with_slices([(slice(None, 2), "xy"), (slice(-1, None), "z")], 5, 5)
        'xyaaz'
    """
    reach = max(abs(bound or 0) for cut, _ in cuts for bound in (cut.start, cut.stop))
    longest = reach + sum(len(text) for _, text in cuts) if most is None else most
    for length in range(least, max(longest, least) + 1):
        characters = ["a"] * length
        for cut, text in cuts:
            for index, character in zip(range(length)[cut], text, strict=False):
                characters[index] = character
        value = "".join(characters)
        if all(value[cut] == text for cut, text in cuts):
            return value
    raise ValueError(cuts)


class SlicePart(TextPart):
    """The first characters of a string, or another slice of it. It may be empty, and does not give it back."""

    lossy = True

    def __init__(
        self,
        placeholder: Placeholder,
        place: PartContext,
        cut: slice,
        *,
        least: int = 0,
        most: int | None = None,
    ) -> None:
        super().__init__(placeholder, place, least=least, most=most)
        self.slice = cut
        self.may_be_empty = True
        self.discrete = False
        if self.encoded_length == (0, 0):
            raise TemplateError(
                "template-slice",
                f"{place.where}: {placeholder} is always empty.",
                fix="take at least one character: [:3], [-3:] or [2:5].",
            )
        self.ordered = self.is_prefix
        if not self.is_prefix:
            self.unordered_because = f"{placeholder} is not the beginning of the field"

    @property
    def is_prefix(self) -> bool:
        """Whether the slice is a number of first characters."""
        return self.slice.start is None and self.slice.stop is not None and self.slice.stop >= 0

    @property
    def encoded_length(self) -> tuple[int, int | None]:
        if self.prefix_free and self.most is not None:
            fixed = len(range(self.most)[self.slice])
            return fixed, fixed
        start, stop = self.slice.start or 0, self.slice.stop
        if start < 0:
            return 0, -start if stop is None or stop < 0 else min(-start, stop)
        return 0, max(stop - start, 0) if stop is not None and stop >= 0 else None

    def cut(self, value: str) -> str:
        return value[self.slice]

    def decode(self, text: str) -> Any:
        return text_with_slices([(self.slice, super().decode(text))], self.least, self.most)

    def fast(self, name: str) -> PartCode:
        return Part.fast(self, name)

    def fast_decode(self, name: str) -> PartCode:
        return Part.fast_decode(self, name)
