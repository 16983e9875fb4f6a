"""A fleet of vehicles: positions with a time-to-live, the last known one, trips by driver, alerts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime

from pksk import GSI, TTL, Entity, F, Key, Put, Query, Spread, Table, Update, access, between, gt

fleet = Table(
    "fleet",
    indexes=[
        GSI("alerts", pk="apk", sk="ask"),
        GSI("drivers", pk="dpk", sk="dsk", projection=["distance_km"]),
    ],
    ttl="expires_at",
)

Vehicle = Annotated[str, Spread(values=60_000, zipf=0.2)]


class Position(Entity, table=fleet, growth="17_280 a day for a vehicle"):
    vehicle: Vehicle
    at: AwareDatetime
    lat: str
    lon: str
    expires_at: Annotated[AwareDatetime, TTL()]

    primary = Key("VEH#{vehicle}#{at:%Y-%m-%d}", "POS#{at}")

    @access(rate=12_000, item_size=160)
    @classmethod
    def report(cls, position: Position) -> Put[Position]:
        """Every five seconds from each vehicle."""
        return Put(position)

    @access(rate=40, items=2_000, item_size=160)
    @classmethod
    def track(cls, vehicle: str, start: AwareDatetime, end: AwareDatetime) -> Query[Position]:
        """A part of a day."""
        return cls.primary(vehicle=vehicle, at=between(start, end))


class Trip(Entity, table=fleet, items=40_000_000):
    vehicle: Vehicle
    started: AwareDatetime
    driver: str
    distance_km: int = 0
    ended: AwareDatetime | None = None

    primary = Key("VEH#{vehicle}", "TRIP#{started}")
    of_driver = Key("DRV#{driver}", "{started}", index="drivers")

    @access(rate=15, item_size=250)
    @classmethod
    def start(cls, trip: Trip) -> Put[Trip]:
        """A trip begins."""
        return Put(trip)

    @access(rate=20, items=50, item_size=250)
    @classmethod
    def trips(cls, driver: str, start: AwareDatetime) -> Query[Trip]:
        """The trips of a driver since a day, with their length."""
        return cls.of_driver(driver=driver, started=gt(start)).hydrate()


class Alert(Entity, table=fleet, items=2_000_000):
    vehicle: Vehicle
    raised: AwareDatetime
    severity: Literal["low", "high", "critical"]
    state: Literal["open", "closed"] = "open"
    text: str

    primary = Key("VEH#{vehicle}", "ALERT#{raised}")
    open_alerts = Key("OPEN#{severity}", "{raised}#{vehicle}", index="alerts", when=F.state == "open")

    @access(rate=5, item_size=300)
    @classmethod
    def raise_one(cls, alert: Alert) -> Put[Alert]:
        """An alert."""
        return Put(alert)

    @access(rate=5)
    @classmethod
    def close(cls, vehicle: str, raised: AwareDatetime) -> Update[Alert]:
        """Closed by the dispatcher."""
        return cls.primary.update(vehicle=vehicle, raised=raised).set(state="closed")

    @access(rate=8, items=60, item_size=300)
    @classmethod
    def to_do(cls, severity: Literal["low", "high", "critical"]) -> Query[Alert]:
        """What is open, oldest first."""
        return cls.open_alerts(severity=severity)


FINDINGS: dict[tuple[str, str, str], str] = {
    (
        "info",
        "new-table-limit",
        "fleet",
    ): "12,000 positions a second are three times what a new table serves.",
}
