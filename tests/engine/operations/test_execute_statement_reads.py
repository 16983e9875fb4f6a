"""ExecuteStatement: the results, errors, costs and pages of a SELECT."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import pytest

from pksk.engine import Engine
from tests.engine.partiql.music import ARN, Music, song
from tests.engine.state.catalogues import defined, index, table

SELECT = "SELECT * FROM Music"
ONE = song("A", "a", Awards=3, Label="L", Genre="rock", Doc={"M": {"x": {"L": [{"N": "1"}, {"N": "2"}]}}})
TWO = song("A", "b", Awards=1, Label="L")
THREE = song("A", "c", Label="M", Note={"NULL": True})
FOUR = song("B", "a", Awards=2, Label="M", Genre="pop")
SONGS = (ONE, TWO, THREE, FOUR)


def titles(items: list[Any]) -> str:
    """The songs as artists and titles, such as Aa Ab."""
    return " ".join(item["Artist"]["S"] + item["Title"]["S"] for item in items)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("Artist = 'A'", "Aa Ab Ac"),
        ("'A' = Artist", "Aa Ab Ac"),
        ("Artist = 'A' AND Title = 'b'", "Ab"),
        ("Artist = 'A' AND Title >= 'b'", "Ab Ac"),
        ("Artist = 'A' AND Title > 'a' AND Title < 'c'", "Ab"),
        ("Artist = 'A' AND Title BETWEEN 'a' AND 'b'", "Aa Ab"),
        ("Artist = 'A' AND begins_with(Title, 'c')", "Ac"),
        ("Artist = 'A' AND Title IN ['a', 'c']", "Aa Ac"),
        ("Artist = 'A' AND Title <> 'a'", "Ab Ac"),
        ("Artist = 'A' AND Title != 'a' AND Awards = 1", "Ab"),
        ("(Artist = 'A') AND (Title = 'a' OR Title = 'b')", "Aa Ab"),
        ("Artist IN ['B', 'A']", "Ba Aa Ab Ac"),
        ("Artist IN ('B', 'absent')", "Ba"),
        ("Artist = 'B' OR Artist = 'A'", "Ba Aa Ab Ac"),
        ("Artist IN ['A', 'B'] AND Title = 'a'", "Aa Ba"),
        ("(Artist = 'B' AND Awards = 2) OR (Artist = 'A' AND Awards = 1)", "Ba Ab"),
        ("Artist = 'A' AND Title = 'a' AND Awards = 9", ""),
        ("Artist = 'A' AND Doc.x[1] = 2", "Aa"),
        ("Artist = 'A' AND Genre IS MISSING", "Ab Ac"),
        ("Artist = 'A' AND Genre IS NOT MISSING", "Aa"),
        ("Artist = 'A' AND Note IS NULL", "Ac"),
        ("Artist = 'A' AND Note IS NOT NULL", "Aa Ab"),
        ("Artist = 'A' AND Genre IS STRING", "Aa"),
        ("Artist = 'A' AND size(Genre) > 3", "Aa"),
        ("Artist = 'A' AND contains(Genre, 'oc')", "Aa"),
        ("Artist = 'A' AND attribute_type(Awards, 'N')", "Aa Ab"),
        ("Artist = 'A' AND NOT Awards > 1", "Ab Ac"),
        ("Artist = 'A' AND Awards NOT IN [1]", "Aa Ac"),
        ("Artist = 'A' AND Awards NOT BETWEEN 2 AND 4", "Ab Ac"),
        ("Artist = 'A' AND Awards = 1 OR Artist = 'B'", "Ba Ab"),
    ],
)
def test_a_select_returns_the_items_that_match_its_where_clause(where: str, found: str) -> None:
    items = Music(*SONGS).items(f"{SELECT} WHERE {where}")

    assert sorted(titles(items).split()) == sorted(found.split())
    if " OR " not in where:
        assert titles(items) == found


@pytest.mark.parametrize(
    ("where", "units"),
    [
        ("Artist = 'A'", 2.5),
        ("Artist = 'A' AND Title > 'a'", 1.5),
        ("Artist = 'A' AND Title > 'a' AND Title < 'c'", 1.0),
        ("Artist = 'A' AND Title = 'a' AND Awards = 9", 1.0),
        ("Artist = 'A' AND Title = 'zz'", 0.5),
        ("Artist IN ['A', 'B']", 3.5),
        ("Artist IN ['A', 'absent'] AND Title = 'a'", 1.5),
        ("Artist = 'A' OR Artist = 'B'", 3.5),
        # These leave the partition open, and so read all of the table.
        ("Artist > 'A'", 3.0),
        ("Title = 'a'", 3.0),
        ("Artist = 'B' OR Awards = 1", 3.0),
        ("NOT Artist = 'B'", 3.0),
        ("Artist = Title", 3.0),
    ],
)
def test_a_read_costs_what_it_evaluates(where: str, units: float) -> None:
    filled = [{**one, "fill": {"S": "x" * 6000}} for one in SONGS]

    answer = Music(*filled).execute(f"{SELECT} WHERE {where}", ReturnConsumedCapacity="TOTAL")

    assert answer["ConsumedCapacity"] == {"TableName": "Music", "CapacityUnits": units}


@pytest.mark.parametrize(
    ("columns", "item"),
    [
        ("Title, Awards", {"Title": {"S": "a"}, "Awards": {"N": "3"}}),
        ('"Awards", Nothing', {"Awards": {"N": "3"}}),
        ("Doc.x", {"x": ONE["Doc"]["M"]["x"]}),
        ("Doc.x[1]", {"x[1]": {"N": "2"}}),
        ("Doc['x'][0]", {"x[0]": {"N": "1"}}),
        ("Nothing", {}),
    ],
)
def test_columns_are_named_by_the_end_of_their_path(columns: str, item: Any) -> None:
    music = Music(ONE)

    assert music.items(f"SELECT {columns} FROM Music WHERE Artist = 'A' AND Title = 'a'") == [item]
    assert music.items(f"SELECT {columns} FROM Music") == [item]


def test_a_table_can_be_named_by_its_arn() -> None:
    music = Music(*SONGS)

    answer = music.execute(f"SELECT * FROM \"{ARN}\" WHERE Artist = 'B'", ReturnConsumedCapacity="TOTAL")
    assert answer["Items"] == [FOUR]
    assert answer["ConsumedCapacity"]["TableName"] == ARN
    assert titles(music.items(f'SELECT * FROM "{ARN}"."by-label" WHERE Label = \'L\'')) == "Ab Aa"


# Indexes.


def test_a_select_from_an_index_is_charged_to_the_index() -> None:
    answer = Music(*SONGS).execute(
        'SELECT * FROM "Music"."by-label" WHERE Label = \'L\' AND Awards > 1',
        ReturnConsumedCapacity="INDEXES",
    )

    assert answer["Items"] == [{name: ONE[name] for name in ("Artist", "Title", "Awards", "Label", "Genre")}]
    assert answer["ConsumedCapacity"] == {
        "TableName": "Music",
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.0},
        "GlobalSecondaryIndexes": {"by-label": {"CapacityUnits": 0.5}},
    }


def test_an_index_without_a_partition_key_is_scanned() -> None:
    assert (
        titles(Music(*SONGS).items("SELECT * FROM Music.\"by-label\" WHERE Awards > 1 AND Artist = 'B'"))
        == "Ba"
    )


def test_a_local_index_fetches_what_it_lacks_and_reads_consistently() -> None:
    answer = Music(*SONGS).execute(
        "SELECT Title, Genre FROM Music.\"by-awards\" WHERE Artist = 'A'",
        ConsistentRead=True,
        ReturnConsumedCapacity="INDEXES",
    )

    assert answer["Items"] == [{"Title": {"S": "b"}}, {"Title": {"S": "a"}, "Genre": {"S": "rock"}}]
    assert answer["ConsumedCapacity"]["Table"] == {"CapacityUnits": 2.0}
    assert answer["ConsumedCapacity"]["LocalSecondaryIndexes"] == {"by-awards": {"CapacityUnits": 1.0}}


@pytest.mark.parametrize(
    ("statement", "members", "expected_message"),
    [
        ('SELECT * FROM Music."nope"', {}, "The table does not have the specified index"),
        ('SELECT * FROM Music."nope"', {"ConsistentRead": True}, "The table does not have the specified index"),
        ('SELECT * FROM Music."by-label"', {"ConsistentRead": True},
         "Strongly consistent read is not supported on Global Secondary Indexes"),
        ('SELECT Doc.x FROM Music."by-label"', {},
         "One or more parameter values were invalid: Global secondary index by-label does not project [Doc]"),
        ("SELECT * FROM Music.\"by-label\" WHERE Label = 'L' AND Doc.x = 1", {},
         "One or more parameter values were invalid: Secondary index by-label does not project one or more filter "
         "attributes: [Doc]"),
        ("SELECT * FROM Music WHERE Artist = 5", {},
         "Key attribute's data type should match its data type in table's schema: Key Artist"),
        ("SELECT * FROM Music WHERE Artist = 'A' AND Title > 5", {},
         "Key attribute's data type should match its data type in table's schema: Key Title"),
        ("SELECT * FROM Music WHERE Artist = 'A' AND Title = 5", {},
         "Key attribute's data type should match its data type in table's schema: Key Title"),
        ("SELECT * FROM Music WHERE Artist = ''", {},
         "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
         "string value. Key: Artist"),
        ("SELECT * FROM Music WHERE Awards < true", {},
         "Incorrect operand type for operator or function; operator or function: <, "
         "operand type: BOOL"),
        ("SELECT * FROM Music WHERE Artist = 'A' AND Title > true", {},
         "Incorrect operand type for operator or function; operator or function: >, "
         "operand type: BOOL"),
        ("SELECT * FROM Music.\"by-awards\" WHERE Artist = 'A' AND begins_with(Awards, 1)", {},
         "Incorrect operand type for operator or function; operator or function: "
         "begins_with, operand type: N"),
        ("SELECT * FROM Music WHERE Awards BETWEEN 2 AND 1", {},
         "The BETWEEN operator requires upper bound to be greater than or equal to lower "
         "bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}"),
    ],
)  # fmt: skip
def test_an_invalid_select_is_rejected(
    statement: str, members: dict[str, Any], expected_message: str
) -> None:
    assert Music(*SONGS).invalid(statement, **members) == expected_message


@pytest.mark.parametrize("values", [("?", "1"), ("2", "?"), ("?", "?"), ("2", "1")])
@pytest.mark.parametrize("where", ["Awards", "Artist IN ['A', 'B'] AND Awards"])
def test_bounds_are_checked_as_literals_and_as_parameters(where: str, values: tuple[str, str]) -> None:
    parameters = [{"N": number} for text, number in zip(values, ("2", "1"), strict=True) if text == "?"]
    select = f'{SELECT}."by-awards" WHERE {where} BETWEEN {values[0]} AND {values[1]}'

    assert Music().invalid(select, *parameters).startswith("The BETWEEN operator requires upper bound")


def test_an_index_with_keys_of_several_attributes_is_rejected() -> None:
    engine = Engine.open()
    several = index("several", "pk", "a") | {
        "KeySchema": [{"AttributeName": name, "KeyType": "HASH"} for name in ("a", "b")]
    }
    engine.call(
        "CreateTable",
        table(
            "pk",
            TableName="wide",
            AttributeDefinitions=defined("pk", "a", "b"),
            GlobalSecondaryIndexes=[several],
        ),
    )

    assert Music(engine=engine).invalid("SELECT * FROM wide.\"several\" WHERE a = 'x' AND b = 'y'") == (
        "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."
    )


# Order.


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("WHERE Artist = 'A' ORDER BY Title", "Aa Ab Ac"),
        ("WHERE Artist = 'A' ORDER BY Title DESC", "Ac Ab Aa"),
        ("WHERE Artist = 'A' AND Title < 'c' ORDER BY Artist, Title DESC", "Ab Aa"),
        ("WHERE Artist = 'A' ORDER BY Artist ASC", "Ac Ab Aa"),
        ("WHERE Artist = 'A' ORDER BY Artist DESC", "Ac Ab Aa"),
        ("WHERE Artist IN ['A', 'B'] ORDER BY Artist DESC", "Ba Ac Ab Aa"),
        ("WHERE Artist = 'A' AND Title IN ['b', 'a'] ORDER BY Title", "Aa Ab"),
        ("WHERE Artist = 'A' AND Title IN ['a', 'b'] ORDER BY Title DESC", "Ab Aa"),
        ("WHERE Artist IN ['B', 'A'] ORDER BY Artist ASC, Title DESC", "Ac Ab Aa Ba"),
    ],
)
def test_order_by_sorts_the_items(statement: str, found: str) -> None:
    assert titles(Music(*SONGS).items(f"{SELECT} {statement}")) == found


@pytest.mark.parametrize(
    ("statement", "expected_message"),
    [
        ("ORDER BY Title", "Must have WHERE clause in the statement when using ORDER BY clause."),
        ("WHERE Title = 'a' ORDER BY Title",
         "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."),
        ("WHERE Artist = 'A' ORDER BY Awards", "Attribute Awards in ORDER BY clause must be part of the primary key"),
        ("WHERE Artist IN ['A', 'B'] ORDER BY Title",
         "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."),
    ],
)  # fmt: skip
def test_an_invalid_order_by_is_rejected(statement: str, expected_message: str) -> None:
    assert Music(*SONGS).invalid(f"{SELECT} {statement}") == expected_message


# Pages.


def test_a_limit_counts_evaluated_items() -> None:
    music = Music(*SONGS)
    where = f"{SELECT} WHERE Artist = 'A' AND Awards = 1"

    first = music.execute(where, Limit=1)
    second = music.execute(where, Limit=2, NextToken=first["NextToken"])

    assert first["Items"] == []
    assert first["LastEvaluatedKey"] == {"Artist": {"S": "A"}, "Title": {"S": "a"}}
    assert second["Items"] == [TWO]
    assert "NextToken" not in music.execute(where, NextToken=second["NextToken"])


def test_a_page_reads_at_most_ten_partitions() -> None:
    music = Music(*(song(f"artist {number}", "t") for number in range(12)))
    statement = f"{SELECT} WHERE Artist IN [{', '.join(['?'] * 12)}]"
    names = [{"S": f"artist {number}"} for number in range(12)]

    first = music.execute(statement, *names)
    second = music.execute(statement, *names, NextToken=first["NextToken"])

    assert [len(first["Items"]), len(second["Items"])] == [10, 2]
    assert "NextToken" not in second


def test_a_page_ends_with_the_item_that_exceeds_1_mb() -> None:
    music = Music(*(song(artist, title, x="y" * 400_000) for artist in "AB" for title in "ab"))
    statement = f"{SELECT} WHERE Artist IN ['A', 'B']"

    first = music.execute(statement)
    second = music.execute(statement, NextToken=first["NextToken"])

    assert (titles(first["Items"]), titles(second["Items"])) == ("Aa Ab Ba", "Bb")


@pytest.mark.parametrize(
    "other",
    [
        {"Statement": f"{SELECT}  WHERE Artist = ?"},
        {"Parameters": [{"S": "B"}]},
        {"NextToken": "x"},
        {"NextToken": "AAAA"},
        {"Statement": f"{SELECT} WHERE Artist = ? AND Title = 'a'"},
    ],
)
def test_a_token_is_bound_to_the_statement_and_its_parameters(other: dict[str, Any]) -> None:
    music = Music(*SONGS)
    request: dict[str, Any] = {
        "Statement": f"{SELECT} WHERE Artist = ?",
        "Parameters": [{"S": "A"}],
        "Limit": 1,
    }
    token = music.call("ExecuteStatement", **request)["NextToken"]

    assert music.call("ExecuteStatement", **{**request, "NextToken": token, "Limit": 5})["Items"] == [
        TWO,
        THREE,
    ]
    assert music.error("ExecuteStatement", **{**request, "NextToken": token, **other}).message == (
        "NextToken does not match request"
    )


@pytest.mark.parametrize("parameter", [{"L": []}, {"M": {}}])
def test_a_token_never_resumes_with_a_list_or_a_map_among_the_parameters(parameter: dict[str, Any]) -> None:
    music = Music(*SONGS)
    statement = f"{SELECT} WHERE Doc <> ?"
    token = music.execute(statement, parameter, Limit=1)["NextToken"]

    assert music.invalid(statement, parameter, NextToken=token) == "NextToken does not match request"


def test_a_page_continues_after_a_deleted_song() -> None:
    music = Music(*SONGS)
    statement = f"{SELECT} WHERE Artist = 'A'"
    token = music.execute(statement, Limit=2)["NextToken"]
    music.execute("DELETE FROM Music WHERE Artist = 'A' AND Title = 'b'")

    assert music.items(statement, NextToken=token) == [THREE]


# What SQL has and this has not.


@pytest.mark.parametrize(
    ("statement", "expected_message"),
    [
        ("SELECT COUNT(*) FROM Music", "Unexpected path component at 1:8:5"),
        ("SELECT size(Title) FROM Music", "Unexpected path component at 1:8:4"),
        ("SELECT 1 FROM Music", "Unexpected path component at 1:8:1"),
        ("SELECT Title AS t FROM Music", "Aliasing is not supported"),
        ("SELECT Title t FROM Music", "Aliasing is not supported"),
        ("SELECT * FROM Music m", "Aliasing is not supported"),
        ("SELECT * FROM Music AS m WHERE m.Artist = 'A'", "Aliasing is not supported"),
        ("SELECT * FROM Music, Plain", "Unexpected from source at 1:15:5"),
        ("SELECT * FROM my-table", "Unexpected from source at 1:15:2"),
        ("SELECT * FROM (SELECT * FROM Music)", "Unexpected from source at 1:15:1"),
        ("SELECT * FROM Music LIMIT 5", "Unsupported clause: LIMIT at 1:21:5"),
        ("SELECT * FROM Music\nWHERE a = 1\n GROUP BY a", "Unsupported clause: GROUP at 3:2:5"),
        ("SELECT DISTINCT a FROM Music", "Unsupported clause: DISTINCT at 1:8:8"),
        ("SELECT * FROM Music WHERE a LIKE 'x%'", "Unsupported operator at 1:29:4"),
        ("SELECT * FROM Music WHERE a + 1 = 2", "Unsupported operator at 1:29:1"),
        ("SELECT * FROM Music WHERE a = 1 + 1", "Unsupported operator at 1:33:1"),
        ("SELECT * FROM Music WHERE lower(a) = 'x'", "Unrecognized function: lower at 1:27:5"),
        ("SELECT * FROM Music WHERE begins_with(a)",
         "Incorrect number of operands for operator or function; operator or function: begins_with, number of "
         "operands: 1"),
        ("SELECT * FROM Music WHERE begins_with(=, 'x')",
         "Statement wasn't well formed, can't be processed: Unexpected operator"),
        ("SELECT * FROM Music WHERE a", "Unexpected condition at 1:27:1"),
        ("SELECT * FROM Music WHERE contains(a, 'x') BETWEEN 1 AND 2", "Unexpected condition at 1:27:8"),
        ("SELECT * FROM Music WHERE a IN [begins_with(a, 'x')]", "Unexpected condition at 1:33:11"),
    ],
)  # fmt: skip
def test_other_clauses_of_sql_are_rejected(statement: str, expected_message: str) -> None:
    assert Music().invalid(statement) == expected_message


def test_a_token_that_was_changed_is_rejected() -> None:
    music = Music(*SONGS)
    request: dict[str, Any] = {"Statement": f"{SELECT} WHERE Artist = 'A'", "Limit": 1}
    raw = b64decode(music.call("ExecuteStatement", **request)["NextToken"])

    changed = (raw[:-1], raw + b"x", raw[:17] + b"\x01" + raw[18:], raw[:-1] + b"\xff")
    tokens = [b64encode(each).decode() for each in changed]
    for token in (*tokens, "!" + b64encode(raw).decode()):
        assert music.error("ExecuteStatement", **request, NextToken=token).message == (
            "NextToken does not match request"
        )
