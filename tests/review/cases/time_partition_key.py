"""Designs for the rule about partition keys that are the current time."""

_EVENTS = """
    events = Table("events")

    class Event(Entity, table=events):
        device: str
        event_id: str
        at: {type}
        primary = {key}

        @access(rate={rate}, item_size=400)
        @classmethod
        def add(cls, event: "Event") -> Put["Event"]:
            return Put(event)
    """
_CREATED = "Annotated[datetime, Created()]"

FOUND = {
    "the day of a created item": (
        "error",
        """
        events = Table("events", indexes=[GSI("by-day", pk="g1", sk="g2")])

        class Event(Entity, table=events):
            event_id: str
            at: Annotated[datetime, Created()]
            primary = Key("EVENT#{event_id}", "META")
            by_day = Key("{at:%Y-%m-%d}", "{event_id}", index="by-day")

            @access(rate=8000, item_size=400)
            @classmethod
            def add(cls, event: "Event") -> Put["Event"]:
                return Put(event)
        """,
    ),
    "the day of a time that the store sets in each new item": (
        "error",
        """
        events = Table("events", indexes=[GSI("by-day", pk="g1", sk="g2")])

        class Event(Entity, table=events):
            event_id: str
            at: Annotated[datetime | None, Created()] = None
            primary = Key("EVENT#{event_id}", "META")
            by_day = Key("{at:%Y-%m-%d}", "{event_id}", index="by-day")

            @access(rate=8000, item_size=400)
            @classmethod
            def add(cls, event: "Event") -> Put["Event"]:
                return Put(event)
        """,
    ),
    "a date, which may be the current one": (
        "warning",
        _EVENTS.format(type="date", key='Key("{at}", "{event_id}")', rate=8000),
    ),
    "a day that is a text": (
        "warning",
        _EVENTS.replace("        at: {type}", "        day: {type}").format(
            type="str", key='Key("{day}", "{event_id}")', rate=8000
        ),
    ),
    "a date with few writes": (
        "info",
        _EVENTS.format(type="date", key='Key("{at}", "{event_id}")', rate=100),
    ),
}

SILENT = {
    "a year, which need not be the current one, with few writes": """
        films = Table("films")

        class Film(Entity, table=films):
            title: str
            year: int
            primary = Key("{year}", "{title}")

            @access(rate=2, item_size=400)
            @classmethod
            def add(cls, film: "Film") -> Put["Film"]:
                return Put(film)
    """,
    "the device, with the time in the sort key": _EVENTS.format(
        type=_CREATED, key='Key("{device}", "{at}#{event_id}")', rate=8000
    ),
    "the day beside a field with many values": _EVENTS.format(
        type="date", key='Key("{device}#{at}", "{event_id}")', rate=8000
    ),
    "a date that is only read": """
        events = Table("events")

        class Holiday(Entity, table=events, items=5000):
            day: date
            name: str
            primary = Key("{day}", "{name}")

            @access(rate=100, items=2)
            @classmethod
            def on(cls, day: date) -> Query["Holiday"]:
                return cls.primary(day=day)
        """,
    "a date whose spread is declared": _EVENTS.format(
        type="Annotated[date, Spread(values=20_000)]", key='Key("{at}", "{event_id}")', rate=8000
    ),
}

FIXED = {
    "a date, which may be the current one": _EVENTS.format(
        type="date", key='Key("{at}#{shard}", "{event_id}", shard=Shard(16, of="event_id"))', rate=8000
    ),
}

# Cases whose finding has a change that removes it.
MECHANICAL = {
    "a day that is a text",
    "the day of a created item",
    "the day of a time that the store sets in each new item",
    "a date, which may be the current one",
}
