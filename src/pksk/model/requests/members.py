"""The base of requests that combine others, in a batch or a transaction, and the checks of their members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.model.declaration import E_co
from pksk.model.item_key import wire_key
from pksk.model.markers.marker import key_in_words
from pksk.model.requests.keyed_request import ItemRequest
from pksk.model.requests.request import Request

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.requests import Check, Delete, Get, Put, Update


E = TypeVar("E", bound="Entity")


@dataclass(frozen=True)
class RequestGroup(Request[list[E_co | None]], Generic[E_co]):
    """Several reads or several writes in one request."""

    # The operation that reads, and the one that writes.
    operations: ClassVar[tuple[str, str]]

    members: tuple[Get[E_co] | Put[E_co] | Update[E_co] | Delete[E_co] | Check[E_co], ...]

    @property
    def reads(self) -> bool:  # type: ignore[override]
        """Whether the members are reads."""
        return self.members[0].reads

    @property
    def operation(self) -> str:  # type: ignore[override]
        """The operation that the request is of."""
        return self.operations[not self.reads]

    @property
    def entities(self) -> tuple[type[Entity], ...]:
        """The entities of the members, each once."""
        return tuple(dict.fromkeys(each.entity for each in self.members))

    def with_shared_pattern(self) -> Self:
        """The same request with the pattern of its members, if all of them were made by the same one."""
        first = self.members[0].pattern
        if self.pattern is not None or first is None or any(each.pattern != first for each in self.members):
            return self
        return self.with_pattern(first)


def check_members(name: str, members: Sequence[ItemRequest]) -> None:
    """Reject a batch or a transaction without members, with reads and writes, or with one item twice."""
    if not members:
        raise DesignError(
            "write-empty",
            f"{name}: it has no members, and DynamoDB requires at least one.",
            fix="skip it if there is nothing to do.",
        )
    if len({each.reads for each in members}) > 1:
        raise DesignError(
            "write-mixed",
            f"{name}: reads and writes in one {name}; DynamoDB needs separate calls.",
            fix="make two batches."
            if name == "batch"
            else "read first, then write with Checks that the items have not changed.",
        )
    positions: dict[tuple[str, str], int] = {}
    for position, member in enumerate(members):
        first = positions.setdefault((member.table_name, repr(member.item_key)), position)
        if first != position:
            raise DesignError(
                "write-item-twice",
                f"{name}: the item {key_in_words(wire_key(member.item_key))} of table {member.table_name!r} is in it "
                f"twice, as members {first} and {position}.",
                expected="DynamoDB allows one action for each item, checks included, because members have no order.",
                fix=_duplicate_fix(name, members[first], member),
            )


def _duplicate_fix(name: str, first: ItemRequest, second: ItemRequest) -> str:
    """What to do with two members about one item."""
    if name == "transaction":
        return "combine the two in one request: an update checks its item with .when(...)."
    if first.reads:
        return "leave one of them out; batch_get of a store takes the same item several times."
    if first == second:
        return "leave one of them out."
    return "leave out one of them; or, to write both, put the first one into an earlier batch."


def member_fix(name: str, member: object) -> str:
    """What to write instead of an entity, its class, or a list of requests; empty for anything else."""
    if isinstance(member, (list, tuple, set, Iterator)):
        return f"pass the requests one by one: {name}(*requests)."
    kind = member if isinstance(member, type) else type(member)
    if not hasattr(kind, "__pksk__"):
        return ""
    entity = f"{kind.__name__}(...)" if kind is member else kind.__name__.lower()
    return f"store an entity with Put: {name}(Put({entity}))."
