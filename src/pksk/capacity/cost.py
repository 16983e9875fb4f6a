"""Costs: the capacity units that requests consume, by table and index."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from math import inf
from typing import Any, Literal, TypeAlias, TypeVar

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote

Amount: TypeAlias = int | float | Decimal
AnyAmount = TypeVar("AnyAmount", bound=Amount)


def check_amount(what: str, value: AnyAmount) -> AnyAmount:
    """The value, if it is a number that something can cost or be multiplied by."""
    if _is_finite(value) and value >= 0:
        return value
    raise InvalidValue(
        "cost-amount",
        f"{what}={quote(value)} is not an amount.",
        expected="An amount is a number, 0 or more.",
        fix="pass a finite number, 0 or more.",
    )


def exact_amount(what: str, value: Amount) -> Decimal:
    """An amount as a Decimal; a float by the digits that Python prints for it."""
    checked = check_amount(what, value)
    return Decimal(repr(checked)) if isinstance(checked, float) else Decimal(checked)


def _is_finite(value: object) -> bool:
    if isinstance(value, Decimal):
        return value.is_finite()
    # Not math.isfinite, which fails for ints larger than any float.
    return isinstance(value, int | float) and not isinstance(value, bool) and -inf < value < inf


@dataclass(frozen=True)
class Charge:
    """The charge for a table (``index`` is None) or for one of its indexes.

    Example:
        >>> Charge("orders", "by-status", write=2)
        Charge(table='orders', index='by-status', read=0.0, write=2.0)
    """

    table: str
    index: str | None = None
    read: float = 0.0
    write: float = 0.0

    def __post_init__(self) -> None:
        # Always floats, so that equal charges also print and serialise the same way.
        object.__setattr__(self, "read", float(check_amount("read", self.read)))
        object.__setattr__(self, "write", float(check_amount("write", self.write)))


@dataclass(frozen=True, init=False)
class Cost:
    """The charges of one request, or of many.

    Charges for the same table and index are merged and zero charges are left out, so that equal costs are equal
    values. Each table is followed by its indexes, sorted by name. With `at_most`, it is an upper bound: the exact
    charge depends on what AWS does not report.

    Example:
        >>> put = Cost([Charge("orders", write=2), Charge("orders", "by-status", write=1)])
        >>> print(put)
        3 write units (table 2, by-status 1)
        >>> print(put * 2 + Cost([Charge("users", read=0.5)]))
        0.5 read units (users 0.5) and 6 write units (orders 4, orders/by-status 2)
        >>> put.write, put.read, put.charge_of("orders", "by-status").write
        (3.0, 0.0, 1.0)
        >>> print(Cost([Charge("orders", write=2)], at_most=True))
        at most 2 write units
    """

    charges: tuple[Charge, ...]
    at_most: bool = False

    def __init__(self, charges: Iterable[Charge] = (), *, at_most: bool = False) -> None:
        object.__setattr__(self, "charges", _merge_charges(charges))
        object.__setattr__(self, "at_most", at_most)

    @property
    def read(self) -> float:
        """The read units of all arms together."""
        return sum((charge.read for charge in self.charges), 0.0)

    @property
    def write(self) -> float:
        """The write units of all arms together."""
        return sum((charge.write for charge in self.charges), 0.0)

    def charge_of(self, table: str, index: str | None = None) -> Charge:
        """What a table itself, or one of its indexes, is charged; nothing where it has no part.

        Example:
            >>> Cost([Charge("orders", write=2)]).charge_of("orders", "by-status")
            Charge(table='orders', index='by-status', read=0.0, write=0.0)
        """
        charges = (charge for charge in self.charges if (charge.table, charge.index) == (table, index))
        return next(charges, Charge(table, index))

    def __add__(self, other: Cost) -> Cost:
        if not isinstance(other, Cost):
            return NotImplemented
        return Cost(self.charges + other.charges, at_most=self.at_most or other.at_most)

    def __mul__(self, times: float) -> Cost:
        check_amount("times", times)
        charges = (
            Charge(charge.table, charge.index, charge.read * times, charge.write * times)
            for charge in self.charges
        )
        return Cost(charges, at_most=self.at_most)

    __rmul__ = __mul__

    def data(self) -> dict[str, Any]:
        """The cost as JSON can hold it.

        Example:
            >>> Cost([Charge("orders", write=2)]).data()["charges"]
            [{'table': 'orders', 'index': None, 'read': 0.0, 'write': 2.0}]
        """
        charges = [dict(vars(charge)) for charge in self.charges]
        data = {"read": self.read, "write": self.write, "charges": charges}
        return data | ({"at_most": True} if self.at_most else {})

    def __str__(self) -> str:
        sides: list[Literal["read", "write"]] = ["read", "write"]
        units = " and ".join(filter(None, (self._side(side) for side in sides))) or "no units"
        return f"at most {units}" if self.at_most else units

    def _side(self, side: Literal["read", "write"]) -> str:
        parts = [(charge, getattr(charge, side)) for charge in self.charges if getattr(charge, side)]
        total = sum(units for _, units in parts)
        if not parts:
            return ""
        several = len({charge.table for charge in self.charges}) > 1
        arms = ", ".join(f"{_charge_label(charge, several)} {_number(units)}" for charge, units in parts)
        plain = len(parts) == 1 and not several and parts[0][0].index is None
        unit = f"{side} unit" if total == 1 else f"{side} units"
        return f"{_number(total)} {unit}" + ("" if plain else f" ({arms})")


def _merge_charges(charges: Iterable[Charge]) -> tuple[Charge, ...]:
    arms: dict[tuple[str, str | None], Charge] = {}
    for charge in charges:
        arm = charge.table, charge.index
        total = arms.get(arm)
        arms[arm] = (
            charge if total is None else Charge(*arm, total.read + charge.read, total.write + charge.write)
        )
    return tuple(
        sorted((charge for charge in arms.values() if charge.read or charge.write), key=_charge_order)
    )


def _charge_order(charge: Charge) -> tuple[str, str]:
    return charge.table, charge.index or ""  # no index has an empty name, so the table comes first


def _charge_label(charge: Charge, several: bool) -> str:
    if not several:
        return charge.index or "table"
    # Neither name can hold a slash.
    return f"{charge.table}/{charge.index}" if charge.index else charge.table


def _number(units: float) -> str:
    if 0 < units < 0.001:
        return f"{units:.1g}"
    return f"{units:,.3f}".rstrip("0").rstrip(".")
