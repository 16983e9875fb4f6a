"""The Update request: changes of one item, with every index key kept right."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, Self, cast

from pksk.dataclass import dataclass, field
from pksk.expressions import Action, Condition
from pksk.expressions import update as update_tree
from pksk.model.declaration import E_co
from pksk.model.request_values import FrozenValues, copy_request
from pksk.model.requests.keyed_request import KeyedWrite
from pksk.model.write_rules.rules import marker_rules
from pksk.model.writes.field_update import FieldUpdate, check_field, reject
from pksk.model.writes.size_limits import check_item_size, written_size
from pksk.model.writes.update_actions import UPDATE_METHODS, remove_field, update_by_action
from pksk.model.writes.update_request import read_request, update_request
from pksk.model.writes.updated_item import Image, IndexKeys
from pksk.values import WireItem
from pksk.values.wire import from_boto3

_NO_VALUES = FrozenValues({})
# Results that are computed once from the updated values, and the fields that they do not depend on.
_OF_IMAGE: Final = ("image", "index_keys")
_NOT_IN_IMAGE: Final = frozenset(("condition", "extra_conditions"))


@dataclass(frozen=True)
class Update(KeyedWrite[E_co, E_co]):
    """A change of an existing item, by all parts of its primary key; each method returns a new Update.

    Index keys made of the changed fields are written too. If that needs further fields of the item, `fields_to_read`
    names them: a store reads them and passes them to `with_read`, and the request has the condition that they have
    not changed.

    Each value is checked by its field alone: validators of the whole model do not run, and limits of a number, a list
    or a set are not checked for the result.

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
        update = super().replace(**values)
        if values.keys() <= _NOT_IN_IMAGE:
            update.__dict__.update((name, self.__dict__[name]) for name in _OF_IMAGE if name in self.__dict__)
        return update

    def set(self, /, **fields: Any) -> Update[E_co]:
        """Set fields to these values; None and an empty set are stored as in a put, often as a missing attribute."""
        return self._change("set", fields)

    def add(self, /, **fields: Any) -> Update[E_co]:
        """Add to numbers, or members to sets; a missing field starts from its default."""
        return self._change("add", fields)

    def append(self, /, **fields: Any) -> Update[E_co]:
        """Append the elements of a list to lists."""
        return self._change("append", fields)

    def discard(self, /, **fields: Any) -> Update[E_co]:
        """Remove the members of a set from sets."""
        return self._change("discard", fields)

    def remove(self, /, *names: str) -> Update[E_co]:
        """Reset fields to their defaults; for None and an empty set the attribute is usually removed."""
        where = self._where("remove")
        update = self
        for name in names:
            update = update._with(remove_field(self.facts, name, where), where)
        return update

    def apply(self, /, *actions: Action) -> Update[E_co]:
        """Apply actions of F, also on parts of fields: `F.address.city.set("x")`.

        Values are checked by the type at the path, as far as the model declares it; your own validators do not run.
        """
        where = self._where("apply")
        update = self
        for action in actions:
            update = update._with(
                update_by_action(self.facts, action, where), where, inside=len(action.path.elements) > 1
            )
        return update

    def upsert(self) -> Update[E_co]:
        """The same, and if there is no item, a new one with the fields of its key and all defaults.

        The new item must be readable: an upsert without a value for a required field raises. DynamoDB cannot change a
        part of a missing field, and validators of the whole model do not run.
        """
        return self.replace(is_upsert=True)

    def with_read(self, values: Mapping[str, Any]) -> Update[E_co]:
        """The same, with the values of the fields in `fields_to_read`; the item lacks those left out."""
        for name in values:
            self.declaration.attribute(name)
        check = self.facts.values
        read_values = {
            n: check.stored(n, check.validated(n, values[n])) for n in self.fields_to_read if n in values
        }
        null = {n: {"NULL": True} for n in read_values if values[n] is None}
        return self.replace(
            read_values=FrozenValues(
                {**self.read_values, **dict.fromkeys(self.fields_to_read), **read_values, **null}
            )
        )

    def with_item(self, item: WireItem) -> Update[E_co]:
        """The same, with the fields in `fields_to_read` of an item, in DynamoDB's JSON or boto3's."""
        values = {name: item.get(self.declaration.attribute(name)) for name in self.fields_to_read}
        read = {name: None if wire is None else from_boto3(wire) for name, wire in values.items()}
        return self.replace(read_values=FrozenValues({**self.read_values, **read}))

    @cached_property
    def image(self) -> Image:
        """The known state of the item afterwards."""
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
        """The changes of its index keys."""
        return IndexKeys(self.image)

    @cached_property
    def stamped(self) -> Update[E_co]:
        """The update as a store runs it: it also sets versions and times."""
        rules = marker_rules(self.declaration)
        is_empty = not self.changes and not self.is_upsert
        if (
            is_empty
            or not rules.store_managed
            or not set(rules.store_managed).isdisjoint(self.changed_fields)
        ):
            return self
        return cast("Update[E_co]", rules.stamp_update(self, datetime.now(UTC)))

    @property
    def fields_to_read(self) -> tuple[str, ...]:
        """The fields that a store must read before it can run the update; usually none.

        Index keys are made of them, together with fields that change; versions and times change too.
        """
        return self.stamped.index_keys.fields_to_read

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
        """The bytes that it certainly writes into the item: what is set, appended, or added to sets."""
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
        update = self
        for name, value in fields.items():
            check_field(self.facts, name, where)
            update = update._with(UPDATE_METHODS[verb](self.facts, name, value, where), where)
        return update

    def _with(self, change: FieldUpdate | None, where: str, *, inside: bool = False) -> Update[E_co]:
        if change is None:
            return self
        same = [each for each in self.changes if each.field == change.field]
        if any(not inside or len(each.action.path.elements) == 1 for each in same):
            reject(
                "write-field-twice",
                f"{where}: {self.declaration.name}.{change.field} is already changed in this update.",
                expected="DynamoDB takes one action for each field.",
                fix="write one change for it.",
            )
        update_tree(*(each.action for each in same), change.action)
        update = self.replace(changes=(*self.changes, change))
        check_item_size(f"{where}: what is written into one item", update.size)
        return update
