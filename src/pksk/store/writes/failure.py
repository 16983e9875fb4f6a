"""Finds why a write failed, a condition or a rejection by the service, and makes the typed error for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pksk.errors import (
    AlreadyExists,
    ConditionFailed,
    DesignError,
    ExpressionError,
    NotFound,
    PkskError,
    RequestRejected,
    StoreError,
    TransactionFailed,
    quote,
)
from pksk.expressions import Add, Delete, Field, Path, Value, describe
from pksk.model import Entity, Update
from pksk.model.declaration import Declaration
from pksk.model.entity_of_item import is_item_of
from pksk.model.requests.keyed_request import ItemRequest
from pksk.model.requests.request import Request
from pksk.model.write_rules.prepared_write import (
    Expectation,
    FailedAction,
    ItemAction,
    PreparedWrite,
    first_failed,
)
from pksk.model.write_rules.rules import marker_rules
from pksk.sending import Core, Steps, request_name, send
from pksk.store.reads.entity_reader import entity_reader
from pksk.values import WireItem

_SENDS_ITEMS: Final = "items of failed conditions"


def failed_expectation(
    core: Core, prepared: PreparedWrite, action: ItemAction, item: WireItem | None
) -> Steps[tuple[Expectation | None, WireItem | None]]:
    """The expectation that an item does not meet, and the item; no expectation if it now meets all."""
    failed = first_failed(action.expectations, item)
    if item is not None:
        core.service_features.add(_SENDS_ITEMS)
    elif failed is None or (_SENDS_ITEMS not in core.service_features and _is_ambiguous(action)):
        # There was no item, or the service does not send it with the error.
        item = yield from _read_item(core, prepared, action)
        failed = first_failed(action.expectations, item)
    return failed, item


def _is_ambiguous(action: ItemAction) -> bool:
    """Whether the error depends on the item: several things may have failed, or a version."""
    reasons = {each.reason for each in action.expectations}
    return len(reasons) > 1 or "version" in reasons


def _read_item(core: Core, prepared: PreparedWrite, action: ItemAction) -> Steps[WireItem | None]:
    names = prepared.write.declaration.table.key_attributes
    key = action.request.get("Key") or {name: action.request["Item"][name] for name in names}
    request = {"TableName": action.request["TableName"], "Key": key, "ConsistentRead": True}
    item: WireItem | None = (yield from send(core, "GetItem", request, prepared.write)).get("Item")
    return item


def failure(
    write: ItemRequest, action: ItemAction, failed: Expectation | None, item: WireItem | None
) -> StoreError:
    """The error for an expectation that an item did not meet; for None, the item has changed since."""
    if failed is None and len({each.reason for each in action.expectations}) == 1:
        failed = action.expectations[0]
    if failed is not None and failed.reason == "expired_for_condition" and failed.marked is not None:
        # The error is the same after DynamoDB has deleted the item.
        item = None
    error = _error(FailedAction(request_name(write), write, action, failed, item))
    error.request = write
    if error.item is None:
        error.item = stored_entity(write, item)
    return error


def transaction_failed(request: Request | None, failures: dict[int, StoreError]) -> TransactionFailed:
    """The error of a transaction, with the error of each write that failed."""
    failures = dict(sorted(failures.items()))
    lines = "".join(f"\n  {position}: {error.problem}" for position, error in failures.items())
    failed = TransactionFailed(
        "store-transaction-failed",
        f"{request_name(request)}: nothing was written, because these members failed:{lines}",
        fix="see .failures for the error of each.",
        request=request,
    )
    failed.failures = failures
    return failed


def _error(failed: FailedAction) -> ConditionFailed:
    expectation, key = failed.expectation, failed.key_text
    if expectation is not None and expectation.marked is not None:
        return expectation.marked.marker.failure(failed)
    reason = None if expectation is None else expectation.reason
    if reason == "absent":
        upsert = ", or make the update an upsert: .upsert(), or upsert=True."
        return NotFound(
            "store-not-found",
            f"{failed.where}: there is no item {key}.",
            fix="create it first" + (upsert if failed.kind == "update" else "."),
        )
    if reason == "present":
        return AlreadyExists(
            "store-already-exists",
            f"{failed.where}: an item with the key {key} already exists.",
            fix="give it another key, or use put, which replaces.",
        )
    if reason == "other_entity":
        return ConditionFailed(
            "store-other-entity",
            f"{failed.where}: the item {key} belongs to another entity.",
            fix="write it through its own entity.",
        )
    text = "" if expectation is None else f" {describe(expectation.condition_for_message)}"
    return ConditionFailed(
        "store-condition-failed",
        f"{failed.where}: the condition{text} does not hold for the item {key}.",
        fix="see .item for the stored item.",
    )


def stored_entity(write: ItemRequest, item: WireItem | None) -> Entity | WireItem | None:
    """The entity that an item holds, or the item itself if it is of no entity."""
    if item is None:
        return None
    own: Declaration = write.declaration
    owner = next((each for each in (own, *own.table.entities) if is_item_of(each, item)), None)
    try:
        return item if owner is None else entity_reader(owner).read(item)
    except PkskError:
        return item


# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
_INVALID_PATH: Final = "The document path provided in the update expression is invalid for update"
_WRONG_TYPE: Final = "An operand in the update expression has an incorrect data type"
_CODE: Final = "ValidationException"
_TOO_LARGE: Final = frozenset(("expression-too-long", "expression-too-many-operators"))
# The errors of an update action that does not fit the item.
_ITEM_ERRORS: Final = frozenset(("update-invalid-path", "update-operand-type", "update-missing-attribute"))


def path_missing(write: ItemRequest, rejected: RequestRejected) -> RequestRejected:
    """The error for a path that does not exist or is not a set; other rejections are returned as they are."""
    paths = _nested_paths(write) if isinstance(write, Update) else {}
    if _WRONG_TYPE in rejected.problem:
        return _set_missing(write, rejected)
    if not paths or _INVALID_PATH not in rejected.problem:
        return rejected
    path_text, (field, parent) = " or ".join(paths), next(iter(paths.values()))
    error = RequestRejected(
        "store-path-missing",
        rejected.problem,
        expected=f"The item holds no map or list that {path_text} could be in, and DynamoDB does not create one.",
        fix=f"set the whole field where it is missing: .set({field}=...), or test that its parent exists: "
        f".when(F.{parent}.exists()).",
        request=write,
    )
    error.service_code = rejected.service_code
    return error


def _set_missing(write: ItemRequest, rejected: RequestRejected) -> RequestRejected:
    """The error for an update of members of a nested set that is empty."""
    changes = write.changes if isinstance(write, Update) else ()
    paths = [
        (each.field, *each.action.path.elements[1:])
        for each in changes
        if isinstance(each.action, Add | Delete) and isinstance(each.action.value, Value)
        if each.action.value.kind != "N" and len(each.action.path.elements) > 1
    ]
    if not paths:
        return rejected
    path_text = repr(Field(Path(paths[0])))
    error = RequestRejected(
        "store-nested-set",
        rejected.problem,
        expected="DynamoDB has no empty sets: an empty nested set is stored as a list, which takes no members.",
        fix=f"set the whole value if it is empty: .apply({path_text}.set({{...}})).when({path_text}.size() == 0).",
        request=write,
    )
    error.service_code = rejected.service_code
    return error


def rejected_by_item(write: Update, error: ExpressionError) -> RequestRejected:
    """The rejection by DynamoDB that an update of this item would get; raises errors that do not depend on the item."""
    if error.code in _TOO_LARGE and write.is_upsert:
        raise _too_wide(write, error) from error
    if error.code not in _ITEM_ERRORS:
        raise error
    rejected = RequestRejected(
        "store-request-rejected",
        f"{request_name(write)}: {_CODE}: {error.problem}",
        expected="The service would reject UpdateItem with this message.",
        request=write,
    )
    rejected.service_code = _CODE
    return path_missing(write, rejected)


def _too_wide(write: Update, error: ExpressionError) -> DesignError:
    name, count = write.declaration.name, len(write.declaration.fields)
    return DesignError(
        "store-upsert-too-large",
        f"{request_name(write)}: an upsert names all {count} fields of {name}, which is too long for an expression.",
        expected=f"An item that it creates has all of them, with their defaults. {error.problem}",
        fix="update without upsert, and create the entity if that raises NotFound; or keep many values in one "
        "field, such as a dict.",
    )


def _nested_paths(update: Update) -> dict[str, tuple[str, str]]:
    """The nested paths that an update changes, each with its field and its parent path."""
    paths: dict[str, tuple[str, str]] = {}
    for change in update.changes:
        rest = change.action.path.elements[1:]
        steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest]
        if steps:
            parent = change.field + "".join(steps[:-1])
            paths[parent + steps[-1]] = change.field, parent
    return paths


_MISMATCH: Final = "IdempotentParameterMismatchException"


def token_used(
    request: Request | None, prepared: Sequence[PreparedWrite], token: str | None, rejected: RequestRejected
) -> RequestRejected:
    """The error for a token that another request has used; other rejections are returned as they are."""
    if rejected.service_code != _MISMATCH:
        return rejected
    differing = "; ".join(dict.fromkeys(text for each in prepared for text in _differences(each)))
    error = RequestRejected(
        "store-token-reused",
        rejected.problem,
        expected=f"Another request used the token {quote(token)} in the last ten minutes; this one was not applied."
        + (f" A retry of these writes is a different request each time: {differing}." if differing else ""),
        fix="if this repeats the same transaction, it is already done; give another transaction another token.",
        request=request,
    )
    error.service_code = rejected.service_code
    return error


def _differences(prepared: PreparedWrite) -> Iterator[str]:
    """Why two requests of the same write differ."""
    write, rules = prepared.write, marker_rules(prepared.write.declaration)
    name = rules.declaration.name
    yield from rules.request_differences(write.kind)
    if rules.can_expire:
        yield f"{name}.{rules.ttl or rules.declaration.table.ttl} is compared with the time of the request"
    if prepared.has_read:
        yield f"{name} is read first, and the request contains what was read"
