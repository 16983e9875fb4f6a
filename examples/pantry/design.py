"""The design of the pantry: services by client for the counter, by year and date for the reports.

`pksk design examples/pantry/design.py` prints it, together with the two layouts that it is compared with.
"""

from __future__ import annotations

from . import service_changes
from .clients import clients, counters
from .desk import logs, receipts, service_types, settings, users
from .other_layouts import services, services_by_month
from .service_changes import entered
from .services import svcs

__all__ = ["clients", "counters", "entered", "logs", "receipts", "service_changes", "service_types"]
__all__ += ["services", "services_by_month", "settings", "svcs", "users"]
