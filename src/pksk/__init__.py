"""pksk turns a DynamoDB key design into code that you can check, run, price and see."""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

# Public name -> the module that holds it. Nothing is imported before it is asked for,
# so that `import pksk` costs next to nothing.
_HOMES: dict[str, str] = {}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'pksk' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOMES))
