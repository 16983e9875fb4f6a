"""pksk turns a DynamoDB key design into code that you can check, run, price and see."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pksk.errors import BoundsError as BoundsError
    from pksk.errors import InvalidValue as InvalidValue
    from pksk.errors import KeyMismatch as KeyMismatch
    from pksk.errors import PkskError as PkskError
    from pksk.errors import TemplateError as TemplateError
    from pksk.keys import Bounds as Bounds
    from pksk.keys import Comparison as Comparison
    from pksk.keys import KeyPair as KeyPair
    from pksk.keys import ScalarKey as ScalarKey
    from pksk.keys import Template as Template
    from pksk.keys import begins as begins
    from pksk.keys import between as between
    from pksk.keys import compare as compare
    from pksk.keys import doc_id as doc_id
    from pksk.keys import gt as gt
    from pksk.keys import gte as gte
    from pksk.keys import lt as lt
    from pksk.keys import lte as lte
    from pksk.keys import parse_doc_id as parse_doc_id

__version__ = "0.1.0"

_KEYS = (
    "Bounds Comparison KeyPair ScalarKey Template begins between compare doc_id gt gte lt lte parse_doc_id"
)
_ERRORS = "BoundsError InvalidValue KeyMismatch PkskError TemplateError"

# Public name -> the module that holds it. Nothing is imported before it is asked for,
# so that `import pksk` costs next to nothing.
_HOMES = {
    **dict.fromkeys(_ERRORS.split(), "pksk.errors"),
    **dict.fromkeys(_KEYS.split(), "pksk.keys"),
}

__all__ = ["__version__", *sorted(_HOMES)]  # noqa: PLE0604 - the names stand in _HOMES, once


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'pksk' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOMES))
