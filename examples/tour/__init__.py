"""What the five systems share: the tour through a system, loading its data, and its command."""

from __future__ import annotations

from .loading import load
from .step import Step
from .system import System
from .tour import Tour, error_name, in_any_order

__all__ = ["Step", "System", "Tour", "error_name", "in_any_order", "load"]
