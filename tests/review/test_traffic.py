"""Traces: what engines write is counted, and what cannot be read is named by its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from pksk import Engine, connect
from pksk.cli.app import app
from pksk.errors import FileError
from pksk.review import read_traffic, review
from pksk.review.reports.text_report import text_report
from tests.review.designs import tables_of, traffic_of
from tests.review.traces import FIRST_LINE, text_of, writes

DESIGN = """
    shop = Table("shop", indexes=[GSI("by-state", pk="g1", sk="g2")])

    class Order(Entity, table=shop):
        number: int
        state: Literal["open", "paid"]
        primary = Key("ORDER#{number:06d}", "META")
        by_state = Key("{state}", "{number:06d}", index="by-state")
    """


def test_the_figures_of_a_trace_are_those_of_the_heat(tmp_path: Path) -> None:
    (shop,) = tables_of(DESIGN)
    order = next(iter(shop.entities)).entity
    with Engine.open() as engine, connect(engine) as db:
        db.create_tables(shop)
        with engine.trace(tmp_path / "calls.jsonl"):
            for number in range(40):
                db.put(order(number=number % 10, state="open" if number % 4 else "paid"))
            paid = list(db.iter(order.by_state(state="paid")))
            list(db.iter(order.scan()))
        heat = engine.heat().tables["shop"]
    traffic = read_traffic(tmp_path / "calls.jsonl", [shop])

    for index, part in ((None, heat), ("by-state", heat.indexes["by-state"])):
        seen = traffic.of(shop, index)
        assert (seen.writes.calls, seen.writes.units) == (part.writes.calls, part.writes.units)
        assert seen.reads.units == part.reads.units
    key, share = traffic.of(shop, "by-state").writes.busiest or (None, None)
    assert share is not None
    assert key == {"S": "open"}
    assert share.lowest <= heat.indexes["by-state"].writes.top_share <= share.highest
    assert vars(traffic.of(shop, "by-state").queries) == {
        "calls": 1,
        "units": 0.5,
        "read": len(paid),
        "returned": len(paid),
    }
    assert traffic.of(shop, None).scans.calls == 1
    assert traffic.partial == ()


GOOD = writes("shop", ["ORDER#000001"] * 3)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{\x00}\n", "it is not JSON"),
        (b"[]\n", "it has no operation"),
        ({"op": "PutItem"}, "it names no table"),
        ({**GOOD[0], "wcu": -3}, "wcu is -3, which is not a number from 0 to 1,000,000"),
        ({**GOOD[0], "wcu": 10**300}, "wcu is 1e+300, which is not a number"),
        ({**GOOD[0], "wcu": "1"}, "wcu is '1'"),
        ({**GOOD[0], "wcu": True}, "wcu is True"),
        ({**GOOD[0], "ts": "now"}, "ts is 'now', which is not a time in seconds"),
        ({**GOOD[0], "pk": "7"}, "pk is '7', which is not an attribute value"),
        ({**GOOD[0], "read": 1, "returned": 2}, "it returned 2 of 1 items read"),
        (b'{"op": "' + b"x" * 200_000 + b"\n", "it is cut off"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_the_others_are_counted(line: Any, problem: str) -> None:
    bad = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
    traffic = traffic_of(tables_of(DESIGN), text_of(GOOD) + bad + text_of(GOOD)[len(text_of([])) :])

    assert problem in traffic.partial[0]
    assert traffic.partial[0].startswith("calls.jsonl, line 5: ")
    assert sum(part.writes.calls for part in traffic.parts.values()) == 6


def test_a_trace_that_ends_in_the_middle_of_a_line_is_partial() -> None:
    tables = tables_of(DESIGN)
    traffic = traffic_of(tables, text_of(GOOD)[:-20])

    assert traffic.partial == ("calls.jsonl, line 4: it is cut off",)
    assert traffic.of(tables[0], None).writes.calls == 2
    assert "Read in part:\n  calls.jsonl, line 4: it is cut off" in text_report(
        review(*tables, traffic=traffic)
    )


def test_many_lines_that_cannot_be_read_are_counted() -> None:
    traffic = traffic_of(tables_of(DESIGN), text_of(GOOD) + b"?\n" * 20)

    assert len(traffic.partial) == 6
    assert traffic.partial[-1] == "calls.jsonl: 15 more lines cannot be read"


def test_calls_of_other_tables_are_named() -> None:
    traffic = traffic_of(
        tables_of(DESIGN), text_of(GOOD + writes("logs", ["1"] * 2) + writes("shop", ["1"], "gone"))
    )

    assert traffic.partial == (
        "calls.jsonl: 2 calls of 'logs', which the design does not have",
        "calls.jsonl: 1 call of 'shop/gone', which the design does not have",
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "it is empty"),
        (b"SQLite format 3\x00", "line 1 is not the first line of a trace"),
        (b'{"ts":1.0,"op":"PutItem","table":"shop"}\n', "line 1 is not the first line of a trace"),
        (orjson.dumps(FIRST_LINE | {"version": 2}), "line 1 has version 2, and this pksk reads version 1"),
        (text_of(writes("shops", ["1"])), "it has calls of 'shops', and the design has 'shop'"),
    ],
)
def test_a_file_that_is_not_a_trace_of_the_design_is_an_error(text: bytes, problem: str) -> None:
    with pytest.raises(FileError) as caught:
        traffic_of(tables_of(DESIGN), text)

    assert caught.value.code == "check-traffic"
    assert problem in caught.value.problem
    assert caught.value.fix


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file or directory"):
        read_traffic(tmp_path / "none.jsonl", tables_of(DESIGN))


_SHOP = """
from pksk import Entity, Key, Table

shop = Table("shop")

class Order(Entity, table=shop):
    number: int
    primary = Key("ORDER#{number:06d}", "META")
"""


def test_pksk_check_reads_a_trace_and_fails_strictly_if_it_is_partial(tmp_path: Path) -> None:
    (tmp_path / "shop_with_trace.py").write_text(_SHOP)
    (tmp_path / "calls.jsonl").write_bytes(text_of(GOOD)[:-5])
    words = ["check", str(tmp_path / "shop_with_trace.py"), "--traffic", str(tmp_path / "calls.jsonl")]

    plain = CliRunner().invoke(app, words)
    strict = CliRunner().invoke(app, [*words, "--strict"])
    data = orjson.loads(CliRunner().invoke(app, [*words, "--json"]).output)

    assert (plain.exit_code, strict.exit_code) == (0, 1)
    assert "line 4: it is cut off" in plain.output
    assert data["partial"] == ["calls.jsonl, line 4: it is cut off"]
    assert data["traffic"]["tables"][0]["write"]["calls"] == 2
