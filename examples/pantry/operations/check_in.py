"""Check-ins, which copy the household of the day, and vouchers, which wait in an index until they are filled."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from ulid import ULID

from pksk import AlreadyExists, ConditionFailed, F, NotFound, Store, TransactionFailed

from ..clients import Client
from ..desk import ServiceType
from ..errors import (
    AlreadyEntered,
    ChangedMeanwhile,
    ClientInactive,
    ClientUnknown,
    FilledBeforeIssued,
    NotAVoucher,
    ServiceUnknown,
    TypeUnknown,
    VoucherFilled,
    VoucherTaken,
    VoucherUnknown,
    check_year,
    checked_text,
    validated,
)
from ..service_changes import check_in_first_food, check_in_food, check_in_once
from ..services import FOOD, Service

# Whether a client has had food is read before it is entered; the result can be outdated once or twice.
_TRIES: Final = 4


def check_in(
    db: Store,
    client_id: str,
    type_id: str,
    at: datetime,
    by: str,
    *,
    items: int = 1,
    voucher: str | None = None,
    service_id: str | None = None,
) -> Service:
    """Check in a service; with a `voucher`, it waits among the vouchers until it is filled.

    A caller who may send a check-in twice gives a `service_id`. Then it is entered only once, even if it comes
    again at another time, and the second call raises `AlreadyEntered`. This takes a small item more, in one
    transaction: 5 write units instead of 2. Two waiting vouchers must not have the same number; two desks that use
    it in the same second are not noticed.
    """
    client, kind = db.get(Client.one(client_id)), db.get(ServiceType.one(type_id))
    if client is None:
        raise ClientUnknown(client_id)
    if client.status == "Inactive":
        raise ClientInactive(client_id)
    if kind is None:
        raise TypeUnknown(type_id)
    if kind.voucher != (voucher is not None):
        raise NotAVoucher(type_id, voucher=voucher)
    service = _service(client, kind, at, voucher=voucher, service_id=service_id, items=items, served_by=by)
    if service.fill_voucher is not None:
        _check_free(db, service.fill_voucher, service_id)
    once = service_id is not None
    if service.category == FOOD:
        return _enter_food(db, service, first=client.first_served is None, once=once)
    return _enter(db, service, once=once)


def _service(
    client: Client,
    kind: ServiceType,
    at: datetime,
    *,
    voucher: str | None,
    service_id: str | None,
    **more: object,
) -> Service:
    check_year(at)
    number = None if voucher is None else checked_text("voucher number", voucher)
    if service_id is not None:
        checked_text("service id", service_id)
    fields = {
        "client_id": client.client_id,
        "at": at.replace(second=0, microsecond=0),
        "service_id": service_id or str(ULID()),
        "fill_pending": None if number is None else "PENDING",
        "fill_voucher": number,
    }
    return validated(Service, client.household().model_dump() | kind.described() | fields | more)


def _check_free(db: Store, voucher: str, service_id: str | None) -> None:
    """Look only among waiting vouchers: filled and struck-out ones cannot be confused with this one."""
    service = db.first(Service.unfilled().filter(F.fill_voucher == voucher))
    if service is not None and service.service_id != service_id:
        raise VoucherTaken(service)


def _enter(db: Store, service: Service, *, once: bool) -> Service:
    """Enter a service, in a transaction only if the caller gave an id, since that costs twice as much."""
    if not once:
        return db.create(Service.add(service))
    try:
        db.run(check_in_once(service))
    except TransactionFailed as failed:
        _check_new(failed, service)
        raise
    return service


def _enter_food(db: Store, service: Service, *, first: bool, once: bool) -> Service:
    """Enter food together with the client, who has a first food or not.

    If another desk was faster, try the other case.
    """
    for _ in range(_TRIES):
        entered = service.model_copy(update={"first": first})
        try:
            db.run((check_in_first_food if first else check_in_food)(entered, once=once))
        except TransactionFailed as failed:
            _check_new(failed, service)
            if isinstance(failed.failures.get(1), NotFound):
                raise ClientUnknown(service.client_id) from failed
            first = not first
        else:
            return entered
    raise ChangedMeanwhile(service)


def _check_new(failed: TransactionFailed, service: Service) -> None:
    for each in failed.failures.values():
        if isinstance(each, AlreadyExists):
            there: Any = each.item or service
            raise AlreadyEntered(service.service_id, there.client_id, there.at) from failed


def issue(
    db: Store,
    client_id: str,
    type_id: str,
    voucher: str,
    at: datetime,
    by: str,
    *,
    items: int = 1,
    service_id: str | None = None,
) -> Service:
    """Issue a voucher: a service that waits."""
    return check_in(db, client_id, type_id, at, by, items=items, voucher=voucher, service_id=service_id)


def find_waiting_voucher(db: Store, voucher: str) -> Service:
    """The service of a waiting voucher, found among the few that wait."""
    number = checked_text("voucher number", voucher)
    service = db.first(Service.unfilled().filter(F.fill_voucher == number))
    if service is None:
        raise VoucherUnknown(voucher)
    return service


def fulfil(db: Store, service: Service, by: str, items: int, now: datetime) -> Service:
    """Fill a voucher once, and not before it was issued; a second call raises `VoucherFilled` with the first."""
    check_year(now)
    filled = {"filled_at": now, "filled_by": by, "filled_items": items}
    validated(Service, service.model_dump() | filled)
    if now < service.at:
        raise FilledBeforeIssued(service, service.at, now)
    try:
        return db.run(Service.fill(service, by, items, now))
    except NotFound as gone:
        raise ServiceUnknown(service.client_id, service.service_id) from gone
    except ConditionFailed as error:
        stored = error.item
        if isinstance(stored, Service) and not stored.valid:
            raise ServiceUnknown(service.client_id, service.service_id) from error
        raise VoucherFilled(stored if isinstance(stored, Service) else service) from error
