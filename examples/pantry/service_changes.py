"""A service in place of itself: at another time, or of another kind, if it is still as it was read."""

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

__all__ = [
    "CheckInId",
    "become_first_food",
    "become_food",
    "change_kind",
    "check_in_first_food",
    "check_in_food",
    "check_in_once",
    "entered",
    "make_first",
    "move_and_pass_first_on",
    "move_first",
    "move_service",
    "pass_first_on",
    "replacement",
    "strike_out_first",
]

_LATER: Final = CLOTHES.model_copy(update={"at": datetime(2022, 9, 14, 11)})
_CARD: Final = CLOTHES.model_copy(update={"category": "Administration", "type_id": "card"})

# All that is ever changed where a service stands. `updated_at` alone does not tell: it is to the minute.
_CHANGES: Final = ("type_id", "items", "valid", "first", "updated_at", "filled_at")


@access(example={"old": CLOTHES, "moved": _LATER})
def move_service(old: Service, moved: Service) -> Transaction[Any]:
    """A service was at another time, and whether it is the first of its client stays as it is."""
    return transaction(*replacement(old, moved))


@access(example={"old": CLOTHES, "other": _CARD})
def change_kind(old: Service, other: Service) -> Put[Service]:
    """A service was of another kind, at the same time: it stays where it is, and costs no transaction."""
    return Put(other).when(_unchanged(old))


def replacement(old: Service, new: Service) -> list[Delete[Service] | Put[Service]]:
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
def check_in_first_food(service: Service, *, once: bool = False) -> Transaction[Any]:
    """The first food of a client, unless there is one already; `once` where its id was given."""
    client = Client.primary.update(client_id=service.client_id).set(first_served=service.at.date())
    return _entered(service, client.when(F.first_served.missing()), once=once)


@access(example={"service": _NEXT})
def check_in_food(service: Service, *, once: bool = False) -> Transaction[Any]:
    """Food that is not the first, as long as there is a first; `once` where its id was given."""
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
    """Food becomes the first of a client who has none."""
    client = Client.primary.update(client_id=heir.client_id).set(first_served=heir.at.date())
    return transaction(_mark(heir), client.when(F.first_served.missing()))


@access(example={"old": _FOOD, "moved": _MOVED})
def move_first(old: Service, moved: Service) -> Transaction[Any]:
    """The first food of a client was on another day, and is still the first."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=moved.at.date())
    return transaction(*replacement(old, moved), client)


@access(example={"old": _FOOD, "moved": _MOVED.model_copy(update={"first": False}), "heir": _NEXT})
def move_and_pass_first_on(old: Service, moved: Service, heir: Service) -> Transaction[Any]:
    """The first food of a client was on another day, after one that is the first now."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=heir.at.date())
    return transaction(*replacement(old, moved), client, _mark(heir))


@access(example={"old": _MISTAKEN, "food": _NEXT.model_copy(update={"first": True})})
def become_first_food(old: Service, food: Service) -> Transaction[Any]:
    """Something else was food, and the client has had none before."""
    client = Client.primary.update(client_id=old.client_id).set(first_served=food.at.date())
    return transaction(*replacement(old, food), client.when(F.first_served.missing()))


@access(example={"old": _MISTAKEN, "food": _NEXT})
def become_food(old: Service, food: Service) -> Transaction[Any]:
    """Something else was food, and not the first, as long as there is a first."""
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
    """Which service was entered under an id that was given; it stays when that is moved or struck out."""

    service_id: Annotated[str, Attribute("svcId")]
    client_id: Annotated[str, Attribute("cId")]
    at: Annotated[NaiveDatetime, Attribute("svcDT")]

    primary = Key("{service_id}")

    @classmethod
    def of(cls, service: Service) -> Put[CheckInId]:
        """That a service is entered, unless its id was before."""
        made = cls(service_id=service.service_id, client_id=service.client_id, at=service.at)
        return Put(made).if_absent()


@access(example={"service": CLOTHES})
def check_in_once(service: Service) -> Transaction[Any]:
    """A service whose id was given, unless it was entered before."""
    return transaction(Service.add(service), CheckInId.of(service))
