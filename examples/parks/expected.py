"""What answers must be: the generated data by entity, and comparisons without what the store sets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pksk import Entity

from .tables import PublishedEntity

E = TypeVar("E", bound=Entity)

_STAMPED = {"version", "creation_date", "last_updated"}


class Expected:
    """The generated data, to compute the expected answers from."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.entities = list(entities)
        self._kinds: dict[type[Entity], list[Any]] = defaultdict(list)
        for each in self.entities:
            self._kinds[type(each)].append(each)

    def of(self, kind: type[E], order: Callable[[E], Any] | None = None, **fields: Any) -> list[E]:
        """The items of an entity with these values, sorted by `order` or as generated."""
        entities = [
            each
            for each in self._kinds[kind]
            if all(getattr(each, name) == value for name, value in fields.items())
        ]
        return sorted(entities, key=order) if order else entities

    def one(self, kind: type[E], **fields: Any) -> E:
        """The first item of an entity with these values."""
        return self.of(kind, **fields)[0]


def alike(expected: Iterable[Any] | Entity | None) -> Callable[[Any], bool]:
    """Whether an answer has exactly these items in this order, apart from versions and times."""
    expected_values = _bare(expected)
    return lambda answer: _bare(answer) == expected_values


def _bare(answer: Any) -> Any:
    if isinstance(answer, PublishedEntity):
        return type(answer), answer.model_dump(exclude=_STAMPED)
    if isinstance(answer, Entity) or answer is None:
        return answer
    return [_bare(each) for each in answer]
