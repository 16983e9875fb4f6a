"""Designs for the rule about item collections with a local index."""

_EVENTS = """
    events = Table("events", indexes=[{index}])

    class Event(Entity, table=events{bounds}):
        device: str
        number: int
        kind: str
        primary = Key("{{device}}", "{{number:012d}}")

        @access(rate=1, items=10, item_size=400)
        @classmethod
        def of_kind(cls, device: str, kind: str) -> Query["Event"]:
            return {request}
    """
_LOCAL = {
    "index": 'LSI("by-kind", sk="kind")',
    "request": "cls.primary(device=device).filter(F.kind == kind)",
}
_GLOBAL = {"index": 'GSI("by-kind", pk="device", sk="kind")', "request": _LOCAL["request"]}

FOUND = {
    "more than 10 GB": ("error", _EVENTS.format(**_LOCAL, bounds=", per_partition=50_000_000")),
    "nearly 10 GB": ("warning", _EVENTS.format(**_LOCAL, bounds=", per_partition=12_000_000")),
}

SILENT = {
    "a small collection": _EVENTS.format(**_LOCAL, bounds=", per_partition=1_000"),
    "a collection whose size is not declared": _EVENTS.format(**_LOCAL, bounds=""),
    "a global index": _EVENTS.format(**_GLOBAL, bounds=", per_partition=50_000_000"),
}

FIXED = {
    "more than 10 GB": _EVENTS.format(
        index="", request=_LOCAL["request"], bounds=", per_partition=50_000_000"
    ),
}
