"""Prices are dated data, and a file that cannot be right is refused with the key that is wrong."""

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
        ("ap-northeast-2", "standard", "read_units_per_million", "0.1355"),
        ("ap-northeast-2", "standard", "write_unit_hour", "0.0007049"),
        ("ap-northeast-2", "infrequent-access", "write_units_per_million", "0.845"),
    ],
)
def test_the_file_that_comes_along_has(region: str, table_class: str, name: PriceName, amount: str) -> None:
    price = PRICES.region(region).tariff(table_class).price(name)

    assert price.amount == Decimal(amount)
    assert price.certain
    assert price.source
    assert price.as_of >= PRICES.as_of == date(2026, 1, 31)


def test_what_no_primary_source_states_is_marked() -> None:
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


def test_every_name_of_a_price_is_in_the_file_that_comes_along() -> None:
    assert sorted(PRICES.region("us-east-1").tariff().prices) == sorted(get_args(PriceName))


def test_a_price_that_is_not_known_is_refused_and_never_zero() -> None:
    korea = PRICES.region("ap-northeast-2").tariff()
    with pytest.raises(FileError) as refused:
        korea.price("storage_gb_month")

    assert korea.find("storage_gb_month") is None
    assert str(refused.value) == (
        "pksk/capacity/prices.toml: regions.ap-northeast-2.standard has no storage_gb_month.\n"
        "It has: write_units_per_million, read_units_per_million, write_unit_hour, read_unit_hour.\n"
        "Fix: copy the file, add storage_gb_month under [regions.ap-northeast-2.standard], and name the copy."
        "  (pksk explain prices-missing)"
    )


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("us-east1", "did you mean 'us-east-1'?"),
        ("eu-central-1", "copy the file, add [regions.eu-central-1.standard]"),
        (None, "copy the file"),
    ],
)
def test_a_region_that_the_file_lacks_is_refused(name: str, fix: str) -> None:
    with pytest.raises(FileError, match=r"has no region .*\n.*us-east-1, ap-northeast-2") as refused:
        PRICES.region(name)

    assert refused.value.code == "prices-region"
    assert refused.value.fix.startswith(fix)


@pytest.mark.parametrize("word", ["standard-ia", "STANDARD_INFREQUENT_ACCESS", "infrequent", "ia"])
def test_other_words_for_a_table_class_are_understood_enough_to_help(word: str) -> None:
    with pytest.raises(FileError) as refused:
        PRICES.region("us-east-1").tariff(word)

    assert refused.value.fix == "did you mean 'infrequent-access'?"


def test_a_users_file_may_hold_one_price_of_one_region(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f"{CLASS}storage_gb_month = 1\n", "utf-8-sig")

    for path in (own, str(own)):
        prices = Prices.load(path)
        assert (prices.file, list(prices.regions)) == (str(own), ["eu-west-1"])
        assert prices.region("eu-west-1").tariff().price("storage_gb_month").amount == 1


def test_the_file_that_comes_along_can_be_copied(tmp_path: Path) -> None:
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
def test_a_file_that_cannot_be_right_is_refused(text: str, code: str, problem: str) -> None:
    with pytest.raises(FileError) as refused:
        Prices.parse(text, file="own.toml")

    assert refused.value.code == code
    assert refused.value.problem.startswith("own.toml: ")
    assert problem in refused.value.problem
    assert refused.value.expected
    assert refused.value.fix


def test_a_mistyped_name_comes_with_the_right_one() -> None:
    with pytest.raises(FileError) as refused:
        Prices.parse(f"{CLASS}storge_gb_month = 1")

    assert refused.value.fix == "did you mean 'storage_gb_month'?"


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
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
        with pytest.raises(FileError) as refused:
            Prices.load(path)
        assert refused.value.code == code
        assert refused.value.fix.startswith(fix)
    with pytest.raises(FileError, match="line 2"):
        Prices.load(tmp_path / "prices.toml")
