"""The design that crowds work on: counters, accounts, and members with a unique name."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pksk import GSI, Entity, Key, Shard, Table, Unique, Version, sequence

__all__ = ["Account", "Board", "Member", "Plain", "Tally", "bank", "numbers"]

bank = Table(
    "bank",
    indexes=[GSI("first", pk="gsi1pk", sk="gsi1sk"), GSI("second", pk="gsi2pk", sk="gsi2sk")],
)


class Tally(Entity, table=bank):
    """Counted up, without anything being read."""

    id: str
    total: int = 0

    primary = Key("TALLY#{id}", "META")
    by_total = Key("TALLIES", "{total:06d}#{id}", index="first")


class Plain(Entity, table=bank):
    """Counted up by one request, in no index."""

    id: str
    total: int = 0

    primary = Key("PLAIN#{id}", "META")


class Board(Entity, table=bank):
    """With a version; in indexes by several of its fields, so that a change of one must know the others."""

    id: str
    state: str = "open"
    level: int = 0
    owner: str | None = None
    marks: set[int] = Field(default_factory=set)
    version: Annotated[int, Version()] = 0

    primary = Key("BOARD#{id}", "META")
    by_state = Key("STATE#{state}", "{level:03d}#{owner}", index="first")
    by_owner = Key("OWNER#{owner}#{shard}", "{state}", index="second", shard=Shard(4, of="level"))


class Member(Entity, table=bank):
    """With a unique name."""

    id: str
    name: Annotated[str | None, Unique()] = None
    moves: int = 0

    primary = Key("MEMBER#{id}", "META")
    by_name = Key("NAME#{name}", "{id}", index="first")


class Account(Entity, table=bank):
    """With a balance that never falls below zero, in an index by it."""

    id: int
    balance: int = 100
    version: Annotated[int, Version()] = 0

    primary = Key("ACCOUNT#{id}", "META")
    by_balance = Key("BALANCES", "{balance:06d}", index="first")


numbers = sequence("numbers::{of}", table=bank)
