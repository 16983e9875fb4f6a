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
    """What to type or read after a demonstration, each with what it shows; a wheel has no pages to read."""
    package = _package()
    design = _found("examples/pantry/design.py") if package == "examples" else f"{package}.pantry.design"
    steps = [
        ("pksk new shop", "a design of your own, with its test"),
        (f"pksk design {design}", "what a design is and costs"),
        ("pksk demo parks", "one of the five alone"),
    ]
    if (_CHECKOUT / _TUTORIAL).exists():
        steps.append((str(_found(_TUTORIAL)), "from an empty folder to a tested application"))
    return steps


def _found(name: str) -> Path:
    """A file of the checkout, in short where one stands in it."""
    return Path(name) if Path(name).exists() else _CHECKOUT / name


def _package() -> str:
    if find_spec("pksk.examples") is not None:
        return "pksk.examples"
    if str(_CHECKOUT) not in sys.path:
        sys.path.append(str(_CHECKOUT))
    return "examples"
