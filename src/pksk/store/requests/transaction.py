"""Runs transactions: all writes or none, or all reads at one moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import ItemUnreadable
from pksk.model.writes.item_change import ItemChange, write_expectations
from pksk.model.writes.marker_rules import marker_rules
from pksk.model.writes.prepared_write import ItemAction, PreparedWrite, expectation_request, wire_key
from pksk.model.writes.write_conditions import user_condition
from pksk.store.reads.entity_reader import read_entities
from pksk.store.reads.unreadable_items import UnreadableItems
from pksk.store.requests import delete, put, update
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps, Together
from pksk.store.writes.perform import retry_while_stale
from pksk.store.writes.transact import transact

if TYPE_CHECKING:
    from pksk.model import Check, Transaction
    from pksk.store.core import Core


def transact_get(
    core: Core, transaction: Transaction[Any], unreadable: UnreadableItems = None
) -> Steps[list[Any]]:
    """The entity of each Get of a transaction or None, in their order."""
    transaction = transaction.with_shared_pattern()
    if core.meters:
        core.meters.used(transaction)
    answer = yield from send(core, "TransactGetItems", transaction.request, transaction)
    items = [each.get("Item") or None for each in answer["Responses"]]
    return read_entities(zip(transaction.members, items, strict=True), core.clock(), unreadable)  # type: ignore[arg-type]


def transact_write(core: Core, request: Transaction[Any]) -> Steps[list[Any]]:
    """Do all writes of a transaction; gives the entity of each put, else None."""
    request = request.with_shared_pattern()
    if core.meters:
        core.meters.used(request)

    def attempt() -> Steps[list[Any]]:
        prepared: list[PreparedWrite] = yield Together(
            tuple(_prepare_member(core, each, request) for each in request.members)
        )
        yield from transact(core, request, prepared, request.token)
        return [each.result for each in prepared]

    return (yield from retry_while_stale(core, request, attempt))


def _prepare_member(core: Core, write: Any, about: Transaction[Any]) -> Steps[PreparedWrite]:
    """Prepare a member of a transaction; an unreadable item becomes the error of this member."""
    try:
        return (yield from PREPARERS[write.kind](core, write, about))
    except ItemUnreadable as error:
        error.request = write
        return PreparedWrite(write, (), known_error=error)


def _prepare_check(core: Core, check: Check[Any], _: Any) -> Steps[PreparedWrite]:
    """Prepare a check as a member of a transaction."""
    rules = marker_rules(check.declaration)
    change = ItemChange("check absent" if check.requires_absence else "check", rules, core.clock())
    expectations = write_expectations(change, user_condition(check.declaration, check.condition))
    request = {
        "TableName": check.table_name,
        "Key": wire_key(check.item_key),
        **expectation_request(expectations),
    }
    yield from ()
    return PreparedWrite(check, (ItemAction("ConditionCheck", request, expectations),))


# The kinds that can be members of a transaction of writes.
PREPARERS: Final[Mapping[str, Callable[[Core, Any, Any], Steps[PreparedWrite]]]] = {
    "put": put.prepare,
    "update": update.prepare,
    "delete": lambda core, write, about: delete.prepare(core, write, about=about),
    "check": _prepare_check,
}
