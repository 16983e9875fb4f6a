"""Public names, each with its signature, the first line of its docstring, and its methods."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pksk
from tests.project.reference.environment import environment_lines
from tests.project.reference.signatures import about, members, signature

__all__ = ["MODULES", "api_lines", "in_module"]

_GROUPS = (
    ("Designs", ("pksk.schema", "pksk.model", "pksk.partitions")),
    ("Keys", ("pksk.keys",)),
    ("The store", ("pksk.store", "pksk.sending", "pksk.connection")),
    ("The engine", ("pksk.engine",)),
    ("Clients", ("pksk.client",)),
    ("Errors", ("pksk.errors",)),
)
# What is imported from a module of its own, since few programs need it.
MODULES = (
    "pksk.aws",
    "pksk.changes",
    "pksk.server",
    "pksk.testing",
    "pksk.transfer",
    "pksk.values",
    "pksk.capacity",
    "pksk.cells",
    "pksk.cells.arrays",
    "pksk.engine",
    "pksk.errors",
    "pksk.schema.alterations",
    "pksk.model.bill.month",
    "pksk.review",
    "pksk.geo",
    "pksk.search",
    "pksk.geo.h3",
)


def api_lines() -> Iterator[str]:
    """A section for each group of names and for each module, a paragraph for each name."""
    yield "The names in `pksk`, by subject; [names in other modules](#other-modules); [pytest"
    yield "fixtures](#pytest-fixtures); [environment variables](#environment-variables)."
    yield ""
    left = [name for name in sorted(pksk.__all__) if not name.startswith("__")]
    for title, homes in _GROUPS:
        mine = [name for name in left if _home(getattr(pksk, name)).startswith(homes)]
        left = [name for name in left if name not in mine]
        yield from (f"## {title}", "")
        for name in mine:
            yield from _entry(name, name, getattr(pksk, name))
    yield from ("## Others", "")
    for name in left:
        yield from _entry(name, name, getattr(pksk, name))
    yield from _modules()
    yield from environment_lines()


def in_module(module: str) -> dict[str, Any]:
    """What a module has for users and `pksk` itself has not, by name."""
    home = import_module(module)
    names = [name for name in home.__all__ if getattr(pksk, name, None) is not getattr(home, name)]
    found = {name: getattr(home, name) for name in names}
    if module == "pksk.errors":  # functions that build messages are internal
        return {name: value for name, value in found.items() if inspect.isclass(value)}
    return found


def _modules() -> Iterator[str]:
    yield from ("## Other modules", "")
    for module in MODULES:
        for name, value in in_module(module).items():
            yield from _entry(f"{module}.{name}", name, value)
    yield "`pksk.limits` has DynamoDB's limits, which have [their own page](limits.md)."
    yield ""


def _home(value: Any) -> str:
    return str(getattr(value, "__module__", type(value).__module__))


def _entry(title: str, name: str, value: Any) -> Iterator[str]:
    yield from (f"### {title}", "")
    for text in (f"`{written}`" if (written := signature(name, value)) else "", about(value)):
        if text:
            yield from (text, "")
    listed = list(members(value)) if inspect.isclass(value) else []
    if listed:
        yield from ("| | |", "|---|---|")
        yield from (f"| `{_cell(member)}` | {_cell(summary)} |" for member, summary in listed)
        yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
