"""`pksk cost`: a month of a design, per pattern, per table and index, and what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pksk.capacity.prices import PRICE_NAMES
from tests.cli.designs import STALL
from tests.cli.run_pksk import pksk

PRICES = """
as_of = 2026-02-01
currency = "EUR"

[regions.moon.standard]
read_units_per_million = 10
write_units_per_million = 20
"""


@pytest.fixture(autouse=True)
def stall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stall.py").write_text(STALL)
    monkeypatch.chdir(tmp_path)


def test_each_pattern_table_and_index_has_a_row_and_missing_figures_are_listed() -> None:
    out = pksk("cost", "stall.py").out

    assert "Sale.of_day          2/s  5 read units" in out
    assert "  1000/day  " in out
    assert "Sale.of_code: its rate (rate=)" in out
    assert "Total: how many items there are (items=)" in out
    assert "till: 4 of 10 reads and 0 of 5 writes a second are used" in out
    assert "as of 2026-01-31" in out


def test_the_figures_are_rates_times_units_times_prices() -> None:
    document = json.loads(pksk("cost", "stall.py", "--json").out)
    month = 730 * 3600
    patterns = {each["name"]: each for each in document["patterns"]}
    tables = {(each["table"], each["index"]): each for each in document["tables"]}

    assert float(patterns["Sale.of_day"]["month"]["amount"]) == pytest.approx(2 * 5 * month * 0.125 / 1e6)
    assert float(patterns["Sale.sell"]["month"]["amount"]) == pytest.approx(
        1000 / 86_400 * 2 * month * 0.625 / 1e6
    )
    assert patterns["Sale.of_code"]["month"] is None
    assert patterns["Total.of_day"]["month"] is None, "it is paid by the hour"
    assert float(tables["till", None]["requests"]["amount"]) == pytest.approx(
        730 * (10 * 0.00013 + 5 * 0.00065)
    )
    assert tables["stall", "by-code"]["write_per_second"] == pytest.approx(1000 / 86_400)
    assert tables["stall", None]["stored_bytes"] > 1_000_000 * 100


def test_a_price_file_is_used(tmp_path: Path) -> None:
    design = STALL.replace(", billing=Provisioned(read=10, write=5)", "").replace(", items=1_000_000", "")
    (tmp_path / "free.py").write_text(design)
    (tmp_path / "prices.toml").write_text(PRICES)

    ran = pksk("cost", "free.py", "--prices", "prices.toml", "--region", "moon")

    assert "262.80 EUR" in ran.out
    assert "moon, as of 2026-02-01" in ran.out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--region", "us-eas-1"), "us-east-1"),
        (("--prices", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_errors_name_the_value_and_the_fix(arguments: tuple[str, ...], expected: str) -> None:
    ran = pksk("cost", "stall.py", *arguments)

    assert ran.code == 2
    assert expected in ran.err
    assert "Fix: " in ran.err


def test_a_region_without_every_price_has_a_bill() -> None:
    ran = pksk("cost", "stall.py", "--region", "ap-northeast-2")

    assert ran.code == 0
    assert "regions.ap-northeast-2.standard has no storage_gb_month" in ran.out
    assert "? more with point-in-time recovery turned on, whose price is not known" in ran.out
    assert "A month      at least $" in ran.out


def test_an_unknown_price_is_not_printed_as_zero() -> None:
    lines = {line.split("  ")[0]: line for line in pksk("cost", "stall.py").out.splitlines()}

    assert lines["stall"].split("  ")[1:4] != ["0", "0", "$0.00"]
    assert "at least" in lines["stall"], "Sale.of_code has no rate"
    assert lines["stall/by-code"].split()[1] == "?"
    assert lines["Total.of_day"].endswith("provisioned")
    assert lines["till"].split()[-2:] == ["?", "?"]


def test_provisioned_and_shared_capacity_is_printed(tmp_path: Path) -> None:
    design = STALL.replace(
        'Table("till", billing', 'Table("till", indexes=[LSI("by-cents", sk=N("cents"))], billing'
    )
    design = design.replace("Key, Provisioned", "Key, LSI, N, Provisioned").replace("rate=4,", "rate=40,")
    (tmp_path / "shared.py").write_text(design)

    out = pksk("cost", "shared.py").out

    assert "with the table" in out
    assert "till: 40 of 10 reads and 0 of 5 writes a second are used" in out
    assert "till: the declared calls use 40 read units a second, and 10 are provisioned" in out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device here")
def test_a_device_is_not_a_price_file() -> None:
    ran = pksk("cost", "stall.py", "--prices", "/dev/full")

    assert ran.code == 2
    assert "/dev/full: it is a folder, a device or a pipe." in ran.err


def test_a_region_without_prices_lists_those_with_prices_and_names_the_option_for_others() -> None:
    error = pksk("cost", "stall.py", "--region", "us-west-1").err

    assert "no prices for region 'us-west-1'" in error
    assert "It has prices for: us-east-1, eu-west-1, ap-south-1, ap-northeast-2." in error
    assert "[regions.us-west-1.standard], and pass it: --prices FILE" in error


def test_the_documented_names_of_prices_are_all_names() -> None:
    page = Path(__file__).parents[2] / "docs" / "access-patterns-and-cost.md"
    text = page.read_text("utf-8").partition("## Prices of your own")[2]

    assert [name for name in PRICE_NAMES if f"`{name}`" not in text] == []


FEED = """
from datetime import datetime
from typing import Annotated
from pksk import Created, Entity, Key, Put, Table, access

class Post(Entity, table=Table("feed")):
    at: Annotated[datetime, Created()]
    primary = Key("POSTS", "{at}")

    @access(rate=2000, item_size=600)
    @classmethod
    def add(cls, post: "Post") -> Put["Post"]:
        return Put(post)
"""


def test_cost_and_design_print_the_same_line_and_cost_says_what_cannot_be_served(tmp_path: Path) -> None:
    (tmp_path / "feed.py").write_text(FEED)
    line = (
        "100% of 2,000 write units a second on one key of feed; it serves 1,000 write units a second, which no split "
        "raises: at makes each new sort key larger than all before; headroom 0.5 times, full at 1,000 calls a second"
    )

    out = pksk("cost", "feed.py").out
    assert f"Busiest keys:\n  Post.add: {line}\n" in out
    assert f"Cannot be served:\n  Post.add: {line}\n" in out
    assert json.loads(pksk("design", "feed.py", "--json").out)["patterns"][0]["loads"] == [line]
    assert json.loads(pksk("cost", "feed.py", "--json").out)["cannot_be_served"] == [f"Post.add: {line}"]
