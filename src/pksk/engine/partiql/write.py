"""INSERT, UPDATE, DELETE and EXISTS compiled into the puts, updates, deletes and checks of the ordinary operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pksk.engine.faults import validation
from pksk.engine.layout import Rows
from pksk.engine.tables.table import Table
from pksk.engine.texts import partiql as texts
from pksk.engine.values import check_item
from pksk.engine.writes.delete import Check
from pksk.engine.writes.delete import Delete as DeleteOf
from pksk.engine.writes.perform import UnmetCondition
from pksk.engine.writes.put import Put
from pksk.engine.writes.update import UpdateOf
from pksk.engine.writes.write import Condition as Test
from pksk.expressions import Condition
from pksk.values import Wire, WireItem

from .filled import FilledCondition, FilledUpdate, Values, value_of
from .keys import conjuncts, equality, joined
from .parsed import Parsed
from .tree import Delete, Exists, Insert, Statement, Update

__all__ = ["Does", "DuplicateItem", "does"]

Does: TypeAlias = Put | UpdateOf | DeleteOf


class DuplicateItem(UnmetCondition):
    """An INSERT of an item whose key is taken."""

    def __init__(self, failed: UnmetCondition) -> None:
        super().__init__(failed.row)
        self.code, self.message = "DuplicateItemException", texts.DUPLICATE


def does(parsed: Parsed, table: Table, values: Values) -> Does:
    """What a statement that writes does to a table."""
    statement = parsed.statement
    if isinstance(statement, Insert):
        return _put(statement, values)
    plan = parsed.plan(table.rows, _WritePlan)
    key, test = plan.key(values), plan.test(values)
    if isinstance(statement, Update):
        assert plan.update is not None
        # It makes no item where there is none.
        return UpdateOf(key, plan.update.update(values), _of_one_there(test))
    if isinstance(statement, Delete):
        return DeleteOf(key, None if test is None else lambda item: not item or test(item))
    return Check(key, _of_one_there(test))


def _put(statement: Insert, values: Values) -> Put:
    made = statement.item(values)
    if "M" not in made:
        raise validation(texts.INSERT_WANTS_MAP)
    item, size = check_item(made["M"])
    return Put(item, size, _is_absent)


def _is_absent(item: WireItem) -> bool:
    return not item


def _of_one_there(test: Test | None) -> Test:
    return bool if test is None else lambda item: bool(item) and test(item)


class _WritePlan:
    """How a statement finds its item: what follows from its text and the table's key, before its values are known."""

    __slots__ = ("_filter", "_key", "update")

    def __init__(self, statement: Statement, rows: Rows) -> None:
        assert isinstance(statement, Update | Delete | Exists)
        left = list(conjuncts(statement.where))
        self._key = [(attribute.name, _taken(left, attribute.name)) for attribute in rows.keys]
        rest = joined(left)
        self._filter = None if rest is None else FilledCondition(rest, "ConditionExpression")
        self.update = FilledUpdate(statement.update) if isinstance(statement, Update) else None

    def key(self, values: Values) -> WireItem:
        """The key of the item."""
        return {name: value(values) for name, value in self._key}

    def test(self, values: Values) -> Test | None:
        """What must hold beside the key."""
        return None if self._filter is None else self._filter.test(values)


def _taken(left: list[Condition], name: str) -> Callable[[Values], Wire]:
    """The value of a key attribute, whose condition is then done."""
    for place, node in enumerate(left):
        value = equality(node, name)
        if value is not None:
            del left[place]
            return value_of(value)
    raise validation(texts.MISSING_KEY)
