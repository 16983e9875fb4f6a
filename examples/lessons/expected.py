"""What answers must be, computed from the generated data in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pksk import Entity

from .data import generate

E = TypeVar("E", bound=Entity)


class Expected:
    """The generated data, to compute the expected answers from."""

    def __init__(self, items: int) -> None:
        self.all = list(generate(items))

    def of(self, entity: type[E], holds: Callable[[E], bool] = lambda _: True) -> list[E]:
        """The items of an entity for which a condition holds, in the order of generation."""
        return [each for each in self.all if isinstance(each, entity) and holds(each)]
