"""Vouchers: given at the desk, filled at the store room, and in between they wait in an index of their own."""

from __future__ import annotations

from datetime import datetime

from pksk import ConditionFailed, F, NotFound, Store

from .check_in import check_in
from .errors import FilledBeforeGiven, ServiceUnknown, VoucherFilled, VoucherUnknown
from .forms import check_year, filled_in, words
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
    number = words("number of a voucher", voucher)
    found = db.first(Service.unfilled().filter(F.fill_voucher == number))
    if found is None:
        raise VoucherUnknown(voucher)
    return found


def fulfil(db: Store, service: Service, by: str, items: int, now: datetime) -> Service:
    """Fill a voucher, once, and not before it was given: who comes second is told who was first."""
    check_year(now)
    filled = {"filled_at": now, "filled_by": by, "filled_items": items}
    filled_in(Service, service.model_dump() | filled)
    if now < service.at:
        raise FilledBeforeGiven(service, service.at, now)
    try:
        return db.run(Service.fill(service, by, items, now))
    except NotFound as gone:
        raise ServiceUnknown(service.client_id, service.service_id) from gone
    except ConditionFailed as refused:
        stored = refused.item
        if isinstance(stored, Service) and not stored.valid:
            raise ServiceUnknown(service.client_id, service.service_id) from refused
        raise VoucherFilled(stored if isinstance(stored, Service) else service) from refused
