"""Rejects values that would not be read back unchanged, so that entities need not be validated before a write."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from operator import eq
from typing import Any, NoReturn
from uuid import UUID

from pydantic import BaseModel, ValidationError

from pksk.errors import InvalidValue, quote
from pksk.model.storing.forms import Store
from pksk.model.storing.stored_value import stored_value
from pksk.values import from_wire, to_wire
from pksk.values.instants import in_utc


def is_identical(left: Any, right: Any) -> bool:
    """Whether two values are equal and of the same types; 1 and 1.0 are not.

    Example:
        >>> is_identical([1, {"a"}], [1, {"a"}]), is_identical(1, 1.0), is_identical({1: "a"}, {True: "a"})
        (True, False, False)
    """
    if type(left) is not type(right):
        return False
    compare = next((each for kind, each in _IDENTICAL_BY_TYPE if isinstance(left, kind)), None)
    if compare is not None:
        return compare(left, right)
    if is_dataclass(left) and not isinstance(left, type):
        return all(is_identical(getattr(left, each.name), getattr(right, each.name)) for each in fields(left))
    return bool(left == right)


def _identical_in_order(left: Any, right: Any) -> bool:
    return len(left) == len(right) and all(map(is_identical, left, right))


def _identical_by_name(left: dict[Any, Any], right: dict[Any, Any]) -> bool:
    kinds = {(type(key), key) for key in right}
    return len(left) == len(right) and all(
        (type(key), key) in kinds and is_identical(member, right[key]) for key, member in left.items()
    )


def _identical_in_any_order(left: Any, right: Any) -> bool:
    return {(type(each), each) for each in left} == {(type(each), each) for each in right}


def _identical_fields(left: BaseModel, right: BaseModel) -> bool:
    names = type(left).__pydantic_fields__
    return all(
        is_identical(left.__dict__.get(name), right.__dict__.get(name)) for name in names
    ) and is_identical(left.__pydantic_extra__, right.__pydantic_extra__)


def _same_time(left: datetime, right: datetime) -> bool:
    if left.utcoffset() is None or right.utcoffset() is None:
        return left == right
    # In a time that a change of clocks skips or repeats, Python calls no two zones equal.
    return in_utc(left) == in_utc(right)


_IDENTICAL_BY_TYPE: tuple[tuple[Any, Callable[[Any, Any], bool]], ...] = (
    (BaseModel, _identical_fields),
    (datetime, _same_time),
    (dict, _identical_by_name),
    ((set, frozenset), _identical_in_any_order),
    ((list, tuple, deque), _identical_in_order),
)


def unknown_names(value: BaseModel) -> list[str]:
    """The names of values that belong to no field; private names and results of cached properties do not count."""
    kind = type(value)
    known = kind.__pydantic_fields__
    if len(value.__dict__) <= len(known) and value.__dict__.keys() <= known.keys():
        return []
    return [name for name in value.__dict__ if name not in known and not _is_cached_property(kind, name)]


def _is_cached_property(kind: type[BaseModel], name: str) -> bool:
    """Whether a descriptor of the class stores its result under this name, as functools.cached_property does."""
    if name.startswith("_"):
        return True
    attribute: Any = next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)
    return all(hasattr(attribute, each) for each in ("__get__", "__set_name__")) and not hasattr(
        attribute, "__set__"
    )


# Types whose values are the same if they are equal in Python.
_LEAVES = frozenset((str, int, float, Decimal, bytes, date, time, UUID, type(None)))


def survives_round_trip(value: Any, back: Any) -> bool:
    """Whether both are equal at every level; the types may differ if both have the same wire value.

    3 is what a Decimal field holds by `total: Decimal = 3`, and it is read back as Decimal(3). But a read must not find
    True in a number: DynamoDB has two types for them.

    Example:
        >>> from decimal import Decimal
        >>> survives_round_trip(3, Decimal(3)), survives_round_trip(True, 1), survives_round_trip([1, (2,)], [1, [2]])
        (True, False, False)
    """
    kind: Any = type(back)
    if kind is type(value) and kind in _LEAVES:
        return bool(value == back)
    if isinstance(value, bool) is not isinstance(back, bool):
        return False
    for family, compare in _EQUAL_BY_TYPE:
        if isinstance(value, family) and isinstance(back, family):
            return compare(value, back)
    if kind is type(value) and is_dataclass(value):
        return _equal_attributes(value, back)
    return isinstance(value, kind) and bool(value == back)


def _equal_attributes(value: Any, back: Any) -> bool:
    return all(
        survives_round_trip(getattr(value, each.name), getattr(back, each.name)) for each in fields(back)
    )


def _equal_in_order(value: Any, back: Any) -> bool:
    return len(value) == len(back) and all(map(survives_round_trip, value, back))


def _equal_by_name(value: dict[Any, Any], back: dict[Any, Any]) -> bool:
    if len(value) != len(back) or not _equal_in_any_order(value.keys(), back.keys()):
        return False
    return all(survives_round_trip(member, back[name]) for name, member in value.items())


def _equal_in_any_order(value: Any, back: Any) -> bool:
    # True and 1 are the same member of a set in Python, so only their types distinguish them.
    bools = {each for each in value if isinstance(each, bool)}
    return bool(value == back) and all(isinstance(each, bool) is (each in bools) for each in back)


def _equal_fields(value: BaseModel, back: BaseModel) -> bool:
    here, there = value.__dict__, back.__dict__
    if type(value) is not type(back) or (len(here) != len(there) and unknown_names(value)):
        return False
    for name, member in there.items():
        if name not in here or not survives_round_trip(here[name], member):
            return False
    extra = value.__pydantic_extra__
    return extra is back.__pydantic_extra__ or is_identical(extra, back.__pydantic_extra__)


_EQUAL_BY_TYPE: tuple[tuple[Any, Callable[[Any, Any], bool]], ...] = (
    (list, _equal_in_order),
    (dict, _equal_by_name),
    ((set, frozenset), _equal_in_any_order),
    (BaseModel, _equal_fields),
    (datetime, _same_time),
    (tuple, _equal_in_order),
    (deque, _equal_in_order),
    # Both are stored alike.
    ((int, float, Decimal), eq),
    ((bytes, bytearray, memoryview), eq),
    (str, eq),
)


Check = Callable[[Any, Any], None]
Reader = Callable[[Any], Any]

FIX = (
    "declare the exact type instead of Any or a wider one, let validators accept their own output, "
    "or pass a value that the field can hold."
)


class ReadBack:
    """Reads stored values of one field back, and compares them with the original values."""

    def __init__(
        self, path: str, make: Callable[[], Reader], is_same: Callable[[Any, Any], bool] = survives_round_trip
    ) -> None:
        self.path, self._make, self._is_same = path, make, is_same
        self._reader: Reader | None = None

    def check(self, value: Any, stored: Any) -> None:
        """Reject a value whose stored form would not be read back as the same value."""
        # The validator is created on first use. Comparing the stored value before that of the item saves 13 % of
        # a put with nested values.
        read = self._reader
        if read is None:
            read = self._reader = self._make()
        try:
            fits = self._is_same(value, read(stored))
        except Exception:  # _check_wire raises the precise error
            fits = False
        if not fits:
            self._check_wire(read, value, stored)

    def _check_wire(self, read: Reader, value: Any, stored: Any) -> None:
        """The same check on the wire value, in which 3.0 is 3; it decides, and raises the precise error."""
        try:
            # An empty set is not stored, and a missing attribute is read as one.
            back = read(stored if stored == set() else from_wire(to_wire(stored)))
        except ValidationError as error:
            reject_invalid_value(self.path, value, error)
        except InvalidValue:
            return  # rejected with its path when the item is made
        except Exception as error:
            reject_unreadable_value(self.path, value, error)
        if not self._is_same(value, back):
            reject_changed_value(self.path, value, back)


def exact_store(store: Store, make: Callable[[], Reader]) -> Store:
    """Stores a value only if it is read back with the same type: for fields that can have several types."""
    readers: list[Reader] = []

    def store_exactly(value: Any, path: str) -> Any:
        stored = store_any_value(store, value, path)
        if not readers:
            readers.append(make())
        try:
            back = readers[0](from_wire(to_wire(stored)))
        except InvalidValue:
            return stored  # rejected with its path when the item is made
        except Exception as error:
            reject_unreadable_value(path, value, error)
        if not is_identical(value, back):
            reject_changed_value(path, value, back)
        return stored

    return store_exactly


def store_any_value(store: Store, value: Any, path: str) -> Any:
    """The stored form of a value by its field, or by its own type if it does not have the declared type."""
    try:
        return store(value, path)
    except InvalidValue:
        raise
    except (TypeError, AttributeError, ValueError, LookupError):
        return stored_value(value, path)


def reject_changed_value(path: str, value: Any, back: Any) -> NoReturn:
    """Raise the error for a value that would be read back as another value."""
    raise InvalidValue(
        "entity-inexact", f"{path}: {quote(value)} would be read back as {quote(back)}.", fix=FIX
    )


def reject_unreadable_value(path: str, value: Any, error: Exception) -> NoReturn:
    """Raise the error for a value that cannot be read back because a validator raises."""
    reason = (
        error.errors()[0]["msg"] if isinstance(error, ValidationError) else f"{type(error).__name__}: {error}"
    )
    problem = f"{path}: {quote(value)} cannot be read back: {reason}."
    raise InvalidValue("entity-inexact", problem, fix=FIX) from error


def reject_invalid_value(path: str, value: Any, error: ValidationError) -> NoReturn:
    """Raise the error for a value that its field does not accept."""
    first = error.errors()[0]
    inside = "".join(f"[{step!r}]" for step in first["loc"])
    entity, _, field = path.partition(".")
    raise InvalidValue(
        "field-value",
        f"{path}: {quote(value)} does not fit: {inside}{': ' if inside else ''}{first['msg']}.",
        fix=f"give {field!r} a value that {entity} itself accepts.",
    ) from error
