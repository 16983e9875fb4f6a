"""Numbers in statements and in their parameters, which the older layer of the service reads."""

from __future__ import annotations

import pytest

from .music import MALFORMED, Item, Music

pytestmark = pytest.mark.every_transport

OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
DIGITS = "Attempting to store more than 38 significant digits in a Number"
NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
INSERT = "INSERT INTO Music VALUE {{'Artist': 'A', 'Title': 't', {}}}"


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT * FROM Music WHERE a = 1e126", f"{OVERFLOW} under root"),
        ("SELECT * FROM Music WHERE a = -1e-131", f"{UNDERFLOW} under root"),
        ("SELECT * FROM Music WHERE a = 123456789012345678901234567890123456789", f"{DIGITS} under root"),
        ("SELECT * FROM Music WHERE a = 1e2147483647", f"{UNDERFLOW} under root"),
        (INSERT.format("'n': 1e126"), f"{OVERFLOW} under root"),
        ("UPDATE Music SET a = 1e-131 WHERE Artist = 'A' AND Title = 't'", f"{UNDERFLOW} under root"),
        (INSERT.format("'m': {'x': 1e126}"), f"{OVERFLOW} under root.x"),
        (INSERT.format("'l': [1, 1e126]"), f"{OVERFLOW} under root[1]"),
        (INSERT.format("'l': [1, {'a': [0, 2, 1e126]}]"), f"{OVERFLOW} under root[1].a[2]"),
        ("SELECT * FROM Music WHERE a = {'x': [1e126]}", f"{OVERFLOW} under root.x[0]"),
        ("SELECT * FROM Music WHERE a = 1e126 AND b = 1e-131", f"{OVERFLOW} under root"),
        ("SELECT * FROM Music WHERE a = 1e126 foo", f"{MALFORMED}Unexpected token after expression"),
        ("SELECT * FROM Music WHERE a = 1e2147483648", MALFORMED),
        ("SELECT * FROM Music WHERE a = 1e99999999999", MALFORMED),
        ("SELECT * FROM Music WHERE a = 1.5e-2147483647", MALFORMED),
        (f"SELECT * FROM Music WHERE a = 1e{'9' * 5000}", MALFORMED),
    ],
)
def test_a_literal_that_is_not_a_number_of_dynamodb_is_rejected(statement: str, words: str) -> None:
    assert Music().invalid(statement) == words


def deep(leaf: Item) -> Item:
    for _ in range(40):
        leaf = {"M": {"n": leaf}}
    return leaf


PLACES = [
    "SELECT * FROM Music WHERE a = ?",
    "SELECT * FROM Music WHERE Artist = ?",
    "INSERT INTO Music VALUE {'Artist': 'A', 'Title': 't', 'n': ?}",
    "UPDATE Music SET n = ? WHERE Artist = 'A' AND Title = 't'",
]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"N": "1e99999999999"}, f"{NOT_NUMERIC}: 1e99999999999"),
        ({"N": "1e-2147483648"}, f"{NOT_NUMERIC}: 1e-2147483648"),
        ({"N": "1e2147483647"}, UNDERFLOW),
        ({"N": ""}, NOT_NUMERIC),
        ({"N": "1e126"}, OVERFLOW),
        ({"L": [{"N": "1"}, {"N": "1e99999999999"}]}, f"{NOT_NUMERIC}: 1e99999999999"),
        ({"NS": ["1", "x"]}, f"{NOT_NUMERIC}: x"),
        (
            {"SS": ["b", "a", "b"]},
            "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates.",
        ),
        (deep({"N": "abc"}), DEEP),
        ({"M": {"d": deep({"S": ""}), "bad": {"N": "abc"}}}, DEEP),
        ({"M": {"bad": {"N": "abc"}, "d": deep({"S": ""})}}, f"{NOT_NUMERIC}: abc"),
    ],
)
def test_a_parameter_that_cannot_be_stored_is_rejected_in_every_place(value: Item, words: str) -> None:
    music = Music()

    for statement in PLACES:
        assert music.invalid(statement, value) == words


def test_an_invalid_parameter_fails_a_transaction_and_one_statement_of_a_batch() -> None:
    music = Music()
    update = "UPDATE Music SET n = ? WHERE Artist = 'A' AND Title = 't'"
    invalid = {"Statement": update, "Parameters": [{"N": "1e99999999999"}]}
    insert = {"Statement": "INSERT INTO Music VALUE {'Artist': 'B', 'Title': 't'}"}

    error = music.error("ExecuteTransaction", TransactStatements=[insert, invalid])
    batch = music.call("BatchExecuteStatement", Statements=[invalid, insert])

    assert (error.code, error.message) == ("ValidationException", f"{NOT_NUMERIC}: 1e99999999999")
    assert batch["Responses"] == [
        {"Error": {"Code": "ValidationError", "Message": f"{NOT_NUMERIC}: 1e99999999999"}},
        {"TableName": "Music"},
    ]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("n = - - 1", True),
        ("n > -/* c */-1", False),
        ("n BETWEEN - 2 AND +5 AND n IN [- 1, 1]", True),
        ("n = -+-1", True),
        ("n=1", True),
        ("n>-5", True),
    ],
)
def test_a_number_may_have_any_number_of_signs(condition: str, holds: bool) -> None:
    row = {"Artist": {"S": "A"}, "Title": {"S": "t"}, "n": {"N": "1"}}

    assert Music(row).items(f"SELECT * FROM Music WHERE Artist = 'A' AND {condition}") == [row] * holds


@pytest.mark.parametrize(("change", "number"), [("n = n - - 2", "3"), ("n = n-1", "0"), ("n = - -7", "7")])
def test_a_sum_may_have_signed_numbers(change: str, number: str) -> None:
    music = Music({"Artist": {"S": "A"}, "Title": {"S": "t"}, "n": {"N": "1"}})
    music.execute(f"UPDATE Music SET {change} WHERE Artist = 'A' AND Title = 't'")

    assert music.songs()[0]["n"] == {"N": number}


@pytest.mark.parametrize("operand", ["-?", "-n", "- 'x'"])
def test_only_numbers_have_signs(operand: str) -> None:
    assert Music().invalid(f"SELECT * FROM Music WHERE n > {operand}", {"N": "1"}) == (
        f"{MALFORMED}Unexpected operator"
    )


def nested(levels: int) -> Item:
    value: Item = {"S": "x"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


def test_a_parameter_may_be_a_level_deeper_than_an_item_until_it_is_written() -> None:
    music = Music({"Artist": {"S": "A"}, "Title": {"S": "t"}})
    insert = "INSERT INTO Music VALUE {'Artist': 'B', 'Title': 't', 'd': ?}"
    update = "UPDATE Music SET d = ? WHERE Artist = 'A' AND Title = 't'"
    short = "Nesting Levels have exceeded supported limits"

    assert music.items("SELECT * FROM Music WHERE Artist = 'A' AND d = ?", nested(32)) == []
    assert [music.invalid(statement, nested(32)) for statement in (insert, update)] == [short, short]
    for statement in (insert, update):
        member = {"Statement": statement, "Parameters": [nested(32)]}
        error = music.error("ExecuteTransaction", TransactStatements=[member])
        assert error.fields["CancellationReasons"] == [{"Code": "ValidationError", "Message": short}]
        batch = music.call("BatchExecuteStatement", Statements=[member])
        assert batch["Responses"][0]["Error"] == {"Code": "ValidationError", "Message": short}
        assert music.invalid(statement, nested(33)) == DEEP
        music.execute(statement, nested(31))
