"""A design whose keys distribute rows over partitions in every way: by shards, time buckets, and both."""

from __future__ import annotations

from datetime import date

from pksk import GSI, Entity, Key, Shard, Table

__all__ = ["KEYS", "Post", "feed"]

feed = Table(
    "feed",
    indexes=[
        GSI("ranks", pk="rankpk", sk="ranksk"),
        GSI("spread", pk="spreadpk", sk="spreadsk"),
        GSI("months", pk="monthpk", sk="monthsk"),
        GSI("both", pk="bothpk", sk="bothsk"),
        GSI("loose", pk="loosepk"),
        GSI("keys", pk="keypk", sk="keysk", projection="keys"),
    ],
)


class Post(Entity, table=feed):
    """Several posts have one rank or one day, and so one sort key."""

    id: int
    day: date
    rank: int

    primary = Key("POST#{id}", "META")
    # One group of lanes, with many equal sort keys among and within them.
    ranks = Key("RANK#{shard}", "{rank:02d}", index="ranks", shard=Shard(3, of="id"))
    # At random.
    spread = Key("SPREAD#{shard}", "{rank:02d}#{id:03d}", index="spread", shard=Shard(5))
    # Groups of one lane.
    months = Key("MONTH#{day:%Y-%m}", "{day}", index="months")
    # Groups of several lanes.
    both = Key("BOTH#{day:%Y-%m}#{shard}", "{day}#{rank:02d}", index="both", shard=Shard(4, of="id"))
    # Lanes without an order.
    loose = Key("LOOSE#{shard}", index="loose", shard=Shard(3, of="id"))
    # Lanes whose rows are read from the table.
    keys = Key("KEY#{shard}", "{rank:02d}", index="keys", shard=Shard(3, of="rank"))


KEYS = ("ranks", "spread", "months", "both", "loose", "keys")
