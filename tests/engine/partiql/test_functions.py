"""Functions in WHERE and in SET, also in batches and transactions."""

from __future__ import annotations

from typing import Any

import pytest

from .music import MALFORMED, Item, Music, song

pytestmark = pytest.mark.every_transport

ROW = song("A", "t", Awards=1, Tags={"SS": ["a", "b"]}, m={"M": {"sub": {"S": "x"}}}, yes={"BOOL": True})
KEY = "Artist = 'A' AND Title = 't'"
SELECT = f"SELECT * FROM Music WHERE {KEY} AND"
FAILED = ("ConditionalCheckFailedException", "The conditional request failed")
NEEDS_PATH = "Operator or function requires a document path; operator or function: attribute_exists"
COUNT = (
    "Incorrect number of operands for operator or function; operator or function: {}, number of operands: {}"
)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("attribute_exists(Tags)", True),
        ("attribute_exists(nope)", False),
        ("attribute_not_exists(nope)", True),
        ("attribute_not_exists(Tags)", False),
        ("NOT attribute_exists(nope)", True),
        ("ATTRIBUTE_EXISTS(Tags)", True),
        ("Attribute_Not_Exists(nope)", True),
        ("(attribute_exists(nope) OR attribute_exists(Tags))", True),
        ('attribute_exists("Tags")', True),
        ("attribute_exists(m.sub)", True),
        ("attribute_exists(m.nope)", False),
        ("attribute_exists(Tags) = true", True),
        ("attribute_exists(Tags) <> true", False),
        ("attribute_exists(nope) = false", True),
        ("attribute_exists(nope) != false", False),
        ("contains(Tags, 'a') = TRUE", True),
        ("NOT attribute_exists(nope) = true", True),
        ("NOT attribute_exists(Awards) = true", False),
        ("true = attribute_exists(Awards)", True),
        ("attribute_exists(Awards) <> 1", True),
        ("attribute_exists(Awards) = 1", False),
        ("contains(nope, 'z') = false", True),
        ("(Awards BETWEEN 0 AND 5) = true", True),
        ("(Awards = 5 OR Awards = 6) = false", True),
        ("(attribute_exists(Awards) = true) = false", False),
        ("attribute_exists(nope) IN [true, false]", True),
        ("attribute_exists(nope) NOT IN [false]", False),
        ("attribute_exists(Awards) = attribute_exists(Tags)", True),
        ("attribute_exists(Awards) = attribute_exists(nope)", False),
        ("attribute_exists(Awards) = yes", True),
        ("attribute_exists(nope) = yes", False),
        ("attribute_exists(Awards) = Awards", False),
        ("size(Tags) = 2", True),
        ("attribute_type(Tags, 'SS')", True),
        ("nope IS NULL", False),
        ("Awards IS NUMERIC", True),
    ],
)
def test_functions_filter_a_select(condition: str, holds: bool) -> None:
    assert Music(ROW).items(f"{SELECT} {condition}") == [ROW] * holds


def test_a_function_filters_a_select_without_a_key() -> None:
    music = Music(ROW, song("B", "t"))

    assert music.items("SELECT Artist FROM Music WHERE attribute_exists(Awards)") == [{"Artist": {"S": "A"}}]


@pytest.mark.parametrize(
    ("statement", "applied"),
    [
        (f"UPDATE Music SET z = 1 WHERE {KEY} AND attribute_exists(Awards)", True),
        (f"UPDATE Music SET z = 1 WHERE {KEY} AND attribute_exists(nope)", False),
        (f"UPDATE Music SET z = 1 WHERE {KEY} AND attribute_not_exists(z)", True),
        (f"DELETE FROM Music WHERE {KEY} AND attribute_not_exists(nope)", True),
        (f"DELETE FROM Music WHERE {KEY} AND Attribute_Exists(nope)", False),
        ("UPDATE Music SET z = 1 WHERE Artist = 'A' AND Title = 'u' AND attribute_not_exists(Artist)", False),
    ],
)
def test_functions_are_the_condition_of_a_write(statement: str, applied: bool) -> None:
    music = Music(ROW)

    if applied:
        music.execute(statement)
    else:
        assert music.error_of(statement) == FAILED
    assert (music.songs() != [ROW]) is applied


def test_functions_are_conditions_in_batches_and_transactions() -> None:
    music = Music(ROW)
    update = f"UPDATE Music SET {{}} = 1 WHERE {KEY} AND attribute_{{}}(Awards)"

    music.call("ExecuteTransaction", TransactStatements=[{"Statement": update.format("y", "exists")}])
    answer = music.call("BatchExecuteStatement", Statements=[{"Statement": update.format("z", "not_exists")}])
    error = music.error(
        "ExecuteTransaction", TransactStatements=[{"Statement": update.format("z", "not_exists")}]
    )

    assert answer["Responses"][0]["Error"]["Code"] == "ConditionalCheckFailed"
    assert [reason["Code"] for reason in error.fields["CancellationReasons"]] == ["ConditionalCheckFailed"]
    assert music.songs() == [{**ROW, "y": {"N": "1"}}]


