"""Designs for the rule about partition keys that people cannot guess."""

_BOOKINGS = """
    parks = Table("parks"{conventions})

    class Booking(Entity, table=parks):
        id: UUID
        park: str
        primary = Key("booking::{{{first}}}", "{{{second}}}")
    """
_ASKED = ', conventions=["guessable-partition-keys"]'

FOUND = {
    "a random id": ("warning", _BOOKINGS.format(conventions=_ASKED, first="id", second="park")),
    "bytes": (
        "warning",
        _BOOKINGS.format(conventions=_ASKED, first="id", second="park").replace("UUID", "bytes"),
    ),
}

SILENT = {
    "a table that does not ask": _BOOKINGS.format(conventions="", first="id", second="park"),
    "a name, and a random id in the sort key": _BOOKINGS.format(
        conventions=_ASKED, first="park", second="id"
    ),
}

FIXED = {"a random id": SILENT["a name, and a random id in the sort key"]}
