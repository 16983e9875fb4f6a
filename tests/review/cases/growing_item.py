"""Designs for the rule about lists and sets that grow until the item is full."""

_DEVICES = """
    devices = Table("devices")

    class Device(Entity, table=devices{items}):
        device: str
        lines: list[str] = []
        tags: set[str] = set()
        reads: int = 0
        primary = Key("DEVICE#{{device}}", "META")

        @access({rate}item_size=2000)
        @classmethod
        def log(cls, device: str, line: str) -> Update["Device"]:
            return cls.primary.update(device=device).{change}
    {more}
    """


def _devices(change: str, rate: str = "rate=50, ", items: str = ", items=1000", more: str = "") -> str:
    return _DEVICES.format(change=change, rate=rate, items=items, more=more)


_APPEND = "append(lines=[line])"
_ADD = "add(tags={line})"

FOUND = {"a list": ("warning", _devices(_APPEND)), "a set": ("info", _devices(_ADD))}

SILENT = {
    "a number": _devices("add(reads=1)"),
    "few calls": _devices(_APPEND, 'rate="10/day", '),
    "many items": _devices(_APPEND, items=", items=1_000_000"),
    "items that expire": _devices(_APPEND)
    .replace('Table("devices")', 'Table("devices", ttl="until")')
    .replace("reads: int = 0", "until: Annotated[datetime | None, TTL()] = None"),
    "an unknown rate": _devices(_APPEND, rate=""),
    "an unknown number of items": _devices(_APPEND, items=""),
    "a set from which members are removed": _devices(
        _ADD,
        more="""
        @access(rate=50)
        @classmethod
        def forget(cls, device: str, line: str) -> Update["Device"]:
            return cls.primary.update(device=device).discard(tags={line})
    """,
    ),
    "a list that is also replaced": _devices(
        _APPEND,
        more="""
        @access(rate=1)
        @classmethod
        def clear(cls, device: str) -> Update["Device"]:
            return cls.primary.update(device=device).set(lines=[])
    """,
    ),
}

FIXED = {
    "a list": """
    devices = Table("devices")

    class Line(Entity, table=devices, items=100_000_000):
        device: str
        number: int
        text: str
        primary = Key("DEVICE#{device}", "LINE#{number:09d}")

        @access(rate=50, item_size=200)
        @classmethod
        def log(cls, line: "Line") -> Put["Line"]:
            return Put(line)
    """
}
