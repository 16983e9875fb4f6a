"""The design of the pantry: services by client for the counter, by month and category for the reports.

`pksk design examples/pantry/design.py` prints it.
"""

from __future__ import annotations

from .clients import Client, clients
from .desk import logs, receipts, service_types, settings, users
from .old_services import services
from .services import Service, svcs

__all__ = [
    "Client",
    "Service",
    "clients",
    "logs",
    "receipts",
    "service_types",
    "services",
    "settings",
    "svcs",
    "users",
]
