"""Money for what has a price, and the prices that are missing for the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from pksk.capacity import Money, Prices, Tariff
from pksk.errors import FileProblem

__all__ = ["KnownMoney", "known_money", "tariff_of"]


@dataclass(frozen=True)
class KnownMoney:
    """A sum of what could be priced; None where nothing could."""

    money: Money | None
    missing: tuple[str, ...] = ()


def known_money(*parts: Callable[[], Money]) -> KnownMoney:
    """The sum of the parts whose prices the file has, and what it lacks for the others."""
    known: list[Money] = []
    missing: list[str] = []
    for part in parts:
        try:
            known.append(part())
        except FileProblem as error:
            if error.code != "prices-missing":
                raise
            missing.append(error.problem.rstrip("."))
    return KnownMoney(reduce(Money.__add__, known) if known else None, tuple(missing))


def tariff_of(prices: Prices, region: str, table_class: str) -> Tariff:
    """The prices of a table class; a region without that class has no prices of it."""
    found = prices.region(region).tariffs.get(table_class)
    return found or Tariff(prices.file, region, table_class, prices.currency, prices.as_of, {}, {})
