"""One generated park: its places, how they are related, what can be booked there, and its season."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

from pksk import Entity

from ..described import KeyText
from ..places import Activity, Asset, Collection, Facility, Geozone
from ..products import Offer, Product
from ..relationships import Relationship
from ..waiting_room import Queue
from .ground import ASSET, FACILITY, ZONE, Ground
from .names import ZONES, park_name
from .people import People
from .season import OPENING, STATUSES, Season

__all__ = ["ACTIVITIES", "ASSETS", "FACILITIES", "PRODUCTS", "Park", "identity"]

# Facilities of a park by their type, and what one of them has to book.
FACILITIES = {"campground": 2, "trail": 2, "trailSegment": 1, "dayUseArea": 1}
ASSETS = {"campground": ("tentPad", 2), "dayUseArea": ("parkingStall", 1)}
ACTIVITIES = {"campground": "frontcountryCamp", "dayUseArea": "dayuse"}
PRODUCTS = {"frontcountryCamp": ("Summer nights", "Late arrivals"), "dayuse": ("Day pass",)}


def identity(random: Random) -> UUID:
    """An id that is the same in every run."""
    return UUID(int=random.getrandbits(128), version=4)


@dataclass
class Park:
    """A park by its number: the first ones are the largest and the busiest."""

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
        """All that the park has, each after what it refers to."""
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
        """The assets of a facility, the activity that takes place there, and its products with their season."""
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
        return Relationship.between(KeyText.of(first), KeyText.of(second))

    def _within(self, ground: Ground, reach_km: tuple[float, float]) -> Ground:
        return ground.within(self.random, reach_km)

    def _described(self, name: str, ground: Ground, *, is_visible: bool = True) -> dict[str, Any]:
        """What every place has; activities and products are where their facility is."""
        return {
            "display_name": name,
            "description": f"{name} of {park_name(self.number)}.",
            "global_id": identity(self.random),
            "location": ground.location,
            "envelope": ground.envelope,
            "is_visible": is_visible,
            "search_terms": sorted({word.lower() for word in name.split() if len(word) > 2}),
        }
