"""A service in place of itself: at another time, or of another kind, if it is still as it was read."""

from __future__ import annotations

from datetime import datetime
from functools import reduce
from operator import and_
from typing import Any, Final

from pksk import Delete, F, Put, Transaction, access, transaction
from pksk.expressions import Condition

from .services import CLOTHES, Service

__all__ = ["change_kind", "move_service", "replaced"]

_LATER: Final = CLOTHES.model_copy(update={"at": datetime(2022, 9, 14, 11)})
_CARD: Final = CLOTHES.model_copy(update={"category": "Administration", "type_id": "card"})

# All that is ever changed where a service stands. `updated_at` alone does not tell: it is to the minute.
_CHANGES: Final = ("type_id", "items", "valid", "first", "updated_at", "filled_at")


@access(example={"old": CLOTHES, "moved": _LATER})
def move_service(old: Service, moved: Service) -> Transaction[Any]:
    """A service was at another time, and whether it is the first of its client stays as it is."""
    return transaction(*replaced(old, moved))


@access(example={"old": CLOTHES, "other": _CARD})
def change_kind(old: Service, other: Service) -> Put[Service]:
    """A service was of another kind, at the same time: it stays where it is, and costs no transaction."""
    return Put(other).when(_unchanged(old))


def replaced(old: Service, new: Service) -> list[Delete[Service] | Put[Service]]:
    """A service in place of another, as members of a transaction."""
    if new.at == old.at:
        return [change_kind(old, new)]
    gone = Service.primary.delete(client_id=old.client_id, at=old.at, service_id=old.service_id)
    return [gone.when(_unchanged(old)), Put(new).if_absent()]


def _unchanged(read: Service) -> Condition:
    return reduce(and_, (_still(name, getattr(read, name)) for name in _CHANGES))


def _still(name: str, value: object) -> Condition:
    field: Any = getattr(F, name)
    held: Condition = field.missing() if value is None else field == value
    return held
