"""Corrections: change the time or type of a service, or strike it out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final, TypeVar

from pksk import ConditionFailed, Store, TransactionFailed

from ..clients import Client
from ..desk import ServiceType
from ..errors import (
    ChangedMeanwhile,
    FilledBeforeIssued,
    FirstService,
    NotAVoucher,
    ServiceUnknown,
    TypeUnknown,
    check_year,
    validated,
)
from ..service_changes import (
    become_first_food,
    become_food,
    change_kind,
    make_first,
    move_and_pass_first_on,
    move_first,
    move_service,
    pass_first_on,
    strike_out_first,
)
from ..services import FOOD, Service

T = TypeVar("T")

_TRIES: Final = 5


def find_service(db: Store, client_id: str, service_id: str) -> Service:
    """A service of a client by its id, found in the history, since no key begins with it."""
    service = next(
        (each for each in db.iter(Service.history(client_id)) if each.service_id == service_id), None
    )
    if service is None:
        raise ServiceUnknown(client_id, service_id)
    return service


def correct(
    db: Store, service: Service, now: datetime, *, at: datetime | None = None, type_id: str | None = None
) -> Service:
    """Change the time or type of a service, or both; it stays the same service, with the same id.

    The time is part of its key and the category part of the index key. So the service is moved: one transaction
    deletes it at its old key and puts it at the new one. Changes that others made meanwhile, such as filling a
    voucher, are kept.

    When the first food of a client is moved, it stays the first unless other food is now older; then the oldest
    becomes the first, in the same transaction. Other food that is moved before the first does not replace it, until
    the first is moved past it or struck out. A service that is corrected to food becomes the first only if its
    client has none. All of this is conditional on what it depends on; if that changes meanwhile, it is read again,
    and finally `ChangedMeanwhile` is raised.
    """
    return _retry(service, lambda: _correct(db, service, now, at, type_id))


def strike_out(db: Store, service: Service, now: datetime) -> Service:
    """Strike out a service that was entered by mistake; it stays, but no report counts it.

    If it was the first of its client, the oldest remaining food becomes the first, or the next that is entered. If
    one of them changes meanwhile, it is read again, and finally `ChangedMeanwhile` is raised.
    """
    return _retry(service, lambda: _strike_out(db, service, now))


def _retry(service: Service, attempt: Callable[[], T]) -> T:
    """Retry an attempt while others change what it has read."""
    for _ in range(_TRIES):
        try:
            return attempt()
        except (ConditionFailed, TransactionFailed) as changed:
            last = changed
    raise ChangedMeanwhile(service) from last


def _correct(db: Store, service: Service, now: datetime, at: datetime | None, type_id: str | None) -> Service:
    stored = _stored(db, service)
    changed = _changed(db, stored, now, at, type_id)
    if stored.first and changed.at != stored.at:
        return _move_first(db, stored, changed)
    if stored.category != FOOD == changed.category:
        return _become_food(db, stored, changed)
    if changed.at != stored.at:
        db.run(move_service(stored, changed))
        return changed
    return db.run(change_kind(stored, changed))


def _changed(db: Store, stored: Service, now: datetime, at: datetime | None, type_id: str | None) -> Service:
    changes: dict[str, object] = {"updated_at": now}
    if at is not None:
        check_year(at)
        changes["at"] = at.replace(second=0, microsecond=0)
    if type_id is not None:
        changes |= _of_kind(db, stored, type_id)
    changed = validated(Service, stored.model_dump() | changes)
    if changed.filled_at is not None and changed.filled_at < changed.at:
        raise FilledBeforeIssued(changed, changed.at, changed.filled_at)
    return changed


def _strike_out(db: Store, service: Service, now: datetime) -> Service:
    stored = _stored(db, service)
    if not stored.first:
        return db.run(Service.strike_out(stored, now))
    heir = _oldest_other_food(db, stored)
    if heir is not None:
        db.run(pass_first_on(stored, heir, now))
    else:
        db.run(strike_out_first(stored, now))
        # Food that was entered between the two writes is not marked as the first, and no condition can detect that.
        _retry(stored, lambda: _look_for_first(db, stored))
    return stored.model_copy(update={"valid": False, "updated_at": now, "fill_pending": None})


def _look_for_first(db: Store, struck: Service) -> None:
    heir = _oldest_other_food(db, struck)
    if heir is not None and _has_none(db, struck.client_id):
        db.run(make_first(heir))


def _stored(db: Store, service: Service) -> Service:
    """The stored service: it may have become the first of its client since a screen showed it."""
    stored = db.get(Service.one(service.client_id, service.at, service.service_id))
    if stored is None or not stored.valid:
        raise ServiceUnknown(service.client_id, service.service_id)
    return stored


def _has_none(db: Store, client_id: str) -> bool:
    client = db.get(Client.one(client_id).consistently())
    return client is not None and client.first_served is None


def _move_first(db: Store, first: Service, moved: Service) -> Service:
    heir = _oldest_other_food(db, first)
    if heir is not None and _order_key(heir) < _order_key(moved):
        moved = moved.model_copy(update={"first": False})
        db.run(move_and_pass_first_on(first, moved, heir))
    else:
        db.run(move_first(first, moved))
    return moved


def _become_food(db: Store, stored: Service, food: Service) -> Service:
    if not _has_none(db, stored.client_id):
        db.run(become_food(stored, food))
        return food
    first = food.model_copy(update={"first": True})
    db.run(become_first_food(stored, first))
    return first


def _order_key(service: Service) -> tuple[datetime, str]:
    return service.at, service.service_id


def _oldest_other_food(db: Store, service: Service) -> Service | None:
    """The oldest food of a client other than this one."""
    history = db.iter(Service.history(service.client_id).consistently())
    food = (each for each in history if each.category == FOOD)
    rest = (each for each in food if each.service_id != service.service_id)
    return min(rest, key=_order_key, default=None)


def _of_kind(db: Store, service: Service, type_id: str) -> dict[str, object]:
    kind = db.get(ServiceType.one(type_id))
    if kind is None:
        raise TypeUnknown(type_id)
    if kind.voucher != (service.fill_voucher is not None):
        raise NotAVoucher(type_id, voucher=service.fill_voucher)
    if service.first and kind.category != FOOD:
        raise FirstService(service)
    return kind.described()
