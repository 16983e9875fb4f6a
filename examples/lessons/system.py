"""The lessons as a system: what `pksk demo lessons` runs."""

from __future__ import annotations

from ..tour import System
from .data import generate
from .design import TABLES
from .tour import tour

__all__ = ["system"]

system = System(
    "lessons",
    "which keys spread load, which do not, and what that costs",
    tables=tuple(TABLES),
    generate=generate,
    tour=tour,
    items=2000,
)
