"""Vector searches as values: parameters, rejected arguments, and the requests that are sent."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from pksk import (
    DesignError,
    Entity,
    InvalidValue,
    Key,
    Nearest,
    PkskError,
    Query,
    SearchResult,
    Table,
    VectorIndex,
    access,
    begins,
    between,
    gt,
)
from pksk.engine.vectors.distance import pack_floats
from pksk.model.requests.nearest_plan import search_vector, wire_vector
from tests.model.requests.notes import Note, Photo, notes
from tests.model.writes.running import problems

ACME = Note.by_meaning.nearest([1, 0], 5, tenant="acme", team="red")


class Title(BaseModel):
    title: str


def test_a_search_is_a_request_of_dynamodb() -> None:
    nearest = Note.by_meaning.nearest([1, 0.5], 3, tenant="acme", team="red", lang="en", published=2025)

    request = nearest.hydrate().request

    assert request == {
        "TableName": "notes",
        "IndexName": "by-meaning",
        "SearchVector": [{"N": "1"}, {"N": "0.5"}],
        "TopK": 3,
        "SearchConditionExpression": "g1 = :v0 AND lang = :v1 AND #n0 = :v2",
        "ProjectionExpression": "pk, sk, #n1",
        "ExpressionAttributeNames": {"#n0": "year", "#n1": "type"},
        "ExpressionAttributeValues": {
            ":v0": {"S": "TENANT#acme#red"},
            ":v1": {"S": "en"},
            ":v2": {"N": "2025"},
        },
    }
    assert problems("SearchVectors", request) == ""


def test_a_vector_index_without_a_partition_is_searched_without_a_condition() -> None:
    request = Note.everywhere.nearest([1, 0]).into(Title).request

    assert request["TopK"] == 10
    assert request["ProjectionExpression"] == "title, pk, sk"
    assert "SearchConditionExpression" not in request
    assert problems("SearchVectors", request) == ""


def test_requests_are_new_each_time() -> None:
    nearest = ACME.hydrate()

    nearest.request["SearchVector"][0]["N"] = "9"
    nearest.request["ExpressionAttributeValues"].clear()

    assert nearest.request["SearchVector"] == [{"N": "1"}, {"N": "0"}]
    assert nearest.request["ExpressionAttributeValues"]


def test_searches_are_values() -> None:
    same = Note.by_meaning.nearest((1.0, 0.0), 5, team="red", tenant="acme")

    assert same == ACME
    assert hash(same) == hash(ACME)
    assert pickle.loads(pickle.dumps(ACME)) == ACME
    assert ACME.hydrate() != ACME
    assert ACME.entities == (Note,)
    assert "1.0" not in repr(ACME), "a vector has a thousand numbers"


@pytest.mark.parametrize(
    "vector",
    [
        [1, 0.5],
        (1, 0.5),
        (Decimal(1), Fraction(1, 2)),
        iter([1, 0.5]),
        numpy.array([1, 0.5]),
        numpy.array([1, 0.5], dtype=numpy.float32),
    ],
)
def test_a_vector_may_be_any_sequence_of_numbers(vector: Any) -> None:
    assert Note.everywhere.nearest(vector).vector == (1.0, 0.5)


@pytest.mark.parametrize(
    ("vector", "problem"),
    [
        ([1, 0, 0], "a vector of 3 numbers, where the index has 2 dimensions."),
        ([1], "a vector of 1 number, where the index has 2 dimensions."),
        ([], "a vector of 0 numbers, where the index has 2 dimensions."),
        ([1, float("nan")], "nan at [1] of the vector is not a 32-bit float."),
        ([float("-inf"), 0], "-inf at [0] of the vector is not a 32-bit float."),
        ([1e39, 0], "1e+39 at [0] of the vector is not a 32-bit float."),
        ([10**400, 0], "at [0] of the vector is not a number."),
        ([1, "0"], "'0' at [1] of the vector is not a number."),
        ([1, None], "None at [1] of the vector is not a number."),
        ([True, 0], "True at [0] of the vector is not a number."),
        ([1j, 0], "1j at [0] of the vector is not a number."),
        (numpy.array([[1.0], [0.0]]), "at [0] of the vector is not a number."),
        ([[1.0], [0.0]], "[1.0] at [0] of the vector is not a number."),
        ("10", "'10' is not a vector."),
        (b"10", "b'10' is not a vector."),
        ({1: 2, 3: 4}, "{1: 2, 3: 4} is not a vector."),
        ({1, 2}, "{1, 2} is not a vector."),
        (5, "5 is not a vector."),
        (None, "None is not a vector."),
    ],
)
def test_a_value_that_is_not_a_vector_of_the_index_raises(vector: Any, problem: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        Note.everywhere.nearest(vector)

    assert caught.value.code == "nearest-vector"
    assert caught.value.problem.startswith("Note.everywhere.nearest: ")
    assert caught.value.problem.endswith(problem)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=5))
def test_every_accepted_number_is_a_32_bit_float(numbers: list[float]) -> None:
    try:
        taken = search_vector("x", numbers, len(numbers))
    except InvalidValue:
        assert pack_floats([{"N": repr(number)} for number in numbers]) is None
        return

    # Adding nothing makes 0 of -0, which DynamoDB's numbers do not have.
    assert pack_floats(wire_vector(taken)) == (numpy.array(numbers, dtype="<f4") + numpy.float32(0)).tobytes()


@pytest.mark.parametrize("k", [0, 101, -1, True, "5", 2.0, None])
def test_a_search_gives_from_1_to_100_results(k: Any) -> None:
    with pytest.raises(
        InvalidValue, match=r"^Note\.everywhere\.nearest: .* is not a number of results"
    ) as caught:
        Note.everywhere.nearest([1, 0], k)

    assert caught.value.code == "nearest-count"


@pytest.mark.parametrize(
    ("ask", "code", "fix"),
    [
        (lambda: Note.by_meaning.nearest([1, 0], tennant="a"), "nearest-unknown-part", "did you mean 'tenant'?"),
        (lambda: Note.by_meaning.nearest([1, 0], tenant="a", team="b", title="x"), "nearest-unknown-part",
         "filters=['title']"),
        (lambda: Note.everywhere.nearest([1, 0], nothing="x"), "nearest-unknown-part", "leave it out"),
        (lambda: Note.by_meaning.nearest([1, 0], tenant="a"), "key-missing-part", "give all of them"),
        (lambda: Note.by_meaning.nearest([1, 0], tenant="a", team=None), "nearest-equality", "give it a value"),
        (lambda: Note.by_meaning.nearest([1, 0], tenant="a", team="b", lang=None), "nearest-equality", "leave it out"),
        (lambda: Note.by_meaning.nearest([1, 0], tenant="a", team="b", published=gt(5)), "nearest-equality",
         "a plain value"),
        (lambda: Note.by_meaning.nearest([1, 0], tenant=begins("a"), team="b"), "nearest-equality", "a plain value"),
        (lambda: Note.by_meaning.nearest([1, 0], tenant="a", team="b", published="x"), "operand-value", "'published'"),
        (lambda: Note.by_meaning.nearest([1, 0], tenant=5, team="b"), "operand-value", "'tenant'"),
        (lambda: Note.by_month.nearest([1, 0], day=date(2025, 6, 15)), "nearest-partition", "begins('2025-06')"),
        (lambda: Note.by_month.nearest([1, 0], day=begins("2025")), "nearest-partition", "exactly one partition"),
    ],
)  # fmt: skip
def test_a_search_by_an_invalid_part_raises_at_once(ask: Callable[[], Any], code: str, fix: str) -> None:
    with pytest.raises(PkskError, match=r"^Note\.") as caught:
        ask()

    assert caught.value.code == code
    assert fix in caught.value.fix


def test_an_unknown_part_of_a_search_raises_with_the_known_ones() -> None:
    with pytest.raises(InvalidValue) as caught:
        Note.by_meaning.nearest([1, 0], tenant="a", team="b", title="x")

    assert caught.value.expected == "It is partitioned by: tenant, team; and filters by: lang, published."


@pytest.mark.parametrize("day", [begins("2025-06"), between(date(2025, 6, 1), date(2025, 6, 30))])
def test_a_part_by_months_is_searched_by_a_whole_month(day: Any) -> None:
    request = Note.by_month.nearest([1, 0], day=day).hydrate().request

    assert request["ExpressionAttributeValues"][":v0"] == {"S": "2025-06"}


@pytest.mark.parametrize(
    "ask",
    [
        lambda: Note.by_meaning(tenant="a", team="b"),
        Note.everywhere,
        lambda: Note.by_meaning.get(tenant="a", team="b"),
        Note.by_meaning.scan,
        lambda: Note.by_meaning.update(tenant="a", team="b"),
        lambda: Note.by_meaning.delete(tenant="a", team="b"),
        Note.everywhere.check,
    ],
)
def test_a_vector_index_cannot_be_queried_or_scanned(ask: Callable[[], Any]) -> None:
    with pytest.raises(DesignError, match=r"^Note\..* is a vector index") as caught:
        ask()

    assert caught.value.code == "plan-vector-index"
    assert "use nearest: Note." in caught.value.fix


def test_a_key_on_another_index_cannot_be_searched_by_vectors() -> None:
    with pytest.raises(
        DesignError, match=r"^Note\.primary\.nearest: table 'notes' is not a vector index"
    ) as one:
        Note.primary.nearest([1, 0])
    with pytest.raises(DesignError) as other:
        Photo.primary.nearest([1, 0])

    assert one.value.code == "nearest-key"
    assert one.value.fix == "use Note.by_meaning.nearest(...)."
    assert "Key('...', index='by-meaning')" in other.value.fix


def test_the_fix_of_a_wrong_key_declares_the_index_or_the_key_that_is_missing() -> None:
    class Plain(Entity, table=Table("plain")):
        id: str
        primary = Key("PLAIN#{id}", "META")

    class Indexed(Entity, table=Table("indexed", indexes=[VectorIndex("near", attribute="v", dimensions=2)])):
        id: str
        primary = Key("INDEXED#{id}", "META")

    fixes = []
    for key in (Plain.primary, Indexed.primary):
        with pytest.raises(DesignError) as caught:
            key.nearest([1, 0])
        fixes.append(caught.value.fix)

    assert fixes == [
        "declare by_meaning = Key(index='by-meaning') for indexes=[VectorIndex('by-meaning', attribute=..., "
        "dimensions=...)], and use Plain.by_meaning.nearest(...).",
        "declare by_meaning = Key(index='near'), and use Indexed.by_meaning.nearest(...).",
    ]


def test_where_and_scan_never_use_vector_indexes() -> None:
    with pytest.raises(DesignError) as caught:
        Note.where(tenant="a", team="b")

    assert "search it with Note.by_meaning.nearest(...)" in caught.value.expected
    assert Note.where(tenant="a", id="1").plan.index is None
    assert Note.scan().plan.index is None


def test_a_search_for_whole_entities_needs_hydrate() -> None:
    with pytest.raises(DesignError, match=r"does not return 'vector' of Note exactly as stored") as caught:
        _ = ACME.request

    assert caught.value.code == "plan-not-projected"
    assert ".hydrate()" in caught.value.fix
    assert ".into(Model)" in caught.value.fix
    assert ACME.hydrate().reads_table
    assert any(note.startswith("vector is read from the table") for note in ACME.hydrate().plan.notes)


def test_a_search_into_a_smaller_model_needs_no_hydrate() -> None:
    class Rounded(BaseModel):
        id: str
        vector: list[float]

    titles, rounded = ACME.into(Title), ACME.into(Rounded)

    assert not titles.reads_table
    assert titles.request["ProjectionExpression"] == "title, #n0, pk, sk"
    assert rounded.request["ProjectionExpression"] == "id, v, #n0, pk, sk"
    assert "vector as 32-bit floats, as the index holds it" in rounded.plan.notes
    assert not rounded.reads_table
    assert rounded.hydrate().reads_table, "the table has it as it was written"
    assert not titles.hydrate().reads_table, "there is nothing to be read there"


def test_a_smaller_model_with_fields_that_the_index_lacks_raises() -> None:
    class More(BaseModel):
        title: str
        lang: str | None

    with pytest.raises(DesignError, match=r"does not project 'lang' of More"):
        _ = Note.everywhere.nearest([1, 0]).into(More).request
    assert Note.everywhere.nearest([1, 0]).into(More).hydrate().reads_table
    with pytest.raises(InvalidValue, match="it takes a Pydantic model"):
        ACME.into(int)  # type: ignore[type-var]


def test_other_entities_in_a_vector_index_are_filtered_by_dynamodb_or_afterwards() -> None:
    filtered = Note.by_month.nearest([1, 0], day=begins("2025-06")).hydrate()
    distinguished = Note.everywhere.nearest([1, 0]).hydrate()

    assert filtered.request["SearchConditionExpression"] == "#n0 = :v0 AND #n1 = :v1"
    assert filtered.request["ExpressionAttributeValues"][":v1"] == {"S": "Note"}
    assert not filtered.plan.has_foreign_items
    assert any("a filter on 'type' excludes them" in note for note in filtered.plan.notes)
    assert distinguished.plan.has_foreign_items
    assert any("items of Photo may be near too" in note for note in distinguished.plan.notes)
    assert not ACME.hydrate().plan.has_foreign_items, "no photo has the attribute that divides it"


def test_the_discriminator_may_be_the_partition_of_a_vector_index() -> None:
    zoo = Table("zoo", indexes=[VectorIndex("near", attribute="v", dimensions=2, pk="type")])

    class Animal(Entity, table=zoo):
        name: str
        v: list[float]
        primary = Key("{name}", "META")
        near = Key(index="near")

    before = Animal.near.nearest([1, 0]).hydrate()
    assert before.request["ExpressionAttributeValues"] == {":v0": {"S": "Animal"}}

    class Dog(Animal, table=zoo):
        tricks: int = 0

    with pytest.raises(DesignError, match="are in 2 of its partitions: Animal, Dog") as caught:
        _ = Animal.near.nearest([1, 0]).hydrate().request
    assert caught.value.code == "nearest-subclasses"
    assert Dog.near.nearest([1, 0]).hydrate().request["ExpressionAttributeValues"] == {":v0": {"S": "Dog"}}


def test_a_subclass_is_distinguished_from_its_base_only_by_projected_attributes() -> None:
    index = VectorIndex("near", attribute="v", dimensions=2, projection=["name"])
    zoo = Table("zoo", indexes=[index])

    class Animal(Entity, table=zoo):
        name: str
        v: list[float]
        primary = Key("{name}", "META")
        near = Key(index="near")

    class Dog(Animal, table=zoo):
        tricks: int = 0

    class Name(BaseModel):
        name: str

    assert not Animal.near.nearest([1, 0]).hydrate().plan.has_foreign_items, "dogs are animals"
    assert Dog.near.nearest([1, 0]).hydrate().plan.has_foreign_items
    with pytest.raises(DesignError) as caught:
        _ = Dog.near.nearest([1, 0]).into(Name).plan
    assert caught.value.code == "plan-no-discriminator"


def test_a_search_explains_itself() -> None:
    nearest = Note.by_meaning.nearest([1, 0], 3, tenant="acme", team="red", lang="en").hydrate()

    assert str(nearest.explain(item_size=5000)).splitlines() == [
        "SearchVectors index 'by-meaning' of 'notes' for Note",
        "  vector    1, 0",
        "  where     g1 = 'TENANT#acme#red' AND lang = 'en'",
        "  reads     pk, sk, type",
        "  nearest   3",
        "  estimate  3 read units and a search of by-meaning",
        "  assuming  AWS bills a search by the bytes that it reads, which are unknown beforehand: "
        "they are not counted",
        "            Note: 5,000 bytes an item, as declared",
        "            Note: 3 items a search, as many as it asks for",
        "  note      by cosine, the nearest have the lowest scores; AWS may miss one of them",
        "            vector is read from the table, one more read for each item",
    ]
    data = nearest.explain().data()
    assert data["requests"][0]["operation"] == "SearchVectors"
    assert data["requests"][0]["request"] == nearest.request
    assert data["estimate"]["vector_searches"] == [{"table": "notes", "index": "by-meaning", "searches": 1.0}]


def test_a_pattern_may_be_a_search_with_a_generated_vector() -> None:
    table = Table("texts", indexes=[VectorIndex("near", attribute="v", dimensions=1000)])

    class Text(Entity, table=table):
        id: str
        v: list[float]
        primary = Key("TEXT#{id}", "META")
        near = Key(index="near")

        @access(rate=5)
        @classmethod
        def like(cls, vector: list[float]) -> Nearest[Text]:
            return cls.near.nearest(vector).hydrate()

    @access(rate=1)
    def ids(first: list[float], second: list[float]) -> list[Nearest[Text]]:
        return [Text.near.nearest(first).hydrate(), Text.near.nearest(second).hydrate()]

    outcomes = [pattern.outcome() for pattern in table.patterns]

    assert [pattern.kind for pattern in table.patterns] == ["nearest", "nearest"]
    assert [outcome.problem for outcome in outcomes] == ["", ""]
    assert len(outcomes[0].arguments["vector"]) == 1000
    like = Text.like([1.0] * 1000)
    assert like.pattern is not None
    assert like.pattern.name.endswith("like")


def test_a_pattern_with_an_invalid_search_raises_with_its_class() -> None:
    with pytest.raises(DesignError, match="a search of index 'near' does not return 'v' of Text") as caught:

        class Text(Entity, table=Table("texts", indexes=[VectorIndex("near", attribute="v", dimensions=3)])):
            id: str
            v: list[float]
            primary = Key("TEXT#{id}", "META")
            near = Key(index="near")

            @access()
            @classmethod
            def like(cls, vector: list[float]) -> Nearest[Text]:
                return cls.near.nearest(vector)

    assert caught.value.code == "access-does-not-fit"


@pytest.mark.parametrize(
    ("options", "returns", "problem"),
    [
        ({"consistent": True}, Nearest[Note], "there is no such read"),
        ({}, Query[Note], "annotate it with what it returns: Nearest"),
    ],
)
def test_a_search_pattern_with_another_annotation_raises(options: Any, returns: Any, problem: str) -> None:
    def like(tenant: str, vector: list[float]):  # type: ignore[no-untyped-def]
        return Note.by_meaning.nearest(vector, tenant=tenant, team="red").hydrate()

    like.__annotations__["return"] = returns

    with pytest.raises(DesignError) as caught:
        access(**options)(like)
    assert problem in caught.value.fix


def test_results_are_scored() -> None:
    assert SearchResult(0.5, Title(title="a")) == SearchResult(0.5, Title(title="a"))
    assert notes.index("by-meaning").kind == "vector"
