"""Demonstrations: the tours of some systems one after another, as one screen each or with every step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pksk.cli.commands import InputError
from pksk.cli.output import print_json

from .printing import Document, Printed
from .screen import Screen, Waiting, units
from .system import System
from .tour import Listener, NotEmpty, Stopped, Tour


def show_screens(systems: Iterable[System], target: Any, items: int | None, *, as_json: bool) -> list[str]:
    """Run the tours and print a screen for each; return the names of the systems in which anything was wrong."""
    screens = []
    for each in systems:
        waiting = Waiting()
        screen = Screen(each, _toured(each, target, waiting, items, as_json=as_json))
        waiting.stop()
        screens.append(screen)
        if not as_json:
            screen.show()
    if as_json:
        print_json([screen.data() for screen in screens])
    return [screen.system.name for screen in screens if screen.problems]


def show_steps(systems: Iterable[System], target: Any, items: int | None, *, as_json: bool) -> list[str]:
    """Run the tours and print every step; return the names of the systems in which anything was wrong."""
    listener = Document() if as_json else Printed()
    tours = {each.name: _toured(each, target, listener, items, as_json=as_json) for each in systems}
    listener.section("In short")
    headers = ("system", "steps", "wrong", "read units", "write units")
    listener.table(headers, [_totals(name, tour) for name, tour in tours.items()], (1, 2, 3, 4))
    if isinstance(listener, Document):
        listener.show()
    return [name for name, tour in tours.items() if not all(step.right for step in tour.steps)]


def _toured(system: System, target: Any, listener: Listener, items: int | None, *, as_json: bool) -> Tour:
    try:
        return system.take_tour(target, listener, items)
    except Stopped as stopped:
        return stopped.tour
    except NotEmpty as error:
        raise InputError(error.document) if as_json else error from None


def _totals(name: str, tour: Tour) -> list[str]:
    """A row of the summary: the units that were consumed, which are those that were priced."""
    consumed = [step.consumed for step in tour.steps]
    return [
        name,
        f"{len(tour.steps):,}",
        f"{sum(not step.right for step in tour.steps):,}",
        units(sum(cost.read for cost in consumed)),
        units(sum(cost.write for cost in consumed)),
    ]
