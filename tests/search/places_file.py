"""A design with a search index as a file, and a database with its items."""

from __future__ import annotations

from pksk import connect
from tests.search.places import Park, reference

PLACES = """
from pksk import Entity, Key, Table
from pksk.search import Number, SearchDocument, SearchIndex, Text

reference = Table("reference", stream=True, ttl="expires")


class Park(Entity, table=reference):
    id: str
    name: str
    visits: int = 0
    primary = Key("PARK#{id}", "META")
    search = SearchDocument({"name": Text(boost=3), "visits": Number()})


places = SearchIndex("places", Park)
"""


def fill_places(path: str) -> None:
    """Write three parks to a file."""
    with connect(path) as db:
        db.create_tables(reference)
        for number in range(3):
            db.put(Park(id=str(number), name=f"Park {number}"))
