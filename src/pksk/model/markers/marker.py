"""The base class of markers, with a hook for every step in which a marker may take part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import ConditionFailed, DesignError, quote
from pksk.keys.parts.part import type_name
from pksk.keys.parts.part_types import field_type
from pksk.values import WireItem, from_wire

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model.cost.marker_bill import EstimatedChange, MarkerBill
    from pksk.model.declaration import Declaration
    from pksk.model.requests.update import Update
    from pksk.model.storing.attributes import Field
    from pksk.model.write_rules.prepared_write import Expectation, FailedAction, ItemAction
    from pksk.model.write_rules.rules import ItemChange, MarkerRules
    from pksk.model.write_rules.stored_states import ItemConditions


class NotInFormat(ValueError):
    """A stored value is not in a format that its field reads."""


@dataclass(frozen=True)
class StoredForm:
    """How a field is stored, where it is not stored as its type alone says.

    `type` is DynamoDB's; empty if it depends on the value. `store` converts a value, and `read` a stored value; it
    raises NotInFormat for any other. `is_same` compares a value with what was read back, and `rounded` gives the value
    that is read back, where that is another. `name` describes the format in messages; empty if only types inside the
    field have one. `ordered`: stored values sort like the values. `is_one_text`: equal values have one stored form, and
    nothing else is read as them. `is_exact`: `store` rejects every value that would be read back as another.
    `resolution` is the smallest step between two times. `other_types` are DynamoDB's types of further formats that are
    read.
    """

    type: str
    store: Callable[[Any, str], Any]
    read: Callable[[Any], Any]
    is_same: Callable[[Any, Any], bool]
    rounded: Callable[[Any], Any] | None = None
    name: str = ""
    ordered: bool = True
    is_one_text: bool = True
    is_custom: bool = False
    is_exact: bool = False
    resolution: timedelta | None = None
    other_types: frozenset[str] = frozenset()


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
    is_allowed_inside: ClassVar[bool] = False
    """The marker may be on types inside a field, such as the members of a list."""

    @property
    def holds_instants(self) -> bool:
        """Whether a datetime with the marker has a time zone."""
        return False

    # Declaration

    def check_field(self, where: str, field: Field) -> None:
        """Reject a field that cannot have the marker."""

    def check_entity(self, name: str, declaration: Declaration) -> None:
        """Reject a field that does not fit the entity or its table."""

    def stored_form(self, field: Field) -> StoredForm | None:
        """How values are stored, where the marker decides that."""

    def takes_format(self, form: StoredForm) -> bool:
        """Whether the marked field may be stored in a format that another marker decides."""
        return True

    def own_fields(self, name: str) -> tuple[str, ...]:
        """The fields that the marker is about: the marked one, and others that it names."""
        return (name,)

    # Writes

    def stamp(
        self, name: str, value: Any, now: datetime, validated: Callable[[str, Any], Any]
    ) -> Mapping[str, Any]:
        """The fields that a put or a move sets itself; `value` is what the entity has."""
        return {}

    def stamp_update(self, name: str, update: Update, now: datetime) -> Update:
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

    def is_met_by(self, check: ItemAction, declaration: Declaration) -> bool:
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


# The member of a core schema's metadata which says that a time has a zone.
_INSTANTS = "pksk_instants"


class HoldsInstants:
    """Makes a marker say that a plain datetime has a zone, so that it needs no other marker."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any] | None = None) -> Any:
        """The schema of the type, which says that it holds times with a zone."""
        if (
            handler is None
        ):  # Annotated[datetime, TTL]: the function of the class is called; a later check rejects it
            return source(self)
        schema = handler(source)
        return {**schema, "metadata": {**schema.get("metadata", {}), _INSTANTS: True}}


def holds_instants(node: Mapping[str, Any]) -> bool:
    """Whether a marker says that the times of a type have a zone, in Pydantic's core schema."""
    metadata = node.get("metadata")
    return bool(metadata and _INSTANTS in metadata)


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


def key_in_words(key: WireItem) -> str:
    """A key for a message: pk = 'ORDER#7', sk = 'META'."""
    return ", ".join(f"{name} = {quote(from_wire(wire))}" for name, wire in key.items())


def is_instant(field: Field) -> bool:
    """Whether a field holds datetimes with a zone."""
    return field_type(field.annotation).type is datetime and not field.naive
