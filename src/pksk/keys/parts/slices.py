"""A piece of a string in a key: its first characters, another slice, or all that is left of the key as it is."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pksk.keys.escape import SURROGATES
from pksk.keys.language import SCALARS, Language
from pksk.keys.parse import Placeholder
from pksk.keys.parts.part import Fast, Part, Place
from pksk.keys.parts.text import TextPart, is_utf8

__all__ = ["RestPart", "SlicePart"]


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
        piece = super().decode(text)
        start, stop = self.slice.start or 0, self.slice.stop
        candidates = ("a" * max(start, 0) + piece, "a" * max(start, 0) + piece + "a" * max(-(stop or 0), 0))
        for value in candidates:
            if value[self.slice] == piece:
                return value
        raise ValueError(text)

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
        return text

    def extend(self, language: Language) -> None:
        language.repeat(SCALARS, least=0 if self.may_be_empty else 1)

    def encode_start(self, start: Any) -> str | None:
        if not isinstance(start, str) or not is_utf8(start):
            self.refuse_type(start)
        return start

    def start_is_exact(self, start: str) -> bool:
        return True

    def fast(self, name: str) -> Fast:
        return Fast(f"{name}.__class__ is str and {'True' if self.may_be_empty else name}", f"{{{name}}}")

    def fast_decode(self, name: str) -> Fast:
        return Fast("True", name)
