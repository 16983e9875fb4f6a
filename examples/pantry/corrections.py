"""Corrections: another date or another kind moves a service, and what never was is struck out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pksk import ConditionFailed, NotFound, Store, TransactionFailed

from .clients import Client
from .desk import ServiceType
from .errors import FirstService, NotAVoucher, ServiceUnknown, TypeUnknown
from .first_service import (
    become_first,
    leave_food,
    move_and_pass_first_on,
    move_first,
    pass_first_on,
    take_first_back,
)
from .given import FOOD
from .services import Service

__all__ = ["correct", "find_service", "strike_out"]


def find_service(db: Store, client_id: str, service_id: str) -> Service:
    """A service of a client by its id, which is not where its key begins: looked for in the history."""
    found = next(
        (each for each in db.iter(Service.history(client_id)) if each.service_id == service_id), None
    )
    if found is None:
        raise ServiceUnknown(client_id, service_id)
    return found


def correct(
    db: Store, service: Service, now: datetime, *, at: datetime | None = None, type_id: str | None = None
) -> Service:
    """Give a service another time, another kind, or both; it stays the same service, with the same id.

    The time is in its key and the category in that of the index. So it is moved: in one transaction it stands at its
    new place and no longer at the old one. What others have changed meanwhile, such as a voucher filled, moves along.

    The first food of a client stays the first while it is the oldest; else the oldest becomes it, in the same
    transaction. What was taken for something else and is food is the first of a client who has none. Where somebody
    changes one of them at the same time, `TransactionFailed` tells: try again.
    """
    stored = _stored(db, service)
    changes: dict[str, Any] = {"updated_at": now}
    if at is not None:
        changes["at"] = at.replace(second=0, microsecond=0)
    if type_id is not None:
        changes |= _of_kind(db, stored, type_id)
    changed = stored.model_copy(update=changes)
    if stored.first and changed.at != stored.at:
        return _move_first(db, stored, changed)
    if stored.category == FOOD != changed.category:
        db.run(leave_food(stored, changed))
        return changed
    if stored.category != FOOD == changed.category and _has_none(db, stored.client_id):
        first = changed.model_copy(update={"first": True})
        db.run(become_first(stored, first))
        return first
    try:
        return db.move(stored, **changes)
    except NotFound as gone:
        raise ServiceUnknown(service.client_id, service.service_id) from gone


def strike_out(db: Store, service: Service, now: datetime) -> Service:
    """Take back a service that was entered by mistake; it stays, and no report counts it.

    If it was the first of its client, the oldest food that is left is the first now, or the next that comes. Where
    somebody changes that one at the same time, nothing is done and `TransactionFailed` tells: try again.
    """
    stored = _stored(db, service)
    try:
        if not stored.first:
            return db.run(Service.strike_out(stored, now))
        heir = _heir(db, stored)
        db.run(pass_first_on(stored, heir, now) if heir else take_first_back(stored, now))
    except ConditionFailed as gone:
        raise ServiceUnknown(service.client_id, service.service_id) from gone
    except TransactionFailed as failed:
        if 0 in failed.failures:
            raise ServiceUnknown(service.client_id, service.service_id) from failed
        raise
    return stored.model_copy(update={"valid": False, "updated_at": now, "fill_pending": None})


def _stored(db: Store, service: Service) -> Service:
    """The service as it is now: since a screen has shown it, it may have become the first of its client."""
    stored = db.get(Service.one(service.client_id, service.at, service.service_id))
    if stored is None or not stored.valid:
        raise ServiceUnknown(service.client_id, service.service_id)
    return stored


def _has_none(db: Store, client_id: str) -> bool:
    client = db.get(Client.one(client_id).consistently())
    return client is not None and client.first_served is None


def _move_first(db: Store, first: Service, moved: Service) -> Service:
    heir = _heir(db, first)
    if heir is not None and _age(heir) < _age(moved):
        moved = moved.model_copy(update={"first": False})
        db.run(move_and_pass_first_on(first, moved, heir))
    else:
        db.run(move_first(first, moved))
    return moved


def _age(service: Service) -> tuple[datetime, str]:
    return service.at, service.service_id


def _heir(db: Store, service: Service) -> Service | None:
    """The oldest food of a client besides this one."""
    history = db.iter(Service.history(service.client_id).consistently())
    food = (each for each in history if each.category == FOOD)
    rest = (each for each in food if each.service_id != service.service_id)
    return min(rest, key=_age, default=None)


def _of_kind(db: Store, service: Service, type_id: str) -> dict[str, Any]:
    kind = db.get(ServiceType.one(type_id))
    if kind is None:
        raise TypeUnknown(type_id)
    if kind.voucher != (service.fill_voucher is not None):
        raise NotAVoucher(type_id, voucher=service.fill_voucher)
    if service.first and kind.category != FOOD:
        raise FirstService(service)
    return {
        "type_id": type_id,
        "category": kind.category,
        "name": kind.name,
        "usda": kind.usda,
        "buttons": kind.buttons,
    }
