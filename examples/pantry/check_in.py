"""Checking in: a client is given something, and the household is copied as it is that day."""

from __future__ import annotations

from datetime import datetime

from ulid import ULID

from pksk import F, NotFound, Store, TransactionFailed

from .clients import Client
from .desk import ServiceType
from .errors import ClientInactive, ClientUnknown, NotAVoucher, TypeUnknown, VoucherTaken
from .first_service import enter_first
from .given import FOOD
from .services import Service

__all__ = ["check_in"]


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
    """Give a client something; by `voucher`, it waits among the vouchers until it is filled.

    Whoever may send a check-in twice gives a `service_id`: the second is refused with `AlreadyExists`.
    Two vouchers that wait must not have one number; of two desks that give it in the same second, both may.
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
    if voucher is not None:
        _check_free(db, voucher, service_id)
    service = Service(
        **client.household().model_dump(),
        client_id=client_id,
        at=at.replace(second=0, microsecond=0),
        service_id=service_id or str(ULID()),
        category=kind.category,
        type_id=type_id,
        name=kind.name,
        buttons=kind.buttons,
        usda=kind.usda,
        items=items,
        served_by=by,
        fill_pending="PENDING" if voucher else None,
        fill_voucher=voucher,
    )
    return _store(db, service, may_be_first=kind.category == FOOD and client.first_served is None)


def _check_free(db: Store, voucher: str, service_id: str | None) -> None:
    """Only among those that wait: what was filled or struck out cannot be taken for this one."""
    found = db.first(Service.unfilled().filter(F.fill_voucher == voucher))
    if found is not None and found.service_id != service_id:
        raise VoucherTaken(found)


def _store(db: Store, service: Service, *, may_be_first: bool) -> Service:
    """Only the first food of a client needs a transaction, which costs twice."""
    if may_be_first:
        first = service.model_copy(update={"first": True})
        try:
            db.run(enter_first(first))
        except TransactionFailed as failed:
            # Another desk was first, or this very check-in came before; in both cases `create` tells.
            if isinstance(failed.failures.get(1), NotFound):
                raise ClientUnknown(service.client_id) from failed
        else:
            return first
    return db.create(Service.add(service))
