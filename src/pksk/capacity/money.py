"""Money: the cost of units, capacity and bytes in a month of 730 hours."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias

from pksk.capacity.cost import Amount, exact_amount
from pksk.capacity.prices import PriceName, Tariff
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue

HOURS_PER_MONTH: Final = 730  # a twelfth of a year, as AWS's own calculator has it
_SECONDS_PER_HOUR: Final = 3600
_SECONDS_PER_MONTH: Final = HOURS_PER_MONTH * _SECONDS_PER_HOUR
_GB: Final = 1024**3
_DECIMAL_GB: Final = 10**9

BytesPriceName: TypeAlias = Literal[
    "storage_gb_month",
    "recovery_gb_month",
    "backup_gb_month",
    "cold_backup_gb_month",
    "restore_gb",
    "vector_write_gb",
    "vector_search_gb",
]


@dataclass(frozen=True)
class Money:
    """An exact amount of money; not ``certain`` if one of its prices is not.

    Example:
        >>> Money(Decimal("1.6425"), "USD") + Money(Decimal("1000"), "USD")
        Money(amount=Decimal('1001.6425'), currency='USD', certain=True)
        >>> print(Money(Decimal("1001.6425"), "USD"), Money(Decimal("0.00123"), "EUR", certain=False))
        $1,001.64 about 0.0012 EUR
    """

    amount: Decimal
    currency: str
    certain: bool = True

    def __add__(self, other: Money) -> Money:
        if not isinstance(other, Money):
            return NotImplemented
        if self.currency != other.currency:
            raise InvalidValue(
                "cost-currency",
                f"{self} and {other} have different currencies.",
                expected="A sum needs one currency.",
                fix="use one price file for everything.",
            )
        return Money(self.amount + other.amount, self.currency, self.certain and other.certain)

    def __mul__(self, times: Amount) -> Money:
        return Money(self.amount * exact_amount("times", times), self.currency, self.certain)

    __rmul__ = __mul__

    def data(self) -> dict[str, Any]:
        """The amount for JSON, as text, because a float is not exact.

        Example:
            >>> Money(Decimal("1.6425"), "USD").data()
            {'amount': '1.6425', 'currency': 'USD', 'certain': True}
        """
        return {"amount": f"{self.amount:f}", "currency": self.currency, "certain": self.certain}

    def __str__(self) -> str:
        number = _round_text(self.amount)
        text = f"${number}" if self.currency == "USD" else f"{number} {self.currency}"
        return text if self.certain else f"about {text}"


def on_demand_month(tariff: Tariff, *, read: Amount = 0, write: Amount = 0) -> Money:
    """The on-demand cost per month of requests with these units per second.

    Example:
        >>> from pksk.capacity import Prices
        >>> tariff = Prices.load().region("us-east-1").tariff("standard")
        >>> print(on_demand_month(tariff, read=100, write=20))
        $65.70
    """
    million = Decimal(1_000_000)
    reads = exact_amount("read", read) * _SECONDS_PER_MONTH / million
    writes = exact_amount("write", write) * _SECONDS_PER_MONTH / million
    return _cost(tariff, "read_units_per_million", reads) + _cost(tariff, "write_units_per_million", writes)


def provisioned_month(
    tariff: Tariff, *, read: Amount = 0, write: Amount = 0, free_tier: bool = False
) -> Money:
    """The cost of provisioned capacity per month, used or not.

    ``free_tier`` subtracts the free tier, which an account has once for all its tables.

    Example:
        >>> from pksk.capacity import Prices
        >>> tariff = Prices.load().region("us-east-1").tariff("standard")
        >>> print(provisioned_month(tariff, read=100, write=20))
        $18.98
        >>> print(provisioned_month(tariff, read=25, write=25, free_tier=True))
        $0.00
    """
    reads, writes = (
        exact_amount("read", read) * HOURS_PER_MONTH,
        exact_amount("write", write) * HOURS_PER_MONTH,
    )
    return _cost(tariff, "read_unit_hour", reads, free_tier=free_tier) + _cost(
        tariff, "write_unit_hour", writes, free_tier=free_tier
    )


def storage_month(
    tariff: Tariff, size_bytes: Amount, *, decimal_gb: bool = False, free_tier: bool = False
) -> Money:
    """The cost of storage per month; `stored_bytes` and `stored_size` give the bytes.

    Example:
        >>> from pksk.capacity import Prices, stored_size
        >>> tariff = Prices.load().region("us-east-1").tariff("standard")
        >>> size = stored_size(100_000_000, 400)
        >>> print(storage_month(tariff, size), storage_month(tariff, size, decimal_gb=True))
        $11.64 $12.50
    """
    return gigabyte_cost(tariff, "storage_gb_month", size_bytes, decimal_gb=decimal_gb, free_tier=free_tier)


def gigabyte_cost(
    tariff: Tariff,
    name: BytesPriceName,
    size_bytes: Amount,
    *,
    decimal_gb: bool = False,
    free_tier: bool = False,
) -> Money:
    """The cost of bytes at a price per GB: per month if the name of the price says so, else once.

    A GB is 1024 ** 3 bytes, as AWS documents for DynamoDB; with ``decimal_gb`` it is 10 ** 9, as in some AWS tools,
    and the result is 7 % higher.

    Example:
        >>> from pksk.capacity import Prices
        >>> tariff = Prices.load().region("us-east-1").tariff("standard")
        >>> print(gigabyte_cost(tariff, "recovery_gb_month", 50 * 1024**3))
        $10.00
    """
    gigabytes = exact_amount("size_bytes", size_bytes) / (_DECIMAL_GB if decimal_gb else _GB)
    return _cost(tariff, name, gigabytes, free_tier=free_tier)


def stream_month(tariff: Tariff, reads: Amount, *, free_tier: bool = False) -> Money:
    """The cost per month of these GetRecords calls per second.

    Example:
        >>> from pksk.capacity import Prices
        >>> print(stream_month(Prices.load().region("us-east-1").tariff("standard"), reads=4))
        $2.10
    """
    name: PriceName = "stream_reads_per_100_000"
    free = tariff.free_amount(name) if free_tier else Decimal(0)
    calls = max(Decimal(0), exact_amount("reads", reads) * _SECONDS_PER_MONTH - free)
    return _cost(tariff, name, calls / 100_000)


def break_even(tariff: Tariff, side: Literal["read", "write"]) -> Decimal:
    """The share of provisioned units in use, on average, above which they cost less than on demand.

    Example:
        >>> from pksk.capacity import Prices
        >>> print(f"{break_even(Prices.load().region('us-east-1').tariff('standard'), 'write'):.1%}")
        28.9%
    """
    hour = tariff.price("read_unit_hour" if side == "read" else "write_unit_hour").amount
    million = tariff.price("read_units_per_million" if side == "read" else "write_units_per_million").amount
    return hour * 1_000_000 / (million * _SECONDS_PER_HOUR)


def _cost(tariff: Tariff, name: PriceName, quantity: Decimal, *, free_tier: bool = False) -> Money:
    if free_tier:
        quantity = max(Decimal(0), quantity - tariff.free_amount(name))
    if not quantity:
        return Money(Decimal(0), tariff.currency)  # without usage, no price is needed
    price = tariff.price(name)
    return Money(price.amount * quantity, tariff.currency, price.certain)


def _round_text(value: Decimal) -> str:
    # Below ten cents two digits are shown, wherever they begin.
    places = 1 - value.adjusted() if 0 < value < Decimal("0.1") else 2
    return f"{value:,.{places}f}"
