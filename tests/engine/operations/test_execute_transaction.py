"""ExecuteTransaction: serialisation, validation, behaviour."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pksk.engine import Engine
from tests.engine.partiql.music import MALFORMED, Item, Music, song
from tests.engine.state.catalogues import Clock

ONE = song("A", "a", Awards=1)
TWO = song("A", "b", x="y" * 1500)
GET_ONE = "SELECT * FROM Music WHERE Artist = 'A' AND Title = 'a'"
KEY_ONE = "WHERE Artist = 'A' AND Title = 'a'"
KEY_TWO = "WHERE Artist = 'A' AND Title = 'b'"
INSERT = "INSERT INTO Music VALUE {'Artist': 'A', 'Title': 'c'}"
NEEDS_KEY = "Select statements within ExecuteTransaction must specify the primary key in the where clause."
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}


def transact(music: Music, *statements: str | Item, **members: Any) -> Any:
    return music.call("ExecuteTransaction", TransactStatements=list(map(member, statements)), **members)


def member(statement: str | Item) -> Item:
    return {"Statement": statement} if isinstance(statement, str) else statement


def error_of(music: Music, *statements: str | Item) -> tuple[str, str | None]:
    error = music.error("ExecuteTransaction", TransactStatements=list(map(member, statements)))
    return error.code, error.message


def invalid(music: Music, *statements: str | Item) -> str | None:
    code, message = error_of(music, *statements)
    assert code == "ValidationException"
    return message


def reasons(music: Music, *statements: str | Item) -> list[Item]:
    error = music.error("ExecuteTransaction", TransactStatements=list(map(member, statements)))
    assert error.code == "TransactionCanceledException", error
    found: list[Item] = error.fields["CancellationReasons"]
    return found


# Serialisation and validation.


@pytest.mark.parametrize(
    ("members", "code", "words"),
    [
        ({"TransactStatements": {}}, "SerializationException", "Start of structure or map found where not expected"),
        ({"TransactStatements": [5]}, "SerializationException", "Unexpected value type in payload"),
        ({"TransactStatements": []}, "ValidationException", "Member must have length greater than or equal to 1"),
        (
            {"TransactStatements": [{"Statement": GET_ONE}] * 101},
            "ValidationException",
            "Member must have length less than or equal to 100",
        ),
        ({"TransactStatements": [{"Statement": INSERT}], "ClientRequestToken": "x" * 37}, "ValidationException",
         "at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36"),
    ],
)  # fmt: skip
def test_a_transaction_that_cannot_be_is_rejected(members: Any, code: str, words: str) -> None:
    error = Music().error("ExecuteTransaction", **members)

    assert error.code == code
    assert words in (error.message or "")


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        ((INSERT, "nonsense"), f"{MALFORMED}Expected data manipulation"),
        ((GET_ONE, INSERT),
         "ExecuteTransaction API does not support both read and write operations in the same request."),
        ((GET_ONE, f"EXISTS({GET_ONE})"),
         "ExecuteTransaction API does not support both read and write operations in the same request."),
        ((INSERT, f"DELETE FROM Music {KEY_ONE} RETURNING ALL OLD *"),
         "Validation failed in TransactStatements[1]: RETURNING clause is not supported in ExecuteTransaction."),
        (("SELECT * FROM Music",), NEEDS_KEY),
        (("SELECT * FROM Music WHERE Artist = 'A'",), NEEDS_KEY),
        ((f"{GET_ONE} AND Awards = 1",), NEEDS_KEY),
        (("SELECT * FROM Music.\"by-awards\" WHERE Artist = 'A' AND Awards = 1",), NEEDS_KEY),
        ((GET_ONE, GET_ONE), "Transaction request cannot include multiple operations on one item"),
        ((f"DELETE FROM Music {KEY_ONE}", f"UPDATE Music SET x = 1 {KEY_ONE}"),
         "Transaction request cannot include multiple operations on one item"),
        ((INSERT, "DELETE FROM Music WHERE Artist = 'A'"),
         "Where clause does not contain a mandatory equality on all key attributes"),
        (({"Statement": GET_ONE, "Parameters": [{"SS": []}]},),
         "One or more parameter values were invalid: An string set  may not be empty"),
    ],
)  # fmt: skip
def test_statements_that_cannot_be_reject_the_transaction(statements: tuple[Any, ...], words: str) -> None:
    music = Music(ONE)

    assert invalid(music, *statements) == words
    assert music.songs() == [ONE]


def test_a_table_that_is_missing_rejects_the_transaction() -> None:
    assert error_of(Music(), INSERT, "DELETE FROM Nothing WHERE pk = 1") == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )


# Reads.


def test_items_are_read_at_one_moment_for_twice_the_price() -> None:
    answer = transact(
        Music(ONE, TWO),
        GET_ONE,
        f"SELECT Title FROM Music {KEY_TWO}",
        "SELECT * FROM Plain WHERE pk = 'none'",
        ReturnConsumedCapacity="TOTAL",
    )

    assert answer == {
        "Responses": [{"Item": ONE}, {"Item": {"Title": {"S": "b"}}}, {}],
        "ConsumedCapacity": [
            {"TableName": "Music", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0},
            {"TableName": "Plain", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0},
        ],
    }


def test_a_key_of_another_type_cancels_a_transaction_that_reads() -> None:
    assert reasons(Music(ONE), GET_ONE, "SELECT * FROM Music WHERE Artist = 'A' AND Title = 5") == [
        {"Code": "None"},
        {"Code": "ValidationError", "Message": "The provided key element does not match the schema"},
    ]


# Writes.


def test_writes_have_empty_responses() -> None:
    music = Music(ONE, TWO)

    answer = transact(
        music,
        {"Statement": "INSERT INTO Music VALUE ?", "Parameters": [{"M": song("A", "c")}]},
        f"UPDATE Music SET Awards = Awards + 1 {KEY_ONE} AND Awards = 1",
        f"DELETE FROM Music {KEY_TWO}",
        "DELETE FROM Plain WHERE pk = 'none' AND x = 1",
        ReturnConsumedCapacity="TOTAL",
    )

    assert answer == {
        "Responses": [],
        "ConsumedCapacity": [
            {"TableName": "Music", "CapacityUnits": 2.0 + 4.0 + 4.0, "WriteCapacityUnits": 10.0},
            {"TableName": "Plain", "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0},
        ],
    }
    assert music.songs() == [song("A", "a", Awards=2), song("A", "c")]


def test_one_that_fails_cancels_all_with_a_reason_for_each() -> None:
    music = Music(ONE, TWO)

    found = reasons(
        music,
        INSERT,
        {"Statement": "INSERT INTO Music VALUE {'Artist': 'A', 'Title': 'b'}"},
        {
            "Statement": f"UPDATE Music SET Awards = 9 {KEY_ONE} AND Awards > 5",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
        "UPDATE Plain SET x = 1 WHERE pk = 'none'",
    )

    assert found == [
        {"Code": "None"},
        {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"},
        {**FAILED, "Item": ONE},
        FAILED,
    ]
    assert music.songs() == [ONE, TWO]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [("", True), ("AND Awards = 1", True), ("AND Genre IS MISSING", True), ("AND Awards IS MISSING", False)],
)
def test_exists_checks_a_condition_of_another_item(condition: str, holds: bool) -> None:
    music = Music(ONE)
    check = f"EXISTS(SELECT * FROM Music {KEY_ONE} {condition})"

    if holds:
        assert transact(music, check, INSERT) == {"Responses": []}
    else:
        assert reasons(music, check, INSERT) == [FAILED, {"Code": "None"}]
    assert (len(music.songs()) == 2) is holds


def test_exists_is_false_of_an_item_that_is_missing() -> None:
    check = "EXISTS(SELECT * FROM Music WHERE Artist = 'A' AND Title = 'none' AND Genre IS MISSING)"

    assert reasons(Music(ONE), check, INSERT) == [FAILED, {"Code": "None"}]


@pytest.mark.parametrize(
    "argument", ["DELETE FROM Music", "SELECT * FROM Music.\"by-awards\" WHERE Artist = 'A'"]
)
def test_exists_takes_a_select_of_a_table_only(argument: str) -> None:
    assert invalid(Music(), f"EXISTS({argument})") == "EXISTS must have a SELECT statement as its argument"


def test_an_update_that_is_too_large_is_a_reason_and_an_insert_rejects_all() -> None:
    music = Music(song("A", "a", x="y" * 300_000))
    big = {"S": "y" * 200_000}
    whole = {"M": song("A", "c", x="y" * 409_600)}

    assert reasons(music, {"Statement": f"UPDATE Music SET z = ? {KEY_ONE}", "Parameters": [big]}) == [
        {"Code": "ValidationError", "Message": "Item size to update has exceeded the maximum allowed size"}
    ]
    assert invalid(music, {"Statement": "INSERT INTO Music VALUE ?", "Parameters": [whole]}) == (
        "Item size has exceeded the maximum allowed size"
    )


# Tokens.


def test_a_transaction_is_carried_out_once_under_its_token(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "music.db"
    with Engine.open(path, clock=clock) as engine:
        first = transact(
            Music(ONE, engine=engine), INSERT, ClientRequestToken="t", ReturnConsumedCapacity="TOTAL"
        )
    with Engine.open(path, clock=clock) as engine:
        request = {"TransactStatements": [{"Statement": INSERT}], "ClientRequestToken": "t"}
        again = engine.call("ExecuteTransaction", {**request, "ReturnConsumedCapacity": "TOTAL"})

    assert first["ConsumedCapacity"][0]["WriteCapacityUnits"] == 2.0
    assert again == {
        "Responses": [],
        "ConsumedCapacity": [{"TableName": "Music", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}],
    }


def test_another_transaction_under_the_same_token_is_rejected() -> None:
    music = Music(ONE)
    transact(music, INSERT, ClientRequestToken="t")
    error = music.error(
        "ExecuteTransaction",
        TransactStatements=[{"Statement": f"DELETE FROM Music {KEY_ONE}"}],
        ClientRequestToken="t",
    )

    assert error.code == "IdempotentParameterMismatchException"


def test_a_token_is_forgotten_after_ten_minutes() -> None:
    clock = Clock()
    music = Music(engine=Engine.open(clock=clock))
    transact(music, INSERT, ClientRequestToken="t")
    clock.now += 600

    error = music.error(
        "ExecuteTransaction", TransactStatements=[{"Statement": INSERT}], ClientRequestToken="t"
    )

    assert error.code == "TransactionCanceledException"
