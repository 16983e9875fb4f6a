"""A cache of words and places for standardising: each is read once and kept for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Generic, TypeVar

from pksk import Store

from ..places import Place, PlaceSettings, PlaceWord

K = TypeVar("K")
V = TypeVar("V")

# Places are nested a few levels deep. More levels mean a cycle in the data.
_MOST_LEVELS = 7


class Gazetteer:
    """Reads words and places in as few requests as possible, and keeps up to `most` of each."""

    def __init__(self, db: Store, most: int = 10_000) -> None:
        self._db = db
        self._words: _Kept[str, frozenset[int]] = _Kept(most)
        self._places: _Kept[int, Place | None] = _Kept(most)
        self._settings: PlaceSettings | None = None

    @property
    def settings(self) -> PlaceSettings:
        """How place names are split."""
        if self._settings is None:
            self._settings = self._db.get(PlaceSettings.one()) or PlaceSettings()
        return self._settings

    def words(self, words: Iterable[str]) -> dict[str, frozenset[int]]:
        """The ids of the places of each word; one batch reads all words that are not cached."""
        distinct = list(dict.fromkeys(words))
        ids_by_word = {word: ids for word in distinct if (ids := self._words.get(word)) is not None}
        missing = [word for word in distinct if word not in ids_by_word]
        if missing:
            stored = {
                each.word: frozenset(each.ids) for each in self._db.run(PlaceWord.several(missing)) if each
            }
            # Words without places are cached too.
            ids_by_word |= {word: stored.get(word, frozenset()) for word in missing}
            self._words.keep(ids_by_word)
        return ids_by_word

    def places(self, ids: Iterable[int]) -> dict[int, Place]:
        """Places by id. Each that is not cached needs a query, the price of the letters in the sort key."""
        distinct = set(ids)
        places = {each: self._places.get(each) for each in distinct if each in self._places}
        missing = sorted(distinct - places.keys())
        if missing:
            read = {place.id: place for query in Place.several(missing) for place in self._db.iter(query)}
            places |= {each: read.get(each) for each in missing}
            self._places.keep(places)
        return {each: place for each, place in places.items() if place is not None}

    def ancestors(self, ids: Iterable[int], *, former: bool = True) -> dict[int, frozenset[int]]:
        """For each place the ids of all places around it, with `former` also earlier ones, read level by level."""
        above = {each: set[int]() for each in ids}
        edge = {each: {each} for each in above}
        for _ in range(_MOST_LEVELS):
            known = self.places({each for some in edge.values() for each in some})
            edge = {
                start: {up for each in some if each in known for up in known[each].around(former=former)}
                for start, some in edge.items()
            }
            for start, some in edge.items():
                above[start] |= some
        return {each: frozenset(some) for each, some in above.items()}


class _Kept(Generic[K, V]):
    """A cache of the values that were used last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def get(self, key: K) -> V | None:
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def keep(self, values: dict[K, V]) -> None:
        self._values |= values
        while len(self._values) > self._most:
            self._values.popitem(last=False)
