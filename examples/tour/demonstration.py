"""A demonstration: the tours of some systems one after another, printed or as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .show import Document, Printed
from .step import Step
from .system import System

__all__ = ["demonstrate"]


def demonstrate(systems: Iterable[System], target: Any, items: int | None, *, as_json: bool) -> list[str]:
    """Run the tours and print what they see; gives the names of the systems in which anything was wrong."""
    listener = Document() if as_json else Printed()
    shown = {each.name: each.show(target, listener, items) for each in systems}
    listener.section("In short")
    listener.table(("system", "steps", "wrong", "read units", "write units"), _sums(shown), (1, 2, 3, 4))
    if isinstance(listener, Document):
        listener.show()
    return [name for name, steps in shown.items() if not all(step.right for step in steps)]


def _sums(shown: Mapping[str, list[Step]]) -> list[list[str]]:
    """A row for each system; the units are those that were consumed, which are those that were priced."""
    return [
        [
            name,
            f"{len(steps):,}",
            f"{sum(not step.right for step in steps):,}",
            f"{sum(step.consumed.read for step in steps):,g}",
            f"{sum(step.consumed.write for step in steps):,g}",
        ]
        for name, steps in shown.items()
    ]
