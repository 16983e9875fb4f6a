"""Generates values, arguments and items that differ, and items that a request finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from ipaddress import IPv4Address, IPv6Address
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, ValidationError
from ulid import ULID

from pksk.cells import GEOHASH, Region, decode
from pksk.errors import PkskError
from pksk.expressions import And, Call, Compare, Condition, In, Not, Or, Path, Value
from pksk.keys import Operator
from pksk.keys.parts.part_types import field_type
from pksk.model.declaration import Declaration
from pksk.model.entity import Entity
from pksk.model.markers import Version
from pksk.model.requests.geo_query import GeoQuery
from pksk.model.requests.put import Put
from pksk.model.sample_values import NoSample, sample_value

_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


def numbered_value(annotation: Any, name: str, number: int, step: timedelta = _DAY) -> Any:
    """A value of a type that differs from those with other numbers, as far as the type has so many values.

    Example:
        >>> [numbered_value(str, "city", n) for n in range(3)], [numbered_value(bool, "", n) for n in range(3)]
        (['city', 'city1', 'city2'], [True, False, True])
        >>> numbered_value(Literal["open", "paid"] | None, "", 1), numbered_value(date, "", 20)
        ('paid', datetime.date(2025, 7, 5))
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return numbered_value(arguments[0], name, number, step)
    if origin is Literal:
        return arguments[number % len(arguments)]
    if origin in (Union, UnionType):
        kinds = [each for each in arguments if each is not type(None)]
        return numbered_value(kinds[0], name, number, step)
    value = sample_value(annotation, name)
    if isinstance(value, BaseModel):
        return numbered_model(type(value), number, step=step)
    return moved_value(value, number, step)


def moved_value(value: Any, number: int, step: timedelta) -> Any:
    """A value that is so many steps away from another of its type.

    Example:
        >>> moved_value(7, 2, timedelta(days=1)), moved_value("ann", 2, timedelta(days=1))
        (9, 'ann2')
    """
    if not number:
        return value
    if isinstance(value, bool):
        return value is (number % 2 == 0)
    if isinstance(value, Enum):
        members = list(type(value))
        return members[number % len(members)]
    for each, move in _MOVES.items():
        if isinstance(value, each):
            moved: Callable[[Any, int, timedelta], Any] = move
            return moved(value, number, step)
    return value


_MOVES: Final[Mapping[type, Callable[[Any, int, timedelta], Any]]] = {
    str: lambda value, number, _: f"{value}{number}",
    int: lambda value, number, _: value + number,
    float: lambda value, number, _: value + number,
    Decimal: lambda value, number, _: value + number,
    bytes: lambda value, number, _: value + str(number).encode(),
    datetime: lambda value, number, step: value + number * min(step, timedelta(hours=1)),
    date: lambda value, number, step: value + number * step,
    UUID: lambda value, number, _: UUID(int=value.int + (number << 64)),
    ULID: lambda value, number, _: ULID.from_bytes((int.from_bytes(value.bytes) + number).to_bytes(16)),
    IPv4Address: lambda value, number, _: value + number,
    IPv6Address: lambda value, number, _: value + number,
}


