"""Finds the systems: in the wheel beside this package, in a checkout in its folder `examples`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pksk

__all__ = ["SYSTEMS", "demonstrate", "next_steps"]

_CHECKOUT: Final = Path(pksk.__file__).parents[2]
_TUTORIAL: Final = "docs/tutorial.md"
SYSTEMS: Final = ("parks", "pantry", "heatmap", "records", "lessons")


def demonstrate(names: Iterable[str], target: str, items: int | None, *, as_json: bool) -> list[str]:
    """Run the tours of these systems; gives the names of those in which anything was wrong."""
    package = _package()
    systems = [import_module(f"{package}.{name}.system").system for name in names]
    run = import_module(f"{package}.tour.demonstration").demonstrate
    wrong: list[str] = run(systems, target, items, as_json=as_json)
    return wrong


def next_steps() -> list[tuple[str, str]]:
    """What to type after a demonstration, each with what it shows."""
    beside = Path("examples/pantry/design.py")
    target: object = f"{_package()}.pantry.design"
    if _package() == "examples":
        target = beside if beside.exists() else _CHECKOUT / beside
    steps = [
        ("pksk new shop", "a design of your own, with its test"),
        (f"pksk design {target}", "what a design is and costs"),
        ("pksk demo parks", "one of the five alone"),
    ]
    if (_CHECKOUT / _TUTORIAL).exists():  # it is not in the wheel
        steps.append((_TUTORIAL, "from an empty folder to a tested application"))
    return steps


def _package() -> str:
    if find_spec("pksk.examples") is not None:
        return "pksk.examples"
    if str(_CHECKOUT) not in sys.path:
        sys.path.append(str(_CHECKOUT))
    return "examples"
