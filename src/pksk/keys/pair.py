"""A partition key and its sort key together, where a field may stand partly in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pksk.keys.matching import match_texts, texts_of
from pksk.keys.template import Template

__all__ = ["KeyPair"]


@dataclass(frozen=True)
class KeyPair:
    """The two templates of a key; `sort` is None where the table has no sort key.

    Example:
        >>> cell = KeyPair(Template("ShCe#{cell[:-3]}"), Template("{cell[-3:]}", role="sort"))
        >>> cell.render({"cell": "gcpjfy6d"})
        ('ShCe#gcpjf', 'y6d')
        >>> cell.match("ShCe#gcpjf", "y6d")
        {'cell': 'gcpjfy6d'}
    """

    partition: Template
    sort: Template | None = None

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that the two keys are made of, in order."""
        sort = self.sort.fields if self.sort else ()
        return tuple(dict.fromkeys((*self.partition.fields, *sort)))

    def render(self, values: Mapping[str, Any]) -> tuple[str, str | None]:
        """The two keys of these values.

        Example:
            >>> KeyPair(Template("USER#{id}")).render({"id": "7"})
            ('USER#7', None)
        """
        return self.partition.render(values), self.sort.render(values) if self.sort else None

    def match(self, partition: str, sort: str | None = None) -> dict[str, Any] | None:
        """The values that the two keys give back together, or None if these templates did not render them.

        Example:
            >>> orders = KeyPair(Template("USER#{id}"), Template("ORDER#{n:06d}", role="sort"))
            >>> orders.match("USER#7", "ORDER#000012")
            {'id': '7', 'n': 12}
        """
        pieces = texts_of(self.partition, partition)
        if pieces is None or (self.sort is None) != (sort is None):
            return None
        if self.sort is None or sort is None:
            return match_texts(pieces)
        more = texts_of(self.sort, sort)
        return None if more is None else match_texts([*pieces, *more])
