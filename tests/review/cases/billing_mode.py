"""Designs for the rule about tables that would cost less with another billing or table class."""

_EVENTS = """
    events = Table("events"{options})

    class Event(Entity, table=events{items}):
        event: str
        text: str = ""
        primary = Key("{{event}}", "META")

        @access(rate={rate}, item_size={size})
        @classmethod
        def add(cls, event: "Event") -> Put["Event"]:
            return Put(event)
    """


def _events(options: str = "", items: int | None = 1_000_000, rate: str = "5", size: int = 400) -> str:
    declared = "" if items is None else f", items={items}"
    return _EVENTS.format(options=options, items=declared, rate=rate, size=size)


_IDLE = ", billing=Provisioned(read=1000, write=1000)"
_ARCHIVE = ', table_class="infrequent-access"'

FOUND = {
    "capacity that is hardly used": ("info", _events(_IDLE)),
    "an archive in the standard class": ("info", _events(items=1_000_000_000, rate="1", size=2000)),
    "a busy table in the class for archives": (
        "info",
        _events(', table_class="infrequent-access", billing=Provisioned(read=5, write=3000)', rate="2"),
    ),
}

SILENT = {
    "capacity that is used": _events(", billing=Provisioned(read=5, write=10)"),
    "an unknown number of items": _events(_IDLE, None),
    "little money": _events(", billing=Provisioned(read=10, write=20)", rate="0.1"),
    "an archive": _events(_ARCHIVE, 1_000_000_000, "1", 2000),
}

FIXED = {
    "capacity that is hardly used": _events(),
    "an archive in the standard class": _events(_ARCHIVE, 1_000_000_000, "1", 2000),
}
