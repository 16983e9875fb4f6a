"""Version: counts the writes of an item, and rejects writes by clients that have not read the latest one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from pksk.errors import ConditionFailed, StaleVersion, quote
from pksk.keys.parts.part_types import field_type
from pksk.model.markers.marker import MarkedField, Marker, StoredForm, field_text, reject_marker

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model.requests.update import Update
    from pksk.model.storing.attributes import Field
    from pksk.model.write_rules.prepared_write import Expectation, FailedAction
    from pksk.model.write_rules.rules import ItemChange
    from pksk.model.write_rules.stored_states import ItemConditions


class Version(Marker):
    """Counts the writes of an item, so that no client overwrites a version that it has not read.

    It is an int with a default: `version: Annotated[int, Version()] = 0`.

    Example:
        >>> from typing import Annotated
        >>> Annotated[int, Version()].__metadata__
        (Version(),)
    """

    at_most_one: ClassVar[bool] = True
    is_store_managed: ClassVar[bool] = True
    changes_always: ClassVar[bool] = True
    detects_changes: ClassVar[bool] = True

    def check_field(self, where: str, field: Field) -> None:
        """Reject a field that is not an int with a default."""
        kind = field_type(field.annotation)
        if kind.type is not int or kind.optional or type(field.default) is not int:
            reject_marker(
                where, "marker-type", f"Version needs an int with a default, but the field is {field_text(field)}.",
                f"declare {field.name}: Annotated[int, Version()] = 0.",
            )  # fmt: skip

    def takes_format(self, form: StoredForm) -> bool:
        """A version is a number that DynamoDB can add to."""
        return False

    def stamp(
        self, name: str, value: Any, now: datetime, validated: Callable[[str, Any], Any]
    ) -> Mapping[str, Any]:
        """The next version."""
        return {name: value + 1}

    def stamp_update(self, name: str, update: Update, now: datetime) -> Update:
        """An update that adds 1."""
        return update.add(**{name: 1})

    def user_condition(self, name: str, part: Condition, conditions: ItemConditions) -> Expectation | None:
        """`F.version == n`: an item without a version has the default one."""
        if not conditions.is_equality(name, part):
            return None
        number = conditions.number_compared(part)
        meant = part if number is None else self._has_version(name, int(number), conditions)
        return conditions.expect(
            "user_condition", meant, part if meant != part else None, MarkedField(name, self)
        )

    def expectations(self, name: str, change: ItemChange) -> Iterator[Expectation]:
        """The stored item has the version that the entity was read with; there is none for a new entity.

        An expired item counts as no item, which has no version, whether DynamoDB has deleted it or not.
        """
        if name not in change.expected:
            return
        version, conditions, marked = change.expected[name], change.conditions, MarkedField(name, self)
        exact = conditions.equals(name, {"N": str(version)})
        expired = conditions.expired
        if change.kind in ("put", "create") and version == conditions.default(name):
            new_or_exact = conditions.any_of(conditions.missing(name), exact, expired)
            yield conditions.expect("version", new_or_exact, None, marked)
            return
        if expired is not None:
            yield conditions.expect("expired_for_condition", conditions.none_of(expired), exact, marked)
        yield conditions.expect("version", self._has_version(name, version, conditions), exact, marked)

    def _has_version(self, name: str, version: int, conditions: ItemConditions) -> Condition:
        exact = conditions.equals(name, {"N": str(version)})
        if version != conditions.default(name):
            return exact
        # An item that was stored before its entity had a version reads as the default one.
        unwritten = conditions.all_of(conditions.present, conditions.missing(name))
        return conditions.any_of(unwritten, exact)

    def failure(self, failed: FailedAction) -> ConditionFailed:
        """The item was written or deleted since it was read."""
        expected = failed.expected_number
        if failed.item is not None or expected is None:
            return StaleVersion(
                "store-stale-version",
                f"{failed.where}: the item {failed.key_text} was written since it was read.",
                fix="read the item again, apply your change to it, and write that.",
            )
        name = failed.marked.name
        default = quote(failed.declaration.fields[name].default)
        return StaleVersion(
            "store-version-no-item",
            f"{failed.where}: {name} {expected} is expected, but there is no item {failed.key_text}.",
            expected="The item was deleted since it was read, or it was never stored.",
            fix="there is nothing to delete."
            if failed.kind == "delete"
            else f"leave the version out of a new entity: the default is {name}={default}.",
        )

    def batch_problem(self, name: str, change: ItemChange) -> str:
        """A batch cannot compare the version."""
        if change.kind == "delete" and name in change.expected:
            return f"{name!r} is a version, which is compared where an entity is deleted"
        return "" if change.kind == "delete" else f"{name!r} is a version, which is compared"
