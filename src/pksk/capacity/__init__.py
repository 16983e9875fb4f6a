"""Capacity: the cost of reads and writes, in units and in money."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

from .units import batch_read_units, batch_write_units, query_units, read_units, write_units

if TYPE_CHECKING:
    from .cost import Charge as Charge
    from .cost import Cost as Cost
    from .index_entries import billed_size as billed_size
    from .index_entries import index_entry as index_entry
    from .index_entries import stored_bytes as stored_bytes
    from .index_entries import stored_size as stored_size
    from .money import Money as Money
    from .money import break_even as break_even
    from .money import gigabyte_cost as gigabyte_cost
    from .money import on_demand_month as on_demand_month
    from .money import provisioned_month as provisioned_month
    from .money import storage_month as storage_month
    from .money import stream_month as stream_month
    from .prices import Price as Price
    from .prices import PriceName as PriceName
    from .prices import Prices as Prices
    from .prices import Region as Region
    from .prices import Tariff as Tariff
    from .reads import batch_get_cost as batch_get_cost
    from .reads import get_cost as get_cost
    from .reads import paged_query_cost as paged_query_cost
    from .reads import query_cost as query_cost
    from .writes import batch_write_cost as batch_write_cost
    from .writes import check_cost as check_cost
    from .writes import failed_condition_cost as failed_condition_cost
    from .writes import replay_cost as replay_cost
    from .writes import vector_entry_size as vector_entry_size
    from .writes import vector_write_bytes as vector_write_bytes
    from .writes import write_cost as write_cost

# Who only counts units, as `pksk size` does, loads neither schemas nor prices.
_LATER = {
    "Charge": "pksk.capacity.cost",
    "Cost": "pksk.capacity.cost",
    "Money": "pksk.capacity.money",
    "Price": "pksk.capacity.prices",
    "PriceName": "pksk.capacity.prices",
    "Prices": "pksk.capacity.prices",
    "Region": "pksk.capacity.prices",
    "Tariff": "pksk.capacity.prices",
    "batch_get_cost": "pksk.capacity.reads",
    "batch_write_cost": "pksk.capacity.writes",
    "billed_size": "pksk.capacity.index_entries",
    "break_even": "pksk.capacity.money",
    "check_cost": "pksk.capacity.writes",
    "failed_condition_cost": "pksk.capacity.writes",
    "get_cost": "pksk.capacity.reads",
    "gigabyte_cost": "pksk.capacity.money",
    "index_entry": "pksk.capacity.index_entries",
    "on_demand_month": "pksk.capacity.money",
    "paged_query_cost": "pksk.capacity.reads",
    "provisioned_month": "pksk.capacity.money",
    "query_cost": "pksk.capacity.reads",
    "replay_cost": "pksk.capacity.writes",
    "storage_month": "pksk.capacity.money",
    "stored_bytes": "pksk.capacity.index_entries",
    "stored_size": "pksk.capacity.index_entries",
    "stream_month": "pksk.capacity.money",
    "vector_entry_size": "pksk.capacity.writes",
    "vector_write_bytes": "pksk.capacity.writes",
    "write_cost": "pksk.capacity.writes",
}

__all__ = [
    "Charge",
    "Cost",
    "Money",
    "Price",
    "PriceName",
    "Prices",
    "Region",
    "Tariff",
    "batch_get_cost",
    "batch_read_units",
    "batch_write_cost",
    "batch_write_units",
    "billed_size",
    "break_even",
    "check_cost",
    "failed_condition_cost",
    "get_cost",
    "gigabyte_cost",
    "index_entry",
    "on_demand_month",
    "paged_query_cost",
    "provisioned_month",
    "query_cost",
    "query_units",
    "read_units",
    "replay_cost",
    "storage_month",
    "stored_bytes",
    "stored_size",
    "stream_month",
    "vector_entry_size",
    "vector_write_bytes",
    "write_cost",
    "write_units",
]

__getattr__ = lazy_getattr(__name__, _LATER)
