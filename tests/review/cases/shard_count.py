"""Designs for the rule about write shards that are too few or too many."""

_EVENTS = """
    events = Table("events")

    class Event(Entity, table=events):
        event_id: str
        day: date
        primary = Key("{{day}}#{{shard}}", "{{event_id}}", shard=Shard({shards}, of="event_id"))

        @access(rate={rate}, item_size=400)
        @classmethod
        def add(cls, event: "Event") -> Put["Event"]:
            return Put(event)
    """

# All items of a day have the same shard.
_BY_DAY = """
    events = Table("events", indexes=[GSI("all", pk="g1", sk="g2")])

    class Event(Entity, table=events, items=9_000_000):
        event_id: str
        day: date
        primary = Key("{event_id}", "EVENT")
        listed = Key("ALL#{shard}", "{day}#{event_id}", index="all", shard=Shard(8, of="day"))

        @access(rate=4000, item_size=400)
        @classmethod
        def add(cls, event: "Event") -> Put["Event"]:
            return Put(event)

        @access(rate=1, items=500)
        @classmethod
        def of_day(cls, day: date) -> Query["Event"]:
            return cls.listed(day=day)
    """
_BY_TENANT = _BY_DAY.replace(
    "day: date\n", "day: Annotated[str, Spread(values=900, largest=0.4)]\n", 1
).replace("day: date)", "day: str)")

_BY_ITS_KEY = _BY_DAY.replace('"ALL#{shard}"', '"{day}#{shard}"').replace("rate=4000", "rate=40")

FOUND = {
    "chosen by a field of the partition key": ("warning", _BY_ITS_KEY),
    "chosen by the day": ("warning", _BY_DAY),
    "chosen by a field with a frequent value": ("error", _BY_TENANT),
    "two for 8,000 writes a second": ("error", _EVENTS.format(shards=2, rate=8000)),
    "a hundred for ten": ("info", _EVENTS.format(shards=100, rate=10)),
}

SILENT = {
    "sixteen for 8,000": _EVENTS.format(shards=16, rate=8000),
    "chosen by an id": _BY_DAY.replace('of="day"', 'of="event_id"'),
    "chosen by a moment": _BY_DAY.replace("day: date", "day: AwareDatetime"),
    "chosen by the day, of few items": _BY_DAY.replace("rate=4000", "rate=40"),
    "without a rate": _EVENTS.format(shards=2, rate=None),
    "eight for 500": _EVENTS.format(shards=8, rate=500),
}

FIXED = {"two for 8,000 writes a second": _EVENTS.format(shards=16, rate=8000)}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "chosen by a field of the partition key",
    "chosen by the day",
    "chosen by a field with a frequent value",
    "two for 8,000 writes a second",
    "a hundred for ten",
}
