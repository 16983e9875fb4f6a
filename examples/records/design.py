"""The design of the records system: one table, one index, a dozen kinds of items.

`pksk design examples/records/design.py` prints it.
"""

from __future__ import annotations

from . import catalogue, places

# isort: split
from . import people
from .table import records

__all__ = ["catalogue", "people", "places", "records"]
