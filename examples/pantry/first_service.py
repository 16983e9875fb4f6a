"""The first food of a client, by which reports know who is new: one service is it, and the client knows.

Two desks that check in the same client at once must not both enter the first service. So the client has the day of
it, and both are written together. Who enters food that is not the first asks that there still is one: the client may
have been read before another desk took it back.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from pydantic import NaiveDatetime

from pksk import Check, F, Transaction, Update, access, transaction

from .clients import Client
from .entered import Entered
from .given import FOOD
from .moves import replaced
from .services import CLOTHES, Service

__all__ = [
    "become_first",
    "become_food",
    "enter_first",
    "enter_next",
    "make_first",
    "move_and_pass_first_on",
    "move_first",
    "pass_first_on",
    "take_first_back",
]

_FOOD: Final = CLOTHES.model_copy(
    update={"service_id": "cl7r5a1xk0000", "category": FOOD, "type_id": "food-1", "first": True}
)
_NEXT: Final = _FOOD.model_copy(
    update={"at": datetime(2022, 9, 14, 11), "service_id": "cl7r5a1xk0007", "first": False}
)
_MOVED: Final = _FOOD.model_copy(update={"at": datetime(2022, 9, 21, 9)})
# What was entered as clothes, and was this food.
_MISTAKEN: Final = CLOTHES.model_copy(update={"at": _NEXT.at, "service_id": _NEXT.service_id})


@access(example={"service": _FOOD})
def enter_first(service: Service, *, once: bool = False) -> Transaction[Any]:
    """The first food of a client, unless there is one already; `once` where its id was given."""
    client = Client.primary.update(client_id=service.client_id).set(first_served=service.at.date())
    return _entered(service, client.when(F.first_served.missing()), once=once)


@access(example={"service": _NEXT})
def enter_next(service: Service, *, once: bool = False) -> Transaction[Any]:
    """Food that is not the first, as long as there is a first; `once` where its id was given."""
    return _entered(service, _has_first(service.client_id), once=once)


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


@access(example={"heir": _NEXT})
def make_first(heir: Service) -> Transaction[Any]:
    """Food becomes the first of a client who has none."""
    client = Client.primary.update(client_id=heir.client_id).set(first_served=heir.at.date())
    return transaction(_mark(heir), client.when(F.first_served.missing()))


@access(example={"old": _FOOD, "moved": _MOVED})
def move_first(old: Service, moved: Service) -> Transaction[Any]:
    """The first food of a client was on another day, and is still the first."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=moved.at.date())
    return transaction(*replaced(old, moved), client)


@access(example={"old": _FOOD, "moved": _MOVED.model_copy(update={"first": False}), "heir": _NEXT})
def move_and_pass_first_on(old: Service, moved: Service, heir: Service) -> Transaction[Any]:
    """The first food of a client was on another day, after one that is the first now."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=heir.at.date())
    return transaction(*replaced(old, moved), client, _mark(heir))


@access(example={"old": _MISTAKEN, "food": _NEXT.model_copy(update={"first": True})})
def become_first(old: Service, food: Service) -> Transaction[Any]:
    """Something else was food, and the client has had none before."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=food.at.date())
    return transaction(*replaced(old, food), client.when(F.first_served.missing()))


@access(example={"old": _MISTAKEN, "food": _NEXT})
def become_food(old: Service, food: Service) -> Transaction[Any]:
    """Something else was food, and not the first, as long as there is a first."""
    return transaction(*replaced(old, food), _has_first(old.client_id))


def _entered(service: Service, client: Update[Client] | Check[Client], *, once: bool) -> Transaction[Any]:
    members: list[Any] = [Service.add(service), client]
    return transaction(*members, *([Entered.of(service)] if once else []))


def _has_first(client_id: str) -> Check[Client]:
    return Client.primary.check(client_id=client_id).when(F.first_served.exists())


def _mark(heir: Service) -> Update[Service]:
    still_food = (F.valid == True) & (F.category == FOOD)  # noqa: E712
    return heir.change().set(first=True).when(still_food)
