"""The tables of the parks system: what is read often, what is written often, and three small ones."""

from __future__ import annotations

from pksk import GSI, N, Table

__all__ = ["audit", "pubsub", "reference", "transactional", "waiting_room"]

# The attribute `schema` says of which kind an item is: `geozone`, `facility` and so on.
# One index lists things by whatever they are related to: facilities of an asset, policies of a type, both ends
# of a relationship. The index on userId is in the live table, and nothing asks it anything.
reference = Table(
    "reference-data",
    indexes=[
        GSI("globalId-index", pk="globalId", sk="sk"),
        GSI("userId-index", pk="userId", sk="sk"),
        GSI("entityRelationship-index", pk="gsipk", sk="gsisk"),
    ],
    stream=True,
    discriminator="schema",
)

# Only bookings that wait for payment have isPending, so the last index is as small as their number.
transactional = Table(
    "transactional-data",
    indexes=[
        GSI("globalId-index", pk="globalId", sk="sk"),
        GSI("userId-index", pk="userId", sk="sk"),
        GSI("sparse-index-1", pk="isPending", sk=N("sessionExpiry"), projection=["bookingId", "userId"]),
    ],
    stream=True,
    discriminator="schema",
)

audit = Table("audit", discriminator=None)

pubsub = Table("pubsub", discriminator=None)

waiting_room = Table(
    "waiting-room",
    indexes=[GSI("userId-index", pk="userId"), GSI("clientIp-index", pk="clientIp", sk="pk")],
    ttl="ttl",
)
