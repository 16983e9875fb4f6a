"""What the five systems share: a tour through a system's questions, its data on the way in, and its command."""

from __future__ import annotations

from .load import load
from .step import Step
from .system import System
from .tour import Tour, in_any_order

__all__ = ["Step", "System", "Tour", "in_any_order", "load"]
