"""ReturnValues of writes that replace or remove whole items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.faults import refused
from pksk.engine.texts import items as texts

__all__ = ["check_return_values"]


def check_return_values(request: Mapping[str, Any]) -> None:
    """Refuse ReturnValues that only UpdateItem knows."""
    if request.get("ReturnValues", "NONE") not in {"NONE", "ALL_OLD"}:
        raise refused(texts.RETURN_VALUES)
