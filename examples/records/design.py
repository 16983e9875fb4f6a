"""The design of the records system: one table, one index, a dozen entities.

`pksk design examples/records/design.py` prints it.
"""

from __future__ import annotations

from . import catalogue, people, places, registers
from .tables import ids, records

__all__ = ["catalogue", "ids", "people", "places", "records", "registers"]
