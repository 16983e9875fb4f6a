"""Runs transactions: all writes or none, or all reads at one moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from pksk.errors import ItemUnreadable
from pksk.model.item_key import wire_key
from pksk.model.requests.keyed_request import ItemRequest
from pksk.model.write_rules.prepared_write import ItemAction, PreparedWrite, expectation_request
from pksk.model.write_rules.rules import ItemChange, marker_rules
from pksk.model.write_rules.stored_states import write_expectations
from pksk.model.writes.write_conditions import user_condition
from pksk.sending import Core, Steps, Together, send
from pksk.store.arguments import E, UnreadableItems, check_unreadable_list, reject_unreadable_list
from pksk.store.reads.entity_reader import read_entities
from pksk.store.requests import delete, put, update
from pksk.store.writes.perform import retry_while_stale, transact

if TYPE_CHECKING:
    from pksk.model import Check, Transaction


def run_transaction(
    core: Core, transaction: Transaction[E], unreadable: UnreadableItems = None
) -> Steps[list[E | None]]:
    """Run the reads or writes of a transaction; returns an entity for each get and put, None for other members."""
    check_unreadable_list("transaction", unreadable)
    if transaction.reads:
        return transact_get(core, transaction, unreadable)
    reject_unreadable_list("transaction", unreadable, transaction)
    return transact_write(core, transaction)


def transact_get(
    core: Core, transaction: Transaction[E], unreadable: UnreadableItems = None
) -> Steps[list[E | None]]:
    """The entity of each Get of a transaction or None, in their order."""
    transaction = transaction.with_shared_pattern()
    if core.meters:
        core.meters.used(transaction)
    answer = yield from send(core, "TransactGetItems", transaction.request, transaction)
    items = [each.get("Item") or None for each in answer["Responses"]]
    read = read_entities(zip(transaction.members, items, strict=True), core.clock(), unreadable)  # type: ignore[arg-type]
    return cast("list[E | None]", read)


def transact_write(core: Core, request: Transaction[E]) -> Steps[list[E | None]]:
    """Apply all writes of a transaction; returns the entity of each put, None for other members."""
    request = request.with_shared_pattern()
    if core.meters:
        core.meters.used(request)

    def attempt() -> Steps[list[E | None]]:
        prepared: list[PreparedWrite] = yield Together(
            tuple(_prepare_member(core, each, request) for each in request.members)
        )
        yield from transact(core, request, prepared, request.token)
        return [cast("E | None", each.result) for each in prepared]

    return (yield from retry_while_stale(core, request, attempt))


def _prepare_member(core: Core, write: ItemRequest, transaction: Transaction) -> Steps[PreparedWrite]:
    """Prepare a member of a transaction; an unreadable item becomes the error of this member."""
    try:
        return (yield from PREPARERS[write.kind](core, write, transaction))
    except ItemUnreadable as error:
        error.request = write
        return PreparedWrite(write, (), known_error=error)


def _prepare_check(core: Core, check: Check, _: Transaction) -> Steps[PreparedWrite]:
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
    "delete": lambda core, write, transaction: delete.prepare(core, write, transaction=transaction),
    "check": _prepare_check,
}
