"""The rows of a monthly bill: one for each access pattern, and one for each table and index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pksk.capacity import Charge, Money
from pksk.model.cost.estimate import Estimate
from pksk.model.cost.stored import Stored
from pksk.schema import Provisioned

__all__ = ["ArmMonth", "PatternMonth"]


@dataclass(frozen=True)
class PatternMonth:
    """One access pattern: how often it is called, what a call costs, and what a month of calls costs on demand.

    `provisioned` says that it also uses, or only uses, capacity that is paid by the hour. Of a pattern with
    something `missing`, the money is what is known.
    """

    name: str
    kind: str
    calls_per_second: float | None
    estimate: Estimate
    money: Money | None
    problem: str = ""
    provisioned: bool = False
    missing: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        """The row as JSON can hold it."""
        return {
            "name": self.name,
            "kind": self.kind,
            "calls_per_second": self.calls_per_second,
            "estimate": self.estimate.data(),
            "month": self.money.data() if self.money else None,
            "provisioned": self.provisioned,
            "problem": self.problem,
            "missing": list(self.missing),
        }


@dataclass(frozen=True)
class ArmMonth:
    """One table, or one index of it: what all patterns consume there, what it stores, and what both cost.

    `at_least` names the figures that something is missing from; one of which nothing is known is None. `used` is
    what is taken of `provisioned` capacity: a local index has none of its own, and uses that of its table
    (`shared`). A vector index is billed by the bytes written, `written_per_second`, and has no units.
    """

    table: str
    index: str | None
    read_per_second: float | None
    write_per_second: float | None
    requests: Money | None
    stored: Stored
    storage: Money | None
    recovery: Money | None
    provisioned: Provisioned | None = None
    used: Charge | None = None
    shared: bool = False
    written_per_second: float | None = None
    at_least: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The table, or the table and its index."""
        return f"{self.table}/{self.index}" if self.index else self.table

    def data(self) -> dict[str, Any]:
        """The row as JSON can hold it."""
        written = {} if self.written_per_second is None else {"written_per_second": self.written_per_second}
        return written | {
            "table": self.table,
            "index": self.index,
            "read_per_second": self.read_per_second,
            "write_per_second": self.write_per_second,
            "requests": self.requests.data() if self.requests else None,
            "stored_bytes": self.stored.size,
            "storage": self.storage.data() if self.storage else None,
            "point_in_time_recovery": self.recovery.data() if self.recovery else None,
            "provisioned": vars(self.provisioned) if self.provisioned else None,
            "used": {"read": self.used.read, "write": self.used.write} if self.used else None,
            "uses_capacity_of_table": self.shared,
            "at_least": sorted(self.at_least),
        }
