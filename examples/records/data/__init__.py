"""The generated data of the records system, always the same."""

from __future__ import annotations

from .gazetteer import SETTINGS, gazetteer, word_lists
from .generate import generate, last_id, line

__all__ = ["SETTINGS", "gazetteer", "generate", "last_id", "line", "word_lists"]
