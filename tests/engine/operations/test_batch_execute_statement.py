"""BatchExecuteStatement: serialisation, validation, behaviour."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.partiql.music import MALFORMED, Item, Music, song

ONE = song("A", "a", Awards=1, Label="L")
TWO = song("A", "b", x="y" * 5000)
GET_ONE = "SELECT * FROM Music WHERE Artist = 'A' AND Title = 'a'"
GET_TWO = "SELECT Title FROM Music WHERE Title = 'b' AND Artist = 'A'"
NEEDS_KEY = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
UNITS = {"ReturnConsumedCapacity": "TOTAL"}


def batch(music: Music, *statements: str | Item, **members: Any) -> Any:
    return music.call("BatchExecuteStatement", Statements=list(map(member, statements)), **members)


def member(statement: str | Item) -> Item:
    return {"Statement": statement} if isinstance(statement, str) else statement


def error_of(music: Music, *statements: str | Item) -> str | None:
    error = music.error("BatchExecuteStatement", Statements=list(map(member, statements)))
    assert error.code == "ValidationException"
    return error.message


def failed(code: str, message: str, **more: Any) -> Item:
    return {"TableName": "Music", "Error": {"Code": code, "Message": message, **more}}


# Serialisation and validation.


@pytest.mark.parametrize(
    ("statements", "code", "text"),
    [
        ("x", "SerializationException", "Unexpected field type"),
        (["x"], "SerializationException", "Unexpected value type in payload"),
        ([{"Statement": 5}], "SerializationException", "NUMBER_VALUE cannot be converted to String"),
        ([], "ValidationException", "Member must have length greater than or equal to 1"),
        (
            [{"Statement": GET_ONE}] * 26,
            "ValidationException",
            "Member must have length less than or equal to 25",
        ),
        (
            [{}],
            "ValidationException",
            "'statements.1.member.statement' failed to satisfy constraint: Member must not",
        ),
        (
            [{"Statement": GET_ONE, "Parameters": []}],
            "ValidationException",
            "'statements.1.member.parameters' failed to satisfy constraint: Member must have length",
        ),
    ],
)
def test_an_invalid_batch_is_rejected(statements: Any, code: str, text: str) -> None:
    error = Music().error("BatchExecuteStatement", Statements=statements)

    assert error.code == code
    assert text in (error.message or "")


def test_a_batch_cannot_mix_reads_and_writes() -> None:
    assert error_of(Music(ONE), GET_ONE, "DELETE FROM Music WHERE Artist = 'A' AND Title = 'b'") == (
        "Read and write requests together in the same batch is not supported."
    )


def test_a_batch_cannot_name_an_item_twice() -> None:
    music = Music(ONE)
    delete = "DELETE FROM Music WHERE Artist = 'A' AND Title = 'a'"

    assert error_of(music, GET_ONE, GET_TWO, GET_ONE) == "Provided list of item keys contains duplicates"
    assert error_of(music, delete, f"UPDATE Music SET x = 1 {delete[17:]}") == (
        "Provided list of item keys contains duplicates"
    )
    assert music.songs() == [ONE]


# Behaviour.


def test_items_are_read_by_their_keys() -> None:
    answer = batch(
        Music(ONE, TWO), GET_ONE, GET_TWO, "SELECT * FROM Music WHERE Artist = 'A' AND Title = 'zz'", **UNITS
    )

    assert answer == {
        "Responses": [
            {"TableName": "Music", "Item": ONE},
            {"TableName": "Music", "Item": {"Title": {"S": "b"}}},
            {"TableName": "Music"},
        ],
        "ConsumedCapacity": [{"TableName": "Music", "CapacityUnits": 2.0}],
    }


def test_each_member_can_read_consistently() -> None:
    answer = batch(Music(ONE, TWO), {"Statement": GET_ONE, "ConsistentRead": True}, GET_TWO, **UNITS)

    assert answer["ConsumedCapacity"] == [{"TableName": "Music", "CapacityUnits": 2.0}]


@pytest.mark.parametrize(
    ("statement", "response"),
    [
        (
            "nonsense",
            {"Error": {"Code": "ValidationError", "Message": f"{MALFORMED}Expected data manipulation"}},
        ),
        ("SELECT * FROM Music", failed("ValidationError", NEEDS_KEY)),
        ("SELECT * FROM Music WHERE Artist = 'A'", failed("ValidationError", NEEDS_KEY)),
        (f"{GET_ONE} AND Awards = 1", failed("ValidationError", NEEDS_KEY)),
        (
            "SELECT * FROM Music WHERE Artist IN ['A', 'B'] AND Title = 'a'",
            failed("ValidationError", NEEDS_KEY),
        ),
        (
            "SELECT * FROM Music.\"by-awards\" WHERE Artist = 'A' AND Awards = 1",
            failed("ValidationError", NEEDS_KEY),
        ),
        (
            "SELECT * FROM Music WHERE Artist = 'A' AND Title = 5",
            failed("ValidationError", "The provided key element does not match the schema"),
        ),
        (
            "SELECT * FROM Nothing WHERE pk = 1",
            {
                "TableName": "Nothing",
                "Error": {"Code": "ResourceNotFound", "Message": "Requested resource not found"},
            },
        ),
        (
            "SELECT * FROM Music WHERE Artist = ?",
            {
                "Error": {
                    "Code": "ValidationError",
                    "Message": "Number of parameters in request and statement don't match.",
                }
            },
        ),
        (
            f"EXISTS({GET_ONE})",
            failed("ValidationError", "EXISTS can only be used in ExecuteTransaction write requests."),
        ),
    ],
)
def test_an_invalid_member_fails_alone(statement: str, response: Item) -> None:
    reads = not statement.startswith("EXISTS")
    other = GET_TWO if reads else "UPDATE Music SET n = 1 WHERE Artist = 'A' AND Title = 'b'"

    responses = batch(Music(ONE, TWO), statement, other)["Responses"]

    assert responses[0] == response
    assert "Error" not in responses[1]


def test_each_write_succeeds_or_fails_alone() -> None:
    music = Music(ONE, TWO)

    answer = batch(
        music,
        {"Statement": "INSERT INTO Music VALUE ?", "Parameters": [{"M": song("A", "c")}]},
        "INSERT INTO Music VALUE {'Artist': 'A', 'Title': 'b'}",
        {
            "Statement": "UPDATE Music SET Awards = 5 WHERE Artist = 'A' AND Title = 'a' AND Awards > 9",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
        "DELETE FROM Music WHERE Artist = 'A' AND Title = 'nothing' RETURNING ALL OLD *",
        "UPDATE Plain SET x = 1 WHERE pk = 'a'",
        **UNITS,
    )

    assert answer["Responses"] == [
        {"TableName": "Music"},
        failed("DuplicateItem", "Duplicate primary key exists in table"),
        failed("ConditionalCheckFailed", "The conditional request failed", Item=ONE),
        {"TableName": "Music"},
        {
            "TableName": "Plain",
            "Error": {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"},
        },
    ]
    # What failed is charged for the write that it tried.
    assert answer["ConsumedCapacity"] == [
        {"TableName": "Music", "CapacityUnits": 1.0 + 5.0 + 1.0 + 1.0},
        {"TableName": "Plain", "CapacityUnits": 1.0},
    ]
    assert music.songs() == [ONE, TWO, song("A", "c")]


def test_without_a_success_no_capacity_is_returned() -> None:
    answer = batch(Music(ONE), "INSERT INTO Music VALUE {'Artist': 'A', 'Title': 'a'}", **UNITS)

    assert "ConsumedCapacity" not in answer


def test_each_member_returns_its_requested_items() -> None:
    music = Music(ONE, TWO)

    responses = batch(
        music,
        "DELETE FROM Music WHERE Artist = 'A' AND Title = 'a' RETURNING ALL OLD *",
        "UPDATE Music SET n = 1 WHERE Artist = 'A' AND Title = 'b' RETURNING MODIFIED NEW *",
    )["Responses"]

    assert responses == [
        {"TableName": "Music", "Item": ONE},
        {"TableName": "Music", "Item": {"n": {"N": "1"}}},
    ]


def test_capacity_is_returned_by_index() -> None:
    statement = {"Statement": "INSERT INTO Music VALUE ?", "Parameters": [{"M": ONE}]}
    answer = batch(Music(), statement, ReturnConsumedCapacity="INDEXES")

    assert answer["ConsumedCapacity"] == [
        {
            "TableName": "Music",
            "CapacityUnits": 3.0,
            "Table": {"CapacityUnits": 1.0},
            "GlobalSecondaryIndexes": {"by-label": {"CapacityUnits": 1.0}},
            "LocalSecondaryIndexes": {"by-awards": {"CapacityUnits": 1.0}},
        }
    ]
