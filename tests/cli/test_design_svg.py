"""`pksk design --format svg`: key templates, and example items in their partitions."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest

from pksk import GSI, Entity, Key, N, Table
from pksk.cli.design_data import design_data, table_data
from pksk.cli.design_partitions import partitions
from pksk.cli.design_svg import design_svg
from tests.cli.designs import SHOP
from tests.cli.run_pksk import pksk

SVG = "{http://www.w3.org/2000/svg}"

readings = Table("readings", pk="sensor", sk=N("at"), indexes=[GSI("alarms", pk="level", sk=N("at"))])


class Reading(Entity, table=readings):
    sensor: str
    at: int
    level: str | None = None
    tags: list[str] = []  # noqa: RUF012 - Pydantic copies it

    primary = Key("{sensor}", "{at}")
    alarms = Key("{level}", "{at}", index="alarms")


ITEMS = [
    Reading(sensor="a", at=10, level="high", tags=["x"]),
    Reading(sensor="b", at=3, level="high"),
    Reading(sensor="a", at=9),
]


def _drawn(*items: Reading) -> Element:
    return fromstring(design_svg(design_data([readings]), items))


def _texts(drawing: Element) -> list[str]:
    return ["".join(each.itertext()) for each in drawing.iter(f"{SVG}text")]


def test_items_are_grouped_by_partition_and_ordered_by_sort_key() -> None:
    data = table_data(readings)
    found = [(each.key, [row.sort for row in each.rows]) for each in partitions(data, data["keys"], ITEMS)]

    assert found == [(("a",), [("9",), ("10",)]), (("b",), [("3",)])]


def test_an_index_has_only_the_items_with_all_of_its_keys() -> None:
    data = table_data(readings)
    (found,) = partitions(data, data["indexes"][0], ITEMS)

    assert found.key == ("high",)
    assert [row.table_key for row in found.rows] == [("b", "3"), ("a", "10")]
    assert [row.table_partition for row in found.rows] == [1, 0]


def test_a_drawing_shows_templates_partitions_and_attributes() -> None:
    texts = _texts(_drawn(*ITEMS))

    assert {"Table readings", "sensor  partition key", "{sensor}", "keys of Reading", "a", "9"} <= {*texts}
    assert {"Index alarms", "high", "b + 3", "tags: list of 1"} <= {*texts}
    assert texts.count("a") == 1  # a partition key is written once


def test_a_drawing_without_items_shows_the_templates() -> None:
    assert _texts(_drawn())[:4] == [
        "Table readings", "sensor  partition key", "at  sort key", "other attributes",
    ]  # fmt: skip


def test_a_drawing_can_be_read_aloud() -> None:
    drawing = _drawn(*ITEMS)

    assert drawing.get("role") == "img"
    assert drawing.findtext(f"{SVG}title") == "Keys and partitions of readings"
    assert "Partition a has 9, 10; partition b has 3." in (drawing.findtext(f"{SVG}desc") or "")


@pytest.mark.parametrize("value", ["<script>alert(1)</script>", 'a"b&c', "\x00\ud7ff\x1b[31m", "日本語" * 30])
def test_values_are_escaped(value: str) -> None:
    drawing = _drawn(Reading(sensor=value, at=1))
    left = max(float(each.get("x", 0)) for each in drawing.iter(f"{SVG}text"))

    assert not list(drawing.iter(f"{SVG}script"))
    assert left < float(drawing.get("width", 0))


def test_the_command_draws_a_list_of_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(f"{SHOP}\nfew = [Customer(customer='<1>', name='Ann')]\n")
    ran = pksk("design", "shop.py", "--format", "svg", "--items", "few")

    assert (ran.code, ran.err) == (0, "")
    assert any("<1>" in text for text in _texts(fromstring(ran.out)))


def test_items_are_only_drawn_as_svg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SHOP)
    ran = pksk("design", "shop.py", "--items", "few")

    assert ran.code == 2
    assert "--items needs --format svg" in ran.err
