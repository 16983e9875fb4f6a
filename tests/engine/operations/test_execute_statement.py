"""ExecuteStatement: serialisation, validation, and writes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.partiql.music import MALFORMED, Music, song

SELECT = "SELECT * FROM Music"
KEY = "Artist = 'A' AND Title = 't'"
MEMBER = "1 validation error detected: Value "
ROW = song("A", "t", Awards=1, Label="L", Tags={"SS": ["x", "y"]}, Lines={"L": [{"N": "1"}, {"N": "2"}]})
INVALID = "One or more parameter values were invalid: "
BAG = "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
RETURNING = (
    "Invalid returning clause: RETURNING {} *. Only RETURNING ALL OLD * is allowed in DELETE statements."
)


# Validation.


@pytest.mark.parametrize(
    ("members", "expected_message"),
    [
        ({"Statement": ""}, f"{MEMBER}'' at 'statement' failed to satisfy constraint: Member must have length "
         "greater than or equal to 1"),
        ({"Parameters": []}, f"{MEMBER}'[]' at 'parameters' failed to satisfy constraint: Member must have length "
         "greater than or equal to 1"),
        ({"Limit": 0}, f"{MEMBER}'0' at 'limit' failed to satisfy constraint: Member must have value greater than "
         "or equal to 1"),
        ({"ReturnValuesOnConditionCheckFailure": "x"},
         f"{MEMBER}'x' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy "
         "enum value set: [ALL_OLD, NONE]"),
    ],
)  # fmt: skip
def test_a_member_that_breaks_a_constraint_is_rejected(
    members: dict[str, Any], expected_message: str
) -> None:
    error = Music().error("ExecuteStatement", **{"Statement": SELECT, **members})

    assert (error.code, error.message) == ("ValidationException", expected_message)


def test_the_statement_is_required() -> None:
    message = Music().error("ExecuteStatement").message

    assert message == f"{MEMBER}null at 'statement' failed to satisfy constraint: Member must not be null"


def test_a_statement_has_at_most_8192_characters_whatever_their_bytes() -> None:
    text = f"{SELECT} WHERE Genre = '"

    assert Music().items(f"{text}{'é' * (8191 - len(text))}'") == []
    assert (
        "at 'statement' failed to satisfy constraint: Member must have length less than or equal to 8192"
        in (Music().invalid(f"{text}{'é' * (8192 - len(text))}'"))
    )


def test_parameters_are_checked_before_the_statement() -> None:
    assert Music().invalid("nonsense", {"SS": []}) == f"{INVALID}An string set  may not be empty"


def test_there_can_be_more_parameters_than_the_statement_uses_but_not_fewer() -> None:
    music = Music(ROW)

    assert music.items(f"{SELECT} WHERE Artist = ?", {"S": "A"}, {"S": "spare"}) == [ROW]
    assert music.invalid(f"{SELECT} WHERE Artist = ? AND Title = ?", {"S": "A"}) == (
        "Number of parameters in request and statement don't match."
    )


@pytest.mark.parametrize("statement", ["SELECT * FROM Nothing", "DELETE FROM Nothing WHERE pk = 1"])
def test_the_error_of_a_missing_table_does_not_name_it(statement: str) -> None:
    assert Music().error_of(statement) == ("ResourceNotFoundException", "Requested resource not found")


def test_a_where_clause_has_at_most_300_operators() -> None:
    music = Music()
    joined = " OR ".join(["a = 1"] * 150)

    assert music.items(f"{SELECT} WHERE NOT {joined}") == []
    assert music.invalid(f"{SELECT} WHERE NOT {joined} OR a IS NULL") == (
        "The expression contains too many operators"
    )


def test_not_counts_again_in_is_not() -> None:
    music = Music()
    joined = " OR ".join(["a = 1"] * 149)

    assert music.items(f"{SELECT} WHERE {joined} OR a IS NULL") == []
    assert music.items(f"{SELECT} WHERE {joined} OR a IS NOT NULL") == []
    assert music.invalid(f"{SELECT} WHERE NOT ({joined} OR a IS NOT NULL)") == (
        "The expression contains too many operators"
    )


def test_in_has_at_most_100_operands() -> None:
    music = Music()

    assert music.items(f"{SELECT} WHERE a IN [{', '.join(['1'] * 100)}]") == []
    assert "too many operands; number of operands: 101" in (
        music.invalid(f"{SELECT} WHERE a IN [{', '.join(['1'] * 101)}]")
    )


def test_a_select_reads_at_most_50_ranges() -> None:
    music = Music()
    names = [{"S": str(number)} for number in range(51)]

    assert music.items(f"{SELECT} WHERE Artist IN [{', '.join(['?'] * 50)}]", *names[:50]) == []
    for where in (
        f"Artist IN [{', '.join(['?'] * 51)}]",
        f"Artist = 'A' AND Title IN [{', '.join(['?'] * 51)}]",
        f"Artist IN [{', '.join(['?'] * 26)}] AND (Title = 'a' OR Title = 'b')",
    ):
        assert music.invalid(f"{SELECT} WHERE {where}", *names) == (
            "Too many decomposed read operations for a given query."
        )
    assert music.items(f"{SELECT} WHERE Artist IN [{', '.join(['?'] * 51)}] OR Awards = 1", *names) == []


def test_exists_is_only_valid_in_transactions() -> None:
    assert Music().invalid(f"EXISTS({SELECT} WHERE {KEY})") == (
        "EXISTS can only be used in ExecuteTransaction write requests."
    )


@pytest.mark.parametrize(
    ("statement", "expected_message"),
    [
        ("UPDATE Music SET a = 1", "Where clause does not contain a mandatory equality on all key attributes"),
        ("UPDATE Music SET a = 1 WHERE Artist = 'A'",
         "Where clause does not contain a mandatory equality on all key attributes"),
        ("DELETE FROM Music WHERE Artist = 'A' AND Title > 't'",
         "Where clause does not contain a mandatory equality on all key attributes"),
        (f"DELETE FROM Music WHERE {KEY} OR a = 1",
         "Where clause does not contain a mandatory equality on all key attributes"),
        ("DELETE FROM Music WHERE Artist IN ['A'] AND Title = 't'",
         "Where clause does not contain a mandatory equality on all key attributes"),
        (f"UPDATE Music SET Title = 'x' WHERE {KEY}",
         f"{INVALID}Cannot update attribute Title. This attribute is part of the key"),
        (f"UPDATE Music REMOVE Artist WHERE {KEY}",
         f"{INVALID}Cannot update attribute Artist. This attribute is part of the key"),
        ("DELETE FROM Music WHERE Artist = 'A' AND Title = 5", "The provided key element does not match the schema"),
        ("INSERT INTO Music VALUE {'Artist': 'A'}", f"{INVALID}Missing the key Title in the item"),
        ("INSERT INTO Music VALUE {'Artist': 'A', 'Title': 5}",
         f"{INVALID}Type mismatch for key Title expected: S actual: N"),
        ("INSERT INTO Music VALUE {'Artist': 'A', 'Title': 't', 'Awards': 'x'}",
         f"{INVALID}Type mismatch for Index Key Awards Expected: N Actual: S IndexName: by-awards"),
        ("INSERT INTO Music VALUE ?", "Number of parameters in request and statement don't match."),
        ("INSERT INTO Music VALUE 'x'", "Value of an INSERT statement must be a map"),
        (f"UPDATE Music SET a = 1, a.b = 2 WHERE {KEY}",
         "Two document paths overlap with each other; must remove or rewrite one of these "
         "paths; path one: [a], path two: [a, b]"),
        (f"UPDATE Music SET Lines = set_add(Tags, <<1>>) WHERE {KEY}",
         "The first argument to SET_ADD must equal the assignment value at 1:26:7"),
        (f"DELETE FROM Music WHERE {KEY} RETURNING ALL NEW *", RETURNING.format("ALL NEW")),
        (f"DELETE FROM Music WHERE {KEY} RETURNING MODIFIED OLD *", RETURNING.format("MODIFIED OLD")),
        (f"UPDATE Music SET a = 1 WHERE {KEY} AND Artist = 'B'",
         "Multiple conditions on same key Artist. Only single item Update/Insert/Delete are supported"),
        (f"DELETE FROM Music WHERE {KEY} AND Title = 'u'",
         "Multiple conditions on same key Title. Only single item Update/Insert/Delete are supported"),
        (f"UPDATE Music REMOVE a, b WHERE {KEY}", f"{MALFORMED}Unexpected token after expression"),
        (f"UPDATE Music SET big = '{'x' * 2049}' WHERE Artist = '{'x' * 2049}' AND Title = 't'",
         f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"),
        (f"DELETE FROM Music WHERE Artist = 'A' AND Title = '{'x' * 1025}'",
         f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"),
    ],
)  # fmt: skip
def test_an_invalid_write_changes_nothing(statement: str, expected_message: str) -> None:
    music = Music(ROW)

    assert music.invalid(statement) == expected_message
    assert music.songs() == [ROW]


# Behaviour.


def test_an_insert_adds_an_item_and_returns_none() -> None:
    music = Music()

    answer = music.execute(
        "INSERT INTO \"Music\" VALUE {'Artist': 'it''s', 'Title': ?, 'n': -1.50, 'e': 1e2, 'b': true, 'z': null, "
        "'l': [1, 'a', []], 'm': {'x': {}, 'y': 'z'}, 's': <<'b', 'a'>>, 'ns': <<2, 1.0>>, 'bs': ?}",
        {"S": "t"}, {"BS": ["AQ=="]},
    )  # fmt: skip

    assert answer == {"Items": []}
    assert music.songs() == [
        {
            "Artist": {"S": "it's"},
            "Title": {"S": "t"},
            "n": {"N": "-1.5"},
            "e": {"N": "100"},
            "b": {"BOOL": True},
            "z": {"NULL": True},
            "l": {"L": [{"N": "1"}, {"S": "a"}, {"L": []}]},
            "m": {"M": {"x": {"M": {}}, "y": {"S": "z"}}},
            "s": {"SS": ["a", "b"]},
            "ns": {"NS": ["1", "2"]},
            "bs": {"BS": ["AQ=="]},
        }
    ]


def test_an_insert_takes_a_whole_item_as_its_parameter() -> None:
    music = Music()
    music.execute("INSERT INTO Music VALUE ?", {"M": ROW})

    assert music.songs() == [ROW]


def test_an_insert_of_an_existing_item_is_rejected() -> None:
    music = Music(ROW)
    error = music.error(
        "ExecuteStatement",
        Statement="INSERT INTO Music VALUE {'Artist': 'A', 'Title': 't'}",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )

    assert (error.code, error.message) == ("DuplicateItemException", "Duplicate primary key exists in table")
    assert error.fields == {}
    assert music.songs() == [ROW]


@pytest.mark.parametrize(
    ("literal", "expected_message"),
    [
        ("<<>>", "Empty bags are not supported"),
        ("<<1, 1.0>>", f"{INVALID}Input collection [1, 1.0] contains duplicates! under root"),
        ("[{'n': <<2, +2>>}]", f"{INVALID}Input collection [2, 2] contains duplicates! under root[0].n"),
        ("<<'a', 'a'>>", f"{INVALID}Input collection [a, a] contains duplicates."),
        ("<<'a', 1>>", BAG),
        ("<<[1]>>", BAG),
        ("<<true>>", BAG),
        ("<<'a', ?>>", BAG),
        ("1e126", "Number overflow. Attempting to store a number with magnitude larger than supported range under "
         "root"),
        ("1e-131", "Number underflow. Attempting to store a number with magnitude smaller than supported range under "
         "root"),
        ("1" * 39, "Attempting to store more than 38 significant digits in a Number under root"),
        ("{'': 1}", "Empty attribute name"),
        ("[" * 33 + "]" * 33, f"Nesting Levels have exceeded supported limits under root{'[0]' * 32}"),
        ("[" * 2000 + "]" * 2000, f"Nesting Levels have exceeded supported limits under root{'[0]' * 32}"),
        ("{'a':" * 32 + "1" + "}" * 32, f"Nesting Levels have exceeded supported limits under root{'.a' * 32}"),
    ],
)  # fmt: skip
def test_a_literal_that_is_not_a_value_is_rejected(literal: str, expected_message: str) -> None:
    assert (
        Music().invalid(f"INSERT INTO Music VALUE {{'Artist': 'A', 'Title': 't', 'x': {literal}}}")
        == expected_message
    )


def test_an_item_that_is_too_large_is_rejected() -> None:
    item = song("A", "t", x="y" * 409_600)
    music = Music(song("A", "u", x="y" * 250_000))
    update = "UPDATE Music SET z = ? WHERE Artist = 'A' AND Title = 'u'"

    assert (
        music.invalid("INSERT INTO Music VALUE ?", {"M": item})
        == "Item size has exceeded the maximum allowed size"
    )
    assert music.invalid(update, {"S": "y" * 200_000}) == (
        "Item size to update has exceeded the maximum allowed size"
    )


def test_an_update_limits_only_the_size_of_the_new_item() -> None:
    music = Music(song("A", "u"))
    room = 409_600 - len("Artist") - len("A") - len("Title") - len("u") - len("z")

    music.execute("UPDATE Music SET z = ? WHERE Artist = 'A' AND Title = 'u'", {"S": "y" * room})

    assert len(music.songs()[0]["z"]["S"]) == room


def test_every_form_of_set_and_remove_updates_attributes() -> None:
    music = Music(ROW)

    music.execute(
        "UPDATE Music SET Awards = Awards + ?, Lines = list_append(Lines, [3]) SET Tags = SET_ADD(Tags, <<'z'>>) "
        f"SET Fresh = Awards REMOVE Label WHERE {KEY}",
        {"N": "4"},
    )

    assert music.songs() == [
        song("A", "t", Awards=5, Tags={"SS": ["x", "y", "z"]}, Fresh=1,
             Lines={"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]})
    ]  # fmt: skip


def test_set_delete_takes_members_from_a_set() -> None:
    music = Music(ROW)

    returned = music.items(
        f"UPDATE Music SET Tags = set_delete(Tags, <<'x', 'q'>>) WHERE {KEY} RETURNING ALL NEW *"
    )

    assert returned == [{**ROW, "Tags": {"SS": ["y"]}}]


@pytest.mark.parametrize(
    ("returning", "items"),
    [
        ("", []),
        ("RETURNING ALL OLD *", [ROW]),
        ("RETURNING ALL NEW *", [{**ROW, "Awards": {"N": "2"}, "Lines": {"L": [{"N": "2"}]}}]),
        ("returning modified old *", [{"Awards": {"N": "1"}, "Lines": {"L": [{"N": "1"}]}}]),
        ("RETURNING MODIFIED NEW *", [{"Awards": {"N": "2"}, "Lines": {"L": [{"N": "2"}]}}]),
    ],
)
def test_an_update_returns_what_its_returning_clause_requests(returning: str, items: list[Any]) -> None:
    statement = f"UPDATE Music SET Awards = 2 REMOVE Lines[0] WHERE {KEY} {returning}"

    assert Music(ROW).execute(statement) == {"Items": items}


def test_an_update_without_modified_attributes_returns_no_item() -> None:
    music = Music(ROW)

    assert music.items(f"UPDATE Music SET New = 1 WHERE {KEY} RETURNING MODIFIED OLD *") == []
    assert music.items(f"UPDATE Music REMOVE New WHERE {KEY} RETURNING MODIFIED NEW *") == []


@pytest.mark.parametrize("where", [f"{KEY} AND Awards > 1", "Artist = 'A' AND Title = 'other'"])
def test_an_update_fails_if_the_item_is_missing_or_its_condition_is_false(where: str) -> None:
    music = Music(ROW)

    assert music.error_of(f"UPDATE Music SET Awards = 9 WHERE {where}") == (
        "ConditionalCheckFailedException",
        "The conditional request failed",
    )
    assert music.songs() == [ROW]


def test_a_delete_of_a_missing_item_does_nothing() -> None:
    music = Music(ROW)
    statement = "DELETE FROM Music WHERE Artist = 'A' AND Title = 'other' AND Awards = 5"

    assert music.execute(f"{statement} RETURNING ALL OLD *") == {"Items": []}


def test_a_failed_condition_returns_the_item_if_requested() -> None:
    request = {"Statement": f"DELETE FROM Music WHERE {KEY} AND Awards = 5"}
    error = Music(ROW).error("ExecuteStatement", **request, ReturnValuesOnConditionCheckFailure="ALL_OLD")

    assert error.code == "ConditionalCheckFailedException"
    assert error.fields == {"Item": ROW}
    assert Music(ROW).error("ExecuteStatement", **request).fields == {}


def test_a_delete_removes_an_item_and_returns_it() -> None:
    music = Music(ROW)

    assert music.items(f"DELETE FROM Music WHERE {KEY} AND Awards = 1 RETURNING ALL OLD *") == [ROW]
    assert music.songs() == []


def test_writes_return_the_units_of_table_and_indexes() -> None:
    answer = Music().execute("INSERT INTO Music VALUE ?", {"M": ROW}, ReturnConsumedCapacity="INDEXES")

    assert answer["ConsumedCapacity"] == {
        "TableName": "Music",
        "CapacityUnits": 3.0,
        "Table": {"CapacityUnits": 1.0},
        "GlobalSecondaryIndexes": {"by-label": {"CapacityUnits": 1.0}},
        "LocalSecondaryIndexes": {"by-awards": {"CapacityUnits": 1.0}},
    }
