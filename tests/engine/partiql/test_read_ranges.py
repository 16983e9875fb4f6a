"""The ranges of keys that a SELECT reads: one for each alternative that its WHERE has for the key."""

from __future__ import annotations

import pytest

from pksk.engine import Engine
from tests.engine.state.catalogues import index, table

from .music import Music, song

pytestmark = pytest.mark.every_transport

ONE, TWO = song("A", "1", flag="one"), song("A", "2", flag="two")
OVERLAPPING = "Overlapping conditions with range keys are not supported in where clause"
UNPROJECTED = (
    "One or more parameter values were invalid: Secondary index by-label does not project one or more filter "
    "attributes: [{}]"
)


@pytest.mark.parametrize(
    ("condition", "titles"),
    [
        ("(Title = '1' OR Title = '2')", "12"),
        ("Title IN ['2', '1']", "21"),
        ("(Title < '1' OR Title > '1' OR Title = '1')", "21"),
        ("(Title = '2' OR Title = '1' AND flag = 'one')", "21"),
        ("attribute_exists(Artist)", "12"),
        ("NOT Title = '1'", "2"),
        ("Title <> '1'", "2"),
        ("Title > '0' AND Title <> '1'", "2"),
        ("Title = '1' AND Title > '0'", "1"),
        ("Title = '1' AND Title > '1'", ""),
        ("Title IN ['1', '3'] AND Title IN ['1', '2']", "1"),
        ("Artist = 'B'", ""),
        ("(Artist = 'B' OR flag = 'two')", "2"),
    ],
)
def test_each_alternative_is_read(condition: str, titles: str) -> None:
    items = Music(ONE, TWO, song("B", "1")).items(
        f"SELECT Title FROM Music WHERE Artist = 'A' AND {condition}"
    )

    assert "".join(item["Title"]["S"] for item in items) == titles


@pytest.mark.parametrize(
    "where",
    [
        "Artist IN ['A', 'A']",
        "Artist = 'A' OR Artist = 'A'",
        "Artist = 'A' AND (Title > '0' OR Title < '5')",
        "Artist = 'A' AND (Title = '1' OR flag = 'two')",
        "(Artist = 'A' AND flag = 'one') OR (Artist = 'A' AND flag = 'two')",
        "Artist IN ['A', ?]",
    ],
)
def test_alternatives_that_overlap_are_rejected(where: str) -> None:
    parameters = [{"S": "A"}] * where.count("?")

    assert Music(ONE, TWO).invalid(f"SELECT * FROM Music WHERE {where}", *parameters) == OVERLAPPING


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("Artist = 1 OR Artist = 'A'", "Artist"),
        ("Artist = 'A' AND Title IN ['1', 2]", "Title"),
        ("Artist = 'A' AND (Title = '1' OR Title = ?)", "Title"),
    ],
)
def test_alternatives_have_the_type_of_the_key(where: str, name: str) -> None:
    parameters = [{"N": "2"}] * where.count("?")

    assert Music(ONE).invalid(f"SELECT * FROM Music WHERE {where}", *parameters) == (
        f"Key attribute's data type should match its data type in table's schema: Key {name}"
    )


def test_a_condition_that_leaves_the_partition_open_reads_the_table() -> None:
    music = Music(ONE, TWO)

    assert len(music.items("SELECT * FROM Music WHERE Artist = 'A' OR Title = '1'")) == 2
    assert music.items("SELECT * FROM Music WHERE Artist > 1") == []


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("Label = 'y' AND NOT (other = 'x' OR Genre = 'x')", "other"),
        ("Label = 'y' AND b = '1' AND (a = '2' OR Genre = '3')", "a, b"),
        ("Label = 'y' AND (zz = '1' OR aa = '2' OR mm = '3')", "zz, aa, mm"),
        ("(Label = 'y' OR Label = 'z') AND zz = '1'", "zz"),
    ],
)
def test_a_filter_on_attributes_that_an_index_lacks_is_rejected(where: str, names: str) -> None:
    statement = f'SELECT Label FROM Music."by-label" WHERE {where}'

    assert Music().invalid(statement) == UNPROJECTED.format(names)


@pytest.mark.parametrize(
    "where",
    [
        "(Label = 'y' AND Genre = '1') OR (Label = 'z' AND aa = '1')",
        "Label > 'a' AND zz = '1'",
        "Label = 'y' AND (Label = 'z' OR zz = '1')",
        "(Label = 'y' AND zz = '1') OR aa = '1'",
        "zz = '1'",
    ],
)
def test_some_alternatives_may_have_attributes_that_an_index_lacks(where: str) -> None:
    assert Music().items(f'SELECT Label FROM Music."by-label" WHERE {where}') == []


def test_an_index_is_filtered_by_what_it_projects() -> None:
    included = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["other"]}
    engine = Engine.open()
    definitions = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")]
    engine.call(
        "CreateTable",
        table(
            "pk",
            TableName="view",
            AttributeDefinitions=definitions,
            GlobalSecondaryIndexes=[index("by-g", "g", Projection=included)],
        ),
    )
    music = Music(engine=engine)
    for name in "ab":
        music.execute("INSERT INTO \"view\" VALUE {'pk': ?, 'g': ?, 'hidden': 'x'}", {"S": name}, {"S": name})
    select = 'SELECT pk FROM "view"."by-g" WHERE'

    assert music.items(f"{select} hidden = 'x'") == []
    assert len(music.items(f"{select} NOT hidden = 'x'")) == 2
    assert music.items(f"{select} (g = 'a' AND hidden = 'x') OR g = 'b'") == [{"pk": {"S": "b"}}]
