"""Capacity: the cost of reads and writes, in units and in money."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

from .units import batch_read_units, batch_write_units, query_units, read_units, scan_units, write_units

if TYPE_CHECKING:
    from .cost import Charge, Cost
    from .index_entries import billed_size, index_entry, stored_bytes, stored_size
    from .money import (
        Money,
        break_even,
        gigabyte_cost,
        on_demand_month,
        provisioned_month,
        storage_month,
        stream_month,
    )
    from .prices import Price, PriceName, Prices, Region, Tariff
    from .reads import batch_get_cost, get_cost, paged_query_cost, query_cost
    from .writes import (
        batch_write_cost,
        check_cost,
        failed_condition_cost,
        replay_cost,
        vector_entry_size,
        vector_write_bytes,
        write_cost,
    )

# Counting units, as `pksk size` does, loads neither schemas nor prices.
_LATER = {
    ".cost": "Charge Cost",
    ".index_entries": "billed_size index_entry stored_bytes stored_size",
    ".money": "Money break_even gigabyte_cost on_demand_month provisioned_month storage_month stream_month",
    ".prices": "Price PriceName Prices Region Tariff",
    ".reads": "batch_get_cost get_cost paged_query_cost query_cost",
    ".writes": "batch_write_cost check_cost failed_condition_cost replay_cost vector_entry_size "
    "vector_write_bytes write_cost",
}

__all__ = [
    "Charge", "Cost", "Money", "Price", "PriceName", "Prices", "Region", "Tariff", "batch_get_cost",
    "batch_read_units", "batch_write_cost", "batch_write_units", "billed_size", "break_even",
    "check_cost", "failed_condition_cost", "get_cost", "gigabyte_cost", "index_entry", "on_demand_month",
    "paged_query_cost", "provisioned_month", "query_cost", "query_units", "read_units", "replay_cost", "scan_units",
    "storage_month", "stored_bytes", "stored_size", "stream_month", "vector_entry_size",
    "vector_write_bytes", "write_cost", "write_units",
]  # fmt: skip

__getattr__ = lazy_getattr(__name__, _LATER)
