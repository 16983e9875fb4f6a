"""Generated data of the parks system: always the same, lazy, from a hundred items to a million."""

from __future__ import annotations

from .generate import NOW, OPENING, generate

__all__ = ["NOW", "OPENING", "generate"]
