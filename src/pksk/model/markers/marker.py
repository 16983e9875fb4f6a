"""The base class of markers, with a hook for every step in which a marker may take part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.keys.field_type import field_type
from pksk.keys.parts.part import type_name

if TYPE_CHECKING:
    from pksk.errors import ConditionFailed
    from pksk.expressions import Condition
    from pksk.model.cost.marker_bill import EstimatedChange, MarkerBill
    from pksk.model.declaration import Declaration
    from pksk.model.requests.update import Update
    from pksk.model.storing.attributes import Field
    from pksk.model.writes.item_change import ItemChange
    from pksk.model.writes.marker_rules import MarkerRules
    from pksk.model.writes.prepared_write import Expectation, FailedAction, ItemAction
    from pksk.model.writes.stored_states import ItemConditions


@dataclass(frozen=True)
class StoredForm:
    """How a marked field is stored, where it is not stored as its type alone says.

    `rounded` gives a value as it is read back, `is_same` compares a value with what was read back.
    """

    type: str
    store: Callable[[Any, str], Any]
    read: Callable[[Any], Any]
    rounded: Callable[[Any], Any]
    is_same: Callable[[Any, Any], bool]


@dataclass(frozen=True)
class Marker:
    """What an author writes beside the type of a field. Each hook does nothing by default.

    A hook gets the name of the marked field first. Markers load with every entity, so their modules import nothing of
    `pksk.expressions`: the objects that hooks get make conditions and actions.
    """

    acts_on_writes: ClassVar[bool] = True
    """A write of the entity may be more than a plain write."""
    at_most_one: ClassVar[bool] = False
    """An entity has one field with this marker, and that field has no other marker."""
    is_store_managed: ClassVar[bool] = False
    """The store sets the value: an update or a move of the field is rejected."""
    changes_always: ClassVar[bool] = False
    """Every write changes the value, so that no primary key is made of it."""
    detects_changes: ClassVar[bool] = False
    """The value alone shows whether an item was written since it was read."""
    tells_writes_apart: ClassVar[bool] = False
    """No two writes store the same value."""
    has_guards: ClassVar[bool] = False
    """An item may have guard items, so it is read before it is replaced or deleted."""

    # Declaration

    def check_field(self, where: str, field: Field) -> None:
        """Reject a field that cannot have the marker."""

    def check_entity(self, name: str, declaration: Declaration[Any]) -> None:
        """Reject a field that does not fit the entity or its table."""

    def stored_form(self, field: Field) -> StoredForm | None:
        """How values are stored, where the marker decides that."""

    # Writes

    def stamp(
        self, name: str, value: Any, now: datetime, validated: Callable[[str, Any], Any]
    ) -> Mapping[str, Any]:
        """The fields that a put or a move sets itself; `value` is what the entity has."""
        return {}

    def stamp_update(self, name: str, update: Update[Any], now: datetime) -> Update[Any]:
        """An update that also sets the field."""
        return update

    def fields_before(self, name: str, rules: MarkerRules) -> tuple[str, ...]:
        """The fields whose stored values the marker needs before a write."""
        return ()

    def fields_after(self, name: str, rules: MarkerRules) -> tuple[str, ...]:
        """The fields whose values after a write the marker needs."""
        return ()

    def is_concerned(self, name: str, change: ItemChange) -> bool:
        """Whether a change of some fields needs actions of the marker."""
        return False

    def user_condition(self, name: str, part: Condition, conditions: ItemConditions) -> Expectation | None:
        """What a part of the user's condition means, where the marker changes that."""

    def expectations(self, name: str, change: ItemChange) -> Iterator[Expectation]:
        """What the stored item must meet."""
        return iter(())

    def release(self, name: str, change: ItemChange) -> Iterator[ItemAction]:
        """Actions on other items for the state before; called for the markers of the stored item's entity."""
        return iter(())

    def acquire(self, name: str, change: ItemChange) -> Iterator[ItemAction]:
        """Actions on other items for the state after; called for the markers of the entity that is written."""
        return iter(())

    def merge(self, one: ItemAction, other: ItemAction) -> ItemAction | None:
        """One action for two of the marker on the same item in one transaction; None if they contradict each other."""

    def without_release(self, action: ItemAction) -> ItemAction:
        """What replaces a release that failed because the item belongs to another one."""
        return action

    def clash(self, where: str, owner: str, action: ItemAction) -> DesignError:
        """The error for actions of one transaction that contradict each other."""
        raise NotImplementedError

    def failure(self, failed: FailedAction) -> ConditionFailed:
        """The error for an expectation of the marker that was not met."""
        raise NotImplementedError

    def is_met_by(self, check: ItemAction, declaration: Declaration[Any]) -> bool:
        """Whether an update of an entity's item in the same transaction makes a check of it unnecessary."""
        return False

    def batch_problem(self, name: str, change: ItemChange) -> str:
        """Why a batch, which has no conditions, cannot write the item; empty if it can."""
        return ""

    def request_difference(self, name: str, label: str, kind: str) -> str:
        """What makes two requests of the same write differ; empty if nothing does."""
        return ""

    # Cost and explanations

    def charge(self, name: str, change: EstimatedChange, bill: MarkerBill) -> None:
        """Add what the marker costs to an estimate."""

    def read_reason(self, name: str, change: EstimatedChange) -> str:
        """Why the stored item is read before a write; empty if it is not."""
        return ""

    def note(self, label: str, kind: str) -> str:
        """What an explanation says if the marker makes a transaction of the write."""
        return ""


class MarkedField(NamedTuple):
    """A marker, and the name of the field that has it."""

    name: str
    marker: Marker


def reject_marker(where: str, code: str, problem: str, fix: str, *, expected: str = "") -> NoReturn:
    """Raise the error for a misplaced marker."""
    raise DesignError(code, f"{where}: {problem}", expected=expected, fix=fix)


def field_text(field: Field) -> str:
    """The type and the default of a field, for a message."""
    default = "without a default" if field.required else f"with the default {field.default!r}"
    return f"{type_name(field.declared_as)} {default}"


def is_instant(field: Field) -> bool:
    """Whether a field holds datetimes with a zone."""
    return field_type(field.annotation).type is datetime and not field.naive