@pytest.mark.parametrize(
    ("statement", "parameters", "words"),
    [
        (f"{SELECT} attribute_exists('Tags')", (), NEEDS_PATH),
        (f"{SELECT} attribute_exists(?)", ({"S": "Tags"},), NEEDS_PATH),
        (f"{SELECT} attribute_exists()", (), COUNT.format("attribute_exists", 0)),
        (f"{SELECT} attribute_exists(a, b)", (), COUNT.format("attribute_exists", 2)),
        (f"{SELECT} begins_with(a)", (), COUNT.format("begins_with", 1)),
        (f"{SELECT} size(a, b) = 1", (), COUNT.format("size", 2)),
        ("SELECT attribute_exists(a) FROM Music", (), "Unexpected path component at 1:8:16"),
        ("SELECT * FROM Music WHERE EXISTS(a)", (), "Unrecognized function: exists at 1:27:6"),
        ("SELECT * FROM Music WHERE Foo(a)", (), "Unrecognized function: foo at 1:27:3"),
        (
            "SELECT * FROM Music WHERE set_add(a, <<'x'>>) = a",
            (),
            "Unrecognized function: set_add at 1:27:7",
        ),
        (f"{SELECT} attribute_exists(m.inner)", (), f"{MALFORMED}Invalid path dot component"),
        (
            f"{SELECT} attribute_exists(m) > false",
            (),
            "Incorrect operand type for operator or function; operator or function: >, operand type: BOOL",
        ),
        (
            f"{SELECT} attribute_type(m, 1)",
            (),
            "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N",
        ),
        (
            f"{SELECT} {'(' * 6}attribute_exists(m){' = yes)' * 6}",
            (),
            "The expression contains too many operators",
        ),
        (
            f"{SELECT} val < ?",
            ({"BOOL": True},),
            "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL",
        ),
        (
            f"{SELECT} val BETWEEN ? AND ?",
            ({"BOOL": True}, {"BOOL": False}),
            "Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: BOOL",
        ),
        (
            "SELECT * FROM Absent WHERE pk = ? AND val < ?",
            ({"S": "x"}, {"BOOL": True}),
            "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL",
        ),
    ],
)
def test_a_function_in_the_wrong_place_is_rejected(
    statement: str, parameters: tuple[Item, ...], words: str
) -> None:
    assert Music(ROW).invalid(statement, *parameters) == words


SET = "UPDATE Music SET {} WHERE " + KEY
FIRST = "The first argument to SET_{} must equal the assignment value at 1:{}"
SECOND = "The second argument to SET_{} must be a value with type SET at 1:{}"
TYPE = "An operand in the update expression has an incorrect data type"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("t = set_add(Tags, <<'x'>>)", FIRST.format("ADD", "22:7")),
        ("Tags = set_add(<<'a'>>, <<'b'>>)", FIRST.format("ADD", "25:7")),
        ("Tags = set_add(Tags, 'x')", SECOND.format("ADD", "33:4")),
        ("Tags = set_add(Tags, ['x'])", SECOND.format("ADD", "33:4")),
        ("Tags = SET_DELETE(Tags, 'x')", SECOND.format("DELETE", "36:4")),
        ("Tags = set_add(Tags)", "SET_ADD must have exactly two arguments at 1:25:7"),
        ("Tags = set_add(Tags, <<'x'>>, <<'y'>>)", "SET_ADD must have exactly two arguments at 1:25:7"),
        ("Tags = set_add(Tags, <<1>>)", TYPE),
        ("Tags = set_delete(Tags, <<1>>)", TYPE),
        ("Awards = set_add(Awards, <<1>>)", TYPE),
        (
            "Tags = set_add(Tags, <<'x', 'x'>>)",
            "One or more parameter values were invalid: Input collection [x, x] contains duplicates.",
        ),
        ("Tags = set_add(Tags, <<>>)", "Empty bags are not supported"),
        ("t = set_delete(Tags, <<'a'>>)", FIRST.format("DELETE", "22:10")),
        ("t = if_not_exists(Tags, 1)", "Unrecognized function: if_not_exists at 1:22:13"),
    ],
)
def test_a_wrong_set_function_is_rejected(change: str, words: str) -> None:
    assert Music(ROW).invalid(SET.format(change)) == words


def test_a_function_in_the_value_of_an_insert_is_rejected() -> None:
    statement = "INSERT INTO Music VALUE {'Artist': 'A', 'Title': 'u', 'ss': set_add(<<'a'>>, <<'b'>>)}"

    assert Music().invalid(statement) == "Unsupported data type: set_add under key root at 1:61:7"


@pytest.mark.parametrize(
    ("change", "parameters", "tags"),
    [
        ("Tags = set_add(Tags, <<'0', 'a'>>)", (), ["0", "a", "b"]),
        ("Tags = SET_ADD(Tags, ?)", ({"SS": ["z"]},), ["a", "b", "z"]),
        ("Tags = set_delete(Tags, <<'a', 'none'>>)", (), ["b"]),
        ("Tags = set_delete(Tags, <<'a', 'b'>>)", (), None),
    ],
)
def test_set_functions_change_a_set(change: str, parameters: tuple[Item, ...], tags: Any) -> None:
    music = Music(ROW)
    music.execute(SET.format(change), *parameters)

    assert music.songs()[0].get("Tags") == (None if tags is None else {"SS": tags})
