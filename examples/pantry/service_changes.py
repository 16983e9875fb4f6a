"""The transactions that change a service together with what depends on it.

The first food of a client is marked, and the client has its day, so that reports know who is new. Two desks that
check in the same client at once must not both enter the first service, so both items are written together. Food
that is not the first is entered on condition that there is a first: another desk may have struck it out since the
client was read.

A service with an id of the caller's gets a small item under that id alone. The time is part of a service's key, so
the same id a minute later would otherwise be another item.
"""

from __future__ import annotations

from datetime import datetime
from functools import reduce
from operator import and_
from typing import Annotated, Any, Final

from pydantic import NaiveDatetime

from pksk import (
    Attribute,
    Check,
    Delete,
    Entity,
    F,
    Key,
    Put,
    Table,
    Transaction,
    Update,
    access,
    transaction,
)
from pksk.expressions import Condition

from .clients import Client
from .services import CLOTHES, FOOD, Service

_LATER: Final = CLOTHES.model_copy(update={"at": datetime(2022, 9, 14, 11)})
_CARD: Final = CLOTHES.model_copy(update={"category": "Administration", "type_id": "card"})

# All fields that change without moving the service. `updated_at` alone is not enough: it has minutes only.
_CHANGES: Final = ("type_id", "items", "valid", "first", "updated_at", "filled_at")


@access(example={"old": CLOTHES, "moved": _LATER})
def move_service(old: Service, moved: Service) -> Transaction[Any]:
    """Move a service to another time; whether it is the first of its client stays as it is."""
    return transaction(*replacement(old, moved))


@access(example={"old": CLOTHES, "other": _CARD})
def change_kind(old: Service, other: Service) -> Put[Service]:
    """Change the type of a service at the same time; it stays in place and needs no transaction."""
    return Put(other).when(_unchanged(old))


def replacement(old: Service, new: Service) -> list[Delete[Service] | Put[Service]]:
    """The members of a transaction that replace a service by another."""
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


_FOOD: Final = CLOTHES.model_copy(
    update={"service_id": "cl7r5a1xk0000", "category": FOOD, "type_id": "food-1", "first": True}
)
_NEXT: Final = _FOOD.model_copy(
    update={"at": datetime(2022, 9, 14, 11), "service_id": "cl7r5a1xk0007", "first": False}
)
_MOVED: Final = _FOOD.model_copy(update={"at": datetime(2022, 9, 21, 9)})
# What was entered as clothes, and was this food.
_MISTAKEN: Final = CLOTHES.model_copy(update={"at": _NEXT.at, "service_id": _NEXT.service_id})


@access(rate="5,000/year", example={"service": _FOOD})
def check_in_first_food(service: Service, *, once: bool = False) -> Transaction[Any]:
    """Enter the first food of a client, unless there is one already; `once` if the caller gave an id."""
    client = Client.primary.update(client_id=service.client_id).set(first_served=service.at.date())
    return _entered(service, client.when(F.first_served.missing()), once=once)


@access(rate="40,000/year", example={"service": _NEXT})
def check_in_food(service: Service, *, once: bool = False) -> Transaction[Any]:
    """Enter food that is not the first, if there is a first; `once` if the caller gave an id."""
    return _entered(service, _has_first(service.client_id), once=once)


@access(example={"struck": _FOOD, "heir": _NEXT})
def pass_first_on(struck: Service, heir: Service, now: NaiveDatetime) -> Transaction[Any]:
    """The first food of a client is struck out, and another one is the first."""
    client = Client.primary.update(client_id=struck.client_id).set(first_served=heir.at.date())
    return transaction(Service.strike_out(struck, now), _mark(heir), client)


@access(example={"struck": _FOOD})
def strike_out_first(struck: Service, now: NaiveDatetime) -> Transaction[Any]:
    """The only food of a client is struck out: the next one will be the first."""
    client = Client.primary.update(client_id=struck.client_id).remove("first_served")
    return transaction(Service.strike_out(struck, now), client)


@access(example={"heir": _NEXT})
def make_first(heir: Service) -> Transaction[Any]:
    """Make food the first of a client who has none."""
    client = Client.primary.update(client_id=heir.client_id).set(first_served=heir.at.date())
    return transaction(_mark(heir), client.when(F.first_served.missing()))


@access(example={"old": _FOOD, "moved": _MOVED})
def move_first(old: Service, moved: Service) -> Transaction[Any]:
    """Move the first food of a client to another day; it is still the first."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=moved.at.date())
    return transaction(*replacement(old, moved), client)


@access(example={"old": _FOOD, "moved": _MOVED.model_copy(update={"first": False}), "heir": _NEXT})
def move_and_pass_first_on(old: Service, moved: Service, heir: Service) -> Transaction[Any]:
    """Move the first food of a client to another day, after other food that becomes the first."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=heir.at.date())
    return transaction(*replacement(old, moved), client, _mark(heir))


@access(example={"old": _MISTAKEN, "food": _NEXT.model_copy(update={"first": True})})
def become_first_food(old: Service, food: Service) -> Transaction[Any]:
    """Change another service to food, the first of a client who has had none."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=food.at.date())
    return transaction(*replacement(old, food), client.when(F.first_served.missing()))


@access(example={"old": _MISTAKEN, "food": _NEXT})
def become_food(old: Service, food: Service) -> Transaction[Any]:
    """Change another service to food that is not the first, if there is a first."""
    return transaction(*replacement(old, food), _has_first(old.client_id))


def _entered(service: Service, client: Update[Client] | Check[Client], *, once: bool) -> Transaction[Any]:
    members: list[Any] = [Service.add(service), client]
    return transaction(*members, *([CheckInId.of(service)] if once else []))


def _has_first(client_id: str) -> Check[Client]:
    return Client.primary.check(client_id=client_id).when(F.first_served.exists())


def _mark(heir: Service) -> Update[Service]:
    still_food = (F.valid == True) & (F.category == FOOD)  # noqa: E712
    return heir.change().set(first=True).when(still_food)


entered = Table("entered", pk="svcId", sk=None, discriminator=None)


class CheckInId(Entity, table=entered):
    """The service that was entered under a caller's id; it stays when the service is moved or struck out."""

    service_id: Annotated[str, Attribute("svcId")]
    client_id: Annotated[str, Attribute("cId")]
    at: Annotated[NaiveDatetime, Attribute("svcDT")]

    primary = Key("{service_id}")

    @classmethod
    def of(cls, service: Service) -> Put[CheckInId]:
        """Record that a service is entered, unless its id was entered before."""
        check_in_id = cls(service_id=service.service_id, client_id=service.client_id, at=service.at)
        return Put(check_in_id).if_absent()


@access(example={"service": CLOTHES})
def check_in_once(service: Service) -> Transaction[Any]:
    """Enter a service with a caller's id, unless it was entered before."""
    return transaction(Service.add(service), CheckInId.of(service))
