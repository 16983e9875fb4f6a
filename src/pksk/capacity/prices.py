"""Prices: dated data by region and table class, from the file that comes with pksk or from a user's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from pksk.dataclass import dataclass
from pksk.errors import FileError, did_you_mean, quote

PriceName: TypeAlias = Literal[
    "write_units_per_million",
    "read_units_per_million",
    "replicated_write_units_per_million",
    "write_unit_hour",
    "read_unit_hour",
    "replicated_write_unit_hour",
    "storage_gb_month",
    "recovery_gb_month",
    "backup_gb_month",
    "cold_backup_gb_month",
    "restore_gb",
    "stream_reads_per_100_000",
    "vector_write_gb",
    "vector_search_gb",
]
# The file that comes with pksk, in messages.
INCLUDED: Final = "pksk/capacity/prices.toml"
_REGION: Final = re.compile(r"[a-z]{2}(-[a-z]+)?-(north|south|east|west|central)+-\d")
PRICE_NAMES: Final[tuple[str, ...]] = get_args(PriceName)
# How AWS's pages and API call a table class, by our word.
_OTHER_WORDS: Final = {
    "ia": "infrequent-access",
    "standard-ia": "infrequent-access",
    "standard-infrequent-access": "infrequent-access",
}


@dataclass(frozen=True)
class Price:
    """A price or a free amount: its value, whether it is certain, its source, and its date.

    Example:
        >>> Prices.load().region("us-east-1").tariff("standard").price("storage_gb_month").amount
        Decimal('0.25')
    """

    amount: Decimal
    certain: bool
    source: str
    as_of: date


@dataclass(frozen=True)
class Tariff:
    """The prices of one table class in one region.

    Example:
        >>> tariff = Prices.load().region("us-east-1").tariff("infrequent-access")
        >>> tariff.price("storage_gb_month").amount, tariff.price("write_unit_hour").certain
        (Decimal('0.10'), False)
        >>> tariff.find("restore_gb")
    """

    file: str
    region: str
    table_class: str
    currency: str
    as_of: date
    prices: Mapping[str, Price] = field(repr=False)
    free: Mapping[str, Price] = field(repr=False)

    def find(self, name: PriceName) -> Price | None:
        """The price with this name, or None if the file does not have it.

        Example:
            >>> Prices.load().region("ap-northeast-2").tariff().find("storage_gb_month")
        """
        return self.prices.get(_price_name(self.file, name))

    def price(self, name: PriceName) -> Price:
        """The price with this name; raises an error if it is missing.

        Example:
            >>> Prices.load().region("us-east-1").tariff().price("write_units_per_million").amount
            Decimal('0.625')
        """
        amount = self.find(name)
        if amount is not None:
            return amount
        where = f"regions.{self.region}.{self.table_class}"
        raise FileError(
            "prices-missing",
            f"{self.file}: {where} has no {name}.",
            expected=f"It has: {', '.join(self.prices) or 'no prices'}.",
            fix=f"copy the file, add {name} under [{where}], and name the copy.",
        )

    def free_amount(self, name: PriceName) -> Decimal:
        """How much is free each month, in units, hours, reads or GB; 0 without a free tier.

        Example:
            >>> Prices.load().region("us-east-1").tariff().free_amount("storage_gb_month")
            Decimal('25')
        """
        amount = self.free.get(_price_name(self.file, name))
        return Decimal(0) if amount is None else amount.amount


@dataclass(frozen=True)
class Region:
    """The prices of one region, by table class.

    Example:
        >>> list(Prices.load().region("us-east-1").tariffs)
        ['standard', 'infrequent-access']
    """

    file: str
    name: str
    tariffs: Mapping[str, Tariff] = field(repr=False)

    @property
    def as_of(self) -> date:
        """The day of its oldest price.

        Example:
            >>> Prices.load().region("eu-west-1").as_of
            datetime.date(2025, 8, 28)
        """
        days = [price.as_of for tariff in self.tariffs.values() for price in tariff.prices.values()]
        return min(days or [tariff.as_of for tariff in self.tariffs.values()])

    def tariff(self, table_class: str = "standard") -> Tariff:
        """The prices of a table class, by the word that `Table` has for it.

        Example:
            >>> Prices.load().region("us-east-1").tariff("standard-ia")
            Traceback (most recent call last):
            pksk.errors.FileError: pksk/capacity/prices.toml: region us-east-1 has no table class 'standard-ia'.
            It has: standard, infrequent-access.
            Fix: did you mean 'infrequent-access'?  (pksk explain prices-table-class)
        """
        if table_class in self.tariffs:
            return self.tariffs[table_class]
        word = str(table_class).lower().replace("_", "-")
        near = did_you_mean(_OTHER_WORDS.get(word, word), self.tariffs)
        raise FileError(
            "prices-table-class",
            f"{self.file}: region {self.name} has no table class {quote(table_class)}.",
            expected=f"It has: {', '.join(self.tariffs) or 'none'}.",
            fix=_fix(near, f"[regions.{self.name}.{table_class}]"),
        )


@dataclass(frozen=True)
class Prices:
    """A price file: its name, date, currency, and the prices of each region.

    Example:
        >>> prices = Prices.load()
        >>> prices.file, prices.currency, list(prices.regions)
        ('pksk/capacity/prices.toml', 'USD', ['us-east-1', 'eu-west-1', 'ap-south-1', 'ap-northeast-2'])
    """

    file: str
    as_of: date
    currency: str
    regions: Mapping[str, Region] = field(repr=False)

    @classmethod
    def load(cls, path: str | Path | None = None) -> Prices:
        """The prices of a file, or those that come with pksk.

        Example:
            >>> Prices.load().region("us-east-1").tariff().currency
            'USD'
        """
        from pksk.capacity.price_file import read_prices

        return read_prices(path)

    @classmethod
    def parse(cls, text: str, *, file: str = "prices") -> Prices:
        """The prices in a TOML text; `file` is its name in messages.

        Example:
            >>> text = '''
            ... as_of = 2026-01-31
            ... currency = "EUR"
            ... [regions.eu-west-1.standard]
            ... storage_gb_month = 0.283
            ... '''
            >>> Prices.parse(text).region("eu-west-1").tariff().price("storage_gb_month").amount
            Decimal('0.283')
        """
        from pksk.capacity.price_file import parse_prices

        return parse_prices(text, file)

    def region(self, name: str) -> Region:
        """The prices of a region.

        Example:
            >>> Prices.load().region("us-east1")
            Traceback (most recent call last):
            pksk.errors.FileError: pksk/capacity/prices.toml has no prices for region 'us-east1'.
            It has prices for: us-east-1, eu-west-1, ap-south-1, ap-northeast-2.
            Fix: did you mean 'us-east-1'?  (pksk explain prices-region)
        """
        if name in self.regions:
            return self.regions[name]
        raise FileError(
            "prices-region",
            f"{self.file} has no prices for region {quote(name)}.",
            expected=f"It has prices for: {', '.join(self.regions) or 'none'}.",
            fix=self._fix_of_region(str(name)),
        )

    def _fix_of_region(self, name: str) -> str:
        # Another region is not a typing error, and has other prices.
        near = "" if _REGION.fullmatch(name) else did_you_mean(name.lower(), self.regions)
        if near:
            return f"did you mean {near!r}?"
        table = f"[regions.{name if re.fullmatch(r'[A-Za-z0-9_-]+', name) else 'REGION'}.standard]"
        if self.file == INCLUDED:
            return f"write a price file with {table}, and pass it: --prices FILE or Prices.load(FILE)."
        return f"add {table} to the file, or name one of its regions: --region {next(iter(self.regions), 'REGION')}."


def _fix(near: str, heading: str) -> str:
    if near:
        return f"did you mean {near!r}?"
    return f"copy the file, add {heading} with its prices, and name the copy."


def _price_name(file: str, name: str) -> str:
    if name in PRICE_NAMES:
        return name
    near = did_you_mean(str(name), PRICE_NAMES)
    raise FileError(
        "prices-unknown-name",
        f"{file}: {quote(name)} is not the name of a price.",
        expected=f"Names are: {', '.join(PRICE_NAMES)}.",
        fix=f"did you mean {near!r}?" if near else "write one of these.",
    )
