"""Places and names: completion of typed names, and the words that lead to places."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, computed_field

from pksk import Attribute, Batch, Entity, Get, Key, Put, Query, Scan, Update, access, batch, begins

from .plain_letters import plain_letters
from .tables import records

NameKind: TypeAlias = Literal["givenNameVariants", "surnameVariants"]


# How many letters of a name are in the partition keys of the indexes.
FEWEST_LETTERS = 2


def typed_parts(typed: str) -> list[str]:
    """The parts between commas of a name as it is written or typed, in plain letters."""
    return [part.strip() for part in plain_letters(typed).split(",")]


def _findable(full_name: str) -> str:
    """A name that completion can find: enough letters before the first comma for the partition keys."""
    if len(typed_parts(full_name)[0]) < FEWEST_LETTERS:
        raise ValueError(f"{full_name!r} begins with a name of less than {FEWEST_LETTERS} letters")
    return full_name


class Place(Entity, table=records):
    """A place. The first two letters of its name are the index partition for completion.

    A name with accents, as in Évreux, is in a second index as people type it, `evreux`. Its key follows the name in
    every write, so it is never outdated.
    """

    id: int
    full_name: Annotated[str, AfterValidator(_findable)]
    also_named: list[str] = []
    type: str = ""
    count: int = 0
    located_in: int | None = None
    also_located_in: list[int] = []

    @computed_field  # type: ignore[prop-decorator]
    @property
    def folded(self) -> str:
        return self.full_name.lower()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def plain_name(self) -> str | None:
        """The name without those around it in plain letters, or None if it is stored in plain letters anyway."""
        plain = plain_letters(self.name).lstrip()
        return None if plain == self.name.lower() else plain

    @property
    def name(self) -> str:
        """The name without those of the places around it."""
        return self.full_name.split(",")[0]

    @property
    def depth(self) -> int:
        """How many larger places its full name has."""
        return self.full_name.count(",")

    def around(self, *, former: bool) -> list[int]:
        """The places that it is in, and with `former` also those that it was in."""
        today = [] if self.located_in is None else [self.located_in]
        return today + self.also_located_in if former else today

    primary = Key("{id}", "place#{folded:.2}", codec="raw", identity=("id",))
    by_name = Key("place#{folded:.2}", "{folded}", index="gsi_sk_altSort", codec="raw")
    by_plain_name = Key(
        "place#{plain_name:.2}", "{plain_name}", index="gsi_plainStart_plainName", codec="raw"
    )

    @access(items=200, example={"typed": "Évr"})
    @classmethod
    def beginning(cls, typed: str) -> list[Query[Place]]:
        """The places whose name begins with the typed text, two letters or more, whatever their accents and case.

        Names in plain letters are in the first index, others in the second. A place may be in both answers.
        """
        start = begins(typed_parts(typed)[0])
        return [cls.by_name(folded=start), cls.by_plain_name(plain_name=start)]

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
    """How place names are split, in lower case: `{"ala": "alabama"}`, `["near"]`, `["county"]`."""

    abbreviations: dict[str, str] = {}
    noise_words: Annotated[list[str], Attribute("noiseWords")] = []
    type_words: Annotated[list[str], Attribute("typeWords")] = []

    primary = Key("placeSettings", "placeSettings", single_item=True)

    @access()
    @classmethod
    def one(cls) -> Get[PlaceSettings]:
        """How place names are split."""
        return cls.primary.get()


class PlaceWord(Entity, table=records):
    """The places of one name, written as one word. A common name has many, and an item ends at 400 KB."""

    word: str
    # A set, so that entering a place again changes nothing.
    ids: set[int] = set()

    primary = Key("placeWord#{word}", "placeWord")

    @access(items=2, example={"words": ["alabama", "alabamaterritory"]})
    @classmethod
    def several(cls, words: Sequence[str]) -> Batch[PlaceWord]:
        """The places of several words, read together."""
        return batch(*(cls.primary.get(word=each) for each in words))

    @access(example={"word": "springfield", "place_ids": [7, 8]})
    @classmethod
    def enter(cls, word: str, place_ids: Collection[int]) -> Update[PlaceWord]:
        """Add places to a word. Even one costs as much as the whole list, which is written again."""
        return cls.primary.update(word=word).add(ids=set(place_ids)).upsert()

    @access(items=200_000)
    @classmethod
    def every(cls) -> Scan[PlaceWord]:
        """All words, to load them again: they are not in the index, so only a scan of the whole table finds them."""
        return cls.scan()


class NameVariants(Entity, table=records):
    """Other ways to write a name, of people or of families."""

    name: str
    kind: NameKind
    variants: list[str] = []

    primary = Key("{name}", "{kind}", codec="raw")

    @access()
    @classmethod
    def one(cls, name: str, kind: NameKind) -> Get[NameVariants]:
        """The variants of a name."""
        return cls.primary.get(name=name, kind=kind)
