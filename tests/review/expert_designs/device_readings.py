"""Sensors that report every minute: readings in a partition for each device and month, and the last state of each."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime

from pksk import (
    GSI,
    TTL,
    Batch,
    Entity,
    F,
    Get,
    Key,
    Put,
    Query,
    Spread,
    Table,
    Update,
    access,
    batch,
    between,
)

readings = Table("readings", ttl="expires")
devices = Table(
    "devices", sk=None, indexes=[GSI("alarms", pk="alarm_site", sk="alarm_since", projection=["device"])]
)

Device = Annotated[str, Spread(values=120_000)]


class Reading(Entity, table=readings, per_partition=45_000):
    device: Device
    at: AwareDatetime
    celsius: Decimal
    humidity: int
    expires: Annotated[datetime | None, TTL()] = None

    primary = Key("{device}#{at:%Y-%m}", "{at}")

    @access(rate=80, items=25, item_size=120)
    @classmethod
    def store(cls, several: list[Reading]) -> Batch[Reading]:
        """Readings of a gateway."""
        return batch(*(Put(each) for each in several))

    @access(rate=40, items=1_440, item_size=120)
    @classmethod
    def between_times(cls, device: str, first: AwareDatetime, last: AwareDatetime) -> Query[Reading]:
        """The readings of a device in a span of time."""
        return cls.primary(device=device, at=between(first, last))


class DeviceState(Entity, table=devices, items=120_000):
    """The last state of a device; only those with an alarm are in the index."""

    device: Device
    site: Annotated[str, Spread(values=900, largest=0.02)]
    firmware: str
    celsius: Decimal | None = None
    alarm: Literal["hot", "cold", "silent"] | None = None
    since: AwareDatetime

    primary = Key("{device}")
    alarms = Key("{site}", "{since}#{device}", index="alarms", when=F.alarm.exists())

    @access(rate=2_000, item_size=250)
    @classmethod
    def report(cls, device: str, celsius: Decimal) -> Update[DeviceState]:
        """The last value of a device."""
        return cls.primary.update(device=device).set(celsius=celsius)

    @access(rate=5, items=30, item_size=150)
    @classmethod
    def alarms_of_site(cls, site: str) -> Query[DeviceState]:
        """The devices of a site that have an alarm, the longest first."""
        return cls.alarms(site=site).hydrate()

    @access(rate=200, item_size=250)
    @classmethod
    def one(cls, device: str) -> Get[DeviceState]:
        """The state of a device."""
        return cls.primary.get(device=device)


FINDINGS: dict[tuple[str, str, str], str] = {}
