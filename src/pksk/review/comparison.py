"""What a change of a design does: findings that it adds and fixes, the cost of a month, the loads of busiest keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from pksk.capacity import Money
from pksk.dataclass import dataclass
from pksk.model.bill.key_loads import units_text
from pksk.review.review import Review
from pksk.review.rule import SEVERITIES, Severity

# A bound of fewer units a second says nothing.
_SMALL = 0.01

# A finding, a load or a bill, as `Review.data()` has it.
Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class CostChange:
    """The cost of a month before and after; None where something does not exist or its cost is not known."""

    name: str
    before: Money | None
    after: Money | None

    @property
    def text(self) -> str:
        """Both amounts, and the difference."""
        if self.before is None or self.after is None:
            return f"{_money(self.before)} -> {_money(self.after)}"
        difference = self.after.amount - self.before.amount
        percent = f", {difference / self.before.amount:+.1%}" if self.before.amount else ""
        sign = "-" if difference < 0 else "+"
        amount = Money(abs(difference), self.after.currency)
        return f"{self.before} -> {self.after} ({sign}{amount}{percent})"

    def data(self) -> dict[str, Any]:
        """The change as JSON can hold it."""
        return {
            "name": self.name,
            "before": self.before.data() if self.before else None,
            "after": self.after.data() if self.after else None,
        }


def _money(money: Money | None) -> str:
    return "-" if money is None else str(money)


@dataclass(frozen=True)
class LoadChange:
    """The load of an access pattern on its busiest key, before and after; None where there is none."""

    before: Row | None
    after: Row | None

    @property
    def name(self) -> str:
        """The access pattern, where its key is, and the side."""
        known = self.after or self.before or {}
        where = f"{known['table']}/{known['index']}" if known["index"] else known["table"]
        return f"{known['pattern']} on {where}, {known['side']}"

    @property
    def text(self) -> str:
        """The units that one key receives, what it serves, and the headroom."""
        return f"{_load(self.before)} -> {_load(self.after)}"

    def data(self) -> dict[str, Any]:
        """The change as JSON can hold it."""
        return {"name": self.name, "before": self.before, "after": self.after}


def _load(load: Row | None) -> str:
    if load is None:
        return "-"
    if _is_unknown(load):
        return "not known, as its spread is not declared"
    low, high = (load["busiest_key"][name] for name in ("lowest", "highest"))
    received = units_text(high)
    if low != high:
        received = f"{units_text(low)} to {received}" if low >= _SMALL else f"up to {received}"
    limit = f"at most {load['ceiling']:,}" if load["why_fixed"] else f"{load['ceiling']:,} until a split"
    return (
        f"{received} of {limit}, headroom {units_text(load['ceiling'] / high)}" if high else f"0 of {limit}"
    )


def _is_unknown(load: Row) -> bool:
    return bool(load["unknown_spread"]) and not load["share"]["lowest"]


@dataclass(frozen=True)
class Comparison:
    """Two reviews compared; `new`, `fixed` and `kept` are findings, as `Finding.data()` has them."""

    old: str
    new: tuple[Row, ...]
    fixed: tuple[Row, ...]
    kept: tuple[Row, ...]
    total: CostChange
    at_least: bool
    tables: tuple[CostChange, ...] = ()
    patterns: tuple[CostChange, ...] = ()
    loads: tuple[LoadChange, ...] = ()
    partial: tuple[str, ...] = ()

    def fails(self, at: Severity = "error") -> bool:
        """Whether there is a new finding of this severity or a worse one."""
        worse = SEVERITIES[: SEVERITIES.index(at) + 1]
        return any(each["severity"] in worse for each in self.new)

    def data(self) -> dict[str, Any]:
        """The comparison as JSON can hold it."""
        return {
            "compared_with": self.old,
            "new": list(self.new),
            "fixed": list(self.fixed),
            "unchanged": len(self.kept),
            "month": {"total": self.total.data(), "at_least": self.at_least},
            "tables": [each.data() for each in self.tables],
            "patterns": [each.data() for each in self.patterns],
            "loads": [each.data() for each in self.loads],
            "partial": list(self.partial),
        }


def compare(old: Review | Row, new: Review | Row, *, name: str = "the old design") -> Comparison:
    """What has changed from one review to another; either may be the `data()` of a review from elsewhere.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> from pksk.review import review
        >>> before, after = Table("shop"), Table("shop")
        >>> class User(Entity, table=before):
        ...     user_id: str
        ...     primary = Key("USER", "{user_id}")
        >>> class User(Entity, table=after):
        ...     user_id: str
        ...     primary = Key("USER#{user_id}", "PROFILE")
        >>> changed = compare(review(before), review(after))
        >>> [each["rule"] for each in changed.fixed], changed.new
        (['constant-partition-key'], ())
    """
    before, after = (each.data() if isinstance(each, Review) else each for each in (old, new))
    known, current = _findings(before, "findings"), _findings(after, "findings")
    accepted = _findings(after, "accepted")
    bills = before["cost"], after["cost"]
    total = CostChange("total", *(_amount(each["total"]) for each in bills))
    return Comparison(
        name,
        tuple(current[each] for each in current if each not in known),
        tuple(known[each] for each in known if each not in current and each not in accepted),
        tuple(current[each] for each in current if each in known),
        total,
        any(each["missing"] for each in bills),
        tuple(_cost_changes(*map(_table_costs, bills))),
        tuple(_cost_changes(*map(_pattern_costs, bills))),
        tuple(_load_changes(*(each["loads"] for each in bills))),
        (*before["partial"], *after["partial"]),
    )


def _findings(review: Row, part: str) -> dict[tuple[str, str, int], Row]:
    """The findings by what stays the same when lines move: rule, subject, and number among equal ones."""
    rows: dict[tuple[str, str, int], Row] = {}
    for each in review[part]:
        number = 1
        while (each["rule"], each["subject"], number) in rows:
            number += 1
        rows[each["rule"], each["subject"], number] = each
    return rows


def _amount(money: Row | None) -> Money | None:
    return Money(Decimal(money["amount"]), money["currency"], money["certain"]) if money else None


def _table_costs(bill: Row) -> dict[str, Money | None]:
    """The known cost of each table and index: of its requests, and of what it stores."""
    costs: dict[str, Money | None] = {}
    for row in bill["tables"]:
        parts = [amount for each in (row["requests"], row["storage"]) if (amount := _amount(each))]
        name = f"{row['table']}/{row['index']}" if row["index"] else row["table"]
        costs[name] = sum(parts[1:], parts[0]) if parts else None
    return costs


def _pattern_costs(bill: Row) -> dict[str, Money | None]:
    return {row["name"]: _amount(row["month"]) for row in bill["patterns"]}


def _cost_changes(
    before: Mapping[str, Money | None], after: Mapping[str, Money | None]
) -> Iterator[CostChange]:
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield CostChange(name, before.get(name), after.get(name))


_COMPARED = ("busiest_key", "ceiling", "why_fixed")


def _load_changes(before: Sequence[Row], after: Sequence[Row]) -> Iterator[LoadChange]:
    old, new = _busiest(before), _busiest(after)
    for key in dict.fromkeys((*old, *new)):
        pair = old.get(key), new.get(key)
        known = [each for each in pair if each is not None and not _is_unknown(each)]
        if known and (len(known) == 1 or any(known[0][each] != known[1][each] for each in _COMPARED)):
            yield LoadChange(*pair)


def _busiest(loads: Sequence[Row]) -> dict[object, Row]:
    """The highest load of each pattern on each table or index."""
    rows: dict[object, Row] = {}
    for each in loads:
        key = (each["pattern"], each["table"], each["index"], each["side"])
        if key not in rows or each["busiest_key"]["highest"] > rows[key]["busiest_key"]["highest"]:
            rows[key] = each
    return rows
