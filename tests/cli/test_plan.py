"""`pksk plan`: one call of an access pattern, with its requests and its likely cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.designs import STALL
from tests.cli.run_pksk import pksk


@pytest.fixture(autouse=True)
def stall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stall.py").write_text(STALL)
    monkeypatch.chdir(tmp_path)


def test_a_call_is_planned_with_its_arguments() -> None:
    ran = pksk("plan", "stall.py", "Sale.of_day", "day=2025-03-01", "newest_first=true")

    assert ran.code == 0
    assert ran.out == (
        "Query table 'stall' for Sale\n"
        "  key       pk = 'DAY#2025-03-01'\n"
        "  order     backwards\n"
        "  exact     yes\n"
        "  estimate  5 read units\n"
        "  assuming  100 items a call, as declared\n"
        "            Sale: 400 bytes an item, as declared\n"
    )


def test_missing_arguments_come_from_the_example() -> None:
    assert "pk = 'DAY#2025-06-15'" in pksk("plan", "stall.py", "Sale.of_day").out


def test_the_name_of_a_pattern_is_enough_if_it_is_unique() -> None:
    assert pksk("plan", "stall.py", "of_code", "code=abc").code == 0
    assert "several access patterns 'of_day'" in pksk("plan", "stall.py", "of_day").err


def test_json_output_has_the_request_of_boto3() -> None:
    document = json.loads(pksk("plan", "stall.py", "of_code", "code=abc", "--json").out)

    assert document[0]["requests"][0] == {
        "operation": "Query",
        "request": {
            "TableName": "stall",
            "IndexName": "by-code",
            "KeyConditionExpression": "code = :v0",
            "ExpressionAttributeValues": {":v0": {"S": "abc"}},
        },
    }


def test_a_model_is_written_as_json() -> None:
    sale = '{"day": "2025-03-01", "number": 7, "code": "abc"}'

    assert "pk = 'DAY#2025-03-01'" in pksk("plan", "stall.py", "sell", f"sale={sale}").out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("Sale.of_dya",), "did you mean 'Sale.of_day'?"),
        (("Sale.of_day", "dya=2025-03-01"), "did you mean day=...?"),
        (("Sale.of_day", "day"), "did you mean day=...?"),
        (("Sale.of_day", "x"), "'x' is not NAME=VALUE"),
        (("Sale.of_day", "x"), "write NAME=VALUE"),
        (("Sale.of_day", "foo=1"), "there is no parameter 'foo'"),
        (("Sale.of_day", "foo=1"), "Parameters are: day, newest_first."),
        (("Sale.of_day", "foo=1"), "Fix: write one of them."),
        (("Sale.of_day", "day=yesterday"), "day='yesterday': Input should be a valid date"),
        (("of_code", "code=x"), "'x' has not three letters"),
        (("of_code", "code=x"), "pass other arguments as NAME=VALUE, or correct the function."),
    ],
)
def test_the_error_about_a_mistake_names_the_fix(arguments: tuple[str, ...], expected: str) -> None:
    ran = pksk("plan", "stall.py", *arguments)

    assert ran.code == 2
    assert expected in ran.err


def test_an_argument_cannot_appear_twice() -> None:
    ran = pksk("plan", "stall.py", "Sale.of_day", "day=2025-03-01", "day=2025-03-02")

    assert ran.code == 2
    assert "Sale.of_day: 'day' appears twice." in ran.err
    assert "(pksk explain argument-twice)" in ran.err


LOUD = """
from pksk import Entity, Get, Key, Table, Transaction, Put, access, transaction

shop = Table("shop")


class Order(Entity, table=shop, items=5):
    id: str
    data: bytes = b""
    primary = Key("ORDER#{id}", "META")

    @access(rate=1)
    @classmethod
    def one(cls, *ids: str) -> Get["Order"]:
        print("asked for", *ids)
        return cls.primary.get(id=ids[0])

    @access(rate=1)
    @staticmethod
    def put(id: str) -> Transaction["Order"]:
        return transaction(Put(Order(id=id, data=b"x")), Order.primary.check(id="a"), token="once")
"""


@pytest.mark.parametrize("command", [["plan", "loud.py", "one"], ["design", "loud.py"], ["cost", "loud.py"]])
def test_output_printed_by_a_pattern_is_left_out(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "loud.py").write_text(LOUD)
    ran = pksk(*command, "--json")

    assert json.loads(ran.out)
    assert "asked for ids" in ran.err


def test_a_list_of_values_is_written_as_json(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(LOUD)

    assert "pk = 'ORDER#b'" in pksk("plan", "loud.py", "one", 'ids=["b", "c"]').out


def test_json_output_has_a_transaction_as_it_is_sent(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(LOUD)
    document = json.loads(pksk("plan", "loud.py", "put", "id=b", "--json").out)

    ((sent),) = document[0]["requests"]
    assert sent["operation"] == "TransactWriteItems"
    assert [list(each) for each in sent["request"]["TransactItems"]] == [["Put"], ["ConditionCheck"]]
    assert sent["request"]["TransactItems"][0]["Put"]["Item"]["data"] == {"B": "eA=="}
    assert sent["request"]["ClientRequestToken"] == "once"
