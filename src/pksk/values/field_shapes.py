"""The form in which a field's annotation stores its values, and values checked against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pksk.errors import InvalidValue, quote

from .decode import decode_value, find_wire_error
from .encode import encode_value, find_value_error
from .numbers import parse_number
from .sets import number_set
from .value_errors import list_element_path, map_member_path, with_path
from .wire import MAX_DEPTH, Wire

__all__ = [
    "Adapter",
    "Shape",
    "encode_as",
    "load_as",
    "plain_names",
    "shape_of",
    "whole_number",
    "whole_numbers",
]


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


def encode_as(shape: Shape, value: Any, path: str = "", depth: int = 0) -> Wire:
    """The wire form of a value that must fit a shape.

    Example:
        >>> encode_as(Shape("S", str), "a")
        {'S': 'a'}
    """
    if value is None and shape.optional:
        return {"NULL": True}
    if shape.adapter and shape.inner:
        if not isinstance(value, shape.python):
            raise with_path(_wrong_type(shape, value), path)
        return encode_as(shape.inner, _adapted(shape.adapter.store, shape, value, path), path, depth)
    if shape.inner:
        return _encode_inside(shape, value, path, depth)
    refusal = find_value_error(value, path, depth)
    if refusal:
        raise refusal
    wire = encode_value(value, depth)
    _check(shape, wire, value, path)
    return wire


def _encode_inside(shape: Shape, value: Any, path: str, depth: int) -> Wire:
    """A list or a map, member by member: each is looked at once, however deep it stands."""
    inner = shape.inner or Shape()
    kind = "M" if isinstance(value, Mapping) else "L" if isinstance(value, list | tuple) else ""
    if kind != shape.kind or depth >= MAX_DEPTH:
        raise find_value_error(value, path, depth) or with_path(_wrong_type(shape, value), path)
    if kind == "M":
        refusal = find_value_error(dict.fromkeys(value), path, depth)
        if refusal:
            raise refusal
        names = {str.__str__(name): member for name, member in value.items()}
        return {"M": {n: encode_as(inner, m, map_member_path(path, n), depth + 1) for n, m in names.items()}}
    return {"L": [encode_as(inner, e, list_element_path(path, i), depth + 1) for i, e in enumerate(value)]}


def load_as(shape: Shape, wire: Any, path: str = "", depth: int = 0, *, checked: bool = False) -> Any:
    """The Python value of a wire value that must fit a shape; ``checked`` where it is known to be well formed.

    Example:
        >>> load_as(Shape("N", Decimal), {"N": "12"})
        Decimal('12')
    """
    if not checked:
        refusal = find_wire_error(wire, path, depth)
        if refusal:
            raise refusal
    if shape.optional and "NULL" in wire:
        return None
    if shape.adapter and shape.inner:
        stored = load_as(shape.inner, wire, path, depth, checked=True)
        return _adapted(shape.adapter.load, shape, stored, path)
    _check(shape, wire, wire, path)
    if shape.inner:
        return _load_inside(shape.inner, wire[shape.kind], path, depth + 1)
    return _as_declared(shape, decode_value(wire, depth))


def _load_inside(shape: Shape, content: Any, path: str, depth: int) -> Any:
    if isinstance(content, Mapping):
        return {
            n: load_as(shape, w, map_member_path(path, n), depth, checked=True) for n, w in content.items()
        }
    return [load_as(shape, w, list_element_path(path, i), depth, checked=True) for i, w in enumerate(content)]


def _as_declared(shape: Shape, value: Any) -> Any:
    if shape.python is Decimal:
        return Decimal(value)
    if shape.member is Decimal:
        value = set(map(Decimal, value))
    return frozenset(value) if shape.python is frozenset else value


def whole_number(text: str) -> int:
    """The int that a wire number stands for, where it has no fraction.

    Example:
        >>> whole_number("-12")
        -12
    """
    number = parse_number(text)
    if isinstance(number, int):
        return number
    raise _wrong_type(Shape("N", int), number)


def whole_numbers(texts: list[str]) -> set[int]:
    """The ints of an NS, where none has a fraction.

    Example:
        >>> sorted(whole_numbers(["10", "9"]))
        [9, 10]
    """
    number_set(texts)
    return set(map(whole_number, texts))


def plain_names(members: Mapping[str, Any]) -> bool:
    """Whether the names of a map are ordinary: strings, none empty, all of them storable.

    Example:
        >>> plain_names({"a": 1}), plain_names({"": 1})
        (True, False)
    """
    names = "".join(members)
    if not names.isascii():
        names.encode()
    return "" not in members and set(map(type, members)) <= {str}


def _check(shape: Shape, wire: Mapping[str, Any], shown: Any, path: str) -> None:
    (kind,) = wire
    fits = shape.kind in ("", kind)
    if fits and int in (shape.python, shape.member):
        texts = wire[kind] if kind == "NS" else [wire[kind]]
        fits = all(isinstance(parse_number(text), int) for text in texts)
    if not fits:
        raise with_path(_wrong_type(shape, shown), path)


def _wrong_type(shape: Shape, shown: Any, reason: str = "") -> InvalidValue:
    declared = shape.python.__name__
    if shape.member:
        declared = f"{declared}[{shape.member.__name__}]"
    fix = f"pass a value of type {declared}"
    return InvalidValue(
        "value-field-type",
        f"{quote(shown)} does not fit a field of type {declared}{reason}.",
        expected=f"The field is stored as {shape.kind or 'any type'}{' or NULL' if shape.optional else ''}.",
        fix=f"{fix}, or declare the field '{declared} | None'." if shown is None else f"{fix}.",
    )


def _adapted(adapt: Callable[[Any], Any], shape: Shape, value: Any, path: str) -> Any:
    try:
        return adapt(value)
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
        raise with_path(_wrong_type(shape, value, f": {error}"), path) from error
