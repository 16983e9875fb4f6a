"""Entities with search documents, of two tables."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from pksk import TTL, Entity, F, Key, Table
from pksk.search import Date, GeoPoint, GeoShape, Keyword, Number, SearchDocument, SearchIndex, Text

reference = Table("reference", stream=True, ttl="expires")
archive = Table("archive", stream=True)


class Park(Entity, table=reference):
    """A park, which is hidden from searches once it is closed."""

    id: str
    name: str
    description: str | None = None
    status: str = "open"
    closed: bool = False
    visits: int = 0
    fee: Decimal | None = None
    tags: set[str] = Field(default_factory=set)
    opened: AwareDatetime | None = None
    place: dict[str, Any] | None = None
    boundary: dict[str, Any] | None = None
    expires: Annotated[datetime | None, TTL()] = None

    primary = Key("PARK#{id}", "META")
    search = SearchDocument(
        {
            "name": Text(boost=3, suggest=True),
            "description": Text(),
            "status": Keyword(),
            "tag": Keyword(of="tags"),
            "visits": Number(),
            "fee": Number(),
            "opened": Date(),
            "place": GeoPoint(),
            "boundary": GeoShape(),
            "initial": Keyword(of=lambda park: park.name[:1].upper()),
        },
        when=F.closed == False,  # noqa: E712 - a condition of DynamoDB
    )


class Campsite(Entity, table=reference):
    """A campsite with several sites, each a document of its own."""

    id: str
    name: str
    sites: list[dict[str, Any]] = Field(default_factory=list)

    primary = Key("CAMP#{id}", "META")
    search = SearchDocument(
        {
            "name": Text(boost=3, suggest=True, of=lambda camp, site: f"{camp.name} {site['number']}"),
            "status": Keyword(of="sites.status"),
        },
        each="sites",
    )


places = SearchIndex("places", Park, Campsite)
SUMMER = datetime(2026, 7, 1, 12, 30, 15, 999_999, tzinfo=UTC)
SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
