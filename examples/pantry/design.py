"""The design of the pantry: services by client for the counter, by month and category for the reports.

`pksk design examples/pantry/design.py` prints it.
"""

from __future__ import annotations

from .clients import Client, clients, counters
from .desk import logs, receipts, service_types, settings, users
from .other_layouts import services
from .service_changes import (
    become_first_food,
    become_food,
    change_kind,
    check_in_first_food,
    check_in_food,
    check_in_once,
    entered,
    make_first,
    move_and_pass_first_on,
    move_first,
    move_service,
    pass_first_on,
    strike_out_first,
)
from .services import Service, svcs

__all__ = [
    "Client",
    "Service",
    "become_first_food",
    "become_food",
    "change_kind",
    "check_in_first_food",
    "check_in_food",
    "check_in_once",
    "clients",
    "counters",
    "entered",
    "logs",
    "make_first",
    "move_and_pass_first_on",
    "move_first",
    "move_service",
    "pass_first_on",
    "receipts",
    "service_types",
    "services",
    "settings",
    "strike_out_first",
    "svcs",
    "users",
]
