"""Reference: a field names an item of another entity, which a write of the field checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import ConditionFailed, DesignError, ReferenceMissing, did_you_mean, quote
from pksk.keys.parts.part import type_name
from pksk.keys.parts.part_types import field_type
from pksk.model.markers.marker import MarkedField, Marker, key_in_words
from pksk.values import WireItem

if TYPE_CHECKING:
    from pksk.model.cost.marker_bill import EstimatedChange, MarkerBill
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.model.write_rules.prepared_write import FailedAction, ItemAction
    from pksk.model.write_rules.rules import ItemChange, MarkerRules

ReferencedEntity: TypeAlias = "type[Entity] | str | Callable[[], type[Entity]]"


@dataclass(frozen=True)
class ReferencedItem:
    """The item that a field refers to: its entity, and the parts of its primary key."""

    field: str
    declaration: Declaration
    parts: Mapping[str, Any]


@dataclass(frozen=True, init=False)
class Reference(Marker):
    """The field names an item of another entity, by the parts of its primary key.

    One marked field is enough if the other key has one part, or if its other parts are fields of the same name here.
    Otherwise name the field of each part: `Reference(Line, order="order_id")`. Give an entity that is declared later
    by its name, if it is in the same table, or by a function that returns it.

    Example:
        >>> Reference("Customer", tenant="shop")
        Reference('Customer', tenant='shop')
    """

    entity: ReferencedEntity
    parts: tuple[tuple[str, str], ...]

    def __init__(self, entity: ReferencedEntity, /, **parts: str) -> None:
        object.__setattr__(self, "entity", entity)
        object.__setattr__(self, "parts", tuple(parts.items()))

    def __repr__(self) -> str:
        name = self.entity.__name__ if isinstance(self.entity, type) else repr(self.entity)
        return f"Reference({', '.join([name, *(f'{part}={field!r}' for part, field in self.parts)])})"

    def fields_after(self, name: str, rules: MarkerRules) -> tuple[str, ...]:
        """The fields that hold the parts of the other key."""
        return tuple(rules.declaration.reference(name).parts.values())

    def is_concerned(self, name: str, change: ItemChange) -> bool:
        """A part of the other key changes, or the item leaves its own key, to which it may refer."""
        changed = change.changed
        return changed is None or change.moves or bool(changed & set(self.fields_after(name, change.rules)))

    def acquire(self, name: str, change: ItemChange) -> Iterator[ItemAction]:
        """Check that the other item exists, unless it is this item."""
        other = self._referenced_item(name, change)
        if other is None:
            return
        table = other.declaration.table.name
        key, own_table = change.key_of(other.declaration, other.parts), change.rules.declaration.table.name
        if table == own_table and change.after is not None and key == change.after.key:
            return  # an item that refers to itself exists once it is written
        if table == own_table and change.moves and change.before is not None and key == change.before.key:
            raise self._left_behind(name, change, key)
        changed = change.changed
        if changed is None or changed & set(self.fields_after(name, change.rules)):
            yield change.check_reference(other.declaration, key, MarkedField(name, self), other)

    def _referenced_item(self, name: str, change: ItemChange) -> ReferencedItem | None:
        """The item that the field refers to; None if a part of its key is None."""
        resolved = change.rules.declaration.reference(name)
        values = {} if change.after is None else change.after.values
        parts = {part: values.get(field) for part, field in resolved.parts.items()}
        if any(value is None for value in parts.values()):
            return None
        return ReferencedItem(name, resolved.declaration, parts)

    def _left_behind(self, name: str, change: ItemChange, key: WireItem) -> ReferenceMissing:
        error = ReferenceMissing(
            "store-reference-missing",
            f"{change.label}: {name} refers to the item itself, by its old key {key_in_words(key)}.",
            fix=f"change {name!r} as well, in the same move.",
        )
        error.field, error.key, error.request = name, key, change.write
        return error

    def is_met_by(self, check: ItemAction, declaration: Declaration) -> bool:
        """An update of the other entity finds its item, or makes one."""
        return declaration.is_subclass_of(_referenced(check).declaration)

    def clash(self, where: str, owner: str, action: ItemAction) -> DesignError:
        """The other item is deleted in the same transaction."""
        return DesignError(
            "store-transaction-clash",
            f"{where}: {owner}.{_referenced(action).field} refers to an item that the same transaction deletes.",
            expected="DynamoDB allows one action on each item.",
            fix="split it into two transactions.",
        )

    def failure(self, failed: FailedAction) -> ConditionFailed:
        """The other item does not exist."""
        other = _referenced(failed.action)
        name = other.declaration.name
        parts = ", ".join(f"{part}={quote(value)}" for part, value in other.parts.items())
        error = ReferenceMissing(
            "store-reference-missing",
            f"{failed.where}: {other.field} refers to {name}({parts}), and there is no item {failed.key_text}.",
            fix=f"store the {name} first, or in the same transaction.",
        )
        error.field, error.key = other.field, failed.action.request["Key"]
        return error

    def batch_problem(self, name: str, change: ItemChange) -> str:
        """A batch cannot check that the other item exists."""
        if change.kind == "delete" or not any(self.acquire(name, change)):
            return ""
        return f"{name!r} is a reference, which is checked"

    def charge(self, name: str, change: EstimatedChange, bill: MarkerBill) -> None:
        """A check of the other item, if the field refers to one."""
        if change.kind == "delete":
            return
        parts = change.declaration.reference(name).parts
        if change.changed & set(parts.values()) and all(
            change.values.get(field, field) is not None for field in parts.values()
        ):
            bill.check_reference(name)

    def read_reason(self, name: str, change: EstimatedChange) -> str:
        """Only the stored item has the unchanged parts of the other key."""
        fields = set(change.declaration.reference(name).parts.values())
        if change.kind != "update" or not change.changed & fields or change.values.keys() >= fields:
            return ""
        return "the item is read before, since a reference needs fields that are not given"

    def note(self, label: str, kind: str) -> str:
        """A write of a reference is a transaction; a deletion is not."""
        return "" if kind == "delete" else f"{label} is a reference"


def _referenced(action: ItemAction) -> ReferencedItem:
    """The item that an action of a reference is about."""
    assert isinstance(action.subject, ReferencedItem)
    return action.subject


@dataclass(frozen=True, slots=True)
class ResolvedReference:
    """A resolved reference: the other entity, and the field here for each part of its primary key."""

    declaration: Declaration
    parts: Mapping[str, str]


class UndeclaredEntity(DesignError):
    """A reference to an entity that is not declared yet."""


def resolve_reference(
    declaration: Declaration, name: str, marker: Reference, newest: Declaration | None = None
) -> ResolvedReference:
    """The referenced entity and its parts; raises if there is none. `newest` is not registered yet."""
    where = f"{declaration.name}.{name}"
    other = _referenced_entity(where, declaration, marker, newest or declaration)
    parts = _key_parts(where, declaration, name, marker, other)
    for part, field in parts.items():
        _check_type(where, part, _kind_of_field(other, part), field, _kind_of_field(declaration, field))
    return ResolvedReference(other, parts)


def check_references(declaration: Declaration) -> None:
    """Reject wrong references of this entity, and those of other entities of the table that may refer to it."""
    for each in (*declaration.table.entities, declaration):
        for name, marker in each.unresolved_references:
            with suppress(UndeclaredEntity):
                resolved = resolve_reference(each, name, marker, declaration)
                if declaration not in (each, resolved.declaration):
                    each.resolved_references[name] = resolved


def _reject(where: str, problem: str, *, expected: str = "", fix: str) -> NoReturn:
    raise DesignError("marker-reference", f"{where}: {problem}", expected=expected, fix=fix)


def _referenced_entity(
    where: str, declaration: Declaration, marker: Reference, newest: Declaration
) -> Declaration:
    entity: Any = marker.entity
    if isinstance(entity, str):
        return _entity_by_name(where, declaration, entity, newest)
    if not isinstance(entity, type) and callable(entity):
        try:
            entity = entity()
        except NameError as error:
            raise _undeclared_entity(where, f"{error}") from None
    if not (isinstance(entity, type) and hasattr(entity, "__pksk_options__")):
        _reject(
            where, f"{quote(entity)} is not an entity.",
            fix="give the class of an entity, its name, or a function that returns it.",
        )  # fmt: skip
    if entity is newest.entity:
        return newest
    # Not by getattr, which would complete the class while another one is being declared.
    declared: Declaration | None = next(
        (vars(base)["__pksk__"] for base in entity.__mro__ if "__pksk__" in vars(base)), None
    )
    in_a_table = entity.__pksk_options__.get("table") is not None
    if declared is None and in_a_table and not getattr(entity, "__pydantic_complete__", True):
        raise _undeclared_entity(where, f"{entity.__name__} is not complete")
    if declared is None:
        _reject(
            where,
            f"{entity.__name__} is in no table.",
            fix="refer to an entity that is declared with table=.",
        )
    return declared


def _entity_by_name(where: str, declaration: Declaration, name: str, newest: Declaration) -> Declaration:
    known: dict[str, Declaration] = {each.name: each for each in declaration.table.entities}
    known |= {each.name: each for each in (declaration, newest)}
    if name in known:
        return known[name]
    near = did_you_mean(name, known)
    raise _undeclared_entity(where, f"table {declaration.table.name!r} has no entity {name!r}", near)


def _undeclared_entity(where: str, problem: str, near: str = "") -> UndeclaredEntity:
    return UndeclaredEntity(
        "marker-reference",
        f"{where}: {problem}.",
        fix=f"did you mean {near!r}?"
        if near
        else "declare the entity, or give a function that returns it if it is in another table.",
    )


def _key_parts(
    where: str, declaration: Declaration, name: str, marker: Reference, other: Declaration
) -> dict[str, str]:
    required, declared = other.primary.fields, dict(marker.parts)
    _check_names(where, declaration, other, declared)
    undeclared = [part for part in required if part not in declared]
    if name in declared.values():
        mine = None
    elif name in undeclared or len(undeclared) == 1:
        mine = name if name in undeclared else undeclared[0]
    else:
        # Of several parts, the only one without a field of the same name.
        unmatched = [part for part in undeclared if part not in declaration.fields]
        mine = unmatched[0] if len(unmatched) == 1 else None
    parts = {part: name if part == mine else declared.get(part, part) for part in required}
    missing = [part for part, field in parts.items() if field not in declaration.fields]
    if missing or name not in parts.values():
        _reject_parts(where, name, other, [*missing, *undeclared, *required])
    return parts


def _reject_parts(where: str, name: str, other: Declaration, parts: list[str]) -> NoReturn:
    required = ", ".join(other.primary.fields) or "none"
    example = f"Reference({other.name}, {next(iter(parts), 'part')}={name!r})"
    _reject(
        where, f"the field alone does not say which {other.name} is meant.",
        expected=f"The parts of {other.name}.{other.primary.name} are: {required}.",
        fix=f"say which field holds each part, for example {example}."
        if other.primary.fields else "refer to an entity whose key has parts.",
    )  # fmt: skip


def _check_names(
    where: str, declaration: Declaration, other: Declaration, declared: Mapping[str, str]
) -> None:
    for part, field in declared.items():
        for word, known, what in (
            (part, other.primary.fields, f"part of {other.name}.{other.primary.name}"),
            (field, tuple(declaration.fields), f"field of {declaration.name}"),
        ):
            if word not in known:
                near = did_you_mean(word, known)
                _reject(
                    where, f"{quote(word)} is not a {what}.", expected=f"There are: {', '.join(known)}.",
                    fix=f"did you mean {near!r}?" if near else "use one of them.",
                )  # fmt: skip


def _kind_of_field(declaration: Declaration, field: str) -> Any:
    """The type of a field, without wrappers such as Optional."""
    return field_type(declaration.fields[field].annotation).type


def _check_type(where: str, part: str, theirs: Any, field: str, mine: Any) -> None:
    both = isinstance(theirs, type) and isinstance(mine, type)
    if theirs == mine or (both and (issubclass(theirs, mine) or issubclass(mine, theirs))):
        return
    _reject(
        where, f"field {field!r} is of type {type_name(mine)}, and part {part!r} of type {type_name(theirs)}.",
        fix=f"declare both as {type_name(theirs)}.",
    )  # fmt: skip
