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
FAILED_IN = "Validation failed in TransactStatements[{}]: "
NEEDS_KEY = (
    f"{FAILED_IN.format(0)}Select statements within ExecuteTransaction must specify the primary key in the where "
    "clause."
)
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
    ("members", "code", "text"),
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
def test_an_invalid_transaction_is_rejected(members: Any, code: str, text: str) -> None:
    error = Music().error("ExecuteTransaction", **members)

    assert error.code == code
    assert text in (error.message or "")


@pytest.mark.parametrize(
    ("statements", "text"),
    [
        ((INSERT, "nonsense"), f"{FAILED_IN.format(1)}{MALFORMED}Expected data manipulation"),
        ((GET_ONE, INSERT),
         "ExecuteTransaction API does not support both read and write operations in the same request."),
        ((GET_ONE, f"EXISTS({GET_ONE})"),
         "ExecuteTransaction API does not support both read and write operations in the same request."),
        ((INSERT, f"DELETE FROM Music {KEY_ONE} RETURNING ALL OLD *"),
         f"{FAILED_IN.format(1)}RETURNING clause is not supported in ExecuteTransaction."),
        (("SELECT * FROM Music",), NEEDS_KEY),
        (("SELECT * FROM Music WHERE Artist = 'A'",), NEEDS_KEY),
        ((f"{GET_ONE} AND Awards = 1",), NEEDS_KEY),
        (("SELECT * FROM Music.\"by-awards\" WHERE Artist = 'A' AND Awards = 1",),
         f"{FAILED_IN.format(0)}Reads on indices are not supported within transactions."),
        ((GET_ONE, GET_ONE), "Transaction request cannot include multiple operations on one item"),
        ((f"DELETE FROM Music {KEY_ONE}", f"UPDATE Music SET x = 1 {KEY_ONE}"),
         "Transaction request cannot include multiple operations on one item"),
        ((INSERT, "UPDATE Music SET a = [<<'x', 'x'>>] WHERE Artist = 'A' AND Title = 'b'"),
         f"{FAILED_IN.format(1)}One or more parameter values were invalid: Input collection [x, x] contains "
         "duplicates."),
        (("INSERT INTO Music VALUE {'Artist': 'A', 'Title': 'c', 'x': <<>>}",),
         f"{FAILED_IN.format(0)}Empty bags are not supported"),
        (("SELECT * FROM Music WHERE Artist IN ['A', 'A'] AND Title = 'a'",),
         f"{FAILED_IN.format(0)}Overlapping conditions with range keys are not supported in where clause"),
        ((f"{GET_ONE} AND Artist = 'B'",), NEEDS_KEY),
        (({"Statement": GET_ONE, "Parameters": [{"SS": []}]},),
         "One or more parameter values were invalid: An string set  may not be empty"),
    ],
)  # fmt: skip
def test_an_invalid_statement_rejects_the_transaction(statements: tuple[Any, ...], text: str) -> None:
    music = Music(ONE)

    assert invalid(music, *statements) == text
    assert music.songs() == [ONE]


MISSING = {"Code": "ResourceNotFound", "Message": "Requested resource not found"}
MISMATCH = {"Code": "ValidationError", "Message": "The provided key element does not match the schema"}
NONE = {"Code": "None"}


@pytest.mark.every_transport
@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ((INSERT, "DELETE FROM Nothing WHERE pk = 1 RETURNING ALL OLD *"), [NONE, MISSING]),
        ((GET_ONE, 'SELECT * FROM Nothing."by-x" WHERE pk = 1'), [NONE, MISSING]),
        (("SELECT * FROM Nothing", "SELECT * FROM Nowhere"), [MISSING, MISSING]),
    ],
)
def test_a_missing_table_cancels_the_transaction(statements: tuple[str, ...], expected: list[Item]) -> None:
    assert reasons(Music(ONE), *statements) == expected


@pytest.mark.every_transport
def test_other_errors_of_statements_come_before_missing_tables() -> None:
    music, missing = Music(ONE), "SELECT * FROM Nothing WHERE pk = 1"

    assert invalid(music, missing, "SELECT * FROM Music.\"by-awards\" WHERE Artist = 'A'") == (
        f"{FAILED_IN.format(1)}Reads on indices are not supported within transactions."
    )
    assert (
        invalid(music, missing, "nonsense") == f"{FAILED_IN.format(1)}{MALFORMED}Expected data manipulation"
    )


