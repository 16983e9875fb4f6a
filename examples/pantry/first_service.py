"""The first food of a client, by which reports know who is new: one service is it, and the client knows.

Two desks that check in the same client at once must not both enter the first service. So the client has the day of
it, and both are written together.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from pydantic import NaiveDatetime

from pksk import Delete, F, Put, Transaction, access, transaction

from .clients import Client
from .services import Service

__all__ = ["enter_first", "move_and_pass_first_on", "move_first", "pass_first_on", "take_first_back"]

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


@access(example={"service": _FOOD})
def enter_first(service: Service) -> Transaction[Any]:
    """The first food of a client, unless there is one already."""
    client = Client.primary.update(client_id=service.client_id).set(first_served=service.at.date())
    return transaction(Put(service).if_absent(), client.when(F.first_served.missing()))


@access(example={"struck": _FOOD, "heir": _NEXT})
def pass_first_on(struck: Service, heir: Service, now: NaiveDatetime) -> Transaction[Any]:
    """The first food of a client is struck out, and another one is the first."""
    client = Client.primary.update(client_id=struck.client_id).set(first_served=heir.at.date())
    mark = heir.change().set(first=True).when(F.valid == True)  # noqa: E712
    return transaction(Service.strike_out(struck, now), mark, client)


@access(example={"struck": _FOOD})
def take_first_back(struck: Service, now: NaiveDatetime) -> Transaction[Any]:
    """The only food of a client is struck out: the next one will be the first."""
    client = Client.primary.update(client_id=struck.client_id).remove("first_served")
    return transaction(Service.strike_out(struck, now), client)


@access(example={"old": _FOOD, "moved": _MOVED})
def move_first(old: Service, moved: Service) -> Transaction[Any]:
    """The first food of a client was on another day, and is still the first."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=moved.at.date())
    return transaction(_taken_away(old), Put(moved).if_absent(), client)


@access(example={"old": _FOOD, "moved": _MOVED, "heir": _NEXT})
def move_and_pass_first_on(old: Service, moved: Service, heir: Service) -> Transaction[Any]:
    """The first food of a client was on another day, after one that is the first now."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=heir.at.date())
    mark = heir.change().set(first=True).when(F.valid == True)  # noqa: E712
    return transaction(_taken_away(old), Put(moved).if_absent(), client, mark)


def _taken_away(old: Service) -> Delete[Service]:
    """From its place, if it is still as it was read: whatever changes a service sets `updated_at`, or fills it."""
    gone = Service.primary.delete(client_id=old.client_id, at=old.at, service_id=old.service_id)
    updated = F.updated_at.missing() if old.updated_at is None else F.updated_at == old.updated_at
    filled = F.filled_at.missing() if old.filled_at is None else F.filled_at == old.filled_at
    return gone.when((F.first == True) & (F.valid == True) & updated & filled)  # noqa: E712
