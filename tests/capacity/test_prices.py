"""Prices are dated data; the error about an invalid file names the wrong key."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from pksk.capacity import PriceName, Prices
from pksk.errors import FileError

HEAD = 'as_of = 2026-01-31\ncurrency = "USD"\n'
CLASS = f"{HEAD}[regions.eu-west-1.standard]\n"
PRICES = Prices.load()


@pytest.mark.parametrize(
    ("region", "table_class", "name", "amount"),
    [
        ("us-east-1", "standard", "write_units_per_million", "0.625"),
        ("us-east-1", "standard", "read_units_per_million", "0.125"),
        ("us-east-1", "standard", "replicated_write_units_per_million", "0.625"),
        ("us-east-1", "standard", "write_unit_hour", "0.00065"),
        ("us-east-1", "standard", "read_unit_hour", "0.00013"),
        ("us-east-1", "standard", "storage_gb_month", "0.25"),
        ("us-east-1", "standard", "recovery_gb_month", "0.20"),
        ("us-east-1", "standard", "backup_gb_month", "0.10"),
        ("us-east-1", "standard", "restore_gb", "0.15"),
        ("us-east-1", "standard", "stream_reads_per_100_000", "0.02"),
        ("us-east-1", "standard", "vector_write_gb", "0.52"),
        ("us-east-1", "standard", "vector_search_gb", "0.002"),
        ("us-east-1", "infrequent-access", "write_units_per_million", "0.78"),
        ("us-east-1", "infrequent-access", "read_units_per_million", "0.155"),
        ("us-east-1", "infrequent-access", "storage_gb_month", "0.10"),
        ("us-east-1", "infrequent-access", "vector_write_gb", "0.65"),
        ("eu-west-1", "standard", "write_units_per_million", "0.705"),
        ("eu-west-1", "standard", "read_units_per_million", "0.1415"),
        ("eu-west-1", "standard", "storage_gb_month", "0.283"),
        ("eu-west-1", "standard", "recovery_gb_month", "0.22"),
        ("ap-south-1", "standard", "write_units_per_million", "0.71"),
        ("ap-south-1", "standard", "read_units_per_million", "0.1425"),
        ("ap-northeast-2", "standard", "read_units_per_million", "0.1355"),
        ("ap-northeast-2", "standard", "write_unit_hour", "0.0007049"),
        ("ap-northeast-2", "infrequent-access", "write_units_per_million", "0.845"),
    ],
)
def test_the_bundled_price_file_has(region: str, table_class: str, name: PriceName, amount: str) -> None:
    price = PRICES.region(region).tariff(table_class).price(name)

    assert price.amount == Decimal(amount)
    assert price.certain
    assert price.source
    assert price.as_of >= PRICES.as_of == date(2026, 1, 31)


def test_the_date_of_a_region_is_that_of_its_oldest_price() -> None:
    assert {name: str(region.as_of) for name, region in PRICES.regions.items()} == {
        "us-east-1": "2026-01-31",
        "eu-west-1": "2025-08-28",
        "ap-south-1": "2026-09-18",
        "ap-northeast-2": "2026-06-12",
    }


def test_prices_without_a_primary_source_are_marked() -> None:
    tariffs = [tariff for region in PRICES.regions.values() for tariff in region.tariffs.values()]
    rows = [
        (tariff.region, tariff.table_class, name, price)
        for tariff in tariffs
        for name, price in [*tariff.prices.items(), *tariff.free.items()]
    ]

    assert [row[:3] for row in rows if not row[3].certain] == [
        ("us-east-1", "standard", "replicated_write_unit_hour"),
        ("us-east-1", "standard", "cold_backup_gb_month"),
        ("us-east-1", "standard", "stream_reads_per_100_000"),
        ("us-east-1", "infrequent-access", "write_unit_hour"),
        ("us-east-1", "infrequent-access", "read_unit_hour"),
    ]


def test_the_bundled_file_has_every_price_name() -> None:
    assert sorted(PRICES.region("us-east-1").tariff().prices) == sorted(get_args(PriceName))


def test_an_unknown_price_raises_and_is_never_zero() -> None:
    korea = PRICES.region("ap-northeast-2").tariff()
    with pytest.raises(FileError) as raised:
        korea.price("storage_gb_month")

    assert korea.find("storage_gb_month") is None
    assert str(raised.value) == (
        "pksk/capacity/prices.toml: regions.ap-northeast-2.standard has no storage_gb_month.\n"
        "It has: write_units_per_million, read_units_per_million, write_unit_hour, read_unit_hour.\n"
        "Fix: copy the file, add storage_gb_month under [regions.ap-northeast-2.standard], and name the copy."
        "  (pksk explain prices-missing)"
    )


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("us-east1", "did you mean 'us-east-1'?"),
        (
            "eu-central-1",
            "write a price file with [regions.eu-central-1.standard], and pass it: --prices FILE",
        ),
        ("us-east-2", "write a price file with [regions.us-east-2.standard]"),
        ("US-EAST-1", "did you mean 'us-east-1'?"),
        ("mars 1", "write a price file with [regions.REGION.standard]"),
        (None, "write a price file"),
    ],
)
def test_a_region_missing_from_the_file_raises(name: str, fix: str) -> None:
    with pytest.raises(
        FileError,
        match=r"has no prices for region .*\n.*for: us-east-1, eu-west-1, ap-south-1, ap-northeast-2\.",
    ) as raised:
        PRICES.region(name)

    assert raised.value.code == "prices-region"
    assert raised.value.fix.startswith(fix)


def test_a_region_missing_from_a_file_of_the_user_is_added_to_it_or_another_one_is_named() -> None:
    text = 'as_of = 2026-01-31\ncurrency = "EUR"\n[regions.moon.standard]\nstorage_gb_month = 1\n'
    with pytest.raises(FileError) as raised:
        Prices.parse(text, file="own.toml").region("us-east-1")

    assert raised.value.problem == "own.toml has no prices for region 'us-east-1'."
    assert raised.value.fix == (
        "add [regions.us-east-1.standard] to the file, or name one of its regions: --region moon."
    )


@pytest.mark.parametrize("word", ["standard-ia", "STANDARD_INFREQUENT_ACCESS", "infrequent", "ia"])
def test_the_error_about_a_misnamed_table_class_suggests_the_right_name(word: str) -> None:
    with pytest.raises(FileError) as raised:
        PRICES.region("us-east-1").tariff(word)

    assert raised.value.fix == "did you mean 'infrequent-access'?"


def test_an_unknown_table_class_is_added_to_a_copy_of_the_file() -> None:
    with pytest.raises(FileError) as raised:
        PRICES.region("us-east-1").tariff("glacier")

    assert raised.value.fix == (
        "copy the file, add [regions.us-east-1.glacier] with its prices, and name the copy."
    )


def test_a_price_file_can_have_one_price_of_one_region(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f"{CLASS}storage_gb_month = 1\n", "utf-8-sig")

    for path in (own, str(own)):
        prices = Prices.load(path)
        assert (prices.file, list(prices.regions)) == (str(own), ["eu-west-1"])
        assert prices.region("eu-west-1").tariff().price("storage_gb_month").amount == 1


def test_the_bundled_file_can_be_copied(tmp_path: Path) -> None:
    copy = tmp_path / "copy.toml"
    copy.write_bytes((files("pksk.capacity") / "prices.toml").read_bytes())

    assert Prices.load(copy).region("us-east-1").tariff().prices == PRICES.region("us-east-1").tariff().prices


@pytest.mark.parametrize(
    ("text", "code", "problem"),
    [
        pytest.param("as_of = \n", "prices-toml", "line 1", id="broken"),
        pytest.param(f"{CLASS}storage_gb_month = 1\nstorage_gb_month = 2\n\n", "prices-toml", "line 5", id="twice"),
        pytest.param('currency = "USD"', "prices-value", "as_of is missing", id="no day"),
        pytest.param("as_of = 2026-01-31", "prices-value", "currency is missing", id="no currency"),
        pytest.param('as_of = "2026"', "prices-value", "as_of = '2026'", id="day in quotes"),
        pytest.param("as_of = 2026-01-31T00:00:00", "prices-value", "as_of = datetime", id="an instant"),
        pytest.param('as_of = 2026-01-31\ncurrency = "$"', "prices-value", "currency = '$'", id="sign"),
        pytest.param(f"{HEAD}source = 1", "prices-value", "source = 1", id="source"),
        pytest.param(HEAD, "prices-value", "regions is missing", id="no regions"),
        pytest.param(f"{HEAD}regions = 1", "prices-value", "regions = 1", id="regions a number"),
        pytest.param(f"{HEAD}regions.x = 1", "prices-value", "regions.x = 1", id="region a number"),
        pytest.param(f"{HEAD}regions.x.standard = []", "prices-value", "regions.x.standard = []", id="class a list"),
        pytest.param(f"{HEAD}[region.x]", "prices-unknown-name", "region is not known", id="top name"),
        pytest.param(
            f"{HEAD}[regions.x.standrad]", "prices-unknown-name", "regions.x.standrad", id="class name"
        ),
        pytest.param(f"{CLASS}storage = 1", "prices-unknown-name", "standard.storage", id="price name"),
        pytest.param(f"{CLASS}storage_gb_month = -0.1", "prices-value", "month = -0.1", id="negative"),
        pytest.param(f"{CLASS}storage_gb_month = nan", "prices-value", "month = NaN", id="nan"),
        pytest.param(f"{CLASS}storage_gb_month = inf", "prices-value", "month = Infinity", id="infinite"),
        pytest.param(f'{CLASS}storage_gb_month = "1"', "prices-value", "month = '1'", id="in quotes"),
        pytest.param(f"{CLASS}storage_gb_month = true", "prices-value", "month = True", id="a truth"),
        pytest.param(f"{CLASS}storage_gb_month = {{}}", "prices-value", "price is missing", id="no price"),
        pytest.param(f"{CLASS}restore_gb.amount = 1", "prices-unknown-name", "gb.amount", id="row name"),
        pytest.param(f"{CLASS}restore_gb = {{price=1, certain=0}}", "prices-value", "certain = 0", id="certain"),
        pytest.param(f"{CLASS}restore_gb = {{price=1, source=0}}", "prices-value", "source = 0", id="row source"),
        pytest.param(f"{CLASS}restore_gb = {{price=1, as_of=0}}", "prices-value", "as_of = 0", id="row day"),
        pytest.param(f"{CLASS}free = 1", "prices-value", "standard.free = 1", id="free a number"),
        pytest.param(f"{CLASS}free.restore_gb = -1", "prices-value", "free.restore_gb = -1", id="free negative"),
        pytest.param(f"{CLASS}free.storage = 1", "prices-unknown-name", "free.storage", id="free name"),
        pytest.param("a = " + "[" * 9999, "prices-toml", "not TOML", id="too deep"),
    ],
)  # fmt: skip
def test_an_invalid_price_file_raises(text: str, code: str, problem: str) -> None:
    with pytest.raises(FileError) as raised:
        Prices.parse(text, file="own.toml")

    assert raised.value.code == code
    assert raised.value.problem.startswith("own.toml: ")
    assert problem in raised.value.problem
    assert raised.value.expected
    assert raised.value.fix


def test_the_error_about_a_mistyped_name_suggests_the_right_one() -> None:
    with pytest.raises(FileError) as raised:
        Prices.parse(f"{CLASS}storge_gb_month = 1")

    assert raised.value.fix == "did you mean 'storage_gb_month'?"


def test_an_unreadable_price_file_raises(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_bytes(b"as_of = 2026-01-31\ncurrency = '\xff'\n")
    cases = {
        tmp_path / "price.toml": ("file-missing", "did you mean"),
        tmp_path / "none" / "price.toml": ("file-missing", "check the name"),
        tmp_path: ("file-unreadable", "name the file itself"),
        tmp_path / "prices.toml": ("file-encoding", "save the file as UTF-8"),
        Path("/dev/null"): ("file-unreadable", "name the file itself"),
        Path("a\0b"): ("file-unreadable", "name the file itself"),
    }

    for path, (code, fix) in cases.items():
        with pytest.raises(FileError) as raised:
            Prices.load(path)
        assert raised.value.code == code
        assert raised.value.fix.startswith(fix)
    with pytest.raises(FileError, match="line 2"):
        Prices.load(tmp_path / "prices.toml")
