"""The design of the pantry: services by client for the counter, by month and category for the reports.

`pksk design examples/pantry/design.py` prints it.
"""

from __future__ import annotations

from .clients import Client, clients, counters
from .desk import logs, receipts, service_types, settings, users
from .entered import enter_once, entered
from .first_service import (
    become_first,
    become_food,
    enter_first,
    enter_next,
    make_first,
    move_and_pass_first_on,
    move_first,
    pass_first_on,
    take_first_back,
)
from .moves import change_kind, move_service
from .old_services import services
from .services import Service, svcs

__all__ = [
    "Client",
    "Service",
    "become_first",
    "become_food",
    "change_kind",
    "clients",
    "counters",
    "enter_first",
    "enter_next",
    "enter_once",
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
    "svcs",
    "take_first_back",
    "users",
]
