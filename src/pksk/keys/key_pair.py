"""A partition key and its sort key together, where a field may stand partly in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from pksk.dataclass import dataclass
from pksk.errors import TemplateError, quote
from pksk.keys.match import PartText, part_texts, values_of_texts
from pksk.keys.scalar_key import ScalarKey
from pksk.keys.template import Template

__all__ = ["KeyPair"]


@dataclass(frozen=True)
class KeyPair:
    """The two templates of a key; `sort` is None where the table has no sort key.

    A key attribute that is a number or bytes by itself is a ScalarKey.

    Example:
        >>> cell = KeyPair(Template("ShCe#{cell[:-3]}"), Template("{cell[-3:]}", role="sort"))
        >>> cell.render({"cell": "gcpjfy6d"})
        ('ShCe#gcpjf', 'y6d')
        >>> cell.match("ShCe#gcpjf", "y6d")
        {'cell': 'gcpjfy6d'}
    """

    partition: Template | ScalarKey
    sort: Template | ScalarKey | None = None

    def __post_init__(self) -> None:
        for key in self.keys:
            if not isinstance(key, Template | ScalarKey):
                raise TemplateError(
                    "template-option",
                    f"KeyPair: {quote(key)} of type {type(key).__name__} is not a template.",
                    fix="give Template(...) or ScalarKey(...).",
                )

    @property
    def keys(self) -> tuple[Template | ScalarKey, ...]:
        """The one or two keys."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that the two keys are made of, in order."""
        return tuple(dict.fromkeys(field for key in self.keys for field in key.fields))

    def render(self, values: Mapping[str, Any]) -> tuple[Any, Any]:
        """The two keys of these values.

        Example:
            >>> KeyPair(Template("USER#{id}")).render({"id": "7"})
            ('USER#7', None)
        """
        return self.partition.render(values), self.sort.render(values) if self.sort else None

    def match(self, partition: Any, sort: Any = None) -> dict[str, Any] | None:
        """The values that the two keys give back together, or None if these templates did not render them.

        Example:
            >>> orders = KeyPair(Template("USER#{id}"), Template("ORDER#{n:06d}", role="sort"))
            >>> orders.match("USER#7", "ORDER#000012")
            {'id': '7', 'n': 12}
        """
        given = (partition,) if sort is None else (partition, sort)
        if len(given) != len(self.keys):
            return None
        pieces: list[PartText] = []
        scalars: dict[str, Any] = {}
        for key, value in zip(self.keys, given, strict=True):
            if isinstance(key, ScalarKey):
                scalars |= key.match(value)
                continue
            texts = part_texts(key, value)
            if texts is None:
                return None
            pieces += texts
        values = values_of_texts(pieces)
        return None if values is None else _merge_values(values, scalars, pieces)


def _merge_values(
    values: dict[str, Any], scalars: Mapping[str, Any], pieces: Sequence[PartText]
) -> dict[str, Any] | None:
    """Values from templates and from number or binary keys together, if they agree."""
    for part, text in pieces:
        if part.field in scalars and part.encode(scalars[part.field]) != text:
            return None
    return {**values, **scalars}
