"""UPDATE in PartiQL's other form: FROM table WHERE key SET and REMOVE."""

from __future__ import annotations

import pytest

from .music import MALFORMED, Item, Music, song

pytestmark = pytest.mark.every_transport

ROW = song("A", "t", a=1, b="bee")
KEY = "WHERE Artist = 'A' AND Title = 't'"
NO_KEY = "Where clause does not contain a mandatory equality on all key attributes"
LEFTOVER = f"{MALFORMED}Unexpected token after expression"


@pytest.mark.parametrize(
    ("statement", "parameters", "row"),
    [
        (f"FROM Music {KEY} SET c = 1", (), {**ROW, "c": {"N": "1"}}),
        (f'from "Music" {KEY} set c = 1;', (), {**ROW, "c": {"N": "1"}}),
        (f"FROM Music {KEY} REMOVE b", (), song("A", "t", a=1)),
        (f"FROM Music {KEY} SET c = 2 REMOVE a", (), song("A", "t", b="bee", c=2)),
        (
            "FROM Music WHERE Artist = ? AND Title = ? SET c = ?",
            ({"S": "A"}, {"S": "t"}, {"N": "7"}),
            {**ROW, "c": {"N": "7"}},
        ),
        (f"FROM Music {KEY} AND a = 1 SET c = a + 1", (), {**ROW, "c": {"N": "2"}}),
    ],
)
def test_it_updates_the_item_of_its_key(statement: str, parameters: tuple[Item, ...], row: Item) -> None:
    music = Music(ROW)

    assert music.items(statement, *parameters) == []
    assert music.songs() == [row]


def test_it_returns_what_its_returning_clause_requests() -> None:
    music = Music(ROW)

    assert music.items(f"FROM Music {KEY} SET d = 3 RETURNING ALL NEW *") == [{**ROW, "d": {"N": "3"}}]
    assert music.items(f"FROM Music {KEY} SET d = 4 RETURNING MODIFIED OLD *") == [{"d": {"N": "3"}}]


@pytest.mark.parametrize("where", [f"{KEY} AND a = 2", "WHERE Artist = 'A' AND Title = 'absent'"])
def test_it_fails_if_its_condition_is_false_or_the_item_is_missing(where: str) -> None:
    music = Music(ROW)

    assert music.error_of(f"FROM Music {where} SET c = 5") == (
        "ConditionalCheckFailedException",
        "The conditional request failed",
    )
    assert music.songs() == [ROW]


def test_it_runs_in_batches_and_transactions() -> None:
    music = Music(ROW, song("A", "u"))
    other = "WHERE Artist = 'A' AND Title = 'u'"

    batch = music.call("BatchExecuteStatement", Statements=[{"Statement": f"FROM Music {KEY} SET c = 1"}])
    transaction = music.call(
        "ExecuteTransaction",
        TransactStatements=[
            {"Statement": f"FROM Music {KEY} SET d = 1"},
            {"Statement": f"FROM Music {other} SET d = 2"},
        ],
    )

    assert batch["Responses"] == [{"TableName": "Music"}]
    assert transaction == {"Responses": []}
    assert music.songs() == [{**ROW, "c": {"N": "1"}, "d": {"N": "1"}}, song("A", "u", d=2)]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("FROM Music SET c = 1", NO_KEY),
        ("FROM Music REMOVE a", NO_KEY),
        ("FROM Music WHERE a = 1 SET c = 1", NO_KEY),
        (f"FROM Music SET c = 1 {KEY}", LEFTOVER),
        (f"FROM Music SET c = 1 {KEY} SET d = 2", LEFTOVER),
        (f"FROM Music m {KEY} SET c = 1", "Aliasing is not supported"),
        (f"FROM Music {KEY}", f"{MALFORMED}Expected data manipulation"),
        ("FROM Music", f"{MALFORMED}Expected data manipulation"),
        ("FROM", f"{MALFORMED}Expected identifier for simple path"),
    ],
)
def test_an_invalid_statement_changes_nothing(statement: str, words: str) -> None:
    music = Music(ROW)

    assert music.invalid(statement) == words
    assert music.songs() == [ROW]


def test_it_fails_on_a_table_that_does_not_exist() -> None:
    assert Music().error_of("FROM Absent WHERE pk = 'x' SET c = 1") == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )
