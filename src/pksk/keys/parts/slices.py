"""A piece of a string in a key: its first characters, another slice, or all that is left of the key as it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from pksk.errors import TemplateError
from pksk.keys.escape import SURROGATES
from pksk.keys.language import SCALARS, Language
from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import Fast, Part, Place
from pksk.keys.parts.text import TextPart

__all__ = ["RestPart", "SlicePart", "spliced"]


def spliced(cuts: Sequence[tuple[slice, str]], least: int, most: int | None) -> str:
    """A text whose slices are as given, with 'a' where none says what stands there; ValueError without one.

    Example:
        >>> spliced([(slice(None, 2), "xy"), (slice(-1, None), "z")], 5, 5)
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
        self, placeholder: Placeholder, place: Place, cut: slice, *, least: int = 0, most: int | None = None
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
        return spliced([(self.slice, super().decode(text))], self.least, self.most)

    def fast(self, name: str) -> Fast:
        return Part.fast(self, name)

    def fast_decode(self, name: str) -> Fast:
        return Part.fast_decode(self, name)


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

    def extend(self, language: Language) -> None:
        language.repeat(SCALARS, least=0 if self.may_be_empty else 1)

    def encode_start(self, start: Any) -> str | None:
        return self.checked_text(start)

    def start_is_exact(self, start: str) -> bool:
        return True

    def fast(self, name: str) -> Fast:
        if self.least or self.most is not None:
            return Part.fast(self, name)
        return Fast(f"{name}.__class__ is str and {'True' if self.may_be_empty else name}", f"{{{name}}}")

    def fast_decode(self, name: str) -> Fast:
        return Part.fast_decode(self, name) if self.least or self.most is not None else Fast("True", name)
