"""The pantry as a system: its tables, its data and its tour."""

from __future__ import annotations

from pksk import Store

from ..tour import System
from .by_year import services_by_year
from .clients import Client, client_numbers, clients, counters
from .data import generate
from .desk import logs, receipts, service_types, settings, users
from .entered import entered
from .old_services import services
from .services import svcs
from .tour import tour

__all__ = ["system"]


def _number_on(db: Store, items: int) -> None:
    """Move the counter of client numbers past those that were loaded."""
    numbers = (int(each.client_id) for each in generate(items) if isinstance(each, Client))
    db.reconcile(client_numbers, max(numbers))


system = System(
    "pantry",
    "services by client for the counter, by month and category for the reports, vouchers in a sparse index",
    tables=(
        svcs,
        entered,
        clients,
        counters,
        service_types,
        users,
        settings,
        receipts,
        logs,
        services,
        services_by_year,
    ),
    generate=generate,
    tour=tour,
    items=3000,
    loaded=_number_on,
)
