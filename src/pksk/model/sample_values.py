"""Makes up values for annotations: example arguments of access patterns, and sample items to measure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from pksk.schema import Table, VectorIndex

M = TypeVar("M", bound=BaseModel)


class NoSample(Exception):
    """No value is known for an annotation."""


_PLAIN: dict[Any, Callable[[str], Any]] = {
    str: lambda name: name or "text",
    int: lambda _: 1,
    float: lambda _: 1.5,
    bool: lambda _: True,
    Decimal: lambda _: Decimal("1.5"),
    bytes: lambda name: name.encode() or b"bytes",
    date: lambda _: date(2025, 6, 15),
    datetime: lambda _: datetime(2025, 6, 15, 12, tzinfo=UTC),
    time: lambda _: time(12),
    timedelta: lambda _: timedelta(hours=1),
    UUID: lambda _: UUID("12345678-1234-4234-8234-123456789abc"),
    Any: lambda name: name or "text",
    object: lambda name: name or "text",
    NoneType: lambda _: None,
}


def sample_value(annotation: Any, name: str = "") -> Any:
    """A value of this type; text is the name of what it is for. NoSample where none is known.

    Example:
        >>> sample_value(str, "city"), sample_value(list[int]), sample_value(Literal["open", "paid"] | None)
        ('city', [1], 'open')
    """
    if not isinstance(annotation, Hashable):
        raise NoSample(f"{name}: {annotation}")
    if type(annotation).__name__ in ("NewType", "TypeAliasType"):
        named: Any = annotation
        return sample_value(getattr(named, "__supertype__", None) or named.__value__, name)
    if annotation in _PLAIN:
        return _PLAIN[annotation](name)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _constrained(sample_value(arguments[0], name), arguments[1:])
    if origin is Literal:
        return arguments[0]
    if origin in (Union, UnionType):
        return sample_value(next(each for each in arguments if each is not NoneType), name)
    if origin is not None:
        return _sample_container(origin, arguments, name)
    return _sample_of_class(annotation, name)


def _sample_container(origin: Any, arguments: tuple[Any, ...], name: str) -> Any:
    if origin is tuple and len(arguments) > 1 and arguments[1] is not Ellipsis:
        return tuple(sample_value(each, name) for each in arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {sample_value(arguments[0], name): sample_value(arguments[1], name)}
    if isinstance(origin, type) and issubclass(origin, BaseModel | Enum):
        return _sample_of_class(origin, name)
    member = sample_value(arguments[0], name) if arguments else name
    if origin in (set, frozenset, tuple, list):
        return origin([member])
    return [member]


def _sample_of_class(kind: Any, name: str) -> Any:
    if not isinstance(kind, type):
        raise NoSample(f"{name}: {kind}")
    if issubclass(kind, Enum):
        return next(iter(kind))
    if issubclass(kind, BaseModel):
        return sample_model(kind)
    for plain, make in _PLAIN.items():
        if isinstance(plain, type) and plain not in (object, NoneType) and issubclass(kind, plain):
            sample: Any = kind
            return sample(make(name))
    near = _BY_NAME.get(kind.__name__)
    if near is None:
        raise NoSample(f"{name}: {kind.__name__}")
    return near(name)


_BY_NAME: dict[str, Callable[[str], Any]] = {
    "AwareDatetime": _PLAIN[datetime],
    "NaiveDatetime": lambda _: datetime(2025, 6, 15, 12),
    "EmailStr": lambda name: f"{name or 'name'}@example.org",
    "IPv4Address": lambda _: IPv4Address("192.0.2.7"),
    "IPv4Interface": lambda _: IPv4Interface("192.0.2.7/24"),
    "IPv4Network": lambda _: IPv4Network("192.0.2.0/24"),
    "IPv6Address": lambda _: IPv6Address("2001:db8::7"),
    "IPv6Interface": lambda _: IPv6Interface("2001:db8::7/64"),
    "IPv6Network": lambda _: IPv6Network("2001:db8::/64"),
    "ULID": lambda _: __import__("ulid").ULID.from_str("01JXSVEX00ABCDEFGHJKMNPQRS"),
}


def _constrained(value: Any, metadata: tuple[Any, ...]) -> Any:
    """The value moved to where the constraints on it hold, as far as they are simple."""
    for each in _constraints(metadata):
        value = _fitted(value, each)
    return value


def _constraints(metadata: tuple[Any, ...]) -> Iterator[Any]:
    for each in metadata:
        if isinstance(each, FieldInfo):
            yield from each.metadata
        else:
            yield each


def _next(value: Any, bound: Any, step: int) -> Any:
    """A value of the same type after a bound, or before it."""
    if isinstance(value, int | float | Decimal):
        return type(value)(bound + step)
    try:
        return bound + timedelta(days=step)
    except TypeError:
        raise NoSample(f"{bound!r}") from None


def _fitted(value: Any, constraint: Any) -> Any:
    lowest = getattr(constraint, "ge", None)
    above = getattr(constraint, "gt", None)
    highest = getattr(constraint, "le", None)
    below = getattr(constraint, "lt", None)
    if lowest is not None and value < lowest:
        value = lowest
    if above is not None and value <= above:
        value = _next(value, above, 1)
    if highest is not None and value > highest:
        value = highest
    if below is not None and value >= below:
        value = _next(value, below, -1)
    value = getattr(constraint, "sample", value)  # of a cell, which no other text replaces
    precision = getattr(constraint, "key_precision", None)
    if precision is not None:
        value = precision.floor(value)
    shortest, longest = getattr(constraint, "min_length", None), getattr(constraint, "max_length", None)
    if shortest and isinstance(value, str):
        value = value.ljust(shortest, "x")
    return value[:longest] if longest and isinstance(value, str | bytes) else value


def sample_model(model: type[M]) -> M:
    """A model with a value in every field; raises NoSample if its validators reject the values.

    Example:
        >>> class Point(BaseModel):
        ...     x: int
        ...     label: str | None = None
        >>> sample_model(Point)
        Point(x=1, label='label')
    """
    values = {name: field_sample(name, info) for name, info in model.__pydantic_fields__.items()}
    try:
        return model.model_validate(values, by_alias=False, by_name=True)
    except ValidationError as error:
        first = error.errors()[0]
        raise NoSample(f"{model.__name__}.{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def field_sample(name: str, info: FieldInfo) -> Any:
    """A value that a field accepts, as far as its constraints are simple; its first example, if it has one."""
    if info.examples:
        return info.examples[0]
    try:
        return _constrained(sample_value(info.annotation, name), tuple(info.metadata))
    except NoSample:
        default = info.get_default(call_default_factory=True, validated_data={})
        if default is PydanticUndefined:
            raise
        return default


def sample_vectors(arguments: Mapping[str, Any], tables: Callable[[], Iterable[Table]]) -> dict[str, Any]:
    """The arguments, with lists of one number as long as vectors are; as they are where indexes differ in that.

    Example:
        >>> notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=3)])
        >>> sample_vectors({"vector": [1.5], "ids": [1]}, lambda: [notes])
        {'vector': [1.5, 1.5, 1.5], 'ids': [1]}
    """
    vectors = [name for name, value in arguments.items() if _is_vector(value)]
    tables_with_vectors = tables() if vectors else ()
    indexes = (
        index for table in tables_with_vectors for index in table.indexes if isinstance(index, VectorIndex)
    )
    dimensions = {index.dimensions for index in indexes}
    if len(dimensions) != 1:
        return dict(arguments)
    (count,) = dimensions
    return {name: value * count if name in vectors else value for name, value in arguments.items()}


def _is_vector(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 1 and isinstance(value[0], float | Decimal)
