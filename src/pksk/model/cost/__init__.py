"""Costs of requests: estimates from what a design declares, and prices over the very items concerned."""

from __future__ import annotations

from pksk.model.cost.estimate import Estimate, estimate
from pksk.model.cost.priced import priced

__all__ = ["Estimate", "estimate", "priced"]
