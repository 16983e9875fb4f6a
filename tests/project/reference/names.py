"""The names that `pksk` exports, each with its signature and what its docstring says first."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import pksk

__all__ = ["api_lines"]

_GROUPS = (
    ("Designs", ("pksk.schema", "pksk.model")),
    ("Keys", ("pksk.keys",)),
    ("The store", ("pksk.store", "pksk.connection")),
    ("The engine", ("pksk.engine",)),
    ("Clients", ("pksk.client",)),
    ("Errors", ("pksk.errors",)),
)


def api_lines() -> Iterator[str]:
    """A section for each group of names, a paragraph for each name."""
    left = [name for name in pksk.__all__ if not name.startswith("__")]
    for title, homes in _GROUPS:
        mine = [name for name in left if _home(getattr(pksk, name)).startswith(homes)]
        left = [name for name in left if name not in mine]
        yield from (f"## {title}", "")
        for name in mine:
            yield from _entry(name, getattr(pksk, name))
    yield from ("## Others", "")
    for name in left:
        yield from _entry(name, getattr(pksk, name))


def _home(value: Any) -> str:
    return str(getattr(value, "__module__", type(value).__module__))


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    yield from _signature(name, value)
    yield _about(value)
    yield ""
    methods = list(_methods(value)) if inspect.isclass(value) else []
    if methods:
        yield from ("| | |", "|---|---|")
        yield from (f"| `{method}` | {about} |" for method, about in methods)
        yield ""


def _signature(name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value) and issubclass(value, Exception):
        bases = ", ".join(base.__name__ for base in value.__bases__)
        yield from (f"`class {name}({bases})`", "")
        return
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return
    yield from (f"`{name}{_plain(text)}`", "")


def _plain(signature: str) -> str:
    """A signature without what only a type checker reads."""
    unquoted = re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature)
    return re.sub(r"(?:[A-Za-z_]\w*\.)+(\w+)", r"\1", unquoted)


def _methods(kind: type) -> Iterator[tuple[str, str]]:
    for name, member in vars(kind).items():
        if name.startswith("_") or not (inspect.isroutine(member) or isinstance(member, property)):
            continue
        about = _about(member)
        if about:
            yield (name if isinstance(member, property) else f"{name}()"), about.replace("|", "\\|")


def _about(value: Any) -> str:
    """The first paragraph of a docstring."""
    text = inspect.getdoc(value) or ""
    return " ".join(text.partition("\n\n")[0].split())
