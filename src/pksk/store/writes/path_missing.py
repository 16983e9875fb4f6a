"""Says of an update why DynamoDB cannot change the inside of a field: nothing is there that has an inside."""

from __future__ import annotations

from typing import Any, Final

from pksk.errors import DesignError, ExpressionError, Refused
from pksk.expressions import Add, Delete, Field, Path, Value
from pksk.model import Update
from pksk.store.sending.diagnosis import named

__all__ = ["path_missing", "refused_by_item"]

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
_WORDS: Final = "The document path provided in the update expression is invalid for update"
_OTHER_TYPE: Final = "An operand in the update expression has an incorrect data type"
_CODE: Final = "ValidationException"
_TOO_MUCH: Final = frozenset(("expression-too-long", "expression-too-many-operators"))
# What DynamoDB, and the store where it has read the item, says of an item that an action does not fit.
_OF_THE_ITEM: Final = frozenset(("update-invalid-path", "update-operand-type", "update-missing-attribute"))


def path_missing(write: Any, refused: Refused) -> Refused:
    """The error for paths that lead nowhere, or to no set; the refusal as it is where it is about something else."""
    paths = _inside(write) if isinstance(write, Update) else {}
    if _OTHER_TYPE in refused.problem:
        return _no_set(write, refused)
    if not paths or _WORDS not in refused.problem:
        return refused
    shown, (field, around) = " or ".join(paths), next(iter(paths.values()))
    made = Refused(
        "store-path-missing",
        refused.problem,
        expected=f"The item holds no map or list that {shown} could stand in, and DynamoDB makes none on the way.",
        fix=f"set the whole field where it is missing: .set({field}=...), or ask for what is around it: "
        f".when(F.{around}.exists()).",
    )
    made.request, made.service_code = write, refused.service_code
    return made


def _no_set(write: Any, refused: Refused) -> Refused:
    """The error for members that are added to a set, or taken out of one, inside of a field where it is empty."""
    changes = write.changes if isinstance(write, Update) else ()
    paths = [
        (each.field, *each.action.path.elements[1:])
        for each in changes
        if isinstance(each.action, Add | Delete) and isinstance(each.action.value, Value)
        if each.action.value.kind != "N" and len(each.action.path.elements) > 1
    ]
    if not paths:
        return refused
    shown = repr(Field(Path(paths[0])))
    made = Refused(
        "store-set-inside",
        refused.problem,
        expected="DynamoDB has no empty sets: inside of a field, an empty one is a list, which takes no members.",
        fix=f"set it whole where it is empty: .apply({shown}.set({{...}})).when({shown}.size() == 0).",
    )
    made.request, made.service_code = write, refused.service_code
    return made


def refused_by_item(write: Any, error: ExpressionError) -> Refused:
    """What DynamoDB would say of changes that the item does not take; raises an error that is about something else."""
    if error.code in _TOO_MUCH and write.upserting:
        raise _too_wide(write, error) from error
    if error.code not in _OF_THE_ITEM:
        raise error
    made = Refused(
        "store-refused",
        f"{named(write)}: {_CODE}: {error.problem}",
        expected="UpdateItem would be refused by the service, in these words.",
    )
    made.request, made.service_code = write, _CODE
    return path_missing(write, made)


def _too_wide(write: Any, error: ExpressionError) -> DesignError:
    name, count = write.declaration.name, len(write.declaration.fields)
    return DesignError(
        "store-upsert-too-wide",
        f"{named(write)}: an upsert names each of the {count} fields of {name}, which is too much for an expression.",
        expected=f"An item that it makes has all of them, with their defaults. {error.problem}",
        fix="update without upsert, and create the entity where that raises NotFound; or keep many values in one "
        "field, such as a dict.",
    )


def _inside(update: Update[Any]) -> dict[str, tuple[str, str]]:
    """The paths inside of fields that an update changes, each with its field and the path around it."""
    found: dict[str, tuple[str, str]] = {}
    for change in update.changes:
        rest = change.action.path.elements[1:]
        steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest]
        if steps:
            around = change.field + "".join(steps[:-1])
            found[around + steps[-1]] = change.field, around
    return found
