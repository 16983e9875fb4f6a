"""What each write does in each state of the stored item: one table for the tests of markers and of the store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pksk import TTL, Entity, Key, Table, Unique, Version
from pksk.model.write_rules.prepared_write import FailureReason
from pksk.model.write_rules.stored_states import StoredState, WriteKind
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
base_shelves: Final = Table(named("base-shelves"), ttl="expires")


class Alone(Entity, table=plain_shelves):
    """No entity shares its key, and nothing expires."""

    id: str
    count: int = 0
    label: str = ""
    version: Annotated[int, Version()] = 0
    primary = Key("ALONE#{id}", "META")


class AloneExpiring(Entity, table=shelves):
    id: str
    count: int = 0
    label: str = ""
    expires: Annotated[datetime | None, TTL()] = None
    email: Annotated[str | None, Unique()] = None
    version: Annotated[int, Version()] = 0
    primary = Key("SINGLE#{id}", "META")


class Shared(Entity):
    """What siblings have in common."""

    id: str
    count: int = 0
    label: str = ""
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


class Base(Shared, table=base_shelves):
    """It does not expire, and its subclass does."""


class ExpiringSubclass(Base, table=base_shelves):
    expires: Annotated[datetime | None, TTL()] = None


class Design:
    """An entity, with the sibling and the subclass that share its key, if there are any."""

    def __init__(
        self,
        entity: type[Entity],
        sibling: type[Entity] | None = None,
        subclass: type[Entity] | None = None,
    ) -> None:
        self.entity, self.sibling = entity, sibling
        self.declaration = entity.__pksk__
        candidates = [each for each in (entity, subclass, sibling) if each is not None]
        self.expiring = next((each for each in candidates if "expires" in each.model_fields), None)

    def __repr__(self) -> str:
        return self.entity.__name__

    @property
    def states(self) -> list[StoredState]:
        """What can be stored under a key of the entity."""
        states = [NOTHING, OWN]
        if self.expiring:
            states.append(EXPIRED)
        return [*states, SIBLING] if self.sibling else states

    def entity_in(self, state: StoredState) -> type[Entity]:
        """The entity of the item that is stored in a state."""
        entity = {SIBLING: self.sibling, EXPIRED: self.expiring}.get(state, self.entity)
        assert entity is not None
        return entity


DESIGNS: Final = [
    Design(Alone),
    Design(AloneExpiring),
    Design(Plain, PlainSibling),
    Design(Expiring, ExpiringSibling),
    Design(OwnExpiring, OtherSibling),
    Design(OtherSibling, OwnExpiring),
    Design(Base, subclass=ExpiringSubclass),
]


def stored_item(design: Design, state: StoredState, now: float, **values: Any) -> WireItem | None:
    """The item `x` in a state; an expired one is of the entity itself if that can expire, else of another."""
    if state is NOTHING:
        return None
    entity = design.entity_in(state)
    if "expires" in entity.model_fields:
        seconds = int(now) + (-60 if state is EXPIRED else 60)
        values["expires"] = datetime.fromtimestamp(seconds, UTC)
    known = {name: value for name, value in values.items() if name in entity.model_fields}
    return dict(entity.__pksk__.to_item(entity(id="x", **known)))
