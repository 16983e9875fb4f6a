"""A partition key and sort key together; each may contain a part of the same field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from pksk.dataclass import dataclass
from pksk.errors import TemplateError, quote
from pksk.keys.cell_suffix import check_cell_suffix
from pksk.keys.compiled import PartText, part_texts, values_of_texts
from pksk.keys.scalar_key import ScalarKey
from pksk.keys.template import Template


@dataclass(frozen=True)
class KeyPair:
    """The two templates of a key; `sort` is None where the table has no sort key.

    A number or binary key attribute is a ScalarKey.

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
                    fix="pass Template(...) or ScalarKey(...).",
                )
        if isinstance(self.partition, Template) and isinstance(self.sort, Template):
            check_cell_suffix("KeyPair", self.partition.parts, self.sort.parts)

    @property
    def keys(self) -> tuple[Template | ScalarKey, ...]:
        """The one or two keys."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of the two keys, in order."""
        return tuple(dict.fromkeys(field for key in self.keys for field in key.fields))

    def render(self, values: Mapping[str, Any]) -> tuple[Any, Any]:
        """The two keys for these values.

        Example:
            >>> KeyPair(Template("USER#{id}")).render({"id": "7"})
            ('USER#7', None)
        """
        return self.partition.render(values), self.sort.render(values) if self.sort else None

    def match(self, partition: Any, sort: Any = None) -> dict[str, Any] | None:
        """The values of the two keys, or None if these templates did not render them.

        Example:
            >>> orders = KeyPair(Template("USER#{id}"), Template("ORDER#{n:06d}", role="sort"))
            >>> orders.match("USER#7", "ORDER#000012")
            {'id': '7', 'n': 12}
        """
        keys = (partition,) if sort is None else (partition, sort)
        if len(keys) != len(self.keys):
            return None
        pieces: list[PartText] = []
        scalars: dict[str, Any] = {}
        for key, value in zip(self.keys, keys, strict=True):
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
    """The values of templates and of scalar keys together; None if they disagree."""
    for part, text in pieces:
        if part.field in scalars and part.encode(scalars[part.field]) != text:
            return None
    return {**values, **scalars}
