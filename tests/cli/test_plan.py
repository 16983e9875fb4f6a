"""`pksk plan`: one call of an access pattern, with its requests and its likely cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.designs import STALL
from tests.cli.running import pksk


@pytest.fixture(autouse=True)
def stall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stall.py").write_text(STALL)
    monkeypatch.chdir(tmp_path)


def test_a_call_is_planned_with_the_arguments_given() -> None:
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


def test_what_is_not_given_is_taken_from_the_example() -> None:
    assert "pk = 'DAY#2025-06-15'" in pksk("plan", "stall.py", "Sale.of_day").out


def test_the_name_alone_is_enough_where_one_pattern_has_it() -> None:
    assert pksk("plan", "stall.py", "of_code", "code=abc").code == 0
    assert "several access patterns 'of_day'" in pksk("plan", "stall.py", "of_day").err


def test_json_holds_the_request_as_boto3_takes_it() -> None:
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


def test_a_model_is_given_as_json() -> None:
    sale = '{"day": "2025-03-01", "number": 7, "code": "abc"}'

    assert "pk = 'DAY#2025-03-01'" in pksk("plan", "stall.py", "sell", f"sale={sale}").out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("Sale.of_dya",), "did you mean 'Sale.of_day'?"),
        (("Sale.of_day", "dya=2025-03-01"), "did you mean day=...?"),
        (("Sale.of_day", "day"), "did you mean day=...?"),
        (("Sale.of_day", "x"), "write NAME=VALUE"),
        (("Sale.of_day", "day=yesterday"), "day='yesterday': Input should be a valid date"),
        (("of_code", "code=x"), "'x' has not three letters"),
    ],
)
def test_mistakes_are_met_with_what_would_work(arguments: tuple[str, ...], expected: str) -> None:
    ran = pksk("plan", "stall.py", *arguments)

    assert ran.code == 2
    assert expected in ran.err
