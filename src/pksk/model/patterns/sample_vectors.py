"""Makes vectors among made-up arguments as long as the vector indexes of a table ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from pksk.schema import Table, VectorIndex

__all__ = ["sample_vectors"]


def sample_vectors(arguments: Mapping[str, Any], tables: Callable[[], Iterable[Table]]) -> dict[str, Any]:
    """The arguments, with lists of one number as long as vectors are; as they are where indexes differ in that.

    Example:
        >>> notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=3)])
        >>> sample_vectors({"vector": [1.5], "ids": [1]}, lambda: [notes])
        {'vector': [1.5, 1.5, 1.5], 'ids': [1]}
    """
    vectors = [name for name, value in arguments.items() if _is_vector(value)]
    found = tables() if vectors else ()
    indexes = (index for table in found for index in table.indexes if isinstance(index, VectorIndex))
    dimensions = {index.dimensions for index in indexes}
    if len(dimensions) != 1:
        return dict(arguments)
    (count,) = dimensions
    return {name: value * count if name in vectors else value for name, value in arguments.items()}


def _is_vector(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 1 and isinstance(value[0], float | Decimal)
