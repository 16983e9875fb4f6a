"""What a write finds under its key and what it does then: one table for the tests of markers and of the store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pksk import TTL, Entity, Key, Table, Unique, Version
from pksk.model.writes.prepared_write import FailureReason
from pksk.model.writes.stored_states import StoredState, WriteKind
from pksk.values import WireItem
from tests.store.shop import named

__all__ = ["DESIGNS", "OUTCOMES", "VERSION_OUTCOMES", "Design", "shelves", "stored_item"]

NOTHING, OWN, EXPIRED, SIBLING = (
    StoredState.NOTHING, StoredState.OWN, StoredState.EXPIRED, StoredState.SIBLING
)  # fmt: skip

Row = dict[StoredState, FailureReason | None]


def _row(
    nothing: FailureReason | None,
    own: FailureReason | None,
    expired: FailureReason | None,
    sibling: FailureReason | None,
) -> Row:
    return {NOTHING: nothing, OWN: own, EXPIRED: expired, SIBLING: sibling}


# The reason for which each kind of write fails; None if it is done.
OUTCOMES: Final[dict[WriteKind, Row]] = {
    "put": _row(None, None, None, None),
    "create": _row(None, "present", None, "present"),
    "check absent": _row(None, "present", None, "present"),
    "move": _row(None, "present", None, "present"),
    "update": _row("absent", None, "absent", "other_entity"),
    "delete existing": _row("absent", None, "absent", "other_entity"),
    "check": _row("absent", None, "absent", "other_entity"),
    "upsert": _row(None, None, "expired", "other_entity"),
    "delete": _row(None, None, None, "other_entity"),
    "reference": _row("reference", None, "reference", "reference"),
}

# The same for the version that a write expects: of nothing, of an expired item, and of an item that has no version
# stored, the same, or another one. 0 is the default.
VERSION_OUTCOMES: Final[dict[tuple[WriteKind, int], tuple[FailureReason | None, ...]]] = {
    ("put", 0): (None, None, None, None, "version"),
    ("put", 3): ("version", "expired_for_condition", "version", None, "version"),
    ("delete", 0): ("version", "expired_for_condition", None, None, "version"),
    ("delete", 3): ("version", "expired_for_condition", "version", None, "version"),
}

shelves: Final = Table(named("shelves"), ttl="expires")
plain_shelves: Final = Table(named("plain-shelves"))
mixed_shelves: Final = Table(named("mixed-shelves"), ttl="expires")


class Alone(Entity, table=plain_shelves):
    """No entity shares its key, and nothing expires."""

    id: str
    version: Annotated[int, Version()] = 0
    primary = Key("ALONE#{id}", "META")


class AloneExpiring(Entity, table=shelves):
    id: str
    expires: Annotated[datetime | None, TTL()] = None
    email: Annotated[str | None, Unique()] = None
    version: Annotated[int, Version()] = 0
    primary = Key("SINGLE#{id}", "META")


class Shared(Entity):
    """What siblings have in common."""

    id: str
    count: int = 0
    primary = Key("SHARED#{id}", "META")


class Plain(Shared, table=plain_shelves):
    """Neither it nor its sibling expires."""


class PlainSibling(Shared, table=plain_shelves):
    pass


class Expiring(Shared, table=shelves):
    """It expires, and so does its sibling."""

    expires: Annotated[datetime | None, TTL()] = None
    email: Annotated[str | None, Unique()] = None


class ExpiringSibling(Shared, table=shelves):
    expires: Annotated[datetime | None, TTL()] = None


class OwnExpiring(Shared, table=mixed_shelves):
    """It expires, and its sibling does not."""

    expires: Annotated[datetime | None, TTL()] = None


class OtherSibling(Shared, table=mixed_shelves):
    """It does not expire, and its sibling does."""


class Design:
    """An entity, with the sibling that shares its key, if one does."""

    def __init__(self, entity: type[Entity], sibling: type[Entity] | None = None) -> None:
        self.entity, self.sibling = entity, sibling
        self.declaration = entity.__pksk__

    def __repr__(self) -> str:
        return self.entity.__name__

    @property
    def states(self) -> list[StoredState]:
        """What can be stored under a key of the entity."""
        found = [NOTHING, OWN]
        if any(_expires(each) for each in (self.entity, self.sibling)):
            found.append(EXPIRED)
        return [*found, SIBLING] if self.sibling else found


def _expires(entity: type[Entity] | None) -> bool:
    return entity is not None and "expires" in entity.model_fields


DESIGNS: Final = [
    Design(Alone),
    Design(AloneExpiring),
    Design(Plain, PlainSibling),
    Design(Expiring, ExpiringSibling),
    Design(OwnExpiring, OtherSibling),
    Design(OtherSibling, OwnExpiring),
]


def stored_item(design: Design, state: StoredState, now: float, **values: Any) -> WireItem | None:
    """The item `x` in a state; an expired one is of the entity itself if that can expire, else of its sibling."""
    if state is NOTHING:
        return None
    entity = design.entity
    if state is SIBLING or (state is EXPIRED and not _expires(entity)):
        assert design.sibling is not None
        entity = design.sibling
    if _expires(entity):
        seconds = int(now) + (-60 if state is EXPIRED else 60)
        values["expires"] = datetime.fromtimestamp(seconds, UTC)
    return dict(entity.__pksk__.to_item(entity(id="x", **values)))
