"""Refuses a value that would not be read back as it is: nobody has to trust that an entity was validated.

Pydantic validates an entity when it is made, and not what is done to it later: `order.total = "many"`,
`order.tags.append(5)`, `model_copy(update=...)`, `model_construct(...)`. Validating once more would run validators of
the author's on values that they have given already, which need not accept them. So what is asked is what counts: is
the item read as this entity?
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from pydantic import ValidationError

from pksk.errors import InvalidValue, quote
from pksk.model.storing.forms.alike import alike
from pksk.model.storing.forms.form import Store
from pksk.model.storing.forms.same import same
from pksk.model.storing.storable import storable
from pksk.values import from_wire, to_wire

__all__ = [
    "FIX",
    "Check",
    "ReadBack",
    "certain",
    "in_any_shape",
    "refuse_other",
    "refuse_unfit",
    "refuse_unread",
]

Check = Callable[[Any, Any], None]
Reader = Callable[[Any], Any]

FIX = (
    "declare the type that is meant instead of Any or a wider one, let a validator accept what it gave, "
    "or give a value that the field can hold."
)


class ReadBack:
    """Reads the stored values of one field, and compares them with what they were stored for.

    Example:
        >>> check = ReadBack("Order.total", lambda: int).check
        >>> check(5, "5")
        >>> check("5", "5")
        Traceback (most recent call last):
        pksk.errors.InvalidValue: Order.total: '5' would be read back as 5.
        ...
    """

    def __init__(
        self, path: str, make: Callable[[], Reader], is_same: Callable[[Any, Any], bool] = alike
    ) -> None:
        self.path, self._make, self._is_same = path, make, is_same
        self._reader: Reader | None = None

    def check(self, value: Any, stored: Any) -> None:
        """Refuse a value, given as it is and as it is stored."""
        # A validator is made when it is first needed: most fields are checked by their type alone.
        read = self._reader
        if read is None:
            read = self._reader = self._make()
        try:
            fits = self._is_same(value, read(stored))
        except Exception:  # whatever it is, the words for it are found below
            fits = False
        if not fits:
            self._check_wire(read, value, stored)

    def _check_wire(self, read: Reader, value: Any, stored: Any) -> None:
        """The same by what an item holds, where 3.0 has become 3: the last word, and the words for it."""
        try:
            # Nothing is stored for an empty set, and read as one.
            back = read(stored if stored == set() else from_wire(to_wire(stored)))
        except ValidationError as error:
            refuse_unfit(self.path, value, error)
        except InvalidValue:
            return  # refused with its place when the item is made
        except Exception as error:
            refuse_unread(self.path, value, error)
        if not self._is_same(value, back):
            refuse_other(self.path, value, back)


def certain(store: Store, make: Callable[[], Reader]) -> Store:
    """Stores a value only if exactly that one comes back, type by type: for fields that can hold several types."""
    made: list[Reader] = []

    def stored_surely(value: Any, path: str) -> Any:
        stored = in_any_shape(store, value, path)
        if not made:
            made.append(make())
        try:
            back = made[0](from_wire(to_wire(stored)))
        except InvalidValue:
            return stored  # refused with its place when the item is made
        except Exception as error:
            refuse_unread(path, value, error)
        if not same(value, back):
            refuse_other(path, value, back)
        return stored

    return stored_surely


def in_any_shape(store: Store, value: Any, path: str) -> Any:
    """A value as its field stores it; by its own type where it is not what the field is declared to hold."""
    try:
        return store(value, path)
    except InvalidValue:
        raise
    except (TypeError, AttributeError, ValueError, LookupError):
        return storable(value, path)


def refuse_other(path: str, value: Any, back: Any) -> NoReturn:
    """Refuse a value that would become another one."""
    raise InvalidValue(
        "entity-inexact", f"{path}: {quote(value)} would be read back as {quote(back)}.", fix=FIX
    )


def refuse_unread(path: str, value: Any, error: Exception) -> NoReturn:
    """Refuse a value that cannot be read back, whatever the validators of its field have raised."""
    said = (
        error.errors()[0]["msg"] if isinstance(error, ValidationError) else f"{type(error).__name__}: {error}"
    )
    problem = f"{path}: {quote(value)} cannot be read back: {said}."
    raise InvalidValue("entity-inexact", problem, fix=FIX) from error


def refuse_unfit(path: str, value: Any, error: ValidationError) -> NoReturn:
    """Refuse a value that its own field does not take."""
    first = error.errors()[0]
    inside = "".join(f"[{step!r}]" for step in first["loc"])
    entity, _, field = path.partition(".")
    raise InvalidValue(
        "field-value",
        f"{path}: {quote(value)} does not fit: {inside}{': ' if inside else ''}{first['msg']}.",
        fix=f"give {field!r} a value that {entity} itself accepts.",
    ) from error
