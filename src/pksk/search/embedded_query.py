"""The SQL of a search on an embedded index: words, filters and bounds; exact shapes are tested afterwards."""

from __future__ import annotations

import sqlite3
import unicodedata
from typing import Any

from pksk.dataclass import dataclass
from pksk.keys.bounds import prefix_upper_bound
from pksk.search.embedded_rows import term_of
from pksk.search.embedded_schema import text_columns
from pksk.search.fields import Text
from pksk.search.search_index import SearchIndex
from pksk.search.search_request import Filter, Phrase, Place, Search

# Degrees of latitude in a metre, a little too many; and a margin for the 32-bit floats of the R*Tree.
_DEGREES_PER_METRE = 1 / 110_000
_MARGIN = 1e-4
_COMPARISONS = {"eq": "=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


@dataclass(frozen=True)
class Sql:
    """A statement with its parameters."""

    text: str
    parameters: tuple[Any, ...]


def candidates_sql(connection: sqlite3.Connection, search: Search, now: float) -> Sql:
    """All documents that match but for exact shapes: number, id, item key, entity, body, score and sort value."""
    index = search.index
    match = match_expression(connection, search)
    joins, score = "", "0.0"
    conditions, parameters = ["(items.expires IS NULL OR items.expires > ?)"], list[Any]([now])
    if match:
        # FTS5 has smaller numbers for better matches.
        score = f"-bm25(texts, {', '.join(_weights(search))})"
        joins = "JOIN texts ON texts.rowid = documents.number "
        conditions.append("texts MATCH ?")
        parameters.append(match)
    for each in search.filters:
        condition, values = _filter_sql(index, each)
        conditions.append(condition)
        parameters += values
    for place in search.places:
        condition, values = _place_sql(place)
        conditions.append(condition)
        parameters += values
    name = search.order.removeprefix("-")
    if name and name != "distance":
        pick = "max" if search.order.startswith("-") else "min"
        order = f"(SELECT {pick}(value) FROM terms WHERE document = documents.number AND field = '{name}')"
    else:
        order = "NULL"
    text = (
        f"SELECT documents.number, documents.id, items.key, items.entity, documents.body, {score} AS score, {order} "
        f"FROM documents JOIN items ON items.id = documents.item {joins}WHERE {' AND '.join(conditions)}"
    )
    return Sql(text, tuple(parameters))


def match_expression(connection: sqlite3.Connection, search: Search) -> str:
    """The expression of FTS5 for the words of a search; empty without words."""
    if not search.phrases:
        return ""
    columns = " ".join(f'"t_{name}"' for name in search.fields)
    words = " AND ".join(_phrase(connection, each, search.fuzziness) for each in search.phrases)
    return f"{{{columns}}} : ({words})"


def _phrase(connection: sqlite3.Connection, phrase: Phrase, fuzziness: int) -> str:
    written = _quoted(phrase.text) + (" *" if phrase.prefix else "")
    if not fuzziness or not phrase.is_word or phrase.prefix:
        return written
    word = folded(phrase.text)
    similar = [
        term
        for (term,) in connection.execute(
            "SELECT term FROM words WHERE length(term) BETWEEN ? AND ?",
            (len(word) - fuzziness, len(word) + fuzziness),
        )
        if term != word and distance(word, term, fuzziness) <= fuzziness
    ]
    return f"({' OR '.join([written, *map(_quoted, similar)])})"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


def folded(word: str) -> str:
    """A word without case and accents, as the index has it.

    Example:
        >>> folded("Île")
        'ile'
    """
    plain = unicodedata.normalize("NFKD", word.lower())
    return "".join(each for each in plain if not unicodedata.combining(each))


def distance(one: str, other: str, most: int) -> int:
    """How many letters must be changed, added, left out or swapped with the next one; `most` + 1 if more.

    Example:
        >>> distance("lake", "laek", 2), distance("lake", "mountain", 2)
        (1, 3)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        previous, before, row = before, row, [i]
        for j, right in enumerate(other, 1):
            cost = min(row[-1] + 1, before[j] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, previous[j - 2] + 1)
            row.append(cost)
        if min(row) > most and min(before) > most:
            return most + 1
    return min(row[-1], most + 1)


def _weights(search: Search) -> list[str]:
    fields = search.index.fields
    return [
        repr(float(declared.boost))
        for name in text_columns(search.index)
        if isinstance(declared := fields[name], Text)
    ]


def _filter_sql(index: SearchIndex, condition: Filter) -> tuple[str, list[Any]]:
    """A condition that some value of the field meets."""
    kind = index.fields[condition.field].kind
    exists = "documents.number IN (SELECT document FROM terms WHERE field = ? AND {})"
    if condition.operator is None:
        values = [term_of(kind, each) for each in condition.values]
        marks = ", ".join("?" * len(values))
        return exists.format(f"value IN ({marks})"), [condition.field, *values]
    name, operands = condition.operator.name, condition.operator.operands
    if name == "begins":
        end = prefix_upper_bound(operands[0])
        if end is None:
            return exists.format("value >= ?"), [condition.field, operands[0]]
        return exists.format("value >= ? AND value < ?"), [condition.field, operands[0], end]
    values = [term_of(kind, each) for each in operands]
    test = "value BETWEEN ? AND ?" if name == "between" else f"value {_COMPARISONS[name]} ?"
    return exists.format(test), [condition.field, *values]


def _place_sql(place: Place) -> tuple[str, list[Any]]:
    """The documents with a box of the field that touches the bounds of a place."""
    bounds = bounds_of(place)
    tests = " OR ".join("(east >= ? AND west <= ? AND north >= ? AND south <= ?)" for _ in bounds)
    text = (
        "documents.number IN (SELECT document FROM shapes JOIN boxes ON boxes.number = shapes.number "
        f"WHERE field = ? AND ({tests}))"
    )
    return text, [place.field, *(value for box in bounds for value in box)]


def bounds_of(place: Place) -> list[tuple[float, float, float, float]]:
    """The bounds of a place as west, east, south and north, in two parts where it crosses the antimeridian."""
    if place.relation == "distance":
        from math import cos, radians

        longitude, latitude = place.shape
        up = place.radius_m * _DEGREES_PER_METRE
        nearest_pole = min(90.0, abs(latitude) + up)
        across = 180.0 if nearest_pole >= 89.9 else min(180.0, up / cos(radians(nearest_pole)))
        west, east, south, north = longitude - across, longitude + across, latitude - up, latitude + up
    else:
        west, south, east, north = place.shape if place.relation == "box" else place.shape.envelope
        if west > east:
            east += 360
    west, east, south, north = west - _MARGIN, east + _MARGIN, south - _MARGIN, north + _MARGIN
    if east - west >= 360:
        return [(-180.0, 180.0, south, north)]
    turned = [(west + turn, east + turn, south, north) for turn in (-360, 0, 360)]
    return [each for each in turned if each[1] >= -180 and each[0] <= 180]
