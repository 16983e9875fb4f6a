"""Money a month, from the prices of the file and by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.capacity import (
    Money,
    Prices,
    break_even,
    gigabyte_cost,
    on_demand_month,
    provisioned_month,
    storage_month,
    stream_month,
)
from pksk.errors import FileError, InvalidValue

GB = 1024**3
EAST = Prices.load().region("us-east-1")
STANDARD = EAST.tariff("standard")
INFREQUENT = EAST.tariff("infrequent-access")
SEOUL = Prices.load().region("ap-northeast-2").tariff("standard")
RATES = st.floats(0, 1e6, allow_nan=False)


def usd(amount: str, *, certain: bool = True) -> Money:
    return Money(Decimal(amount), "USD", certain)


def test_on_demand_units_are_priced_by_the_million() -> None:
    # 730 hours are 2.628 million seconds.
    assert on_demand_month(STANDARD, write=1) == usd("1.6425")
    assert on_demand_month(STANDARD, read=1) == usd("0.3285")
    assert on_demand_month(STANDARD, read=0.5, write=10) == usd("16.58925")
    assert on_demand_month(INFREQUENT, write=1) == usd("2.04984")


def test_provisioned_units_are_priced_by_the_hour() -> None:
    assert provisioned_month(STANDARD, read=10, write=10) == usd("5.694")
    assert provisioned_month(SEOUL, write=1) == usd("0.514577")


def test_an_uncertain_price_makes_uncertain_money() -> None:
    assert provisioned_month(INFREQUENT, write=10) == usd("5.913", certain=False)
    assert not (provisioned_month(INFREQUENT, write=10) + usd("1")).certain


def test_the_free_tier_is_subtracted_on_request() -> None:
    assert provisioned_month(STANDARD, read=25, write=25, free_tier=True) == usd("0")
    assert provisioned_month(STANDARD, write=26, free_tier=True) == usd("0.247")
    assert storage_month(STANDARD, 26 * GB, free_tier=True) == usd("0.25")
    assert storage_month(INFREQUENT, 26 * GB, free_tier=True) == usd("2.6")
    assert stream_month(STANDARD, 1, free_tier=True) == usd("0.0256")


def test_a_gigabyte_is_1024_to_the_third_or_a_billion_bytes() -> None:
    assert storage_month(STANDARD, 4 * GB) == usd("1")
    assert storage_month(STANDARD, 4 * 10**9, decimal_gb=True) == usd("1")
    assert storage_month(STANDARD, GB, decimal_gb=True).amount / storage_month(STANDARD, GB).amount == (
        pytest.approx(Decimal("1.0737"), abs=Decimal("0.0001"))
    )


def test_other_prices_by_the_gigabyte() -> None:
    assert gigabyte_cost(STANDARD, "backup_gb_month", 5 * GB) == usd("0.5")
    assert gigabyte_cost(STANDARD, "cold_backup_gb_month", 5 * GB) == usd("0.15", certain=False)
    assert gigabyte_cost(STANDARD, "restore_gb", 2 * GB) == usd("0.3")
    assert gigabyte_cost(INFREQUENT, "vector_search_gb", 2 * GB) == usd("0.005")


def test_stream_reads_are_priced_by_the_hundred_thousand() -> None:
    assert stream_month(STANDARD, 1) == usd("0.5256")


@pytest.mark.parametrize("side", ["read", "write"])
def test_provisioned_capacity_is_cheaper_above_28_9_percent(side: str) -> None:
    share = break_even(STANDARD, side)  # type: ignore[arg-type]
    in_use, provisioned = {side: share * 100}, {side: 100}

    assert round(share * 100, 1) == Decimal("28.9")
    assert round(on_demand_month(STANDARD, **in_use).amount, 20) == (
        provisioned_month(STANDARD, **provisioned).amount  # type: ignore[arg-type]
    )


def test_infrequent_access_pays_where_storage_is_above_0_4_of_throughput() -> None:
    # 60 % less for storage against a quarter more for requests, as AWS rounds it: 0.417.
    def dearer(storage_share: str) -> bool:
        size = Decimal(storage_share) * on_demand_month(STANDARD, write=1000).amount / Decimal("0.25") * GB
        totals = [
            on_demand_month(tariff, write=1000) + storage_month(tariff, size)
            for tariff in (STANDARD, INFREQUENT)
        ]
        return totals[1].amount > totals[0].amount

    assert dearer("0.41")
    assert not dearer("0.42")


def test_only_what_is_used_needs_a_price() -> None:
    assert storage_month(SEOUL, 0) == usd("0")
    with pytest.raises(FileError, match="has no storage_gb_month"):
        storage_month(SEOUL, 1)


@given(RATES, RATES, RATES, RATES)
def test_the_price_of_a_sum_is_the_sum_of_the_prices(
    read: float, write: float, more: float, size: float
) -> None:
    together = on_demand_month(STANDARD, read=read, write=write)
    apart = on_demand_month(STANDARD, read=read) + on_demand_month(STANDARD, write=write)

    assert together == apart
    assert together.amount >= 0
    assert on_demand_month(STANDARD, read=read + more).amount >= on_demand_month(STANDARD, read=read).amount
    assert storage_month(STANDARD, size, free_tier=True).amount <= storage_month(STANDARD, size).amount


@pytest.mark.parametrize("amount", [-1, float("nan"), float("-inf"), Decimal("NaN"), True, "5"])
def test_an_invalid_amount_raises(amount: float) -> None:
    priced: list[Callable[[], Money]] = [
        lambda: on_demand_month(STANDARD, read=amount),
        lambda: provisioned_month(STANDARD, write=amount),
        lambda: storage_month(STANDARD, amount),
        lambda: stream_month(STANDARD, amount),
        lambda: usd("1") * amount,
    ]

    for price in priced:
        with pytest.raises(InvalidValue) as raised:
            price()
        assert raised.value.code == "cost-amount"


def test_currencies_do_not_mix() -> None:
    with pytest.raises(InvalidValue, match=r"\$1\.00 and 1\.00 EUR have different currencies"):
        usd("1") + Money(Decimal(1), "EUR")


@pytest.mark.parametrize(
    ("money", "text"),
    [
        (usd("0"), "$0.00"),
        (usd("1234567.891"), "$1,234,567.89"),
        (usd("0.1"), "$0.10"),
        (usd("0.0999"), "$0.100"),
        (usd("0.00123"), "$0.0012"),
        (usd("1E+40"), f"${10**40:,}.00"),
        (usd("12", certain=False), "about $12.00"),
        (Money(Decimal("5.5"), "EUR"), "5.50 EUR"),
    ],
)
def test_money_is_printed_in_cents_or_two_digits(money: Money, text: str) -> None:
    assert str(money) == text


def test_money_as_data_is_exact() -> None:
    data = json.loads(json.dumps((usd("0.1") * 3).data()))

    assert data == {"amount": "0.3", "currency": "USD", "certain": True}
