"""What the requests of every operation look like: members, types and constraints, as DynamoDB holds them.

A structure lists its members, in the order in which the service reports what is wrong with them: `!` marks one
that must be there, and a shape follows where it has another name than the member. A list names its elements, a
map its keys and values; bounds are of lengths, or of a number's value. Shapes in small letters are built in.
"""

from __future__ import annotations

from typing import Final

from . import backups, items_and_tables, partiql, streams, vectors

__all__ = ["OPERATIONS", "SHAPES", "VALUE_MEMBERS"]

# The members of an attribute value, of which it has one; they may hold further values.
VALUE_MEMBERS: Final = ("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL")

_AREAS: Final = (items_and_tables, streams, partiql, vectors, backups)
OPERATIONS: Final = {name: members for area in _AREAS for name, members in area.OPERATIONS.items()}
SHAPES: Final = {name: shape for area in _AREAS for name, shape in area.SHAPES.items()}
