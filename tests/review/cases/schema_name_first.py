"""Designs for the rule about partition keys that begin with the name of their schema."""

_PARKS = """
    parks = Table("parks", discriminator="schema"{conventions})

    class Geozone(Entity, table=parks, discriminator="geozone"):
        collection: str
        number: int
        primary = Key("{key}", "{{number}}")
    """
_ASKED = ', conventions=["schema-name-first"]'

FOUND = {
    "another name": ("warning", _PARKS.format(conventions=_ASKED, key="zone::{collection}")),
    "a name that goes on": ("warning", _PARKS.format(conventions=_ASKED, key="geozones::{collection}")),
    "no name": ("warning", _PARKS.format(conventions=_ASKED, key="{collection}")),
}

SILENT = {
    "a table that does not ask": _PARKS.format(conventions="", key="zone::{collection}"),
    "the discriminator value": _PARKS.format(conventions=_ASKED, key="geozone::{collection}"),
    "the class name in capitals": _PARKS.format(conventions=_ASKED, key="GEOZONE#{collection}"),
    "a sequence in a partition of its own": """
        parks = Table("parks", conventions=["schema-name-first"])
        numbers = sequence("geozone::{collection}", table=parks)
    """,
}

FIXED = {"another name": SILENT["the discriminator value"]}
