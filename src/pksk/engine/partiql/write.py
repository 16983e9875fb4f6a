"""Runs INSERT, UPDATE, DELETE and EXISTS as puts, updates, deletes and condition checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import orjson

from pksk.engine.core import Answer, Core
from pksk.engine.expressions.updates import updated_attributes
from pksk.engine.items.delete import ConditionCheck
from pksk.engine.items.delete import Delete as DeleteOf
from pksk.engine.items.perform import ConditionalCheckFailed, write_item
from pksk.engine.items.put import Put
from pksk.engine.items.update import ItemUpdate
from pksk.engine.request.attribute_values import check_item
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation
from pksk.engine.state.table import Table
from pksk.engine.state.write import Condition as Test
from pksk.engine.state.write import Outcome, Write
from pksk.engine.texts import partiql as texts
from pksk.expressions import Condition
from pksk.values import Wire, WireItem

from .key_conditions import conjuncts, equal_value, join_conditions
from .parameters import FilledCondition, FilledUpdate, ParameterValues, value_of
from .parse import ParsedStatement
from .tree import DeleteStatement, ExistsStatement, InsertStatement, Statement, UpdateStatement

WriteAction: TypeAlias = Put | ItemUpdate | DeleteOf


class DuplicateItem(ConditionalCheckFailed):
    """An INSERT of an item that already exists."""

    def __init__(self, failed: ConditionalCheckFailed) -> None:
        super().__init__(failed.row)
        self.code, self.message = "DuplicateItemException", texts.DUPLICATE


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
        return DeleteOf(key, None if test is None else lambda item: not item or test(item))
    return ConditionCheck(key, _if_exists(test))


def _insert_action(statement: InsertStatement, values: ParameterValues) -> Put:
    value = statement.item(values)
    if "M" not in value:
        raise validation(texts.INSERT_WANTS_MAP)
    item, size = check_item(value["M"])
    return Put(item, size, _is_absent)


def _is_absent(item: WireItem) -> bool:
    return not item


def _if_exists(test: Test | None) -> Test:
    return bool if test is None else lambda item: bool(item) and test(item)


class _WritePlan:
    """The key and the condition of a statement, as far as its text and the table determine them."""

    __slots__ = ("_condition", "_key", "update")

    def __init__(self, statement: Statement, rows: RowLayout) -> None:
        assert isinstance(statement, UpdateStatement | DeleteStatement | ExistsStatement)
        remaining = list(conjuncts(statement.where))
        self._key = [(attribute.name, _take_key_value(remaining, attribute.name)) for attribute in rows.keys]
        condition = join_conditions(remaining)
        self._condition = None if condition is None else FilledCondition(condition, "ConditionExpression")
        self.update = FilledUpdate(statement.update) if isinstance(statement, UpdateStatement) else None

    def key(self, values: ParameterValues) -> WireItem:
        """The key of the item."""
        return {name: value(values) for name, value in self._key}

    def test(self, values: ParameterValues) -> Test | None:
        """The condition besides the key."""
        return None if self._condition is None else self._condition.test(values)


def _take_key_value(remaining: list[Condition], name: str) -> Callable[[ParameterValues], Wire]:
    """The value of a key attribute; removes its condition."""
    for position, node in enumerate(remaining):
        value = equal_value(node, name)
        if value is not None:
            del remaining[position]
            return value_of(value)
    raise validation(texts.MISSING_KEY)


_RETURN_OPTIONS: Final = ("ReturnConsumedCapacity", "ReturnValuesOnConditionCheckFailure")


def run_write(
    core: Core, request: Mapping[str, Any], parsed: ParsedStatement, values: ParameterValues
) -> tuple[Any, Answer]:
    """Run a write; returns the item of RETURNING, if any, and the answer with the consumed capacity."""
    table = core.catalogue.table(parsed.statement.table)
    action = write_action(parsed, table, values)
    item, _, answer = perform_write(core, request, parsed, (action, action.write_to(table)))
    return item, answer


def perform_write(
    core: Core, request: Mapping[str, Any], parsed: ParsedStatement, prepared: tuple[WriteAction, Write]
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
