"""What answers must be, computed from the generated data in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pksk import Entity, Store

from .data import generate, last_id
from .errors import RecordsError

E = TypeVar("E", bound=Entity)


class Expected:
    """The generated data, and the last id that was drawn."""

    def __init__(self, items: int) -> None:
        self.everything = list(generate(items))
        self.last_id = last_id(items)

    def of(self, kind: type[E]) -> list[E]:
        """All items of an entity."""
        return [each for each in self.everything if isinstance(each, kind)]

    def next_id(self) -> int:
        """The id that the next new item gets."""
        self.last_id += 1
        return self.last_id


def same(expected: Entity) -> Callable[[Any], bool]:
    """Whether an answer equals an entity apart from the time of its last write."""
    return lambda answer: _plain(answer) == _plain(expected)


def alike(expected: Iterable[E], by: Callable[[Any], Any] | None = None) -> Callable[[Sequence[Any]], bool]:
    """Whether an answer has these entities apart from their times: in this order, or ordered `by` something."""
    expected_values = list(expected)

    def right(answer: Sequence[Any]) -> bool:
        if by is None:
            return [_plain(each) for each in answer] == [_plain(each) for each in expected_values]
        together = sorted(repr(_plain(each)) for each in answer) == sorted(
            repr(_plain(each)) for each in expected_values
        )
        return together and [by(each) for each in answer] == sorted(by(each) for each in expected_values)

    return right


def error_of(operation: Callable[[Store], object]) -> Callable[[Store], str]:
    """Turns an operation that must fail into one that returns its error message."""

    def run(db: Store) -> str:
        try:
            operation(db)
        except RecordsError as error:
            return str(error)
        return "it was done"

    return run


def _plain(entity: Entity) -> dict[str, Any]:
    return {"kind": type(entity).__name__} | entity.model_dump(exclude={"last_update"})
