"""Billing: on demand (per request), or provisioned (per second)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import SchemaError, quote
from pksk.schema.options import check_choice


@dataclass(frozen=True)
class Provisioned:
    """Provisioned capacity, in units per second.

    Example:
        >>> Provisioned(read=100, write=20)
        Provisioned(read=100, write=20)
    """

    read: int = 5
    write: int = 5

    def __post_init__(self) -> None:
        _check_units("Provisioned", "read", self.read)
        _check_units("Provisioned", "write", self.write)


@dataclass(frozen=True)
class OnDemand:
    """On-demand capacity, optionally with a maximum per second.

    Example:
        >>> OnDemand(max_write=500)
        OnDemand(max_read=None, max_write=500)
    """

    max_read: int | None = None
    max_write: int | None = None

    def __post_init__(self) -> None:
        for option, value in (("max_read", self.max_read), ("max_write", self.max_write)):
            if value is not None:
                _check_units("OnDemand", option, value)


Billing: TypeAlias = Provisioned | OnDemand


def _check_units(kind: str, option: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SchemaError(
            "schema-throughput",
            f"{kind}: {option}={quote(value)} is not a number of capacity units.",
            expected="Units are whole numbers from 1.",
            fix=f"write {option}=5, for example.",
        )


def normalize_billing(where: str, declared: object) -> Billing:
    """The billing from how people write it: "on-demand", `OnDemand(...)` or `Provisioned(...)`.

    Example:
        >>> normalize_billing("Table 'orders'", "on-demand")
        OnDemand(max_read=None, max_write=None)
    """
    if isinstance(declared, Provisioned | OnDemand):
        return declared
    others = ", or OnDemand(max_read=..., max_write=...), or Provisioned(read=..., write=...)"
    check_choice(where, "billing", declared, ["on-demand"], or_else=others)
    return OnDemand()


def effective_billing(stated: Billing | None, table: Billing) -> Billing:
    """How an index is billed: as it states, or else with the table's units, or else without limit.

    Example:
        >>> effective_billing(None, Provisioned(read=9, write=3))
        Provisioned(read=9, write=3)
        >>> effective_billing(None, OnDemand(max_read=50))
        OnDemand(max_read=None, max_write=None)
    """
    unstated = table if isinstance(table, Provisioned) else OnDemand()
    return stated or unstated


def throughput_to_wire(billing: Billing) -> dict[str, Any]:
    """The capacity member of CreateTable or of one of its indexes; empty if there is none.

    Example:
        >>> throughput_to_wire(Provisioned(read=100, write=20))
        {'ProvisionedThroughput': {'ReadCapacityUnits': 100, 'WriteCapacityUnits': 20}}
        >>> throughput_to_wire(OnDemand())
        {}
    """
    if isinstance(billing, Provisioned):
        units = {"ReadCapacityUnits": billing.read, "WriteCapacityUnits": billing.write}
        return {"ProvisionedThroughput": units}
    limits = {"MaxReadRequestUnits": billing.max_read, "MaxWriteRequestUnits": billing.max_write}
    stated = {name: value for name, value in limits.items() if value is not None}
    return {"OnDemandThroughput": stated} if stated else {}


def billing_from_wire(wire: Mapping[str, Any], *, on_demand: bool) -> Billing:
    """The billing of a table or an index, from a request or a description.

    Example:
        >>> billing_from_wire({"OnDemandThroughput": {"MaxReadRequestUnits": 50}}, on_demand=True)
        OnDemand(max_read=50, max_write=None)
    """
    if on_demand:
        limits = wire.get("OnDemandThroughput") or {}
        return OnDemand(_limit(limits, "MaxReadRequestUnits"), _limit(limits, "MaxWriteRequestUnits"))
    units = wire["ProvisionedThroughput"]
    return Provisioned(read=units["ReadCapacityUnits"], write=units["WriteCapacityUnits"])


def _limit(limits: Mapping[str, int], name: str) -> int | None:
    """The limit, or None; a description shows -1 after a limit was removed."""
    value = limits.get(name, -1)
    return None if value == -1 else value
