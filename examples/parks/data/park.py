"""One generated park: its places, their relationships, its products, and its season."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import cos, pi, radians, sin, sqrt
from random import Random
from typing import Any
from uuid import UUID

from pksk import Entity

from ..places import Activity, Asset, Collection, Facility, Geozone
from ..products import Offer, Product
from ..relationships import Relationship
from ..tables import Envelope, ItemKey, Point
from ..waiting_room import Queue
from .season import OPENING, STATUSES, People, Season

# The facilities of a park by type, and the assets of each.
FACILITIES = {"campground": 2, "trail": 2, "trailSegment": 1, "dayUseArea": 1}
ASSETS = {"campground": ("tentPad", 2), "dayUseArea": ("parkingStall", 1)}
ACTIVITIES = {"campground": "frontcountryCamp", "dayUseArea": "dayuse"}
PRODUCTS = {"frontcountryCamp": ("Summer nights", "Late arrivals"), "dayuse": ("Day pass",)}


def identity(random: Random) -> UUID:
    """An id that is the same in every run."""
    return UUID(int=random.getrandbits(128), version=4)


@dataclass
class Park:
    """A park by its number: the first parks are the largest and busiest."""

    number: int
    days: int
    people: People
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(f"parks: park {self.number}")
        self.ground = Ground.of_park(self.random)
        self.busy = 1 / self.number**0.5
        self.collection_id = f"park_{self.number}"
        self.due = list(STATUSES)

    def entities(self) -> Iterator[Entity]:
        """Everything in the park, each item after what it refers to."""
        name = park_name(self.number)
        yield Collection(collection_id=self.collection_id, **self._described(name, self.ground))
        grounds = [self._within(self.ground, ZONE) for _ in range(1 + round(2 * self.busy))]
        zones = [self._zone(number, ground) for number, ground in enumerate(grounds, start=1)]
        yield from zones
        for kind, number in self._facilities():
            zone, within = self.random.choice(list(zip(zones, grounds, strict=True)))
            ground = self._within(within, FACILITY)
            facility = self._facility(kind, number, ground)
            yield facility
            yield self._related(zone, facility)
            yield from self._bookable(facility, ground)
        opening = int(OPENING.timestamp())
        yield Queue(
            collection_id=self.collection_id,
            activity_type="dayuse",
            activity_id=1,
            start=OPENING.date(),
            opening_time=opening,
        )

    def _zone(self, number: int, ground: Ground) -> Geozone:
        described = self._described(ZONES[(number - 1) % len(ZONES)], ground, is_visible=number != 3)
        return Geozone(collection_id=self.collection_id, geozone_id=number, **described)

    def _facilities(self) -> Iterator[tuple[str, int]]:
        for kind, most in FACILITIES.items():
            yield from ((kind, number) for number in range(1, 1 + max(1, round(most * self.busy))))

    def _facility(self, kind: str, number: int, ground: Ground) -> Facility:
        return Facility(
            collection_id=self.collection_id,
            facility_type=kind,
            facility_id=number,
            activities=[ACTIVITIES[kind]] if kind in ACTIVITIES else ["hiking"],
            **self._described(f"{kind} {number}", ground),
        )

    def _bookable(self, facility: Facility, ground: Ground) -> Iterator[Entity]:
        """The assets of a facility, its activity, and the products of that with their season."""
        if facility.facility_type not in ASSETS:
            return
        kind, most = ASSETS[facility.facility_type]
        assets = [
            Asset(
                collection_id=self.collection_id,
                facility_type=facility.facility_type,
                facility_id=facility.facility_id,
                asset_type=kind,
                asset_id=number,
                **self._described(f"{kind} {number}", self._within(ground, ASSET)),
            )
            for number in range(1, 1 + most)
        ]
        yield from assets
        activity = Activity(
            collection_id=self.collection_id,
            activity_type=ACTIVITIES[facility.facility_type],
            activity_id=facility.facility_id,
            **self._described(f"{ACTIVITIES[facility.facility_type]} {facility.facility_id}", ground),
        )
        yield activity
        yield self._related(facility, activity)
        for number, name in enumerate(PRODUCTS[activity.activity_type], start=1):
            yield from self._product(activity, number, self._described(name, ground), assets)

    def _product(
        self, activity: Activity, number: int, described: dict[str, Any], assets: list[Asset]
    ) -> Iterator[Entity]:
        product = Product(
            collection_id=self.collection_id,
            activity_type=activity.activity_type,
            activity_id=activity.activity_id,
            product_id=number,
            shown_from=int(OPENING.timestamp()) * (number - 1),
            **described,
        )
        yield product
        yield self._related(activity, product)
        offers = [Offer.model_validate({**product.model_dump(), **asset.model_dump()}) for asset in assets]
        yield from Season(self.random, self.people, self.days, self.busy, self.due).entities(product, offers)

    def _related(self, first: Entity, second: Entity) -> Relationship:
        return Relationship.between(ItemKey.of(first), ItemKey.of(second))

    def _within(self, ground: Ground, reach_km: tuple[float, float]) -> Ground:
        return ground.within(self.random, reach_km)

    def _described(self, name: str, ground: Ground, *, is_visible: bool = True) -> dict[str, Any]:
        """The fields of every place; activities and products have the location of their facility."""
        return {
            "display_name": name,
            "description": f"{name} of {park_name(self.number)}.",
            "global_id": identity(self.random),
            "location": ground.location,
            "envelope": ground.envelope,
            "is_visible": is_visible,
            "search_terms": sorted({word.lower() for word in name.split() if len(word) > 2}),
        }


FIRST = "Cedar Granite Heron Kettle Larch Marble Otter Raven Salmon Tamarack Willow Wolf"
SECOND = ("Bay", "Canyon", "Falls", "Island", "Lake", "Meadows", "Pass", "Point", "Ridge", "River", "Valley")

# Every pair of them; after these they repeat, with a number.
PARKS = [f"{first} {second}" for second in SECOND for first in FIRST.split()]

ZONES = ("North Shore", "South Shore", "Upper Basin", "Old Forest")

POLICIES = {
    "booking": {"nights": "at most 14", "window": "4 months before"},
    "party": {"size": "at most 8"},
    "change": {"until": "2 days before"},
    "fee": {"adult": "10.00", "child": "5.00"},
}


def park_name(number: int) -> str:
    """The name of a park, by its number from 1 on."""
    again, place = divmod(number - 1, len(PARKS))
    return PARKS[place] + (f" {again + 1}" if again else "")


# Where the centres of parks are: degrees from west to east, and from south to north.
REGION = ((-138, -115), (48, 59))

# How far places reach from their centre: minimum and maximum in kilometres.
PARK, ZONE, FACILITY, ASSET = (6, 20), (1, 3), (0.1, 0.4), (0.005, 0.02)

_KM_NORTH = 111.2  # for each degree
_DIGITS = 5  # of a degree: about a metre


@dataclass(frozen=True)
class Ground:
    """A circle around the centre of a place. A degree to the east is as long as at the centre of its park."""

    east: float
    north: float
    reach_km: float
    km_east: float

    @classmethod
    def of_park(cls, random: Random) -> Ground:
        """The ground of a park, anywhere in the region."""
        east, north = (random.uniform(*span) for span in REGION)
        return cls(east, north, random.uniform(*PARK), _KM_NORTH * cos(radians(north)))

    def within(self, random: Random, reach_km: tuple[float, float]) -> Ground:
        """The ground of a smaller place, anywhere inside this one with equal probability."""
        reach = random.uniform(*reach_km)
        away, angle = (self.reach_km - reach) * sqrt(random.random()), random.uniform(0, 2 * pi)
        east, north = (
            self.east + away * sin(angle) / self.km_east,
            self.north + away * cos(angle) / _KM_NORTH,
        )
        return replace(self, east=east, north=north, reach_km=reach)

    @property
    def location(self) -> Point:
        """Its centre."""
        return Point(coordinates=_rounded(self.east, self.north))

    @property
    def envelope(self) -> Envelope:
        """The box around it."""
        east, north = self.reach_km / self.km_east, self.reach_km / _KM_NORTH
        north_west = _rounded(self.east - east, self.north + north)
        return Envelope(coordinates=(north_west, _rounded(self.east + east, self.north - north)))


def _rounded(east: float, north: float) -> tuple[float, float]:
    return round(east, _DIGITS), round(north, _DIGITS)
