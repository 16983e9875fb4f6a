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

FOUND = {
    "two for 8,000 writes a second": ("error", _EVENTS.format(shards=2, rate=8000)),
    "a hundred for ten": ("info", _EVENTS.format(shards=100, rate=10)),
}

SILENT = {
    "sixteen for 8,000": _EVENTS.format(shards=16, rate=8000),
    "without a rate": _EVENTS.format(shards=2, rate=None),
    "eight for 500": _EVENTS.format(shards=8, rate=500),
}

FIXED = {"two for 8,000 writes a second": _EVENTS.format(shards=16, rate=8000)}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "two for 8,000 writes a second",
    "a hundred for ten",
}