def numbered_model(
    model: type[BaseModel], number: int, fixed: Mapping[str, Any] | None = None, step: timedelta = _DAY
) -> Any:
    """A model with numbered values, except in `fixed` fields; a field that rejects its number has a sample value.

    Example:
        >>> class Point(BaseModel):
        ...     x: int
        ...     label: str | None = None
        >>> numbered_model(Point, 3, {"x": 0})
        Point(x=0, label='label3')
    """
    values: dict[str, Any] = {}
    samples: dict[str, Callable[[], Any]] = {}
    for name, info in model.__pydantic_fields__.items():
        metadata = tuple(info.metadata)
        annotation = Annotated[info.annotation, *metadata] if metadata else info.annotation
        samples[name] = partial(sample_value, annotation, name)
        values[name] = _field_value(info, annotation, name, number, step)
    values |= fixed or {}
    try:
        return model.model_validate(values, by_alias=False, by_name=True)
    except ValidationError as error:
        wrong = {str(each["loc"][0]) for each in error.errors() if each["loc"]} - set(fixed or ())
        values |= {name: samples[name]() for name in wrong if name in samples}
    try:
        return model.model_validate(values, by_alias=False, by_name=True)
    except ValidationError as error:
        first = error.errors()[0]
        raise NoSample(f"{model.__name__}.{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _field_value(info: Any, annotation: Any, name: str, number: int, step: timedelta) -> Any:
    if info.examples:
        return info.examples[number % len(info.examples)]
    try:
        return numbered_value(annotation, name, number, step)
    except NoSample:
        if info.is_required():
            raise
        return info.get_default(call_default_factory=True, validated_data={})


def found_values(declaration: Declaration, values: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Values of fields with which an item is found by a query of these values, which may be operators."""
    equal_values: dict[str, Any] = {}
    for name, value in values.items():
        if name in declaration.fields:
            annotation = declaration.fields[name].annotation
            if value is None and not field_type(annotation).optional:
                continue
            equal_values[name] = (
                _accepted(annotation, value, number) if isinstance(value, Operator) else value
            )
    return equal_values


def condition_values(condition: Condition | None) -> dict[str, Any]:
    """Values of fields for which a condition holds, as far as it compares single fields with values.

    Example:
        >>> from pksk import F
        >>> condition_values((F.status == "open") & (F.total > 10) & ~F.closed.exists())
        {'status': 'open', 'total': 11, 'closed': None}
    """
    if isinstance(condition, And):
        return {
            name: value for each in condition.conditions for name, value in condition_values(each).items()
        }
    if isinstance(condition, Or):
        return condition_values(condition.conditions[0])
    if isinstance(condition, Not):
        condition = condition.condition
        return _field_value_of(condition, None) if _is_call(condition, "attribute_exists") else {}
    if _is_call(condition, "attribute_not_exists"):
        return _field_value_of(condition, None)
    if isinstance(condition, In) and isinstance(condition.candidates[0], Value):
        return _by_name(condition.operand, condition.candidates[0].source)
    if isinstance(condition, Compare) and isinstance(condition.right, Value):
        moves = {"<": -1, ">": 1, "=": 0, "<=": 0, ">=": 0}
        number = moves.get(condition.operator)
        return (
            {}
            if number is None
            else _by_name(condition.left, moved_value(condition.right.source, number, _DAY))
        )
    return {}


def _is_call(condition: object, name: str) -> bool:
    return isinstance(condition, Call) and condition.name == name


def _field_value_of(condition: Any, value: Any) -> dict[str, Any]:
    return _by_name(condition.operands[0], value)


def _by_name(operand: object, value: Any) -> dict[str, Any]:
    if isinstance(operand, Path) and len(operand.elements) == 1 and isinstance(operand.elements[0], str):
        return {operand.elements[0]: value}
    return {}


def _accepted(annotation: Any, operator: Operator, number: int) -> Any:
    """A value that an operator accepts: a step away from its operand, or the operand itself."""
    first = operator.operands[0]
    if operator.name == "between" and isinstance(first, datetime):
        inside = first + number * _SECOND
        return inside if operator.accepts(inside) else operator.operands[-1]
    steps = [number + 1, -number - 1, 1, -1, 0]
    if operator.name == "begins":
        return _completed(annotation, first, number) if isinstance(first, str) else first
    if operator.name == "between" and number == 0:
        steps = [0]
    for each in steps:
        try:
            value = moved_value(first, each, _DAY) if each and type(first) is not str else first
        except (OverflowError, ValueError):
            continue
        if operator.accepts(value):
            return value
    return operator.operands[-1] if operator.accepts(operator.operands[-1]) else first


def _completed(annotation: Any, start: str, number: int) -> str:
    """A text, or a date as text, that begins with another text."""
    if field_type(annotation).type in (date, datetime):
        return start + "2025-01-01T00:00:00"[len(start) : 10 if field_type(annotation).type is date else None]
    return f"{start}{number}"


def generated_item(
    entity: type[Entity], number: int, values: Mapping[str, Any], size: int | None = None, *, before: int = 0
) -> Entity:
    """An entity that a query of these values finds, of so many bytes if possible.

    Its other fields have values that differ from those of as many items `before` it.
    """
    fixed = found_values(entity.__pksk__, values, number)
    item: Entity = numbered_model(entity, number + before, fixed)
    return of_size(item, size, values)


def values_in_region(query: GeoQuery, count: int) -> Iterator[dict[str, Any]]:
    """The values of so many items that a query by region finds, spread evenly over its cells."""
    found = [number for each in query.cell_plan.cover.ranges for number in each]
    level, of = query.cell_plan.cover.level, query.cells.of
    if of is None and query.entity.__pksk__.fields[query.cells.field].computed:
        raise NoSample(
            f"{query.cells.field!r} is computed, and its type does not name the fields of the position"
        )
    for number in range(count if found else 0):
        cell = GEOHASH.name(found[number * len(found) // count], level)
        if of is None:
            yield {**query.parts, query.cells.field: cell}
            continue
        position = _position_inside(query.region, cell)
        yield {**query.parts, **dict(zip(of, position, strict=True))}


def _position_inside(region: Region, cell: str) -> tuple[float, float]:
    """A position of a cell that is in a region, as far as a few show one."""
    box = decode(cell)
    for up in (0.5, 0.1, 0.9):
        for across in (0.5, 0.1, 0.9):
            position = box.south + up * (box.north - box.south), box.west + across * (box.east - box.west)
            if position in region:
                return position
    return box.centre


def new_entity(entity: Entity) -> Entity:
    """The entity as one that was never stored: with the version that such a one has."""
    fields = type(entity).__pksk__.fields.values()
    first = {each.name: each.default for each in fields if any(isinstance(m, Version) for m in each.markers)}
    return entity.model_copy(update=first)


def of_size(entity: Entity, size: int | None, fixed: Iterable[str] = ()) -> Entity:
    """The entity with so many bytes, if a field that is in no key, and not to be kept, can be as long."""
    declaration = type(entity).__pksk__
    name = next((name for name in declaration.fields if _can_grow(declaration, name, fixed)), None)
    if size is None or name is None:
        return entity
    try:
        short = size - Put(entity).size
    except PkskError:  # a key has no room for a generated value; storing the item raises it again
        return entity
    return entity.model_copy(update={name: _longer(entity, name, short)}) if short > 0 else entity


def _longer(entity: Entity, name: str, count: int) -> Any:
    """A text, bytes or a list with so many bytes more; one element more of a list has an overhead of a byte."""
    value = getattr(entity, name)
    kind = field_type(type(entity).__pksk__.fields[name].annotation).type
    if kind is bytes:
        return (value or b"") + b"x" * count
    return (value or "") + "x" * count if kind is str else [*(value or ()), "x" * max(1, count - 1)]


def _can_grow(declaration: Declaration, name: str, fixed: Iterable[str]) -> bool:
    in_keys = {each for key in declaration.keys.values() for each in key.fields}
    kind = field_type(declaration.fields[name].annotation)
    info = declaration.entity.__pydantic_fields__.get(name)
    is_plain = kind.type in (str, bytes, list[str]) and info is not None and not info.metadata
    return is_plain and name not in in_keys and name not in fixed
