"""Explains why the service rejects an update of nested values, or a transaction token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import DesignError, ExpressionError, RequestRejected, quote
from pksk.expressions import Add, Delete, Field, Path, Value
from pksk.model import Update
from pksk.model.writes.marker_rules import marker_rules
from pksk.store.sending.diagnosis import request_name

if TYPE_CHECKING:
    from pksk.model.writes.prepared_write import PreparedWrite

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
_WORDS: Final = "The document path provided in the update expression is invalid for update"
_WRONG_TYPE: Final = "An operand in the update expression has an incorrect data type"
_CODE: Final = "ValidationException"
_TOO_LARGE: Final = frozenset(("expression-too-long", "expression-too-many-operators"))
# What DynamoDB, and the store where it has read the item, says of an item that an action does not fit.
_OF_THE_ITEM: Final = frozenset(("update-invalid-path", "update-operand-type", "update-missing-attribute"))


def path_missing(write: Any, refused: RequestRejected) -> RequestRejected:
    """The error for paths that lead nowhere, or to no set; the refusal as it is where it is about something else."""
    paths = _nested_paths(write) if isinstance(write, Update) else {}
    if _WRONG_TYPE in refused.problem:
        return _set_missing(write, refused)
    if not paths or _WORDS not in refused.problem:
        return refused
    shown, (field, around) = " or ".join(paths), next(iter(paths.values()))
    made = RequestRejected(
        "store-path-missing",
        refused.problem,
        expected=f"The item holds no map or list that {shown} could be in, and DynamoDB does not create one.",
        fix=f"set the whole field where it is missing: .set({field}=...), or test that its parent exists: "
        f".when(F.{around}.exists()).",
    )
    made.request, made.service_code = write, refused.service_code
    return made


def _set_missing(write: Any, refused: RequestRejected) -> RequestRejected:
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
    made = RequestRejected(
        "store-set-inside",
        refused.problem,
        expected="DynamoDB has no empty sets: inside of a field, an empty one is a list, which takes no members.",
        fix=f"set it whole where it is empty: .apply({shown}.set({{...}})).when({shown}.size() == 0).",
    )
    made.request, made.service_code = write, refused.service_code
    return made


def rejected_by_item(write: Any, error: ExpressionError) -> RequestRejected:
    """What DynamoDB would say of changes that the item does not take; raises an error that is about something else."""
    if error.code in _TOO_LARGE and write.is_upsert:
        raise _too_wide(write, error) from error
    if error.code not in _OF_THE_ITEM:
        raise error
    made = RequestRejected(
        "store-refused",
        f"{request_name(write)}: {_CODE}: {error.problem}",
        expected="The service would reject UpdateItem with these words.",
    )
    made.request, made.service_code = write, _CODE
    return path_missing(write, made)


def _too_wide(write: Any, error: ExpressionError) -> DesignError:
    name, count = write.declaration.name, len(write.declaration.fields)
    return DesignError(
        "store-upsert-too-wide",
        f"{request_name(write)}: an upsert names all {count} fields of {name}, which is too long for an expression.",
        expected=f"An item that it makes has all of them, with their defaults. {error.problem}",
        fix="update without upsert, and create the entity where that raises NotFound; or keep many values in one "
        "field, such as a dict.",
    )


def _nested_paths(update: Update[Any]) -> dict[str, tuple[str, str]]:
    """The paths inside of fields that an update changes, each with its field and the path around it."""
    found: dict[str, tuple[str, str]] = {}
    for change in update.changes:
        rest = change.action.path.elements[1:]
        steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest]
        if steps:
            around = change.field + "".join(steps[:-1])
            found[around + steps[-1]] = change.field, around
    return found


_MISMATCH: Final = "IdempotentParameterMismatchException"


def token_used(
    about: Any, prepared: Sequence[PreparedWrite], token: str | None, refused: RequestRejected
) -> RequestRejected:
    """The error for a token under which something else was sent; the refusal as it is where it is about no token."""
    if refused.service_code != _MISMATCH:
        return refused
    differing = "; ".join(dict.fromkeys(text for each in prepared for text in _differences(each)))
    made = RequestRejected(
        "store-token-used",
        refused.problem,
        expected=f"Under the token {quote(token)} another request was done in the last ten minutes; this one was not."
        + (f" Of these writes no two requests are the same: {differing}." if differing else ""),
        fix="where it is the same transaction once more, take it as done; for another one give another token.",
    )
    made.request, made.service_code = about, refused.service_code
    return made


def _differences(prepared: PreparedWrite) -> Iterator[str]:
    """What makes two requests of one write differ."""
    write, rules = prepared.write, marker_rules(prepared.write.declaration)
    name = rules.declaration.name
    yield from rules.request_differences(write.kind)
    if rules.can_expire:
        yield f"{name}.{rules.ttl or rules.declaration.table.ttl} is compared with the time of each"
    if prepared.has_read:
        yield f"{name} is read first, and what was read is part of each"
