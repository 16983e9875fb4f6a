"""One change of an item: which entity it is of, what that was before and what it is now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from pksk.dataclass import dataclass

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.schema import Table
    from pksk.values import WireItem

E_co = TypeVar("E_co", bound="Entity", covariant=True)

ChangeKind: TypeAlias = Literal["insert", "modify", "remove"]


@dataclass(frozen=True)
class Change(Generic[E_co]):
    """A change of an item, as a stream tells of it; `changes_of` makes them of records.

    `old` and `new` are None where the stream does not show that image, and where the item was, or is, none of the
    entities that were asked for. `key_values` are the fields that the primary key is made of; None where the key
    does not tell all of them. `expired` says that time to live has deleted the item. `record` is the record itself.

    Example:
        >>> from pksk import Entity, Key, Put, Table, change_of
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     total: int = 0
        ...     primary = Key("ORDER#{id}", "META")
        >>> new = Put(Order(id="7", total=5)).item
        >>> images = {"Keys": {"pk": new["pk"], "sk": new["sk"]}, "NewImage": new, "SequenceNumber": "100"}
        >>> change = change_of({"eventName": "INSERT", "dynamodb": images}, Order)
        >>> change.kind, change.old, change.new, change.key_values
        ('insert', None, Order(id='7', total=5), {'id': '7'})
    """

    kind: ChangeKind
    entity: type[E_co]
    old: E_co | None
    new: E_co | None
    key: WireItem
    key_values: dict[str, Any] | None
    table: Table = field(repr=False)
    sequence_number: str
    at: datetime | None
    expired: bool
    size_bytes: int
    event_id: str
    record: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def changed_fields(self) -> tuple[str, ...]:
        """The fields that differ between the old image and the new; where one of them is not there, all fields.

        Example:
            >>> from pksk import Entity, Key, Put, Table, change_of
            >>> class Order(Entity, table=Table("orders")):
            ...     id: str
            ...     total: int = 0
            ...     primary = Key("ORDER#{id}", "META")
            >>> old, new = (Put(Order(id="7", total=total)).item for total in (5, 6))
            >>> images = {"Keys": {"pk": new["pk"], "sk": new["sk"]}, "OldImage": old, "NewImage": new}
            >>> change_of({"eventName": "MODIFY", "dynamodb": images}, Order).changed_fields
            ('total',)
        """
        if self.old is None or self.new is None:
            one = self.old if self.new is None else self.new
            return _declared(self.entity) if one is None else tuple(_values(one))
        old, new = _values(self.old), _values(self.new)
        names = dict.fromkeys((*new, *old))
        return tuple(name for name in names if name not in old or name not in new or old[name] != new[name])


def _declared(entity: type[Entity]) -> tuple[str, ...]:
    # By the names that no field can have.
    return (*entity.__pydantic_fields__, *entity.__pydantic_computed_fields__)


def _values(entity: Entity) -> dict[str, Any]:
    """The values of all fields, computed ones and those beside the declared ones included."""
    values = {name: getattr(entity, name) for name in _declared(type(entity))}
    return {**values, **(entity.__pydantic_extra__ or {})}
