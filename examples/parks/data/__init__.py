"""Generated data of the parks system: always the same, lazy, from a hundred items to a million."""

from __future__ import annotations

from .generate import generate
from .season import NOW, OPENING

__all__ = ["NOW", "OPENING", "generate"]
