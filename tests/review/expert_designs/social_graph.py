"""A social network: profiles, and who follows whom from both sides by an inverted index."""

from __future__ import annotations

from typing import Annotated

from pksk import GSI, Entity, Get, Key, Put, Query, Spread, Table, access

graph = Table("graph", indexes=[GSI("inverse", pk="sk", sk="pk", projection="keys")])

UserId = Annotated[str, Spread(values=50_000_000, zipf=0.7)]


class Profile(Entity, table=graph, items=50_000_000):
    user_id: UserId
    display_name: str
    biography: str = ""

    primary = Key("U#{user_id}", "PROFILE#{user_id}")

    @access(rate=9_000, item_size=900)
    @classmethod
    def one(cls, user_id: str) -> Get[Profile]:
        """A profile."""
        return cls.primary.get(user_id=user_id)

    @access(rate=40, item_size=900)
    @classmethod
    def change(cls, profile: Profile) -> Put[Profile]:
        """A new or changed profile."""
        return Put(profile)


class Follow(Entity, table=graph, items=2_000_000_000):
    user_id: UserId
    follows: UserId

    primary = Key("U#{user_id}", "F#{follows}")
    followed_by = Key("F#{follows}", "U#{user_id}", index="inverse")

    @access(rate=400, items=100, item_size=80)
    @classmethod
    def following(cls, user_id: str) -> Query[Follow]:
        """Whom a user follows."""
        return cls.primary(user_id=user_id).limit(100)

    @access(rate=20, items=100, item_size=80)
    @classmethod
    def followers(cls, user_id: str) -> Query[Follow]:
        """Who follows a user."""
        return cls.followed_by(follows=user_id).limit(100).hydrate()

    @access(rate=100, item_size=80)
    @classmethod
    def follow(cls, edge: Follow) -> Put[Follow]:
        """One follows another."""
        return Put(edge)


FINDINGS: dict[tuple[str, str, str], str] = {
    ("info", "index-without-key", "Profile"): (
        "Every item is in an inverted index; the id in the sort key spreads these entries."
    ),
}
