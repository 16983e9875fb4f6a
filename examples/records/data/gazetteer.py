"""The gazetteer: places of the world as `gazetteer.txt` has them, and as many villages more as are wanted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

from ..operations.standardise import words_of
from ..places import Place, PlaceSettings, PlaceWord
from .names import SURNAMES, names, often

_LINE = re.compile(
    r"(?P<indent> *)(?P<type>\w+) (?P<name>[^|<:]+)(?:\|(?P<also>[^<:]+))?(?:<(?P<then>[^:]+))?(?::(?P<towns>.+))?"
)
# What villages are called, the first of each list more often than the last: some names are very common.
_STEMS = [*names("Spring Oak Mill Clear Pleasant Green Cedar Stone Fair Ash Maple"), *SURNAMES]
_ENDS = [
    "field",
    " Grove",
    " Hill",
    "ville",
    "ton",
    " Creek",
    "dale",
    " Springs",
    "burg",
    "port",
    " Valley",
    "mont",
]
_BEFORE = ["", "", "", "", "", "New ", "West ", "East ", "Little ", "Upper ", "Lower ", "Old "]

_ABBREVIATIONS = (
    "ala alabama; co county; eng england; ga georgia; ill illinois; ky kentucky; mass massachusetts; mo "
    "missouri; mt mount; ny new york; ont ontario; pa pennsylvania; penn pennsylvania; st saint; tenn "
    "tennessee; tex texas; us united states; usa united states; va virginia; yorks yorkshire"
)

SETTINGS = PlaceSettings(
    abbreviations=dict(each.split(maxsplit=1) for each in _ABBREVIATIONS.split("; ")),
    noise_words=["about", "at", "in", "near", "of", "possibly", "probably", "the"],
    type_words=names("borough city county parish province shire state town township village"),
)


@dataclass
class _Row:
    type: str
    full_name: str
    also_named: list[str]
    then: list[str]
    depth: int
    inside: str | None


def gazetteer(many: int) -> Iterator[Place]:
    """So many places, the largest first, and each after those that it is in."""
    rows = sorted(_rows(), key=lambda row: row.depth)
    ids = {row.full_name: number for number, row in enumerate(rows, 1)}
    random = Random(3)
    known = [_place(row, ids, random) for row in rows[:many]]
    yield from known
    yield from islice(_villages(known, len(rows)), max(0, many - len(rows)))


def word_lists(places: Iterable[Place]) -> Iterator[PlaceWord]:
    """The inverted list: for each word the places that it leads to."""
    ids_by_word: dict[str, set[int]] = {}
    for place in places:
        for word in words_of(place, SETTINGS):
            ids_by_word.setdefault(word, set()).add(place.id)
    yield from (PlaceWord(word=word, ids=ids) for word, ids in ids_by_word.items())


def _rows() -> Iterator[_Row]:
    above: list[str] = []
    for line in Path(__file__).with_name("gazetteer.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        assert match is not None, line
        depth = len(match["indent"]) // 2
        del above[depth:]
        inside = above[-1] if above else None
        full_name = ", ".join([match["name"].strip(), *reversed([each.split(",")[0] for each in above])])
        then = [match["then"].strip()] if match["then"] else []
        yield _Row(match["type"], full_name, _split(match["also"]), then, depth, inside)
        above.append(full_name)
        for town in _split(match["towns"]):
            yield _Row("town", f"{town}, {full_name}", [], [], depth + 1, full_name)


def _split(text: str | None) -> list[str]:
    return [each.strip() for each in text.split(",")] if text else []


def _place(row: _Row, ids: dict[str, int], random: Random) -> Place:
    return Place(
        id=ids[row.full_name],
        full_name=row.full_name,
        also_named=row.also_named,
        type=row.type,
        count=random.randrange(1000) * 10 ** max(0, 3 - row.depth),
        located_in=None if row.inside is None else ids[row.inside],
        also_located_in=[ids[each] for each in row.then],
    )


def _villages(known: list[Place], last: int) -> Iterator[Place]:
    """Villages without end, in places that have towns."""
    random = Random(33)
    holders = [place for place in known if place.type in ("county", "district", "hundred", "riding")]
    names_in_use = {place.full_name for place in known}
    while True:
        holder = random.choice(holders)
        full_name = f"{_village(random)}, {holder.full_name}"
        if full_name in names_in_use:
            continue
        names_in_use.add(full_name)
        last += 1
        count = int(random.paretovariate(1.0)) - 1
        yield Place(id=last, full_name=full_name, type="village", count=count, located_in=holder.id)


def _village(random: Random) -> str:
    return random.choice(_BEFORE) + often(random, _STEMS) + often(random, _ENDS)
