"""Vouchers: given at the desk, filled at the store room, and in between they wait in an index of their own."""

from __future__ import annotations

from datetime import datetime

from pksk import ConditionFailed, F, NotFound, Store

from .check_in import check_in
from .errors import ServiceUnknown, VoucherFilled, VoucherUnknown
from .services import Service

__all__ = ["fulfil", "issue", "waiting"]


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
    """Give a client a voucher: a service that waits."""
    return check_in(db, client_id, type_id, at, by, items=items, voucher=voucher, service_id=service_id)


def waiting(db: Store, voucher: str) -> Service:
    """The service behind a voucher that somebody brings: looked for among the few that wait."""
    found = db.first(Service.unfilled().filter(F.fill_voucher == voucher))
    if found is None:
        raise VoucherUnknown(voucher)
    return found


def fulfil(db: Store, service: Service, by: str, items: int, now: datetime) -> Service:
    """Fill a voucher, once: who comes second is told who was first."""
    try:
        return db.run(Service.fill(service, by, items, now))
    except NotFound as gone:
        raise ServiceUnknown(service.client_id, service.service_id) from gone
    except ConditionFailed as refused:
        stored = refused.item
        if isinstance(stored, Service) and not stored.valid:
            raise ServiceUnknown(service.client_id, service.service_id) from refused
        raise VoucherFilled(stored if isinstance(stored, Service) else service) from refused
