"""ExecuteTransaction: up to 100 PartiQL statements, all reads or all writes, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from pksk.client import ServiceError
from pksk.engine.core import Answer, Core, Request
from pksk.engine.items import keys, perform, transactions
from pksk.engine.items.write_requests import ItemDelete
from pksk.engine.partiql.literals import ParameterValues
from pksk.engine.partiql.parse import ParsedStatement, check_parameters, parse
from pksk.engine.partiql.select import selected_item
from pksk.engine.partiql.select_plan import SelectPlan
from pksk.engine.partiql.tree import ExistsStatement, InsertStatement, SelectStatement
from pksk.engine.partiql.write import DuplicateItem, InvalidWrite, check_plan, write_action
from pksk.engine.service_errors import validation
from pksk.engine.state import Table, Write

_Statement: TypeAlias = tuple[Request, ParsedStatement, ParameterValues]


class _Member(NamedTuple):
    """One statement of a transaction, with its values and its table."""

    request: Request
    parsed: ParsedStatement
    values: ParameterValues
    table: Table


def execute_transaction(core: Core, request: Request) -> Answer:
    """Answer an ExecuteTransaction request."""
    statements = [
        _read(position, statement) for position, statement in enumerate(request["TransactStatements"])
    ]
    reads = {parsed.is_read for _, parsed, _ in statements}
    if len(reads) > 1:
        raise validation(
            "ExecuteTransaction API does not support both read and write operations in the same request."
        )
    members = _members(core, statements)
    if True in reads:
        return transactions.transact_get(core, request, transactions.for_each_member(members, _get))
    actions = [_Action(member) for member in members]
    return {"Responses": [], **transactions.transact_write(core, request, "TransactStatements", actions)}


def _members(core: Core, statements: Sequence[_Statement]) -> list[_Member]:
    """The statements with their tables; a missing table cancels the transaction."""
    members: list[_Member] = []
    missing: dict[int, ServiceError] = {}
    for position, statement in enumerate(statements):
        try:
            member = _Member(*statement, core.catalogue.table(statement[1].statement.table))
        except ServiceError as error:
            missing[position] = error
            continue
        with _in_statement(position):
            _check_plan(member)
        members.append(member)
    if missing:
        raise transactions.cancellation(
            [
                transactions.cancellation_reason(missing[position]) if position in missing else None
                for position in range(len(statements))
            ]
        )
    return members


@contextmanager
def _in_statement(position: int) -> Iterator[None]:
    """A block whose validation errors name the statement."""
    try:
        yield
    except ServiceError as error:
        if error.code != "ValidationException":
            raise
        raise validation(f"Validation failed in TransactStatements[{position}]: {error.message}") from None


def _read(position: int, request: Request) -> _Statement:
    parameters = check_parameters(request.get("Parameters", ()))
    with _in_statement(position):
        parsed = parse(request["Statement"])
        return request, parsed, parsed.values(parameters)


def _check_plan(member: _Member) -> None:
    """Raise for a statement that no transaction has, or a SELECT that does not read one item by its key."""
    select = member.parsed.statement
    if getattr(select, "returning", None) is not None:
        raise validation("RETURNING clause is not supported in ExecuteTransaction.")
    if isinstance(select, ExistsStatement):
        check_plan(member.parsed, member.table)
    if not isinstance(select, SelectStatement):
        return
    if select.index is not None:
        raise validation("Reads on indices are not supported within transactions.")
    plan = member.parsed.plan(member.table.layout, SelectPlan)
    if plan.has_several_ranges:
        plan.ranges(member.table.layout, member.values)
    if not plan.is_unfiltered_get:
        raise validation(
            "Select statements within ExecuteTransaction must specify the primary key in the where clause."
        )


def _get(member: _Member) -> transactions.Get:
    table = member.table
    plan = member.parsed.plan(table.layout, SelectPlan)
    key = keys.lookup_key(table, plan.key(member.values))
    return transactions.Get(member.parsed.statement.table, table, key, partial(selected_item, plan.projector))


# In place of an invalid write.
_NO_WRITE: Final = ItemDelete({}, None)


class _Action(transactions.Action):
    """A writing statement as a member of a transaction."""

    __slots__ = ("_error", "_inserts")
    reports_every_key = True

    def __init__(self, member: _Member) -> None:
        self._error: InvalidWrite | None = None
        try:
            action = write_action(member.parsed, member.table, member.values)
        except InvalidWrite as error:
            self._error, action = error, _NO_WRITE
        wants_item = member.request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        super().__init__(action, member.parsed.statement.table, wants_item=wants_item)
        self.table = member.table
        self._inserts = isinstance(member.parsed.statement, InsertStatement)

    def to_write(self) -> Write:
        """The write for the table; raises if the statement has none."""
        if self._error is not None:
            raise validation(self._error.in_transaction)
        return super().to_write()

    def reason(self, error: ServiceError) -> transactions.Reason:
        """The cancellation reason for an error."""
        if self._inserts and isinstance(error, perform.ConditionalCheckFailed):
            error = DuplicateItem(error)
        return super().reason(error)