@pytest.mark.every_transport
def test_every_write_that_does_not_name_one_item_is_a_reason() -> None:
    music, update = Music(ONE), "UPDATE Music SET x = 1 WHERE"
    several = "Multiple conditions on same key Artist. Only single item Update/Insert/Delete are supported"

    found = reasons(
        music,
        f"{update} Artist = 'A'",
        f"{update} Artist IN ['A'] AND Title = 'b'",
        f"{update} Artist = 'A' AND Title = 'c' AND Artist = 'B'",
        f"{update} Artist = 'A' AND Title = 5",
        "INSERT INTO Music VALUE {'Artist': 'C'}",
        f"{update} Artist = 'A' AND Title = 'a'",
    )

    assert found == [
        MISMATCH,
        MISMATCH,
        {"Code": "ValidationError", "Message": several},
        MISMATCH,
        {
            "Code": "ValidationError",
            "Message": "One or more parameter values were invalid: Missing the key Title in the item",
        },
        NONE,
    ]
    assert music.songs() == [ONE]


@pytest.mark.every_transport
@pytest.mark.parametrize(
    "where",
    [
        "Artist = 'A' AND Title = 'a' AND Artist = 'A'",
        "(Title = 'a') AND Artist IN ['A']",
        "Artist IN ['A'] AND Artist = 'A' AND Title IN ['a']",
    ],
)
def test_a_key_may_be_given_twice_or_in_a_list_of_one(where: str) -> None:
    statement = f"SELECT * FROM Music WHERE {where}"
    music = Music(ONE)

    assert transact(music, statement) == {"Responses": [{"Item": ONE}]}
    assert music.call("BatchExecuteStatement", Statements=[{"Statement": statement}])["Responses"] == [
        {"TableName": "Music", "Item": ONE}
    ]


# Reads.


def test_a_transaction_reads_items_at_one_moment_for_twice_the_units() -> None:
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


def test_a_failed_statement_cancels_all_with_a_reason_for_each() -> None:
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
    [
        ("AND Awards = 1", True),
        ("AND attribute_exists(Awards)", True),
        ("AND Genre IS MISSING", True),
        ("AND Awards IS MISSING", False),
    ],
)
def test_exists_checks_a_condition_of_another_item(condition: str, holds: bool) -> None:
    music = Music(ONE)
    check = f"EXISTS(SELECT * FROM Music {KEY_ONE} {condition})"

    if holds:
        assert transact(music, check, INSERT) == {"Responses": []}
    else:
        assert reasons(music, check, INSERT) == [FAILED, {"Code": "None"}]
    assert (len(music.songs()) == 2) is holds


def test_exists_is_false_for_a_missing_item() -> None:
    check = "EXISTS(SELECT * FROM Music WHERE Artist = 'A' AND Title = 'none' AND Genre IS MISSING)"

    assert reasons(Music(ONE), check, INSERT) == [FAILED, {"Code": "None"}]


@pytest.mark.every_transport
@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (GET_ONE, "EXISTS() must contain a single item read with additional condition"),
        (
            "SELECT * FROM Music WHERE Artist = 'A' AND Awards = 1",
            "EXISTS() must contain a single item read with additional condition",
        ),
        ("SELECT * FROM Music", "EXISTS() must contain a single item read with additional condition"),
        (
            "SELECT * FROM Music.\"by-awards\" WHERE Artist = 'A'",
            "Operations on indices are not supported in transactions",
        ),
        ("DELETE FROM Music", "EXISTS must have a SELECT statement as its argument"),
    ],
)
def test_exists_takes_a_select_of_one_item_with_a_condition(argument: str, words: str) -> None:
    music = Music(ONE)
    update = "UPDATE Music SET z = 1 WHERE Artist = 'A' AND Title = 'b'"

    assert invalid(music, f"EXISTS({argument})", update) == f"{FAILED_IN.format(0)}{words}"
    assert invalid(music, update, f"EXISTS({argument})") == f"{FAILED_IN.format(1)}{words}"
    assert music.songs() == [ONE]


def test_an_update_that_is_too_large_has_a_reason_and_an_insert_rejects_the_transaction() -> None:
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


def test_a_transaction_with_a_token_is_carried_out_once(tmp_path: Path) -> None:
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


def test_another_transaction_with_the_same_token_is_rejected() -> None:
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
