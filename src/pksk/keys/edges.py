"""The ends of a range of keys: the first and the last key that an operator on one part can mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pksk.keys.bounds import Bounds, raised
from pksk.keys.parts.part import Part

__all__ = ["Edge", "Edges", "condition"]


@dataclass(frozen=True, slots=True)
class Edge:
    """One end of a range: a key, or open; whether it is included, and whether it is where it should be."""

    key: str | None
    included: bool = True
    exact: bool = True


def condition(lower: Edge, upper: Edge) -> Bounds:
    """The condition that holds the keys between two ends; no key is empty, so nothing is compared with ''."""
    if upper.key == "":
        return Bounds("none")
    if lower.key == "":
        lower = Edge(None)
    if lower.key is None and upper.key is None:
        return Bounds("all")
    if upper.key is None:
        return Bounds(">=" if lower.included else ">", lower.key)
    if lower.key is None:
        return Bounds("<=" if upper.included else "<", None, upper.key)
    if lower.key == upper.key:
        return Bounds("=", lower.key)
    return Bounds("BETWEEN", lower.key, upper.key) if lower.key < upper.key else Bounds("none")


class Edges:
    """The ends of ranges over one part, behind the prefix that the leading values make."""

    def __init__(self, prefix: str, part: Part, closing: str) -> None:
        self.prefix, self.part, self.closing = prefix, part, closing
        # Without a prefix one end stays open, and < and > leave out the boundary by themselves.
        self.open = not prefix

    def first(self) -> Edge:
        """Before every key with this prefix."""
        return Edge(self.prefix or None)

    def last(self) -> Edge:
        """After every key with this prefix."""
        return Edge(raised(self.prefix))

    def from_(self, value: Any) -> Edge:
        """The first key with this value or a greater one."""
        text = self.prefix + self.part.encode(value)
        if not self.part.sorts_here:
            return Edge(text, exact=False)
        return Edge(text + self.closing, exact=self._begins_grain(value))

    def to(self, value: Any) -> Edge:
        """The last key with this value or a smaller one."""
        text = self.prefix + self.part.encode(value)
        if not self.part.sorts_here:
            return Edge(self._highest(self.part.encode(value)), exact=False)
        return Edge(raised(text + self.closing) if self.closing else text, exact=self._ends_grain(value))

    def after(self, value: Any) -> Edge | None:
        """The first key with a greater value; None where there can be none."""
        if not self.part.sorts_here or not self._ends_grain(value):
            return replace(self.from_(value), exact=False)
        text = self.prefix + self.part.encode(value)
        if self.closing:
            return Edge(raised(text + self.closing))
        if self.open:
            return Edge(text, included=False)
        if self.part.discrete:
            following = self.part.step(self.part.span(value)[1], 1)
            return None if following is None else Edge(self.prefix + self.part.encode(following))
        return Edge(text + "\0")

    def before(self, value: Any) -> Edge | None:
        """The last key with a smaller value; None where there can be none."""
        if not self.part.sorts_here or not self._begins_grain(value):
            return replace(self.to(value), exact=False)
        text = self.prefix + self.part.encode(value)
        if self.closing:
            return Edge(text)
        if self.open:
            return Edge(text, included=False)
        if self.part.discrete:
            previous = self.part.step(self.part.span(value)[0], -1)
            return None if previous is None else Edge(self.prefix + self.part.encode(previous))
        return Edge(text, exact=False)

    def _begins_grain(self, value: Any) -> bool:
        return not self.part.lossy or (self.part.discrete and self.part.begins_span(value))

    def _ends_grain(self, value: Any) -> bool:
        return not self.part.lossy or (self.part.discrete and self.part.ends_span(value))

    def _highest(self, text: str) -> str | None:
        """Above every key whose text is at most this one: shorter texts may close higher than longer ones."""
        shortest = 0 if self.part.may_be_empty else 1
        starts = [text[:length] for length in range(shortest, len(text) + 1)]
        tops = [raised(self.prefix + start + self.closing) for start in starts]
        return None if None in tops else max(top for top in tops if top is not None)
