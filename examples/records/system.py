"""The records system, as `pksk demo records` and its own command run it."""

from __future__ import annotations

from ..tour import System
from .data import generate, last_id
from .table import ids, records
from .tour import tour

__all__ = ["system"]


system = System(
    "records",
    "old registers, the places and names in them, and one table for all kinds of things",
    tables=(records,),
    generate=generate,
    tour=tour,
    items=3000,
    loaded=lambda db, items: db.reconcile(ids, last_id(items)),
)
