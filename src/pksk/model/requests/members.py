"""The base of requests that combine others, in a batch or a transaction, and the checks of their members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.model.requests.request import Request

if TYPE_CHECKING:
    import typing_extensions

    from pksk.model.entity import Entity
    from pksk.model.requests.check import Check
    from pksk.model.requests.delete import Delete
    from pksk.model.requests.get import Get
    from pksk.model.requests.put import Put
    from pksk.model.requests.update import Update

    # With a default, so that an author may also write plain `Batch` and `Transaction`.
    E_co = typing_extensions.TypeVar("E_co", bound=Entity, covariant=True, default=Entity)
else:
    E_co = TypeVar("E_co", covariant=True)

E = TypeVar("E", bound="Entity")


@dataclass(frozen=True)
class RequestGroup(Request, Generic[E_co]):
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
        """The same request with the pattern of its members, if all of them were made by the same one.

        Example:
            >>> from pksk import Entity, Get, Key, Table, access, batch
            >>> class Order(Entity, table=Table("orders")):
            ...     id: str
            ...     primary = Key("ORDER#{id}", "META")
            ...     @access(rate=1)
            ...     @classmethod
            ...     def many(cls, ids: list[str]) -> list[Get["Order"]]:
            ...         return [cls.primary.get(id=id) for id in ids]
            >>> batch(*Order.many(["1", "2"])).with_shared_pattern().pattern.name
            'Order.many'
        """
        first = self.members[0].pattern
        if self.pattern is not None or first is None or any(each.pattern != first for each in self.members):
            return self
        return self.with_pattern(first)


def check_members(name: str, members: Sequence[Any]) -> None:
    """Reject a batch or a transaction without members, with reads and writes, or with one item twice."""
    if not members:
        raise DesignError(
            "write-empty",
            f"{name}: it has no members, and DynamoDB needs at least one.",
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
    seen: set[tuple[str, str]] = set()
    for member in members:
        table, key = member.table_name, member.item_key
        if (table, repr(key)) in seen:
            raise DesignError(
                "write-item-twice",
                f"{name}: the item {key} of table {table!r} is in it twice.",
                expected="Each item can be in it once, a check included.",
                fix="make one request of the two: an update has .when(...) as its check.",
            )
        seen.add((table, repr(key)))


def member_fix(name: str, member: object) -> str:
    """What to write instead of an entity, its class, or a list of requests; empty for anything else."""
    if isinstance(member, (list, tuple, set, Iterator)):
        return f"give the requests one by one: {name}(*requests)."
    kind = member if isinstance(member, type) else type(member)
    if not hasattr(kind, "__pksk__"):
        return ""
    entity = f"{kind.__name__}(...)" if kind is member else kind.__name__.lower()
    return f"store an entity with Put: {name}(Put({entity}))."
