"""How a table that exists becomes as it is declared, call by call."""

from __future__ import annotations

from .alterations import Alterations, alterations
from .step import Step

__all__ = ["Alterations", "Step", "alterations"]
