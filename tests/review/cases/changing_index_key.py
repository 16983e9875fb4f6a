"""Designs for the rule about index keys that change with many writes."""

_USERS = """
    chat = Table("chat", indexes=[GSI("by-room", pk="g1", sk="g2")])

    class Member(Entity, table=chat, items=1_000_000):
        user: str
        room: Annotated[str, Spread(values=50_000)]
        level: int = 0
        seen: Annotated[datetime | None, {marker}] = None
        primary = Key("USER#{{user}}", "META")
        by_room = Key("ROOM#{{room}}", "{sort}", index="by-room")

        @access(rate={rate}, item_size=400)
        @classmethod
        def touch(cls, user: str) -> Update["Member"]:
            return cls.primary.update(user=user).{change}

        @access(rate={reads}, items=20, item_size=400)
        @classmethod
        def of_room(cls, room: str) -> Query["Member"]:
            return cls.by_room(room=room).reverse().limit(20)
    """
_SEEN = {"marker": "Updated()", "sort": "{seen}", "change": "add(level=1)", "reads": 20}

FOUND = {
    "a time that the store sets": ("info", _USERS.format(rate=500, **_SEEN)),
    "a level that the update sets": (
        "info",
        _USERS.format(rate=500, marker="Created()", sort="{level:04d}", change="set(level=3)", reads=20),
    ),
}

SILENT = {
    "an index that is read as often": _USERS.format(rate=500, **{**_SEEN, "reads": 2000}),
    "an index of which the reads are not declared": _USERS.format(rate=500, **{**_SEEN, "reads": "None"}),
    "a query whose example call fails, so that its reads are not known": _USERS.format(
        rate=500, **_SEEN
    ).replace(".limit(20)", ".limit(20 if room.isupper() else 0)"),
    "few updates": _USERS.format(rate=5, **_SEEN),
    "updates of which the rate is not declared": _USERS.format(rate="None", **_SEEN),
    "the day of the time": _USERS.format(rate=500, **{**_SEEN, "sort": "{seen:%Y-%m-%d}"}),
    "another field": _USERS.format(
        rate=500, marker="Created()", sort="{user}", change="add(level=1)", reads=20
    ),
}

FIXED = {"a time that the store sets": SILENT["another field"]}
