"""Runs searches on an embedded index: candidates by SQL, exact shapes, then order, facets and highlights."""

from __future__ import annotations

import html
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from pksk.cells.coordinates import distance_m
from pksk.errors import InvalidValue
from pksk.search.embedded_query import candidates_sql, match_expression
from pksk.search.embedded_schema import text_columns
from pksk.search.fields import Text
from pksk.search.hits import Hit, Hits, entity_named, open_cursor, seal_cursor
from pksk.search.search_index import SearchIndex
from pksk.search.search_request import Phrase, Place, Search

if TYPE_CHECKING:
    from pksk.geometry import Geometry, Position

# Marks of FTS5 around words, which no text has; they become tags once the rest is escaped.
_BEGIN, _END = "\x02", "\x03"
_PASSAGE_WORDS: Final = 24
_FACET_BATCH: Final = 500
_MAX_FACET_VALUES: Final = 1000


class _Found(NamedTuple):
    """One document that matches, before it is known to be on the page."""

    number: int
    id: str
    key: str
    entity: str
    body: bytes
    score: float
    value: Any
    distance_m: float | None


def run_search(connection: sqlite3.Connection, search: Search, now: float, secret: bytes) -> Hits:
    """The hits of a search, in its order."""
    bound = fingerprint(search)
    after = open_cursor(secret, bound, search.cursor) if search.cursor else None
    found = _sorted(connection, search, now)
    start = 0
    if after is not None:
        end = _sort_key(search, after)
        keys = (_sort_key(search, _position(search, each)) for each in found)
        start = next((number for number, key in enumerate(keys) if key > end), len(found))
    page = found[start : start + search.limit]
    cursor = None
    if start + search.limit < len(found):
        cursor = seal_cursor(secret, bound, _position(search, page[-1]))
    highlights = _highlights(connection, search, [each.number for each in page]) if search.highlighted else {}
    return Hits(
        [_hit(search.index, each, highlights.get(each.number, {})) for each in page],
        len(found),
        {name: _facet(connection, name, [each.number for each in found]) for name in search.facet_fields},
        cursor,
    )


def fingerprint(search: Search) -> str:
    """What a cursor is valid for: everything but the number of hits and the cursor."""
    places = [(each.field, each.relation, each.radius_m, _shape_text(each.shape)) for each in search.places]
    return repr(
        (
            search.index.name,
            search.phrases,
            search.fields,
            search.fuzziness,
            search.filters,
            places,
            search.order,
        )
    )


def _shape_text(shape: Any) -> str:
    return shape.to_bytes().decode() if hasattr(shape, "to_bytes") else repr(tuple(shape))


def suggest(
    connection: sqlite3.Connection, index: SearchIndex, text: str, limit: int, now: float
) -> list[str]:
    """Values of the fields that complete a text, those of the best documents first."""
    names = tuple(name for name, each in index.fields.items() if isinstance(each, Text) and each.suggest)
    if not names:
        raise InvalidValue(
            "search-option",
            f"Index {index.name!r} has no field that completes a text.",
            fix="declare one: Text(suggest=True).",
        )
    words = text.split()
    phrases = tuple(
        Phrase(word, prefix=number == len(words), is_word=True) for number, word in enumerate(words, 1)
    )
    search = Search(index, tuple(each for each in phrases if any(map(str.isalnum, each.text))), names)
    if not search.phrases:
        return []
    found = _sorted(connection, search, now)
    values = (
        value for each in found for name in names for value in _listed(orjson.loads(each.body).get(name))
    )
    start = words[0].casefold()
    return list(dict.fromkeys(value for value in values if start in value.casefold()))[:limit]


# What matches


def _matches(connection: sqlite3.Connection, search: Search, now: float) -> Iterator[_Found]:
    sql = candidates_sql(connection, search, now)
    for row in connection.execute(sql.text, sql.parameters).fetchall():
        near: float | None = None
        for place in search.places:
            distance = _match_place(connection, row[0], place)
            if distance is None:
                break
            if place.relation == "distance":
                near = distance if near is None else min(near, distance)
        else:
            yield _Found._make((*row, near))


def _match_place(connection: sqlite3.Connection, number: int, place: Place) -> float | None:
    """The distance of a document's nearest shape that fits; 0 for other relations, None if none fits."""
    rows = connection.execute(
        "SELECT DISTINCT shape FROM shapes WHERE document = ? AND field = ?", (number, place.field)
    )
    fitting = [each for (shape,) in rows if (each := _relation(shape, place)) is not None]
    return min(fitting, default=None)


