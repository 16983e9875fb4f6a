"""A demonstration: the tours of some systems one after another, printed or as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pksk.cli.commands import Refusal

from .show import Document, Printed
from .step import Step
from .system import System
from .tour import Ended, Listener, NotEmpty

__all__ = ["demonstrate"]


def demonstrate(systems: Iterable[System], target: Any, items: int | None, *, as_json: bool) -> list[str]:
    """Run the tours and print what they see; gives the names of the systems in which anything was wrong."""
    listener = Document() if as_json else Printed()
    try:
        shown = {each.name: _steps(each, target, listener, items) for each in systems}
    except NotEmpty as refusal:
        raise Refusal(refusal.document) if as_json else refusal from None
    listener.section("In short")
    listener.table(("system", "steps", "wrong", "read units", "write units"), _sums(shown), (1, 2, 3, 4))
    if isinstance(listener, Document):
        listener.show()
    return [name for name, steps in shown.items() if not all(step.right for step in steps)]


def _steps(system: System, target: Any, listener: Listener, items: int | None) -> list[Step]:
    """The steps of a tour, all that there were."""
    try:
        return system.show(target, listener, items)
    except Ended as ended:
        return ended.steps


def _sums(shown: Mapping[str, list[Step]]) -> list[list[str]]:
    """A row for each system; the units are those that were consumed, which are those that were priced."""
    return [
        [
            name,
            f"{len(steps):,}",
            f"{sum(not step.right for step in steps):,}",
            _units(sum(step.consumed.read for step in steps)),
            _units(sum(step.consumed.write for step in steps)),
        ]
        for name, steps in shown.items()
    ]


def _units(many: float) -> str:
    """Units to the half, which `g` would round where there are many."""
    return f"{many:,.1f}".removesuffix(".0")
