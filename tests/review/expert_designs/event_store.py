"""An event store with an audit trail: events of an aggregate in order, all events of a day in shards."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pksk import GSI, Created, Entity, Get, Key, Put, Query, Shard, Spread, Table, access, between, gt

events = Table(
    "events",
    indexes=[
        GSI("by-day", pk="day_shard", sk="recorded", projection=["kind", "aggregate", "number"]),
        GSI("by-actor", pk="actor", sk="recorded", projection="keys"),
    ],
    stream="NEW_IMAGE",
)


class Event(Entity, table=events, items=400_000_000):
    aggregate: Annotated[str, Spread(values=3_000_000)]
    number: int
    kind: str
    actor: Annotated[str, Spread(values=50_000, zipf=0.8)]
    payload: dict[str, Any]
    at: Annotated[datetime | None, Created()] = None

    primary = Key("{aggregate}", "{number:010d}")
    of_day = Key(
        "DAY#{at:%Y-%m-%d}#{shard}",
        "{at}#{aggregate}#{number:010d}",
        index="by-day",
        shard=Shard(8, of="aggregate"),
    )
    of_actor = Key("{actor}", "{at}#{aggregate}#{number:010d}", index="by-actor")

    @access(rate=1_800, item_size=900)
    @classmethod
    def append(cls, event: Event) -> Put[Event]:
        """The next event of an aggregate; fails if another one took its number."""
        return Put(event).if_absent()

    @access(rate=600, items=12, item_size=900)
    @classmethod
    def since(cls, aggregate: str, number: int) -> Query[Event]:
        """The events after a snapshot."""
        return cls.primary(aggregate=aggregate, number=gt(number))

    @access(rate="50/day", items=200, item_size=900)
    @classmethod
    def by(cls, actor: str, first: datetime, last: datetime) -> Query[Event]:
        """What a person did in a span of time, for an audit."""
        return cls.of_actor(actor=actor, at=between(first, last)).hydrate()

    @access(rate="4/hour", items=20_000, item_size=250)
    @classmethod
    def hour(cls, first: datetime, last: datetime) -> Query[Event]:
        """The events of a quarter of an hour, for the warehouse."""
        return cls.of_day(at=between(first, last)).hydrate()


class Snapshot(Entity, table=events, items=3_000_000):
    aggregate: Annotated[str, Spread(values=3_000_000)]
    number: int
    state: dict[str, Any]

    primary = Key("{aggregate}", "SNAPSHOT")

    @access(rate=600, item_size=3_000)
    @classmethod
    def last(cls, aggregate: str) -> Get[Snapshot]:
        """The last snapshot."""
        return cls.primary.get(aggregate=aggregate)

    @access(rate=40, item_size=3_000)
    @classmethod
    def save(cls, snapshot: Snapshot) -> Put[Snapshot]:
        """A new snapshot in place of the last one."""
        return Put(snapshot)


class Retention(Entity, table=events):
    """The rules of how long events are kept: one item, which a job reads once a day."""

    days: int = 3_650

    primary = Key("RETENTION", "RULES", single_item=True)

    @access(rate="1/day", item_size=200)
    @classmethod
    def rules(cls) -> Get[Retention]:
        """The rules."""
        return cls.primary.get()


FINDINGS: dict[tuple[str, str, str], str] = {}
