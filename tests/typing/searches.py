"""What type checkers infer of searches by vector."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar, Self, TypeVar, assert_type

from pydantic import BaseModel

from pksk import Entity, Key, Nearest, Plan, SearchResult, Table, VectorIndex, access
from pksk.model import BoundKey

E = TypeVar("E", bound=Entity)

near = VectorIndex("near", attribute="vector", dimensions=2, pk="g1", filters=["lang"])


class Text(Entity, table=Table("texts", indexes=[near])):
    id: str
    lang: str
    vector: list[float]

    primary: ClassVar[Key] = Key("TEXT#{id}", "META")
    near: ClassVar[Key] = Key("ALL", index="near")

    @access(rate=1)
    @classmethod
    def like(cls, vector: list[float]) -> Nearest[Self]:
        """The texts that mean the same."""
        return cls.near.nearest(vector).hydrate()


class Poem(Text, table=Text.__pksk__.table):
    verses: int = 0


class Language(BaseModel):
    """What a list of texts shows."""

    lang: str


def a_search_is_of_the_entity_of_its_key() -> None:
    assert_type(Text.near, BoundKey[Text])
    assert_type(Text.near.nearest([1, 0]), Nearest[Text])
    assert_type(Text.near.nearest((Decimal(1), 0.5), 5, lang="en"), Nearest[Text])
    assert_type(Text.near.nearest(iter([1.0, 0.0])), Nearest[Text])
    assert_type(Poem.near.nearest([1, 0]).hydrate(), Nearest[Poem])
    assert_type(Text.near.nearest([1, 0]).into(Language), Nearest[Language])
    assert_type(Text.near.nearest([1, 0]).into(Language).hydrate(), Nearest[Language])
    assert_type(Text.near.nearest([1, 0]).hydrate().request, dict[str, Any])
    assert_type(Text.near.nearest([1, 0]).hydrate().plan, Plan)
    assert_type(Text.near.nearest([1, 0]).vector, tuple[float, ...])
    assert_type(Text.like([1, 0]), Nearest[Text])
    assert_type(Poem.like([1, 0]), Nearest[Poem])


def a_search_of_poems_is_a_search_of_texts() -> None:
    poem = Poem(id="7", lang="en", vector=[1, 0])
    search: Nearest[Text] = Poem.near.nearest([1, 0])
    scored: SearchResult[Text] = SearchResult(0.5, poem)

    assert_type(SearchResult(0.5, poem), SearchResult[Poem])
    assert_type(SearchResult(0.5, poem).value, Poem)
    assert_type(SearchResult(0.5, poem).score, float)
    assert_type(hydrated(Text.near.nearest([1, 0])), Nearest[Text])
    assert all((search, scored))


def hydrated(nearest: Nearest[E]) -> Nearest[E]:
    """A function that takes a search of any entity."""
    return nearest.hydrate()
