"""What is open around a condition that is being read: parentheses, NOTs, and runs of AND and OR."""

from __future__ import annotations

from typing import Final

from .tree import And, Condition, Not, Or

__all__ = ["Junctions"]

# A parenthesis, a NOT, or a run of AND or OR with what it has so far.
_Open = tuple[str, list[Condition]]
_GROUP: Final[_Open] = ("(", [])
_NOT: Final[_Open] = ("NOT", [])


class Junctions:
    """A stack of its own for a reader of conditions, so that thousands of parentheses are no deeper than one."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: list[_Open] = []

    def __bool__(self) -> bool:
        """Whether anything is open."""
        return bool(self._open)

    def open_group(self) -> None:
        """A parenthesis opens."""
        self._open.append(_GROUP)

    def close_group(self) -> None:
        """The parenthesis that was opened last closes; all within it must be closed."""
        self._open.pop()

    def open_not(self) -> None:
        """A NOT stands before what follows."""
        self._open.append(_NOT)

    def in_group(self) -> bool:
        """Whether what was opened last is a parenthesis."""
        return bool(self._open) and self._open[-1] is _GROUP

    def negated(self, node: Condition) -> Condition:
        """The condition under the NOTs that stand right before it, which are closed."""
        while self._open and self._open[-1] is _NOT:
            self._open.pop()
            node = Not(node)
        return node

    def running(self) -> bool:
        """Whether an AND or OR waits for its right side."""
        return bool(self._open) and self._open[-1][0] in {"AND", "OR"}

    def add(self, keyword: str, node: Condition) -> None:
        """Add the condition to the run of this keyword that is open, or open one."""
        if self._open and self._open[-1][0] == keyword:
            self._open[-1][1].append(node)
        else:
            self._open.append((keyword, [node]))

    def closed(self, keyword: str, node: Condition) -> Condition:
        """The condition with the run of this keyword that it ends, if one is open."""
        if not self._open or self._open[-1][0] != keyword:
            return node
        _, conditions = self._open.pop()
        return (And if keyword == "AND" else Or)((*conditions, node))
