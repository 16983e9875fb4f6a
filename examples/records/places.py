"""Places and names: what searches begin with, and how words lead to places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, computed_field

from pksk import Attribute, Batch, Entity, Get, Key, Put, Query, Scan, access, batch, begins

from .table import records


class Place(Entity, table=records):
    """A place. The first two letters of its name are the partition in which a search for its beginning looks."""

    id: int
    full_name: Annotated[str, Field(min_length=2)]
    count: int = 0
    located_in: list[int] = []

    @computed_field  # type: ignore[prop-decorator]
    @property
    def folded(self) -> str:
        return self.full_name.lower()

    primary = Key("{id}", "place#{folded:.2}", codec="raw")
    by_name = Key("place#{folded:.2}", "{folded}", index="gsi_sk_altSort", codec="raw")

    @access(items=200, example={"typed": "Vanc"})
    @classmethod
    def beginning(cls, typed: str) -> Query[Place]:
        """The places whose name begins with what was typed, two letters or more; the most used are chosen later."""
        return cls.by_name(folded=begins(typed.lower()))

    @access(items=2, example={"ids": [1500, 1501]})
    @classmethod
    def several(cls, ids: Sequence[int]) -> list[Query[Place]]:
        """Places by id: a query for each, since the letters in the key are not known from the id."""
        return [cls.primary(id=each) for each in ids]

    @access(items=25)
    @classmethod
    def load(cls, places: list[Place]) -> Batch[Place]:
        """Places from a file, 25 to a request."""
        return batch(*(Put(each) for each in places))


class PlaceSettings(Entity, table=records, items=1):
    abbreviations: dict[str, str] = {}
    noise_words: Annotated[list[str], Attribute("noiseWords")] = []

    primary = Key("placeSettings", "placeSettings")

    @access()
    @classmethod
    def one(cls) -> Get[PlaceSettings]:
        """How place names are taken apart."""
        return cls.primary.get()


class PlaceWord(Entity, table=records):
    """The places with a word in their name. A common word has many: an item ends at 400 KB."""

    word: str
    ids: list[int] = []

    primary = Key("placeWord#{word}", "placeWord")

    @access(items=2, example={"words": ["alabama", "alabamaterritory"]})
    @classmethod
    def several(cls, words: Sequence[str]) -> Batch[PlaceWord]:
        """The places of several words, asked for together."""
        return batch(*(cls.primary.get(word=each) for each in words))

    @access(items=200_000)
    @classmethod
    def every(cls) -> Scan[PlaceWord]:
        """All words, to load them anew: they are not in the index, so only a scan of the whole table finds them."""
        return cls.scan()


class NameVariants(Entity, table=records):
    """Other ways to write a name, of people or of families."""

    name: str
    kind: Literal["givenNameVariants", "surnameVariants"]
    variants: list[str] = []

    primary = Key("{name}", "{kind}", codec="raw")

    @access()
    @classmethod
    def one(cls, name: str, kind: Literal["givenNameVariants", "surnameVariants"]) -> Get[NameVariants]:
        """The variants of a name."""
        return cls.primary.get(name=name, kind=kind)
