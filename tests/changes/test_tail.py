"""Records as they come, and the commands that show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pksk import Engine, connect
from pksk.changes import consumers, tail
from tests.changes.shop import fill, fill_consumer, shop
from tests.cli.run_pksk import pksk


@pytest.fixture
def _file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with three orders, a consumer that has read two of them, and a dead letter."""
    monkeypatch.chdir(tmp_path)
    fill_consumer("shop.db")


def test_tail_reads_records_in_order_and_stores_nothing(engine: Engine) -> None:
    with connect(engine) as db:
        db.create_tables(shop)
        fill(db, 20)
        engine.roll_shards("shop")
        fill(db, 20, first=20)
        records = list(tail(engine, "shop", oldest=True, follow=False))

    assert len(records) == 40
    assert "pksk-changes" not in engine.call("ListTables", {})["TableNames"]
    assert consumers_of(engine) == []


def consumers_of(engine: Engine) -> list[str]:
    engine.call("CreateTable", {
        "TableName": "pksk-changes", "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    })  # fmt: skip
    return [each.consumer for each in consumers(engine)]


@pytest.mark.usefixtures("_file")
def test_the_status_of_all_consumers_is_printed() -> None:
    printed = pksk("changes", "status", "--on", "shop.db").out
    data = json.loads(pksk("changes", "status", "--on", "shop.db", "--json").out)
    metrics = pksk("changes", "status", "--on", "shop.db", "--metrics").out.splitlines()

    assert "consumer      audit\ntable         shop\ncondition     reading\n" in printed
    assert "dead letters  2" in printed
    assert "Behind" in printed
    assert 'pksk_consumer_dead_letters{consumer="audit",table="shop"} 2' in metrics
    assert [(each["consumer"], each["dead_letters"]) for each in data["consumers"]] == [("audit", 2)]


def test_without_consumers_the_status_says_so(tmp_path: Path) -> None:
    connect(tmp_path / "new.db").close()

    assert pksk("changes", "status", "--on", str(tmp_path / "new.db")).out == (
        "No consumers in table pksk-changes.\n"
    )


@pytest.mark.usefixtures("_file")
def test_changes_are_printed_for_people_and_as_json_lines() -> None:
    options = ("changes", "tail", "shop", "--on", "shop.db", "--oldest", "--no-follow")
    lines = pksk(*options).out.splitlines()
    records = [json.loads(line) for line in pksk(*options, "--json").out.splitlines()]

    assert len(lines) == len(records) == 3
    (modified,) = (line for line in lines if "modify" in line)
    assert modified.endswith("modify  pk='CUST#c0' sk='ORDER#000000'  total: 0 -> 5")
    assert {each["eventName"] for each in records} == {"INSERT", "MODIFY"}


@pytest.mark.usefixtures("_file")
def test_dead_letters_are_listed_and_dropped() -> None:
    listed = pksk("changes", "dead-letters", "shop", "audit", "--on", "shop.db").out
    data = json.loads(pksk("changes", "dead-letters", "shop", "audit", "--on", "shop.db", "--json").out)
    first = data["dead_letters"][0]["id"]
    dropped = pksk("changes", "dead-letters", "shop", "audit", "--on", "shop.db", "--drop", first).out
    wrong = pksk("changes", "dead-letters", "shop", "audit", "--on", "shop.db", "--drop", first)
    rest = pksk("changes", "dead-letters", "shop", "audit", "--on", "shop.db", "--drop", "all").out

    assert "ValueError: no" in listed
    assert listed.endswith("2 in all.\n")
    assert dropped.endswith("Dropped 1.\n")
    assert (wrong.code, "has no dead letter" in wrong.err) == (2, True)
    assert rest.endswith("Dropped 1.\n")


@pytest.mark.usefixtures("_file")
@pytest.mark.parametrize("command", [["status"], ["tail", "shop"], ["dead-letters", "shop", "audit"]])
def test_a_mistyped_file_is_an_error_and_is_not_created(command: list[str]) -> None:
    done = pksk("changes", *command, "--on", "shpo.db")

    assert done.code == 2
    assert "shpo.db: there is no such file" in done.err
    assert "did you mean 'shop.db'?" in done.err
    assert not Path("shpo.db").exists()


@pytest.mark.usefixtures("_file")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["shop", "adit"],
            "table 'shop' has no consumer 'adit'.\nIts consumers in table pksk-changes are: audit.",
        ),
        (["shop", "adit"], "did you mean 'audit'?"),
        (["shpo", "audit"], "list all with pksk changes status, or check --state."),
        (["shop", "audit", "--state", "other"], "Its consumers in table other are: none."),
    ],
)
def test_dead_letters_of_a_consumer_that_does_not_exist_are_an_error(
    arguments: list[str], message: str
) -> None:
    done = pksk("changes", "dead-letters", *arguments, "--on", "shop.db")

    assert done.code == 2
    assert message in done.err


@pytest.mark.usefixtures("_file")
def test_a_mistyped_table_is_reported_with_the_nearest_name() -> None:
    done = pksk("changes", "tail", "shpo", "--on", "shop.db", "--no-follow")

    assert "Fix: did you mean 'shop'? Or create it with create_tables(...)" in done.err
