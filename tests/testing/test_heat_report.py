"""--pksk-heat: the consumption of all tests of a run, and the tests that scan."""

from __future__ import annotations

from collections import Counter

import pytest
from orjson import loads

from pksk.engine import Engine
from pksk.testing.heat_report import HeatCollector

from .orders import ORDERS, order

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("all_imported")

RUN = """
import boto3, pytest
from pksk import GSI, Engine, Table
from pksk.testing import intercept

TABLE = Table("orders", indexes=[GSI("by-status", pk="status")]).create_request()

@pytest.fixture
def orders(pksk_boto3):
    return pksk_boto3.resource("dynamodb").create_table(**TABLE)

@pytest.mark.parametrize("number", range(3))
def test_puts(orders, number):
    for sk in range(4):
        orders.put_item(Item={"pk": "CUST#7", "sk": str(sk), "status": "open"})
    orders.put_item(Item={"pk": "CUST#8", "sk": "0"})

def test_scans(orders):
    orders.scan()
    orders.scan(IndexName="by-status")

def test_reads_without_end(orders):
    with orders.batch_writer() as batch:
        for number in range(5):
            batch.put_item(Item={"pk": "CUST#9", "sk": str(number), "text": "x" * 300_000})
    orders.query(KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": "CUST#9"})

def test_deletes_its_table(orders):
    orders.scan()
    orders.delete()

@intercept
def test_without_a_fixture():
    client = boto3.client("dynamodb")
    client.create_table(**TABLE | {"TableName": "people"})
    client.get_item(TableName="people", Key={"pk": {"S": "ann"}, "sk": {"S": "1"}})

@pytest.fixture(scope="module")
def shared():
    with Engine.open() as engine, intercept(engine):
        engine.call("CreateTable", TABLE | {"TableName": "shared"})
        yield engine

@pytest.mark.parametrize("number", range(2))
def test_an_engine_of_a_module(shared, number):
    shared.call("Scan", {"TableName": "shared"})
"""
EXPECTED = """
orders
  read * units in 3 calls
    keys    pk=CUST#9 *
  write * units in 20 calls
    keys    pk=CUST#9 * 99.0%
  scans     4 units in 2 pages
  queries   146.5 units in 1 page that reached 1 MB without a Limit
    keys    pk=CUST#9     146.5  100.0%

orders / by-status
  read      2 units in 1 call
  write     12 units in 12 calls
    keys    status=open * 100.0%
  scans     2 units in 1 page

people
  read      0.5 units in 1 call
    keys    pk=ann       0.5  100.0%

shared
  read      4 units in 2 calls
  scans     4 units in 2 pages

scans by test
  orders *  2 units in 1 page     test_it.py::test_deletes_its_table
  orders *  2 units in 1 page     test_it.py::test_scans
  orders / by-status *  2 units in 1 page     test_it.py::test_scans
  shared *  2 units in 1 page     test_it.py::test_an_engine_of_a_module?0?
  shared *  2 units in 1 page     test_it.py::test_an_engine_of_a_module?1?

queries that reached 1 MB without a Limit, by test
  orders     146.5 units in 1 page     test_it.py::test_reads_without_end
"""


@pytest.mark.parametrize("options", [["-pno:xdist"], ["-n2"]], ids=["alone", "xdist"])
def test_the_report_is_of_all_tests_and_workers(pytester: pytest.Pytester, options: list[str]) -> None:
    pytester.makepyfile(test_it=RUN)
    result = pytester.runpytest("--pksk-heat", *options)

    result.stdout.fnmatch_lines(["*pksk: what the tests consumed*"])
    result.stdout.fnmatch_lines([line for line in EXPECTED.splitlines() if line])
    result.stdout.no_fnmatch_line("*\x1b*")


@pytest.mark.parametrize("options", [["-pno:xdist"], ["-n2"]], ids=["alone", "xdist"])
def test_a_trace_has_the_calls_of_all_tests_and_workers(
    pytester: pytest.Pytester, options: list[str]
) -> None:
    pytester.makepyfile(test_it=RUN)
    pytester.runpytest("--pksk-trace=calls.jsonl", "--pksk-heat", *options)

    first, *lines = map(loads, pytester.path.joinpath("calls.jsonl").read_bytes().splitlines())
    operations = Counter((line["table"], line.get("index"), line["op"]) for line in lines)
    assert (first["op"], first["version"]) == ("Trace", 1)
    assert operations["orders", None, "PutItem"] == 15
    assert operations["orders", "by-status", "PutItem"] == 12
    assert operations["orders", None, "Scan"] == operations["shared", None, "Scan"] == 2
    assert operations["people", None, "GetItem"] == 1
    assert [path.name for path in pytester.path.glob("calls*")] == ["calls.jsonl"]


def test_the_report_has_the_requested_number_of_rows(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=RUN)
    lines = pytester.runpytest("--pksk-heat=1", "-k", "puts or scans").stdout.lines

    assert "  and 1 more" in lines
    assert not any("CUST#8" in line for line in lines)


def test_the_report_of_a_run_without_an_engine_says_so(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")

    pytester.runpytest("--pksk-heat").stdout.fnmatch_lines(["no calls"])


def test_a_path_after_the_option_raises_with_a_fix(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--pksk-heat", "tests")

    result.stderr.fnmatch_lines(
        ["*'tests' is not a number of rows. Write --pksk-heat=5, or put --pksk-heat last."]
    )


def test_the_report_merges_closed_engines() -> None:
    heat = HeatCollector()
    for number in range(120):
        heat.test = f"test {number % 2}"
        with Engine.open() as engine:
            engine.call("CreateTable", ORDERS)
            engine.call("PutItem", {"TableName": "orders", "Item": order("7", number)})
            engine.call("Scan", {"TableName": "orders"})
            heat.record(engine)
        del engine
    collected = heat.collected()

    assert collected.heat.tables["orders"].writes.calls == 120
    assert collected.heat.tables["orders"].writes.keys[0].units == 120
    assert set(collected.pages.values()) == {(60, 120.0)}
    assert len(heat._ended) < 60


def test_a_recreated_table_does_not_hide_the_earlier_one() -> None:
    heat = HeatCollector()
    engine = Engine.open()
    for _ in range(2):
        engine.call("CreateTable", ORDERS)
        engine.call("Scan", {"TableName": "orders"})
        heat.record(engine)
        engine.call("DeleteTable", {"TableName": "orders"})
        heat.record(engine)

    assert heat.collected().heat.tables["orders"].scans.calls == 2
    assert [pages for pages, _ in heat.collected().pages.values()] == [2]


def test_a_table_that_is_recreated_between_two_records_counts_twice() -> None:
    heat = HeatCollector()
    engine = Engine.open()
    engine.call("CreateTable", ORDERS)
    for number in range(2):
        engine.call("PutItem", {"TableName": "orders", "Item": order("7", number)})
    heat.record(engine)
    engine.call("DeleteTable", {"TableName": "orders"})
    engine.call("CreateTable", ORDERS)
    engine.call("Scan", {"TableName": "orders"})
    heat.record(engine)

    found = heat.collected().heat.tables["orders"]
    assert (found.writes.calls, found.scans.calls) == (2, 1)
