"""The pantry as a system: its tables, its data and its tour."""

from __future__ import annotations

from pksk import Store

from ..tour import System
from .clients import Client, client_numbers, clients, counters
from .data import generate
from .desk import logs, receipts, service_types, settings, users
from .other_layouts import ServiceByMonth, services, services_by_month
from .service_changes import entered
from .services import Service, svcs
from .tour import run_tour


def _number_on(db: Store, items: int) -> None:
    """Move the counter of client numbers past those in the data."""
    numbers = (int(each.client_id) for each in generate(items) if isinstance(each, Client))
    db.reconcile(client_numbers, max(numbers))


system = System(
    "pantry",
    "services by client and, for reports, by year and date; vouchers in a sparse index",
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
        services_by_month,
    ),
    generate=generate,
    run_tour=run_tour,
    items=3000,
    after_load=_number_on,
    keys=(
        Service.primary,
        Service.by_year,
        Service.waiting,
        ServiceByMonth.by_month,
        Client.primary,
        Client.by_family_name,
    ),
    commands=(("load", "3,000 items in pantry.db"), ("report month 2022-12-01", "a month of everything")),
)
