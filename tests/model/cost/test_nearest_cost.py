"""Costs around vector indexes with keys: searches have no units, and writes are billed by the bytes that change."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import Entity, Key, Nearest, Put, Table, VectorIndex, access
from pksk.capacity import vector_write_bytes
from pksk.model.access_options import AccessOptions
from pksk.model.bill.month import month
from pksk.model.requests.costs import estimate
from pksk.model.requests.write_costs import entry_writes

texts = Table(
    "texts",
    indexes=[
        VectorIndex("near", attribute="v", dimensions=400, pk="g1", projection="keys"),
        VectorIndex("all", attribute="v", dimensions=400, projection="keys"),
    ],
)


class Text(Entity, table=texts, items=1000):
    id: str
    team: str | None = None
    words: str = ""
    v: list[float] | None = None
    primary = Key("TEXT#{id}", "META")
    near = Key("TEAM#{team}", index="near")
    everywhere = Key(index="all")

    @access(rate=10)
    @classmethod
    def like(cls, vector: list[float]) -> Nearest[Text]:
        """Texts that mean the same."""
        return cls.everywhere.nearest(vector, 20).hydrate()


VECTOR = [1.0] * 400
SEARCH = Text.everywhere.nearest(VECTOR, 20)
FULL = Text(id="7", team="a", v=VECTOR, words="x" * 4000)


def test_a_search_has_no_units_and_what_is_read_afterwards_has() -> None:
    read = estimate([SEARCH.hydrate()], AccessOptions(item_size=5000))
    fewer = estimate([SEARCH.hydrate()], AccessOptions(items=4, item_size=5000))

    assert str(read) == "20 read units and a search of all"
    assert read.cost is not None
    assert [(charge.table, charge.index) for charge in read.cost.charges] == [("texts", None)]
    assert str(fewer) == "4 read units and a search of all"
    assert read.missing == ()
    assert any("unknown beforehand" in text for text in read.assumptions)
    assert ("texts", "all", "read") in read.touched


def test_several_searches_of_a_call_are_counted() -> None:
    two = estimate([SEARCH.hydrate(), SEARCH.hydrate()], AccessOptions(items=20, item_size=100))

    assert str(two) == "10 read units and 2 searches of all"
    assert two.data()["vector_searches"] == [{"table": "texts", "index": "all", "searches": 2.0}]


def test_a_search_without_reads_shows_no_units() -> None:
    from pydantic import BaseModel

    class Id(BaseModel):
        id: str

    index = VectorIndex("near", attribute="v", dimensions=2)

    class Note(Entity, table=Table("notes", indexes=[index])):
        id: str
        v: list[float]
        primary = Key("NOTE#{id}", "META")
        near = Key(index="near")

    nearest = Note.near.nearest([1, 0]).into(Id)

    assert str(estimate([nearest])) == "a search of near"
    assert str(nearest.price([])) == "no units"
    assert estimate([nearest]).data()["read"] == 0


def test_the_price_of_a_search_is_that_of_hydration() -> None:
    assert str(SEARCH.hydrate().price([FULL, Text(id="8", v=VECTOR)])) == "1.5 read units"
    assert str(SEARCH.hydrate().price([])) == "no units"


def test_the_cost_of_a_month_notes_that_searches_are_missing() -> None:
    bill = month([texts])
    (row,) = bill.patterns
    arms = {arm.name: arm for arm in bill.indexes}

    assert row.missing == ("a search of all, by the bytes that AWS bills",)
    assert row.money is not None
    assert "texts/all: its searches, as AWS does not say how many bytes one reads" in bill.missing
    assert "texts/near: its searches, as no access pattern makes one" in bill.missing
    assert arms["texts"].read_per_second == 10 * 20 * 0.5
    assert arms["texts/all"].read_per_second is None
    assert {"read_per_second", "requests"} <= arms["texts/all"].at_least


CHANGES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "what is not projected": ({"words": "y"}, []),
    "the vector": ({"v": [0.5] * 400}, ["all", "near"]),
    "the part": ({"team": "b"}, ["near"]),
    "out of the part": ({"team": None}, ["near"]),
    "no vector": ({"v": None}, ["all", "near"]),
    "both": ({"team": "b", "v": [0.5] * 400}, ["all", "near"]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_update_is_estimated_as_the_bytes_that_it_changes(name: str) -> None:
    fields, changed = CHANGES[name]
    update = Text.primary.update(id="7").set(**fields)
    before, after = Put(FULL).item, Put(FULL.model_copy(update=fields)).item

    likely = {each.index: each.size_bytes for each in estimate([update]).vectors}

    assert sorted(likely) == changed
    assert sorted(vector_write_bytes(texts, before, after)) == changed
    assert all(each.times == 1 for each in entry_writes(update) if each.index.kind == "vector")


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({"v": None}, ["leaves 'near'", "leaves 'all'"]),
        ({"team": None}, ["leaves 'near'"]),
        ({"team": "b"}, []),
    ],
)
def test_the_estimate_explains_why_an_index_entry_is_written(
    fields: dict[str, Any], reasons: list[str]
) -> None:
    update = Text.primary.update(id="7").set(**fields)

    texts = [each.reason for each in entry_writes(update) if each.reason]

    assert len(texts) == len(reasons)
    assert all(reason in text for reason, text in zip(reasons, texts, strict=True))
