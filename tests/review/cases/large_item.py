"""Designs for the rule about items near the limit of 400 KB."""

_PARKS = """
    parks = Table("parks")

    class Park(Entity, table=parks):
        park_id: str
        primary = Key("PARK#{{park_id}}", "META")

        @access(rate=1, item_size={size})
        @classmethod
        def one(cls, park_id: str) -> Get["Park"]:
            return cls.primary.get(park_id=park_id)
    """

FOUND = {
    "above the limit": ("error", _PARKS.format(size=500_000)),
    "near the limit": ("warning", _PARKS.format(size=380_000)),
}

SILENT = {
    "a few kilobytes": _PARKS.format(size=4_000),
    "a size that is not declared": _PARKS.format(size=None),
}

FIXED = {"above the limit": _PARKS.format(size=4_000)}
