"""An online game: players, matches, and leaderboards that millions write and few read."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, Field
from ulid import ULID

from pksk import (
    GSI,
    TTL,
    Created,
    Entity,
    F,
    Get,
    Key,
    Put,
    Query,
    Shard,
    Spread,
    Table,
    Transaction,
    Update,
    Updated,
    Version,
    access,
    transaction,
)

game = Table(
    "game",
    indexes=[GSI("ranks", pk="gsi1pk", sk="gsi1sk", projection=["player_id", "player_name", "points"])],
    ttl="expires",
)

PlayerId = Annotated[str, Spread(values=2_000_000)]


class Player(Entity, table=game, items=2_000_000):
    player_id: PlayerId
    player_name: str
    rating: int = 1_500
    coins: int = 0
    version: Annotated[int, Version()] = 0
    created: Annotated[datetime | None, Created()] = None

    primary = Key("PLAYER#{player_id}", "PROFILE")

    @access(rate=4_000, item_size=600)
    @classmethod
    def one(cls, player_id: str) -> Get[Player]:
        """A profile."""
        return cls.primary.get(player_id=player_id)

    @access(rate=300, item_size=600)
    @classmethod
    def reward(cls, player_id: str, coins: int) -> Update[Player]:
        """Coins for a player."""
        return cls.primary.update(player_id=player_id).add(coins=coins)


class Match(Entity, table=game, per_partition=5_000):
    """A match in the history of a player, newest last."""

    player_id: PlayerId
    match_id: ULID = Field(default_factory=ULID)
    won: bool
    seconds: int
    expires: Annotated[datetime | None, TTL()] = None

    primary = Key("PLAYER#{player_id}", "MATCH#{match_id}")

    @access(rate=2_500, item_size=300)
    @classmethod
    def record(cls, match: Match) -> Put[Match]:
        """A finished match."""
        return Put(match)

    @access(rate=800, items=20, item_size=300)
    @classmethod
    def latest(cls, player_id: str) -> Query[Match]:
        """The last twenty matches of a player."""
        return cls.primary(player_id=player_id).reverse().limit(20)


class Rank(BaseModel):
    """A line of a leaderboard."""

    player_id: str
    player_name: str
    points: int


class Score(Entity, table=game, items=6_000_000):
    """The best score of a player on a board, ranked in an index of sixteen shards for each board."""

    board: Annotated[str, Spread(values=30, largest=0.25)]
    player_id: PlayerId
    player_name: str
    points: Annotated[int, Field(ge=0, lt=10**9)]
    updated: Annotated[datetime | None, Updated()] = None

    primary = Key("PLAYER#{player_id}", "SCORE#{board}")
    ranked = Key(
        "BOARD#{board}#{shard}", "{points:09d}#{player_id}", index="ranks", shard=Shard(16, of="player_id")
    )

    @access(rate=1_500, item_size=250)
    @classmethod
    def improve(cls, player_id: str, board: str, points: int) -> Update[Score]:
        """A better score."""
        return cls.primary.update(player_id=player_id, board=board).set(points=points).when(F.points < points)

    @access(rate=30, items=100, item_size=150)
    @classmethod
    def top(cls, board: str) -> Query[Rank]:
        """The hundred best of a board; every shard has its part."""
        return cls.ranked(board=board).reverse().limit(100).into(Rank)

    @access(rate=500, items=5, item_size=250)
    @classmethod
    def of_player(cls, player_id: str) -> Query[Score]:
        """All scores of a player."""
        return cls.primary(player_id=player_id)


class Season(Entity, table=game, items=200):
    number: int
    starts: AwareDatetime

    primary = Key("SEASON", "{number:04d}")

    @access(rate="1/min", items=1, item_size=200)
    @classmethod
    def current(cls) -> Query[Season]:
        """The newest season; servers keep it for a minute."""
        return cls.primary().reverse().limit(1)


@access(rate=50)
def trade(seller: str, buyer: str, coins: int) -> Transaction:
    """Coins from one player to another."""
    return transaction(
        Player.primary.update(player_id=buyer).add(coins=-coins).when(F.coins >= coins),
        Player.primary.update(player_id=seller).add(coins=coins),
    )


FINDINGS = {
    (
        "info",
        "new-table-limit",
        "game",
    ): "A launch with this many writes is throttled until the new table has grown.",
    ("info", "changing-index-key", "Score.improve"): (
        "Every better score moves an entry of the ranking, which costs $4,900 a month and is read 30 times a "
        "second: worth knowing before a launch, as a ranking in memory is cheaper."
    ),
}