def _relation(shape: bytes, place: Place) -> float | None:
    point = _point(shape)
    if place.relation == "box" and point is not None:
        return 0.0 if _is_in_box(point, place.shape) else None
    if place.relation == "distance" and point is not None:
        longitude, latitude = place.shape
        distance = distance_m(latitude, longitude, point[1], point[0])
        return distance if distance <= place.radius_m else None
    geometry = _geometry(shape)
    if place.relation == "distance":
        distance = geometry.distance_m(_position_of(place.shape))
        return distance if distance <= place.radius_m else None
    other = _box_geometry(tuple(place.shape)) if place.relation == "box" else place.shape
    fits = geometry.within(other) if place.relation == "within" else geometry.intersects(other)
    return 0.0 if fits else None


def _is_in_box(point: Any, box: Any) -> bool:
    west, south, east, north = box
    longitude, latitude = point
    inside = west <= longitude <= east if west <= east else longitude >= west or longitude <= east
    return bool(inside and south <= latitude <= north)


def _position_of(pair: Any) -> Position:
    from pksk.geometry import Position

    return Position(*pair)


@lru_cache(4096)
def _geometry(shape: bytes) -> Geometry:
    from pksk.geometry import read_geometry

    return read_geometry(shape)


@lru_cache(64)
def _box_geometry(box: tuple[float, float, float, float]) -> Geometry:
    from pksk.geometry import Envelope, read_geometry

    return read_geometry(Envelope(*box).to_opensearch())


def _point(shape: bytes) -> Any:
    value = orjson.loads(shape)
    return tuple(value["coordinates"]) if value["type"] == "Point" else None


# Order


def _sorted(connection: sqlite3.Connection, search: Search, now: float) -> list[_Found]:
    matches = _matches(connection, search, now)
    return sorted(matches, key=lambda each: _sort_key(search, _position(search, each)))


def _position(search: Search, found: _Found) -> list[Any]:
    """Where a document is in the order of a search: those without a value are last, equal ones by id."""
    if not search.order:
        return [0, -found.score, found.id]
    value = found.distance_m if search.order.removeprefix("-") == "distance" else found.value
    return [1, 0, found.id] if value is None else [0, value, found.id]


def _sort_key(search: Search, position: list[Any]) -> tuple[Any, ...]:
    missing, value, name = position
    return missing, _Descending(value) if search.order.startswith("-") else value, name


class _Descending:
    """A value that sorts the other way round."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Descending) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)


# What is returned


def _hit(index: SearchIndex, found: _Found, highlights: Mapping[str, str]) -> Hit:
    return Hit(
        found.id,
        entity_named(index, found.entity),
        orjson.loads(found.key),
        found.score,
        orjson.loads(found.body),
        found.distance_m,
        highlights,
    )


def _facet(connection: sqlite3.Connection, name: str, numbers: Sequence[int]) -> dict[Any, int]:
    """How many documents have each value, the most frequent first; a date is in milliseconds since 1970."""
    counts: Counter[Any] = Counter()
    for first in range(0, len(numbers), _FACET_BATCH):
        batch = numbers[first : first + _FACET_BATCH]
        marks = ", ".join("?" * len(batch))
        statement = f"SELECT value FROM terms WHERE field = ? AND document IN ({marks})"
        counts.update(value for (value,) in connection.execute(statement, (name, *batch)))
    ordered = sorted(counts.items(), key=lambda each: (-each[1], str(each[0])))
    return dict(ordered[:_MAX_FACET_VALUES])


def _highlights(
    connection: sqlite3.Connection, search: Search, numbers: Sequence[int]
) -> dict[int, dict[str, str]]:
    """For each document, the passages of its fields that have words of the search."""
    match = match_expression(connection, search)
    if not match or not numbers:
        return {}
    names = text_columns(search.index)
    passages = ", ".join(
        f"snippet(texts, {position}, '{_BEGIN}', '{_END}', '…', {_PASSAGE_WORDS})"
        for position in range(len(names))
    )
    marks = ", ".join("?" * len(numbers))
    statement = f"SELECT rowid, {passages} FROM texts WHERE texts MATCH ? AND rowid IN ({marks})"
    return {
        number: {
            name: _tagged(text) for name, text in zip(names, texts, strict=True) if _BEGIN in (text or "")
        }
        for number, *texts in connection.execute(statement, (match, *numbers))
    }


def _tagged(passage: str) -> str:
    return html.escape(passage).replace(_BEGIN, "<em>").replace(_END, "</em>")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
