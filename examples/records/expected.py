"""What is known of the generated data, as plain lists: what the answers must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pksk import Entity, Store

from .data import generate, last_id
from .errors import RecordsError

__all__ = ["Expected", "alike", "error_of", "same"]

E = TypeVar("E", bound=Entity)


class Expected:
    """All generated entities, and the last number that was drawn for anything."""

    def __init__(self, items: int) -> None:
        self.everything = list(generate(items))
        self.last_id = last_id(items)

    def of(self, kind: type[E]) -> list[E]:
        """Those of one kind."""
        return [each for each in self.everything if isinstance(each, kind)]

    def next_id(self) -> int:
        """The number that the next new thing gets."""
        self.last_id += 1
        return self.last_id


def same(expected: Entity) -> Callable[[Any], bool]:
    """Whether an answer is an entity but for the time when it was written."""
    return lambda answer: _plain(answer) == _plain(expected)


def alike(expected: Iterable[E], by: Callable[[Any], Any] | None = None) -> Callable[[Sequence[Any]], bool]:
    """Whether an answer has these entities but for their times: in this order, or ordered `by` something."""
    wanted = list(expected)

    def right(answer: Sequence[Any]) -> bool:
        if by is None:
            return [_plain(each) for each in answer] == [_plain(each) for each in wanted]
        together = sorted(repr(_plain(each)) for each in answer) == sorted(
            repr(_plain(each)) for each in wanted
        )
        return together and [by(each) for each in answer] == sorted(by(each) for each in wanted)

    return right


def error_of(operation: Callable[[Store], object]) -> Callable[[Store], str]:
    """An operation that must be refused, as one that gives the reason."""

    def run(db: Store) -> str:
        try:
            operation(db)
        except RecordsError as refusal:
            return str(refusal)
        return "it was done"

    return run


def _plain(entity: Entity) -> dict[str, Any]:
    return {"kind": type(entity).__name__} | entity.model_dump(exclude={"last_update"})
