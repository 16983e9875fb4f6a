"""Designs for the rule about items that are a few bytes larger than a unit."""

_EVENTS = """
    events = Table("events")

    class Event(Entity, table=events, items=1_000_000):
        device: Annotated[str, Spread(values=100_000)]
        number: int
        description: str = ""
        primary = Key("{{device}}", "{{number:09d}}")

        @access(rate={rate}, item_size={size})
        @classmethod
        def add(cls, event: "Event") -> {kind}["Event"]:
            return {request}
    """


def _events(rate: int, size: int, kind: str = "Put", request: str = "Put(event)") -> str:
    return _EVENTS.format(rate=rate, size=size, kind=kind, request=request)


FOUND = {
    "1,050 bytes": ("info", _events(2000, 1050)),
    "just over four units": ("info", _events(200, 4200)),
}

SILENT = {
    "half a unit": _events(2000, 1500),
    "exactly one unit": _events(2000, 1024),
    "less than one unit": _events(2000, 1000),
    "few writes": _events(5, 1050),
    "reads only": _events(
        2000, 1050, "Query", "cls.primary(device=event.device, number=event.number).limit(1)"
    ),
}

FIXED = {"1,050 bytes": _events(2000, 1000)}
