"""What every published thing of the parks system has beside its key, and the names it is stored under."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID, uuid4

from pydantic import BaseModel, Field

from pksk import Attribute, Created, Entity, Key, Updated, Version

# Ids are counted from 1 and stand in keys without leading zeros: 10 sorts before 2, so lists come in the order of
# the text, and a range of numbers is refused.
CollectionId = Annotated[str, Attribute("collectionId")]
ActivityType = Annotated[str, Attribute("activityType")]
ActivityId = Annotated[int, Attribute("activityId")]
FacilityType = Annotated[str, Attribute("facilityType")]
FacilityId = Annotated[int, Attribute("facilityId")]
ProductId = Annotated[int, Attribute("productId")]


class KeyText(BaseModel):
    """The key of another item, as it stands in the table."""

    pk: str
    sk: str


class Point(BaseModel):
    type: Literal["point"] = "point"
    coordinates: tuple[float, float]


class Envelope(BaseModel):
    """A box, by its north-western and its south-eastern corner."""

    type: Literal["envelope"] = "envelope"
    coordinates: tuple[tuple[float, float], tuple[float, float]]


class Described(Entity):
    """Something that visitors find: it has a name, a place, and an id that needs no parent to be found by.

    A boundary can be larger than an item; then `boundary_url` says where it lies.
    """

    display_name: Annotated[str, Attribute("displayName")] = ""
    description: str = ""
    global_id: Annotated[UUID, Attribute("globalId")] = Field(default_factory=uuid4)
    location: Point | None = None
    envelope: Envelope | None = None
    boundary_url: Annotated[str | None, Attribute("boundaryUrl")] = None
    is_visible: Annotated[bool, Attribute("isVisible")] = True
    search_terms: Annotated[list[str], Attribute("searchTerms")] = []
    admin_notes: Annotated[str | None, Attribute("adminNotes")] = None
    is_deleted: Annotated[bool, Attribute("isDeleted")] = False
    deleted_at: Annotated[datetime | None, Attribute("deletedAt")] = None
    version: Annotated[int, Version()] = 1
    creation_date: Annotated[datetime | None, Attribute("creationDate"), Created()] = None
    last_updated: Annotated[datetime | None, Attribute("lastUpdated"), Updated()] = None

    by_global_id = Key("{global_id}", index="globalId-index")
