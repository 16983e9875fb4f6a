"""ExecuteTransaction: up to 100 PartiQL statements, all reads or all writes, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from pksk.client import ServiceError
from pksk.engine.core import Answer, Core
from pksk.engine.items.item_key import lookup_key
from pksk.engine.items.perform import ConditionalCheckFailed
from pksk.engine.items.transactions import Action, Get, Reason, for_each_member, transact_get, transact_write
from pksk.engine.partiql.parameters import ParameterValues
from pksk.engine.partiql.parse import ParsedStatement, check_parameters, parse
from pksk.engine.partiql.select import selected_item
from pksk.engine.partiql.select_plan import SelectPlan
from pksk.engine.partiql.tree import InsertStatement, SelectStatement
from pksk.engine.partiql.write import DuplicateItem, write_action
from pksk.engine.service_errors import validation
from pksk.engine.state.table import Table
from pksk.engine.texts import partiql as texts


class _Member(NamedTuple):
    """One statement of a transaction, with its values and its table."""

    request: Mapping[str, Any]
    parsed: ParsedStatement
    values: ParameterValues
    table: Table


def execute_transaction(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an ExecuteTransaction request."""
    statements = [
        _read(position, statement) for position, statement in enumerate(request["TransactStatements"])
    ]
    reads = {parsed.is_read for _, parsed, _ in statements}
    if len(reads) > 1:
        raise validation(texts.MIXED_TRANSACTION)
    members = [
        _Member(*statement, core.catalogue.table(statement[1].statement.table)) for statement in statements
    ]
    if True in reads:
        _check_keys(members)
        return transact_get(core, request, for_each_member(members, _get))
    actions = [_Action(member) for member in members]
    return {"Responses": [], **transact_write(core, request, "TransactStatements", actions)}


def _read(
    position: int, request: Mapping[str, Any]
) -> tuple[Mapping[str, Any], ParsedStatement, ParameterValues]:
    parameters = check_parameters(request.get("Parameters", ()))
    parsed = parse(request["Statement"])
    if getattr(parsed.statement, "returning", None) is not None:
        raise validation(texts.returning_in_transaction(position))
    return request, parsed, parsed.values(parameters)


def _check_keys(members: list[_Member]) -> None:
    """Raise for a SELECT that does not read one item of its table by key."""
    for member in members:
        select = member.parsed.statement
        assert isinstance(select, SelectStatement)
        if (
            select.index is not None
            or not member.parsed.plan(member.table.layout, SelectPlan).is_unfiltered_get
        ):
            raise validation(texts.TRANSACTION_SELECT_NEEDS_KEY)


def _get(member: _Member) -> Get:
    table = member.table
    plan = member.parsed.plan(table.layout, SelectPlan)
    key = lookup_key(table, plan.key(member.values))
    return Get(member.parsed.statement.table, table, key, partial(selected_item, plan.projector))


class _Action(Action):
    """A writing statement as a member of a transaction."""

    __slots__ = ("_inserts",)

    def __init__(self, member: _Member) -> None:
        wants_item = member.request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        action = write_action(member.parsed, member.table, member.values)
        super().__init__(action, member.parsed.statement.table, wants_item=wants_item)
        self.table = member.table
        self._inserts = isinstance(member.parsed.statement, InsertStatement)

    def reason(self, error: ServiceError) -> Reason:
        """The cancellation reason for an error."""
        if self._inserts and isinstance(error, ConditionalCheckFailed):
            error = DuplicateItem(error)
        return super().reason(error)
