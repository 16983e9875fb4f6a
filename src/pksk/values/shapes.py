"""What a field's annotation says about the wire form of its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from .wire import MAX_DEPTH

__all__ = ["Adapter", "Shape", "shape_of"]


@dataclass(frozen=True)
class Adapter:
    """How values of a Python class are stored: as which type, and by which way there and back.

    Example:
        >>> from datetime import date
        >>> iso = Adapter(str, store=date.isoformat, load=date.fromisoformat)
        >>> iso.store(date(2024, 2, 29))
        '2024-02-29'
    """

    stored: Any
    store: Callable[[Any], Any]
    load: Callable[[Any], Any]


@dataclass(frozen=True)
class Shape:
    """The wire form of a field: its type, or an empty ``kind`` where any value may stand.

    ``inner`` is the shape of the elements, or of what the adapter stores.

    Example:
        >>> Shape("L", list, inner=Shape("S", str)).inner.kind
        'S'
    """

    kind: str = ""
    python: Any = object
    optional: bool = False
    inner: Shape | None = None
    member: type | None = None
    adapter: Adapter | None = None


_SCALARS: Final = {str: "S", int: "N", Decimal: "N", bytes: "B", bool: "BOOL", NoneType: "NULL"}
_SETS: Final = {str: "SS", int: "NS", Decimal: "NS", bytes: "BS"}


def shape_of(annotation: Any, adapters: Mapping[type, Adapter], depth: int = 0) -> Shape:
    """The shape that an annotation asks for; any shape where the annotation is not known.

    Example:
        >>> shape_of(str | None, {})
        Shape(kind='S', python=<class 'str'>, optional=True, inner=None, member=None, adapter=None)
    """
    if annotation is None:
        return Shape("NULL", NoneType)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return shape_of(arguments[0], adapters, depth)
    if origin in (Union, UnionType):
        return _union(arguments, adapters, depth)
    # Class objects are hashable; other annotations need not be.
    if isinstance(annotation, type) and annotation in adapters:
        adapter = adapters[annotation]
        stored = shape_of(adapter.stored, {}, depth)
        return Shape(stored.kind, annotation, inner=stored, adapter=adapter)
    if isinstance(annotation, type) and annotation in _SCALARS:
        return Shape(_SCALARS[annotation], annotation)
    return _container(origin or annotation, arguments, adapters, depth)


def _union(arguments: tuple[Any, ...], adapters: Mapping[type, Adapter], depth: int) -> Shape:
    others = [argument for argument in arguments if argument is not NoneType]
    inner = shape_of(others[0], adapters, depth) if len(others) == 1 else Shape()
    return replace(inner, optional=len(others) < len(arguments))


def _container(
    origin: Any, arguments: tuple[Any, ...], adapters: Mapping[type, Adapter], depth: int
) -> Shape:
    if origin in (set, frozenset) and arguments and arguments[0] in _SETS:
        return Shape(_SETS[arguments[0]], origin, member=arguments[0])
    if depth >= MAX_DEPTH or origin not in (list, dict, Mapping):
        return Shape()
    element = shape_of(arguments[-1], adapters, depth + 1) if arguments else Shape()
    if origin is list:
        return Shape("L", list, inner=element)
    return Shape("M", dict, inner=element)
