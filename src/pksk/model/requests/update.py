"""The Update request: changes of one item, with every index key kept right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from pksk.dataclass import dataclass
from pksk.expressions import Action, Condition
from pksk.expressions import update as update_tree
from pksk.model.frozen_values import FrozenValues
from pksk.model.requests.keyed_request import E_co, KeyedWrite
from pksk.model.requests.request import copy_request
from pksk.model.writes.field_update import FieldUpdate, check_field, reject
from pksk.model.writes.image import Image
from pksk.model.writes.index_keys import IndexKeys
from pksk.model.writes.size_limits import check_item_size, written_size
from pksk.model.writes.update_actions import UPDATE_METHODS, remove_field, update_by_action
from pksk.model.writes.update_request import read_request, update_request
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.values import WireItem

_NO_VALUES = FrozenValues({})
# What is worked out once of the values afterwards, and the fields that it does not depend on.
_OF_IMAGE: Final = ("image", "index_keys")
_NOT_IN_IMAGE: Final = frozenset(("condition", "extra_conditions"))


@dataclass(frozen=True)
class Update(KeyedWrite[E_co]):
    """A change of an item that is there, by all parts of its primary key; each method gives a new value.

    Index keys made of the changed fields are written too. If that takes further fields of the item, `fields_to_read`
    names them: a store reads them and passes them to `with_read`, and the request is on condition that they are
    unchanged.

    Values are checked by their fields alone: validators of the whole model do not run, limits of a number are not
    checked against a sum, nor those of a list or a set against what it becomes.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     total: int = 0
        ...     note: str | None = None
        ...     primary = Key("ORDER#{id}", "META")
        >>> request = Order.primary.update(id="7").add(total=5).remove("note").request
        >>> request["UpdateExpression"], request["ConditionExpression"]
        ('ADD #n0 :v0 REMOVE note', 'attribute_exists(pk)')
    """

    kind = "update"
    operation = "UpdateItem"
    action = "Update"
    example = "{}.primary.update(...)"
    run_by = "update(...)"

    changes: tuple[FieldUpdate, ...] = ()
    is_upsert: bool = False
    read_values: FrozenValues = _NO_VALUES
    # Set by a store: what it knows about the item, as conditions on attributes.
    extra_conditions: tuple[Condition, ...] = field(default=(), repr=False)
    # Set by a store: generated defaults of a new item, shared by all versions of one attempt.
    generated_defaults: dict[str, Any] | None = field(default=None, repr=False, compare=False)

    def replace(self, **values: Any) -> Self:
        """The same update, of the same pattern, with some fields replaced."""
        made = super().replace(**values)
        if values.keys() <= _NOT_IN_IMAGE:
            made.__dict__.update((name, self.__dict__[name]) for name in _OF_IMAGE if name in self.__dict__)
        return made

    def set(self, /, **fields: Any) -> Update[E_co]:
        """Give fields these values; None and an empty set are stored as the model stores them, often as nothing."""
        return self._change("set", fields)

    def add(self, /, **fields: Any) -> Update[E_co]:
        """Add to numbers, or members to sets; one that is not there is begun with its default."""
        return self._change("add", fields)

    def append(self, /, **fields: Any) -> Update[E_co]:
        """Put elements, given as a list, at the end of lists."""
        return self._change("append", fields)

    def discard(self, /, **fields: Any) -> Update[E_co]:
        """Take members, given as a set, out of sets."""
        return self._change("discard", fields)

    def remove(self, /, *names: str) -> Update[E_co]:
        """Give fields their default back; where that is None or an empty set, mostly nothing is stored."""
        where = self._where("remove")
        made = self
        for name in names:
            made = made._with(remove_field(self.facts, name, where), where)
        return made

    def apply(self, /, *actions: Action) -> Update[E_co]:
        """Do what actions of F say, also inside of fields: `F.address.city.set("x")`.

        Values are checked by the type of the place, as far as the model tells it; validators of the author do not run.
        """
        where = self._where("apply")
        made = self
        for action in actions:
            made = made._with(
                update_by_action(self.facts, action, where), where, inside=len(action.path.elements) > 1
            )
        return made

    def upsert(self) -> Update[E_co]:
        """The same, and where the item is not there, a new one with the fields of its key and all defaults.

        The new item must be readable: an upsert without a value for a required field raises. What DynamoDB
        cannot do is to change the inside of a field that is not there, and no validator of the whole model runs.
        """
        return self.replace(is_upsert=True)

    def with_read(self, values: Mapping[str, Any]) -> Update[E_co]:
        """The same, with the values of the fields in `fields_to_read`; the item lacks those left out."""
        for name in values:
            self.declaration.attribute(name)
        check = self.facts.values
        found = {
            n: check.stored(n, check.validated(n, values[n])) for n in self.fields_to_read if n in values
        }
        null = {n: {"NULL": True} for n in found if values[n] is None}
        return self.replace(
            read_values=FrozenValues(
                {**self.read_values, **dict.fromkeys(self.fields_to_read), **found, **null}
            )
        )

    def with_item(self, item: WireItem) -> Update[E_co]:
        """The same, with the fields in `fields_to_read` of an item, in DynamoDB's JSON or boto3's."""
        found = {name: item.get(self.declaration.attribute(name)) for name in self.fields_to_read}
        read = {name: None if wire is None else from_boto3(wire) for name, wire in found.items()}
        return self.replace(read_values=FrozenValues({**self.read_values, **read}))

    @cached_property
    def image(self) -> Image:
        """What is known of the item afterwards."""
        return Image(
            self.facts,
            self.parts,
            self.changes,
            self.read_values,
            is_upsert=self.is_upsert,
            generated_defaults=self.generated_defaults,
        )

    @cached_property
    def index_keys(self) -> IndexKeys:
        """What becomes of the keys in indexes."""
        return IndexKeys(self.image)

    @property
    def fields_to_read(self) -> tuple[str, ...]:
        """The fields that must be read before the request can be made; mostly none."""
        return self.index_keys.fields_to_read

    @property
    def changed_fields(self) -> tuple[str, ...]:
        """The fields that change."""
        return tuple(dict.fromkeys(change.field for change in self.changes))

    @property
    def changed_index_keys(self) -> dict[str, tuple[str, ...]]:
        """The key attributes that may change, by the name of the index key."""
        return self.index_keys.touched

    @property
    def size(self) -> int:
        """The bytes that it puts into the item for certain: what is set, appended, or added to sets."""
        return written_size(change.action for change in self.changes)

    @property
    def read_request(self) -> dict[str, Any]:
        """The GetItem request for the fields in `fields_to_read`, whose item `with_item` takes."""
        return read_request(self)

    @cached_property
    def shared_request(self) -> dict[str, Any]:
        """The UpdateItem request, for callers that do not change it."""
        return update_request(self)

    @property
    def request(self) -> dict[str, Any]:
        """The UpdateItem request."""
        return copy_request(self.shared_request)

    def _where(self, verb: str) -> str:
        return f"{self.declaration.name}.{self.key}.update().{verb}"

    def _change(self, verb: str, fields: Mapping[str, Any]) -> Update[E_co]:
        where = self._where(verb)
        made = self
        for name, value in fields.items():
            check_field(self.facts, name, where)
            made = made._with(UPDATE_METHODS[verb](self.facts, name, value, where), where)
        return made

    def _with(self, change: FieldUpdate | None, where: str, *, inside: bool = False) -> Update[E_co]:
        if change is None:
            return self
        same = [each for each in self.changes if each.field == change.field]
        if any(not inside or len(each.action.path.elements) == 1 for each in same):
            reject(
                "write-field-twice",
                f"{where}: {self.declaration.name}.{change.field} is changed already in this update.",
                expected="DynamoDB takes one action for each field.",
                fix="write one change for it.",
            )
        update_tree(*(each.action for each in same), change.action)
        made = self.replace(changes=(*self.changes, change))
        check_item_size(f"{where}: what is written into one item", made.size)
        return made
