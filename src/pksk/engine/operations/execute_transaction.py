"""ExecuteTransaction: up to a hundred statements in PartiQL that read, or that write, all of them or none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from pksk.engine.core import Answer, Core
from pksk.engine.faults import ServiceError, validation
from pksk.engine.keys import lookup_key
from pksk.engine.partiql.filled import Values
from pksk.engine.partiql.parsed import Parsed, check_parameters, parse
from pksk.engine.partiql.select import shown_of
from pksk.engine.partiql.select_plan import SelectPlan
from pksk.engine.partiql.tree import Insert, Select
from pksk.engine.partiql.write import DuplicateItem, does
from pksk.engine.tables.table import Table
from pksk.engine.texts import partiql as texts
from pksk.engine.transactions.actions import Action
from pksk.engine.transactions.cancelled import Reason, each
from pksk.engine.transactions.gets import Get, got
from pksk.engine.transactions.transacted import transacted
from pksk.engine.writes.perform import UnmetCondition

__all__ = ["execute_transaction"]


class _Member(NamedTuple):
    """One statement of a transaction, with its values and its table."""

    request: Mapping[str, Any]
    parsed: Parsed
    values: Values
    table: Table


def execute_transaction(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an ExecuteTransaction request."""
    read = [_read(place, one) for place, one in enumerate(request["TransactStatements"])]
    reads = {parsed.reads for _, parsed, _ in read}
    if len(reads) > 1:
        raise validation(texts.MIXED_TRANSACTION)
    members = [_Member(*one, core.catalogue.table(one[1].statement.table)) for one in read]
    if True in reads:
        _check_keys(members)
        return got(core, request, each(members, _get))
    actions = [_Action(member) for member in members]
    return {"Responses": [], **transacted(core, request, "TransactStatements", actions)}


def _read(place: int, request: Mapping[str, Any]) -> tuple[Mapping[str, Any], Parsed, Values]:
    parameters = check_parameters(request.get("Parameters", ()))
    parsed = parse(request["Statement"])
    if getattr(parsed.statement, "returning", None) is not None:
        raise validation(texts.returning_in_transaction(place))
    return request, parsed, parsed.values(parameters)


def _check_keys(members: list[_Member]) -> None:
    """Refuse a SELECT that does not name one item of its table, or asks more of it."""
    for member in members:
        select = member.parsed.statement
        assert isinstance(select, Select)
        if select.index is not None or not member.parsed.plan(member.table.rows, SelectPlan).exact:
            raise validation(texts.TRANSACTION_SELECT_NEEDS_KEY)


def _get(member: _Member) -> Get:
    table = member.table
    plan = member.parsed.plan(table.rows, SelectPlan)
    key = lookup_key(table, plan.key(member.values))
    return Get(member.parsed.statement.table, table, key, partial(shown_of, plan.shown))


class _Action(Action):
    """A statement that writes, as a member of a transaction."""

    __slots__ = ("_inserts",)

    def __init__(self, member: _Member) -> None:
        wants_item = member.request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        doing = does(member.parsed, member.table, member.values)
        super().__init__(doing, member.parsed.statement.table, wants_item=wants_item)
        self.table = member.table
        self._inserts = isinstance(member.parsed.statement, Insert)

    def reason(self, error: ServiceError) -> Reason:
        """Why it fails, as a cancellation shows it."""
        if self._inserts and isinstance(error, UnmetCondition):
            error = DuplicateItem(error)
        return super().reason(error)
