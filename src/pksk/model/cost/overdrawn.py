"""Notes on tables and indexes of which more is asked than they have, or allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pksk.model.cost.month_rows import ArmMonth
from pksk.schema import GSI, OnDemand, Provisioned, Table

__all__ = ["overdrawn"]


def overdrawn(arm: ArmMonth, tables: Sequence[Table]) -> Iterator[str]:
    """That declared calls use more of a table or index than is provisioned, or than its limit allows."""
    if arm.used is None:
        return
    table = next(each for each in tables if each.name == arm.table)
    index = table.index(arm.index)
    billing = table.billing_of(index) if isinstance(index, GSI) else table.billing
    for side, used, most in (
        ("read", arm.used.read, _most(billing, "read")),
        ("write", arm.used.write, _most(billing, "write")),
    ):
        if most is not None and used > most:
            word = "provisioned" if isinstance(billing, Provisioned) else "allowed"
            yield (
                f"{arm.name}: the declared calls use {used:,.6g} {side} units a second, and {most:,} are {word}; "
                "DynamoDB refuses what is above"
            )


def _most(billing: Provisioned | OnDemand, side: str) -> int | None:
    if isinstance(billing, Provisioned):
        return billing.read if side == "read" else billing.write
    return billing.max_read if side == "read" else billing.max_write
