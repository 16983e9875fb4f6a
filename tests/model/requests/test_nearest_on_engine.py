"""Searches by vector, run on the engine: what they find, and that writes keep items in the right part of an index."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import dist, isclose
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from pksk import Engine, Entity, F, Key, Put, Table, VectorIndex, begins
from tests.model.requests.notes import Note, Photo, engine_with, found

SEA = Note(tenant="acme", id="sea", title="At sea", lang="en", vector=[0.9, 0.1])
MER = Note(tenant="acme", id="mer", title="La mer", lang="fr", vector=[0.8, 0.2])
TAX = Note(tenant="acme", id="tax", title="Taxes", lang="en", vector=[0.1, 0.9], published=2024)
SHIP = Note(tenant="ajax", id="ship", title="A ship", lang="en", vector=[1.0, 0.0], day=date(2025, 7, 1))
BARE = Note(tenant="acme", id="bare", title="No vector")
SHOT = Photo(id="shot", vector=[Decimal(1), Decimal(0)])


class Title(BaseModel):
    title: str


def ids(results: list[tuple[float, Any]]) -> list[str]:
    return [each.id for _, each in results]


def test_the_nearest_items_of_a_partition_come_with_their_scores() -> None:
    engine = engine_with(SEA, MER, TAX, SHIP, BARE)
    nearest = Note.by_meaning.nearest([1, 0], 2, tenant="acme", team="red").hydrate()

    results = found(engine, nearest)

    assert [each for _, each in results] == [SEA, MER]
    assert 0 < results[0][0] < results[1][0] < 1


def test_filters_apply_before_the_nearest_items_are_chosen() -> None:
    engine = engine_with(SEA, MER, TAX)
    red: Any = {"tenant": "acme", "team": "red"}

    assert ids(found(engine, Note.by_meaning.nearest([1, 0], 1, lang="fr", **red).hydrate())) == ["mer"]
    assert ids(found(engine, Note.by_meaning.nearest([1, 0], 1, published=2024, **red).hydrate())) == ["tax"]
    assert found(engine, Note.by_meaning.nearest([1, 0], 1, lang="fr", published=2024, **red).hydrate()) == []


def test_a_search_skips_other_entities() -> None:
    engine = engine_with(SEA, SHIP, SHOT)

    by_filter = Note.by_month.nearest([1, 0], 1, day=begins("2025-06")).hydrate()
    afterwards = Note.everywhere.nearest([1, 0], 3).hydrate()

    assert ids(found(engine, by_filter)) == ["sea"]
    assert ids(found(engine, afterwards)) == ["ship", "sea"]


def test_a_smaller_model_is_read_from_the_index() -> None:
    class Rounded(BaseModel):
        id: str
        vector: list[float]

    engine = engine_with(SEA, SHIP)
    rounded = Note.by_meaning.nearest([1, 0], 1, tenant="acme", team="red").into(Rounded)

    assert [each for _, each in found(engine, Note.everywhere.nearest([1, 0], 1).into(Title))] == [
        Title(title="A ship")
    ]
    assert found(engine, rounded)[0][1] == Rounded(id="sea", vector=[0.9, 0.1])


def test_updates_keep_an_item_in_the_right_part() -> None:
    engine = engine_with(SEA)
    one = Note.primary.update(tenant="acme", id="sea")

    def parts(team: str) -> list[str]:
        nearest = Note.by_meaning.nearest([1, 0], tenant="acme", team=team).hydrate()
        return ids(found(engine, nearest))

    def run(update: Any) -> None:
        if update.fields_to_read:
            update = update.with_item(engine.call("GetItem", update.read_request)["Item"])
        engine.call("UpdateItem", update.request)

    assert one.set(title="x").fields_to_read == ()
    run(one.set(team="blue"))
    assert (parts("red"), parts("blue")) == ([], ["sea"])
    run(one.set(team=None))
    assert parts("blue") == []
    run(one.set(team="blue", draft=True))
    assert parts("blue") == [], "a draft is not in it"
    run(one.set(draft=False))
    assert parts("blue") == ["sea"]
    run(one.remove("vector"))
    assert parts("blue") == []
    run(one.set(vector=[1, 0]))
    assert parts("blue") == ["sea"]


def test_a_key_without_attributes_needs_no_values() -> None:
    item = Put(SEA).item
    changed = Note.primary.update(tenant="acme", id="sea").set(vector=[1, 0])

    assert {name for name in item if name in ("g1", "month")} == {"g1", "month"}
    assert changed.fields_to_read == ()
    assert changed.changed_index_keys == {}
    assert "g1" not in Put(SEA.model_copy(update={"team": None})).item
    assert "g1" not in Put(SEA.model_copy(update={"draft": True})).item


def test_an_upsert_enters_the_index() -> None:
    engine = engine_with()
    new = Note.primary.update(tenant="acme", id="new").set(vector=[1, 0], day=date(2025, 6, 1))
    new = new.set(draft=False, team="red")

    engine.call("UpdateItem", new.upsert().request)

    assert ids(found(engine, Note.by_meaning.nearest([1, 0], tenant="acme", team="red").hydrate())) == ["new"]
    assert ids(found(engine, Note.everywhere.nearest([1, 0]).hydrate())) == ["new"]


def test_numbers_and_bytes_may_be_partition_and_filters_of_a_vector_index() -> None:
    from pksk import B, N

    index = VectorIndex("near", attribute="v", dimensions=2, pk=N("shop"), filters=[B("code")])

    class Item(Entity, table=Table("items", indexes=[index])):
        id: str
        shop: int
        code: bytes
        v: list[float]
        primary = Key("ITEM#{id}", "META")
        near = Key("{shop}", index="near")

    engine = Engine.open()
    engine.call("CreateTable", Item.__pksk__.table.create_request())
    for each in (Item(id="a", shop=1, code=b"x", v=[1, 0]), Item(id="b", shop=1, code=b"y", v=[1, 0])):
        engine.call("PutItem", Put(each).request)

    request = Item.near.nearest([1, 0], shop=1, code=b"y").hydrate().request

    assert request["ExpressionAttributeValues"] == {":v0": {"N": "1"}, ":v1": {"B": b"y"}}
    (result,) = engine.call("SearchVectors", request)["SearchResults"]
    assert result["Item"]["pk"] == {"S": "ITEM#b"}


NUMBERS = st.floats(-10, 10, width=32)


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["en", "fr", None]), NUMBERS, NUMBERS), max_size=12
    ),
    st.tuples(NUMBERS, NUMBERS),
    st.integers(1, 5),
    st.sampled_from(["en", None]),
)
def test_a_search_finds_what_sorting_everything_finds(
    rows: list[tuple[str, str | None, float, float]], vector: tuple[float, float], k: int, lang: str | None
) -> None:
    index = VectorIndex("near", attribute="v", dimensions=2, pk="g1", filters=["lang"], distance="euclidean")

    class Spot(Entity, table=Table("spots", indexes=[index])):
        id: int
        tenant: str
        lang: str | None = None
        hidden: bool = False
        v: list[float]
        primary = Key("SPOT#{id}", "META")
        near = Key("T#{tenant}", index="near", when=F.hidden != True)  # noqa: E712

    engine = Engine.open()
    engine.call("CreateTable", Spot.__pksk__.table.create_request())
    spots = [
        Spot(id=place, tenant=tenant, lang=own, hidden=place % 5 == 4, v=[x, y])
        for place, (tenant, own, x, y) in enumerate(rows)
    ]
    for spot in spots:
        engine.call("PutItem", Put(spot).request)
    filters = {} if lang is None else {"lang": lang}

    request = Spot.near.nearest(vector, k, tenant="a", **filters).hydrate().request
    scores = [result["Score"] for result in engine.call("SearchVectors", request)["SearchResults"]]

    wanted = sorted(
        dist(spot.v, vector)
        for spot in spots
        if spot.tenant == "a" and not spot.hidden and (lang is None or spot.lang == lang)
    )[:k]
    assert len(scores) == len(wanted)
    assert all(isclose(one, other, abs_tol=1e-6) for one, other in zip(scores, wanted, strict=True))


TEAMS, DRAFTS = st.sampled_from(["red", "blue", None]), st.booleans()
MONTHS = st.sampled_from([date(2025, 6, 1), date(2025, 7, 31)])
STEPS = st.lists(
    st.fixed_dictionaries({}, optional={"team": TEAMS, "draft": DRAFTS, "day": MONTHS}), max_size=6
)


@settings(max_examples=40)
@given(STEPS)
def test_after_any_update_the_keys_are_those_of_the_entity(steps: list[dict[str, Any]]) -> None:
    engine, note = engine_with(SEA), SEA

    for fields in filter(None, steps):
        update = Note.primary.update(tenant="acme", id="sea").set(**fields)
        if update.fields_to_read:
            update = update.with_item(engine.call("GetItem", update.read_request)["Item"])
        engine.call("UpdateItem", update.request)
        note = note.model_copy(update=fields)

        stored = engine.call("GetItem", {"TableName": "notes", "Key": update.item_key})["Item"]
        assert stored == Put(note).item
