"""Guesses the types of fields that nobody declared, from how a template writes them."""

from __future__ import annotations

import re
from typing import Any

from pksk.keys.parse import Placeholder

__all__ = ["guess_types"]


def guess_types(pieces: tuple[str | Placeholder, ...]) -> dict[str, Any]:
    """The types of fields that nobody declared: text, unless the format is one for numbers or times."""
    kinds: dict[str, Any] = {}
    for piece in pieces:
        if isinstance(piece, Placeholder):
            kinds[piece.field] = _guess(piece.spec) if piece.spec else kinds.get(piece.field, "str")
    return kinds


def _guess(spec: str) -> str:
    if re.fullmatch(r"[^%/]*d", spec):
        return "int"
    if re.fullmatch(r"[^%/]*f", spec):
        return "Decimal"
    if "%" in spec:
        return "datetime" if re.search("%[HMSf]", spec) else "date"
    return "bool" if "/" in spec else "str"
