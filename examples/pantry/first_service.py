"""The first food of a client, by which reports know who is new: one service is it, and the client knows.

Two desks that check in the same client at once must not both enter the first service. So the client has the day of
it, and both are written together.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from pydantic import NaiveDatetime

from pksk import Delete, F, Put, Transaction, Update, access, transaction
from pksk.expressions import Condition

from .clients import Client
from .given import FOOD
from .services import Service

__all__ = [
    "become_first",
    "enter_first",
    "leave_food",
    "move_and_pass_first_on",
    "move_first",
    "pass_first_on",
    "take_first_back",
]

_FOOD: Final = Service(
    client_id="12305",
    at=datetime(2022, 9, 7, 10, 15),
    service_id="cl7r5a1xk0000",
    category="Food_Pantry",
    type_id="food-1",
    first=True,
)
_NEXT: Final = _FOOD.model_copy(
    update={"at": datetime(2022, 9, 14, 11), "service_id": "cl7r5a1xk0007", "first": False}
)
_MOVED: Final = _FOOD.model_copy(update={"at": datetime(2022, 9, 21, 9)})
_CLOTHES: Final = _NEXT.model_copy(update={"category": "Clothes_Closet", "type_id": "clothes"})


@access(example={"service": _FOOD})
def enter_first(service: Service) -> Transaction[Any]:
    """The first food of a client, unless there is one already."""
    client = Client.primary.update(client_id=service.client_id).set(first_served=service.at.date())
    return transaction(Put(service).if_absent(), client.when(F.first_served.missing()))


@access(example={"struck": _FOOD, "heir": _NEXT})
def pass_first_on(struck: Service, heir: Service, now: NaiveDatetime) -> Transaction[Any]:
    """The first food of a client is struck out, and another one is the first."""
    client = Client.primary.update(client_id=struck.client_id).set(first_served=heir.at.date())
    return transaction(Service.strike_out(struck, now), _mark(heir), client)


@access(example={"struck": _FOOD})
def take_first_back(struck: Service, now: NaiveDatetime) -> Transaction[Any]:
    """The only food of a client is struck out: the next one will be the first."""
    client = Client.primary.update(client_id=struck.client_id).remove("first_served")
    return transaction(Service.strike_out(struck, now), client)


@access(example={"old": _FOOD, "moved": _MOVED})
def move_first(old: Service, moved: Service) -> Transaction[Any]:
    """The first food of a client was on another day, and is still the first."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=moved.at.date())
    return transaction(*_replaced(old, moved), client)


@access(example={"old": _FOOD, "moved": _MOVED, "heir": _NEXT})
def move_and_pass_first_on(old: Service, moved: Service, heir: Service) -> Transaction[Any]:
    """The first food of a client was on another day, after one that is the first now."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=heir.at.date())
    return transaction(*_replaced(old, moved), client, _mark(heir))


@access(example={"old": _CLOTHES, "food": _NEXT.model_copy(update={"first": True})})
def become_first(old: Service, food: Service) -> Transaction[Any]:
    """Something else was food, and the client has had none before."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=food.at.date())
    return transaction(*_replaced(old, food), client.when(F.first_served.missing()))


@access(example={"old": _NEXT, "other": _CLOTHES})
def leave_food(old: Service, other: Service) -> Transaction[Any]:
    """Food was something else, and is not the first: unless it has become it since it was read."""
    return transaction(*_replaced(old, other))


def _mark(heir: Service) -> Update[Service]:
    still_food = (F.valid == True) & (F.category == FOOD)  # noqa: E712
    return heir.change().set(first=True).when(still_food)


def _replaced(old: Service, new: Service) -> list[Delete[Service] | Put[Service]]:
    """A service in place of another, if that is still as it was read; where the key is the same, it stays."""
    if new.at == old.at:
        return [Put(new).when(_unchanged(old))]
    gone = Service.primary.delete(client_id=old.client_id, at=old.at, service_id=old.service_id)
    return [gone.when(_unchanged(old)), Put(new).if_absent()]


def _unchanged(read: Service) -> Condition:
    """Whatever changes a service sets `updated_at`, or fills it, or makes it the first."""
    updated = F.updated_at.missing() if read.updated_at is None else F.updated_at == read.updated_at
    filled = F.filled_at.missing() if read.filled_at is None else F.filled_at == read.filled_at
    return (F.valid == True) & (F.first == read.first) & updated & filled  # noqa: E712
