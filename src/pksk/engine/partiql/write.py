"""Runs INSERT, UPDATE, DELETE and EXISTS as puts, updates, deletes and condition checks."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import orjson

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.updates import updated_attributes
from pksk.engine.items.perform import ConditionalCheckFailed, write_item
from pksk.engine.items.write_requests import ConditionCheck, ItemDelete, ItemPut, ItemUpdate
from pksk.engine.request import check_item
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation, with_older_wording
from pksk.engine.state import Outcome, Table, Test, Write
from pksk.expressions import Condition, Value, ValueRef, compile_condition
from pksk.values import WireItem

from .key_conditions import conjuncts, equal_value, join_conditions
from .literals import ParameterValues, value_of
from .parse import FilledUpdate, ParsedStatement
from .tree import DeleteStatement, ExistsStatement, InsertStatement, Statement, UpdateStatement

WriteAction: TypeAlias = ItemPut | ItemUpdate | ItemDelete


class DuplicateItem(ConditionalCheckFailed):
    """An INSERT of an item that already exists."""

    def __init__(self, failed: ConditionalCheckFailed) -> None:
        super().__init__(failed.row)
        self.code, self.message = "DuplicateItemException", "Duplicate primary key exists in table"


class InvalidWrite(ServiceError):
    """A write that does not name one item, or is nested too deep: in a transaction, the reason of its statement."""

    def __init__(self, message: str, in_transaction: str) -> None:
        super().__init__("ValidationException", message)
        self.in_transaction = in_transaction


def check_plan(parsed: ParsedStatement, table: Table) -> None:
    """Raise for a write that does not fit the keys of a table."""
    if not isinstance(parsed.statement, InsertStatement):
        parsed.plan(table.layout, _WritePlan)


def write_action(parsed: ParsedStatement, table: Table, values: ParameterValues) -> WriteAction:
    """The write of a statement."""
    statement = parsed.statement
    if isinstance(statement, InsertStatement):
        return _insert_action(statement, values)
    plan = parsed.plan(table.layout, _WritePlan)
    key, test = plan.key(values), plan.test(values)
    if isinstance(statement, UpdateStatement):
        assert plan.update is not None
        # Unlike UpdateItem, UPDATE does not create items.
        return ItemUpdate(key, plan.update.update(values), _if_exists(test))
    if isinstance(statement, DeleteStatement):
        return ItemDelete(key, None if test is None else lambda item: not item or test(item))
    return ConditionCheck(key, _if_exists(test))


def _insert_action(statement: InsertStatement, values: ParameterValues) -> ItemPut:
    value = statement.item(values)
    if "M" not in value:
        raise validation("Value of an INSERT statement must be a map")
    try:
        item, size = check_item(value["M"])
    except ServiceError as error:
        if error.message == texts.NESTING:
            raise InvalidWrite(texts.TOO_DEEP, texts.TOO_DEEP) from None
        raise with_older_wording(error) from None
    return ItemPut(item, size, _is_absent)


def _is_absent(item: WireItem) -> bool:
    return not item


def _if_exists(test: Test | None) -> Test:
    return bool if test is None else lambda item: bool(item) and test(item)


class _WritePlan:
    """The key and the condition of a statement, as far as its text and the table determine them."""

    __slots__ = ("_condition", "_key", "update")

    def __init__(self, statement: Statement, rows: RowLayout) -> None:
        assert isinstance(statement, UpdateStatement | DeleteStatement | ExistsStatement)
        is_check = isinstance(statement, ExistsStatement)
        remaining = list(conjuncts(statement.where))
        self._key = [
            (attribute.name, value_of(_take_key_value(remaining, attribute.name, is_check=is_check)))
            for attribute in rows.keys
        ]
        condition = join_conditions(remaining)
        if is_check and condition is None:
            raise validation(texts.EXISTS_NEEDS_CONDITION)
        self._condition = None if condition is None else compile_condition(condition)
        self.update = FilledUpdate(statement.update) if isinstance(statement, UpdateStatement) else None

    def key(self, values: ParameterValues) -> WireItem:
        """The key of the item."""
        return {name: value(values) for name, value in self._key}

    def test(self, values: ParameterValues) -> Test | None:
        """The condition besides the key."""
        return None if self._condition is None else self._condition.test(values)


def _take_key_value(remaining: list[Condition], name: str, *, is_check: bool) -> Value | ValueRef:
    """The value of a key attribute; removes its condition, and repetitions of it."""
    values = [value for node in remaining if (value := equal_value(node, name)) is not None]
    if not values:
        if is_check:
            raise validation(texts.EXISTS_NEEDS_CONDITION)
        raise InvalidWrite(
            "Where clause does not contain a mandatory equality on all key attributes", texts.KEY_MISMATCH
        )
    if not is_check and any(_are_different(values[0], other) for other in values):
        several = (
            f"Multiple conditions on same key {name}. Only single item Update/Insert/Delete are supported"
        )
        raise InvalidWrite(several, several)
    remaining[:] = [node for node in remaining if equal_value(node, name) != values[0]]
    return values[0]


def _are_different(one: Value | ValueRef, other: Value | ValueRef) -> bool:
    """Whether two values are certainly not the same."""
    return isinstance(one, Value) and isinstance(other, Value) and one != other


_RETURN_OPTIONS: Final = ("ReturnConsumedCapacity", "ReturnValuesOnConditionCheckFailure")


def run_write(
    core: Core, request: Request, parsed: ParsedStatement, values: ParameterValues
) -> tuple[Any, Answer]:
    """Run a write; returns the item of RETURNING, if any, and the answer with the consumed capacity."""
    table = core.catalogue.table(parsed.statement.table)
    action = write_action(parsed, table, values)
    item, _, answer = perform_write(core, request, parsed, (action, action.write_to(table)))
    return item, answer


def perform_write(
    core: Core, request: Request, parsed: ParsedStatement, prepared: tuple[WriteAction, Write]
) -> tuple[Any, Outcome, Answer]:
    """Run a prepared write; returns the item of RETURNING, the outcome, and the answer."""
    statement = parsed.statement
    action, write = prepared
    options = {name: request[name] for name in _RETURN_OPTIONS if name in request}
    options["TableName"] = statement.table
    try:
        outcome, answer = write_item(core, options, write)
    except ConditionalCheckFailed as failed:
        if isinstance(statement, InsertStatement):
            raise DuplicateItem(failed) from None
        raise
    returning = getattr(statement, "returning", None)
    return None if returning is None else _returned_item(returning, action, outcome), outcome, answer


def _returned_item(returning: str, action: WriteAction, outcome: Outcome) -> Any:
    if returning == "ALL_OLD":
        return None if outcome.old is None else orjson.Fragment(outcome.old.data)
    if returning == "ALL_NEW":
        return outcome.new_item
    assert isinstance(action, ItemUpdate)
    assert action.update is not None
    image = outcome.old_item if returning == "UPDATED_OLD" else outcome.new_item
    return updated_attributes(action.update, image or {}) or None
