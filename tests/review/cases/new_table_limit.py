"""Designs for the rule about loads that a new table cannot serve at once."""

_EVENTS = """
    events = Table("events"{options})

    class Event(Entity, table=events):
        event: str
        source: str
        primary = Key("{{event}}", "META")
    {key}
        @access({rate}item_size=400, spread=Spread(values=10_000_000))
        @classmethod
        def add(cls, event: "Event") -> Put["Event"]:
            return Put(event)

        @access(rate=1, items=1)
        @classmethod
        def one(cls, event: str) -> Query["Event"]:
            return cls.{read}
    """
_INDEX = ', indexes=[GSI("by-source", pk="g1", sk="g2")], billing=Provisioned(read=5, write=9000)'
_KEY = """
        by_source = Key("{source}", "{event}", index="by-source")
"""


def _events(
    options: str = "", rate: str = "rate=9000, ", key: str = "", read: str = "primary(event=event)"
) -> str:
    return _EVENTS.format(options=options, rate=rate, key=key, read=read)


FOUND = {
    "a table": ("info", _events()),
    "a table with other rates": ("info", _events(rate="rate=4100, ")),
}

SILENT = {
    "a rate that four partitions serve": _events(rate="rate=3900, "),
    "provisioned capacity": _events(_INDEX, key=_KEY),
    "an unknown rate": _events(rate=""),
}

FIXED = {"a table": _events(", billing=Provisioned(read=5, write=9000)")}
