"""The rows that make a document searchable in SQLite: its words, its values and its shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import orjson

from pksk.dataclass import dataclass
from pksk.search.fields import SearchField
from pksk.search.item_documents import Document

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
Term = str | int | float


class Box(NamedTuple):
    """The bounds of a shape, or of its part on one side of the antimeridian."""

    field: str
    west: float
    east: float
    south: float
    north: float
    shape: bytes


@dataclass(frozen=True)
class DocumentRows:
    """One document as rows: the text of each column, the values of other fields, and the bounds of shapes."""

    document: Document
    texts: tuple[str, ...]
    terms: tuple[tuple[str, Term], ...]
    boxes: tuple[Box, ...]


def document_rows(fields: Mapping[str, SearchField], document: Document) -> DocumentRows:
    """The rows of a document; raises for a shape that cannot be read."""
    texts, terms, boxes = [], [], []
    for name, field in fields.items():
        values = _listed(document.body.get(name))
        if field.kind == "text":
            texts.append("\n".join(values))
        elif field.kind in ("geo_point", "geo_shape"):
            boxes += [box for each in values for box in _boxes(name, field.kind, each)]
        else:
            terms += [(name, term_of(field.kind, each)) for each in dict.fromkeys(values)]
    return DocumentRows(document, tuple(texts), tuple(terms), tuple(boxes))


def term_of(kind: str, value: Any) -> Term:
    """A value as it is compared: a date in milliseconds since 1970, anything else as it is.

    Example:
        >>> term_of("date", "1970-01-02T00:00:00.000Z"), term_of("keyword", "open")
        (86400000, 'open')
    """
    if kind != "date":
        term: Term = value
        return term
    return (datetime.fromisoformat(value) - _EPOCH) // _MILLISECOND


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _boxes(name: str, kind: str, value: Mapping[str, Any]) -> Iterator[Box]:
    if kind == "geo_point":
        longitude, latitude = value["coordinates"]
        yield Box(name, longitude, longitude, latitude, latitude, orjson.dumps(value))
        return
    from pksk.geometry import read_geometry

    geometry = read_geometry(value)
    west, south, east, north = geometry.envelope
    shape = geometry.to_bytes()
    if west <= east:
        yield Box(name, west, east, south, north, shape)
    else:
        yield Box(name, west, 180.0, south, north, shape)
        yield Box(name, -180.0, east, south, north, shape)
