"""Generates a gazetteer, a catalogue, and registers with all their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from random import Random

from pksk import Entity

from ..catalogue import Category, Collection, CollectionCategory, Post
from ..people import Settings, User
from ..places import NameVariants, Place
from ..registers import Record, RecordHousehold
from .gazetteer import SETTINGS, gazetteer, word_lists
from .names import GIVEN_NAMES, GIVEN_VARIANTS, MEN, SURNAME_VARIANTS, SURNAMES, WOMEN, often

# Beyond this, villages would get implausibly many names.
_MOST_PLACES = 300_000


@dataclass(frozen=True)
class _Sizes:
    """The numbers of items of each kind; posts as their numbers of lines."""

    places: int
    collections: int
    posts: list[int]
    users: int

    @classmethod
    def of(cls, items: int) -> _Sizes:
        random = Random(items)
        posts: list[int] = []
        # A few registers are large, most are small.
        while sum(posts) < items * 3 // 5:
            posts.append(min(5 + int(20 * random.paretovariate(1.1)), max(20, items // 10)))
        places = min(items // 5, _MOST_PLACES)
        return cls(places, max(2, len(posts) // 4), posts, max(3, items // 200))

    @property
    def last_id(self) -> int:
        return len(KINDS) + self.collections + len(self.posts) + sum(self.posts) + self.users


def last_id(items: int) -> int:
    """The largest id in `generate(items)`, apart from places: the sequence continues after it."""
    return _Sizes.of(items).last_id


def generate(items: int) -> Iterator[Entity]:
    """About so many entities, always the same; each comes after those that it refers to."""
    sizes = _Sizes.of(items)
    yield Settings(name="general", values={"title": "Old registers", "language": "en"})
    yield SETTINGS
    places: list[Place] = []
    for place in gazetteer(sizes.places):
        places.append(place)
        yield place
    yield from word_lists(places)
    yield from _name_variants()
    yield from _catalogue(sizes, places)


def _name_variants() -> Iterator[NameVariants]:
    for name, variants in GIVEN_VARIANTS.items():
        yield NameVariants(name=name, kind="givenNameVariants", variants=variants)
    for name, variants in SURNAME_VARIANTS.items():
        yield NameVariants(name=name, kind="surnameVariants", variants=variants)


def _catalogue(sizes: _Sizes, places: list[Place]) -> Iterator[Entity]:
    random, ids = Random(333), count(1)
    kinds = {name: Category(id=next(ids), name=name) for name in KINDS}
    yield from kinds.values()
    yield from (_user(next(ids)) for _ in range(sizes.users))
    collections: list[tuple[Collection, str, Place]] = []
    for number in range(sizes.collections):
        kind = often(random, list(kinds)) if number else "Census"
        place = random.choice(places)
        chosen = sorted({kinds[kind].id, random.choice(list(kinds.values())).id})
        name = f"{kind} of {place.full_name}"
        collection = Collection(id=next(ids), name=name, categories=chosen)
        collections.append((collection, kind, place))
        yield collection
        yield from (CollectionCategory(id=collection.id, category_id=each) for each in chosen)
    for lines in sizes.posts:
        collection, kind, place = often(random, collections)
        year = random.randint(1780, 1920)
        post = Post(id=next(ids), collection_id=collection.id, name=f"{kind} {year}", status="Published")
        yield post
        yield from _register(random, post, [next(ids) for _ in range(lines)], (kind, place.full_name, year))


def _register(random: Random, post: Post, ids: list[int], about: tuple[str, str, int]) -> Iterator[Entity]:
    """The records of a post; those of a census in households of one to nine."""
    households = about[0] == "Census"
    number = 0
    while ids:
        size = random.randint(1, 9)
        together, ids = ids[:size], ids[size:]
        number += 1
        named = {"household": f"{about[2]}-{number}"} if households else {}
        for each in together:
            yield Record(id=each, post_id=post.id, data=line(random, *about) | named)
        if households:
            yield RecordHousehold(post_id=post.id, household=named["household"], record_ids=together)


def _user(number: int) -> User:
    return User(
        id=number,
        issuer="https://login.example.org/",
        subject=f"auth|{number:06x}",
        email=f"reader{number}@example.org",
    )


KINDS = {
    "Births": "born",
    "Marriages": "married",
    "Deaths": "died",
    "Census": "counted",
    "Burials": "buried",
    "Wills": "proved",
    "Passengers": "arrived",
    "Land": "granted",
    "Church": "baptised",
    "Military": "enlisted",
}


def line(random: Random, kind: str, place: str, year: int) -> dict[str, str]:
    """One line of a register of some kind, at a place and in a year."""
    surname = often(random, SURNAMES)
    first_name = often(random, MEN if kind == "Military" else GIVEN_NAMES)
    values = {
        "given": first_name,
        "surname": surname,
        KINDS[kind]: f"{year}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}",
        "place": place,
    }
    if kind in ("Births", "Church"):
        values |= {"father": f"{often(random, MEN)} {surname}", "mother": often(random, WOMEN)}
    if kind == "Marriages":
        values |= {
            "spouse": f"{often(random, MEN if first_name in WOMEN else WOMEN)} {often(random, SURNAMES)}"
        }
    if kind in ("Deaths", "Burials", "Census"):
        values |= {"age": str(random.randint(0, 90))}
    return values
