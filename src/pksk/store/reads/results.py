"""Rows as what was asked for: entities or smaller models, without what does not belong to the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel, ValidationError

from pksk.errors import ItemUnreadable, PkskError
from pksk.keys import Filter
from pksk.model.reads.strangers import owns
from pksk.model.writes.facts import write_facts
from pksk.store.reads.batch_get import batch_get_items
from pksk.store.reads.entity_reader import entity_reader, is_expired, told_fields, unreadable
from pksk.store.reads.rows import Row
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model import Plan
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["Aside", "Results", "one_result"]

# Where items that cannot be read are put, instead of raising.
Aside: TypeAlias = "list[ItemUnreadable] | None"
_Result: TypeAlias = "tuple[Row, Any]"


class Results:
    """Makes results of rows, for one read."""

    def __init__(self, core: Core, read: Any, aside: Aside = None) -> None:
        self._core, self._read, self._aside = core, read, aside
        self._model: type[BaseModel] | None = getattr(read, "model", None)
        self._quick: dict[int, Callable[[WireItem], Any] | None] = {}

    def entities(self, rows: Sequence[Row], most: int | None = None) -> Steps[list[Any]]:
        """The results of some rows, in their order; no more than so many."""
        if rows and not rows[0].lane.plan.hydrates:
            quick = self._quick_way(rows[0].lane.plan)
            if quick is not None and all(row.lane.plan is rows[0].lane.plan for row in rows):
                return [quick(row.item) for row in rows[:most]]
        found, _ = yield from self.placed(rows, most)
        return [result for _, result in found]

    def placed(self, rows: Sequence[Row], most: int | None = None) -> Steps[tuple[list[_Result], bool]]:
        """The results of some rows, no more than so many, each with the row that it came from; and whether more follow.

        Rows that follow are not looked at any further: what is wrong with them is told with the page that they are on.
        """
        hydrated = yield from self._hydrated(rows)
        now = self._core.clock()
        found: list[_Result] = []
        for row, item in zip(rows, hydrated, strict=True):
            is_full = most is not None and len(found) >= most
            try:
                result = None if item is None else self._result(row.lane.plan, item, now)
            except ItemUnreadable as error:
                if is_full:
                    return found, True
                if self._aside is None:
                    raise
                self._aside.append(error)
                continue
            if result is not None and is_full:
                return found, True
            if result is not None:
                found.append((row, result))
        return found, False

    def _quick_way(self, plan: Plan) -> Callable[[WireItem], Any] | None:
        """The function that reads an item, where nothing can be wrong with it but its values."""
        if id(plan) not in self._quick:
            plain = len(plan.entities) == 1 and not plan.mixed and not plan.leftover and self._aside is None
            reader = entity_reader(plan.entities[0].__pksk__)
            usable = plain and self._model is None and reader.expiry is None
            self._quick[id(plan)] = reader.read if usable else None
        return self._quick[id(plan)]

    def _hydrated(self, rows: Sequence[Row]) -> Steps[list[WireItem | None]]:
        """The whole items from the table, where a row of an index does not hold all; None where one is gone."""
        wanted = [row for row in rows if row.lane.plan.hydrates]
        if not wanted:
            return [row.item for row in rows]
        table = wanted[0].lane.plan.entities[0].__pksk__.table
        keys = [{name: row.item[name] for name in table.key_attributes} for row in wanted]
        found = iter((yield from batch_get_items(self._core, table.name, keys, self._read)))
        return [next(found) if row.lane.plan.hydrates else row.item for row in rows]

    def _result(self, plan: Plan, item: WireItem, now: float) -> Any:
        declaration = _owner(plan, item)
        if declaration is None:
            return None
        reader = entity_reader(declaration)
        if reader.expiry is not None and is_expired(item, reader.expiry, now):
            return None
        if self._model is not None:
            values = _values(declaration, item)
            passes = all(each.field in values and each.accepts(values) for each in plan.leftover)
            return _smaller(declaration, self._model, item, values) if passes else None
        entity = reader.read(item)
        return entity if _passes(plan.leftover, entity) else None


def one_result(
    declaration: Declaration[Any], model: type[BaseModel] | None, item: WireItem, now: float
) -> Any:
    """One item as an entity or as a smaller model; None where it is of another entity, or its time is over."""
    reader = entity_reader(declaration)
    if model is None:
        return reader.found(item, now)
    if reader.expiry is not None and is_expired(item, reader.expiry, now):
        return None
    return _smaller(declaration, model, item, _values(declaration, item))


def _owner(plan: Plan, item: WireItem) -> Declaration[Any] | None:
    """The entity among those asked for that an item is of; None for a stranger."""
    asked = [entity.__pksk__ for entity in plan.entities]
    if len(asked) == 1 and not plan.mixed:
        return asked[0]
    return next((each for each in asked if owns(each, item)), None)


def _passes(filters: Sequence[Filter], entity: Any) -> bool:
    return all(each.operator.accepts(getattr(entity, each.field)) for each in filters)


def _values(declaration: Declaration[Any], item: WireItem) -> dict[str, Any]:
    """The fields that an item holds, as the model would hold them."""
    facts = write_facts(declaration)
    found: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name in facts.stored:
        wire = item.get(declaration.attribute(name))
        if wire is not None:
            try:
                found[name] = facts.values.read(name, wire)
            except PkskError as error:
                wrong[name] = "; ".join(told_fields(error).values()) or error.problem
    if wrong:
        raise unreadable(declaration, item, None, wrong)
    return found


def _smaller(
    declaration: Declaration[Any], model: type[BaseModel], item: WireItem, values: dict[str, Any]
) -> BaseModel:
    facts = write_facts(declaration)
    wanted = {name: values[name] for name in model.__pydantic_fields__ if name in values}
    for name in model.__pydantic_fields__:
        # As the entity itself would read an item without the attribute.
        if name not in wanted and name in declaration.fields and not declaration.fields[name].computed:
            each = declaration.fields[name]
            absent = facts.when_absent(name)
            if absent is not None or each.nullable:
                wanted[name] = absent
    try:
        return model.model_validate(wanted, by_name=True, by_alias=False)
    except ValidationError as error:
        problem = PkskError("store-item-unreadable", str(error))
        problem.__cause__ = error
        raise unreadable(declaration, item, problem) from error
