"""How one field goes into an item."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from pksk.model.storing.forms.form import Store
from pksk.model.storing.read_back import Check, in_any_shape
from pksk.model.storing.storable import storable

__all__ = ["ABSENT", "Writer"]


class Absent(Enum):
    """Nothing at all, which is not None."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Writer:
    """The way of a field's values: by `store` or by their own type, and what reads them back.

    Example:
        >>> Writer("n", "n", None, "Order.n", absent_is_none=True, is_set=False).stored(None)
        <Absent.ABSENT: 'absent'>
    """

    name: str
    attribute: str
    store: Store | None
    path: str
    absent_is_none: bool
    is_set: bool
    check: Check | None = None

    def stored(self, value: Any) -> Any:
        """A value as it is stored, or ABSENT; refused where it would be read back as another one."""
        stored = in_any_shape(self.store or storable, value, self.path)
        if self.check is not None:
            self.verify(self.check, value, stored)
        return ABSENT if self.is_absent(stored) else stored

    def verify(self, check: Check, value: Any, stored: Any) -> None:
        """Let a value be checked as it will be read: an empty set, and mostly None, from nothing at all."""
        if not self.is_absent(stored):
            check(value, stored)
        elif value is not None:
            check(value, set() if self.is_set else None)

    def is_absent(self, stored: Any) -> bool:
        """Whether nothing is stored for what a value became: None where nothing is read as None, and an empty set."""
        if stored is None:
            return self.absent_is_none
        return self.is_set and isinstance(stored, (set, list)) and not stored
