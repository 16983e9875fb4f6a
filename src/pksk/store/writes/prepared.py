"""A write with all that belongs to it: stamps, guards, checks, and what had to be read for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pksk.store.writes.member import Asked, Member

if TYPE_CHECKING:
    from pksk.errors import StoreError
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["Prepared", "Stale", "stale"]


class Stale(Exception):
    """What a write depends on has changed since it was read; it is prepared anew.

    `over` are items whose time is over and that stand in the way: each of an entity, by its key.
    """

    def __init__(self, *over: tuple[Declaration[Any], WireItem]) -> None:
        super().__init__()
        self.over = over


@dataclass(frozen=True)
class Prepared:
    """What one write sends: its own members, and guards and checks that others may share.

    `write` is it as it was given, `result` the entity that it stores, if it stores one whole. `before` is the item as
    it was read, `reads` says that something was, so that a failure may be a change in between. `stamped` says that the
    item holds what only this very write can have written, `gone` that the item that it needs is not there, `refused`
    why the item that was read does not take it.
    """

    write: Any
    members: tuple[Member, ...]
    extras: tuple[Member, ...] = ()
    result: Any = None
    before: WireItem | None = None
    reads: bool = False
    repeatable: bool = True
    stamped: bool = False
    gone: bool = False
    refused: StoreError | None = None
    returned: Mapping[str, Any] = field(default_factory=dict)


def stale(prepared: Prepared, member: Member, asked: Asked | None) -> Stale | None:
    """What is to be done anew because of a condition that failed; None where it is the answer."""
    if asked is None:
        # What failed holds by now: somebody has written the item in between.
        return Stale()
    if asked.meaning == "over":
        return Stale((prepared.write.declaration, member.request["Key"]))
    return Stale() if prepared.reads and asked.meaning == "read" else None
