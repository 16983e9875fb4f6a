"""Turns rows into results: entities or smaller models, without expired items and items of other entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel, ValidationError

from pksk.errors import ItemUnreadable, PkskError
from pksk.keys import Filter
from pksk.limits import BATCH_GET_ITEMS
from pksk.model.entity_of_item import match_primary_key, requested_entity
from pksk.model.fields.field_facts import field_facts
from pksk.model.markers.ttl import is_expired
from pksk.model.unreadable_item import field_problems, unreadable_item
from pksk.store.reads.entity_reader import EntityReader, entity_reader
from pksk.store.reads.rows import Row
from pksk.store.reads.unreadable_items import UnreadableItems, collect_unreadable
from pksk.store.requests.batch_get import batch_get_items
from pksk.store.sending.steps import Steps

if TYPE_CHECKING:
    from pksk.model import Plan
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

_Result: TypeAlias = "tuple[Row, Any]"


class Results:
    """Makes the results of one read."""

    def __init__(self, core: Core, read: Any, unreadable: UnreadableItems = None) -> None:
        self._core, self._read, self._unreadable = core, read, unreadable
        self._model: type[BaseModel] | None = getattr(read, "model", None)
        self._quick: dict[int, EntityReader | None] = {}

    def entities(self, rows: Sequence[Row], most: int | None = None) -> Steps[list[Any]]:
        """The results of some rows, in order, up to a limit."""
        reader = self._quick_reader(rows)
        if reader is not None:
            return reader.read_all([item for _, item in rows[:most]])
        found, _ = yield from self.with_rows(rows, most)
        return [result for _, result in found]

    def with_rows(self, rows: Sequence[Row], most: int | None = None) -> Steps[tuple[list[_Result], bool]]:
        """The results of some rows up to a limit, each with its row, and whether there are more.

        It does not read rows after the limit: errors in them belong to the next page.
        """
        if most is None or not self._read.plan.reads_table:
            items = yield from self._hydrated(rows)
            return self._results_of(rows, items, most)
        found: list[_Result] = []
        place = size = 0
        while place < len(rows):
            if len(found) >= most:
                return found, True
            # Reads only as many items from the table as are needed, and twice as many if those gave no results.
            size = min(max(most - len(found), 2 * size), BATCH_GET_ITEMS)
            some = rows[place : place + size]
            items = yield from self._hydrated(some)
            more, follows = self._results_of(some, items, most - len(found))
            found += more
            place += size
            if follows:
                return found, True
        return found, False

    def _results_of(
        self, rows: Sequence[Row], items: Sequence[WireItem | None], most: int | None
    ) -> tuple[list[_Result], bool]:
        now = self._core.clock()
        found: list[_Result] = []
        for row, item in zip(rows, items, strict=True):
            paginator, _ = row
            is_full = most is not None and len(found) >= most
            try:
                result = None if item is None else self._result(paginator.plan, item, now)
            except ItemUnreadable as error:
                if is_full:
                    return found, True
                collect_unreadable(self._unreadable, error)
                continue
            if result is not None and is_full:
                return found, True
            if result is not None:
                found.append((row, result))
        return found, False

    def _quick_reader(self, rows: Sequence[Row]) -> EntityReader | None:
        """The function that reads all rows if only their values need checks."""
        plan = rows[0][0].plan
        if id(plan) not in self._quick:
            plain = (
                len(plan.entities) == 1
                and not (plan.filters_after_reading or plan.reads_table)
                and self._unreadable is None
            )
            reader = entity_reader(plan.entities[0].__pksk__)
            self._quick[id(plan)] = (
                reader if plain and self._model is None and reader.expiry is None else None
            )
        found = self._quick[id(plan)]
        if found is None or any(paginator.plan is not plan for paginator, _ in rows):
            return None
        return None if plan.has_foreign_items and not all(found.is_plain(item) for _, item in rows) else found

    def _hydrated(self, rows: Sequence[Row]) -> Steps[list[WireItem | None]]:
        """The whole items, from the table if the index does not hold them; None for a deleted one."""
        wanted = [(paginator, item) for paginator, item in rows if paginator.plan.reads_table]
        if not wanted:
            return [item for _, item in rows]
        table = wanted[0][0].plan.entities[0].__pksk__.table
        asked = [
            ({name: item[name] for name in table.key_attributes}, paginator.current_item)
            for paginator, item in wanted
        ]
        found = iter((yield from read_whole_items(self._core, table.name, asked, self._read)))
        return [next(found) if paginator.plan.reads_table else item for paginator, item in rows]

    def _result(self, plan: Plan, item: WireItem, now: float) -> Any:
        declaration = requested_entity(
            [entity.__pksk__ for entity in plan.entities], item, has_foreign_items=plan.has_foreign_items
        )
        if declaration is None:
            return None
        reader = entity_reader(declaration)
        if reader.expiry is not None and is_expired(item, reader.expiry, now):
            return None
        if self._model is not None:
            needed = [*self._model.__pydantic_fields__, *(each.field for each in plan.filters_after_reading)]
            values = _field_values(declaration, item, needed)
            reader.check_key(values, item)
            passes = all(each.field in values and each.accepts(values) for each in plan.filters_after_reading)
            return _into_model(declaration, self._model, item, values) if passes else None
        entity = reader.read(item)
        return entity if _passes(plan.filters_after_reading, entity) else None


def one_result(
    declaration: Declaration[Any], model: type[BaseModel] | None, item: WireItem, now: float
) -> Any:
    """One item as its entity or as a smaller model; None if it has expired."""
    reader = entity_reader(declaration)
    if model is None:
        return reader.live_entity(item, now)
    if reader.expiry is not None and is_expired(item, reader.expiry, now):
        return None
    values = _field_values(declaration, item, model.__pydantic_fields__)
    reader.check_key(values, item)
    return _into_model(declaration, model, item, values)


def _passes(filters: Sequence[Filter], entity: Any) -> bool:
    return all(each.operator.accepts(getattr(entity, each.field)) for each in filters)


def _field_values(declaration: Declaration[Any], item: WireItem, needed: Iterable[str]) -> dict[str, Any]:
    """The field values of an item; needed fields may also come from its key."""
    facts = field_facts(declaration)
    wires = {name: item.get(declaration.attribute(name)) for name in facts.stored}
    told = _values_in_key(
        declaration, item, [name for name in needed if name in wires and wires[name] is None]
    )
    found: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name, wire in wires.items():
        try:
            if wire is not None:
                found[name] = facts.values.read(name, wire)
            elif name in told:
                found[name] = facts.values.validated(name, told[name])
        except PkskError as error:
            wrong[name] = "; ".join(field_problems(error).values()) or error.problem
    if wrong:
        raise unreadable_item(declaration, item, None, wrong)
    return found


def _values_in_key(declaration: Declaration[Any], item: WireItem, names: Sequence[str]) -> dict[str, Any]:
    """Values of fields that only the primary key holds, in items of other programs."""
    names = [name for name in names if name in field_facts(declaration).primary]
    told = match_primary_key(declaration, item) if names else None
    return {name: told[name] for name in names if name in told} if told else {}


def _into_model(
    declaration: Declaration[Any], model: type[BaseModel], item: WireItem, values: dict[str, Any]
) -> BaseModel:
    facts = field_facts(declaration)
    wanted = {name: values[name] for name in model.__pydantic_fields__ if name in values}
    for name in model.__pydantic_fields__:
        # The value that the entity reads if the attribute is missing.
        if name not in wanted and name in declaration.fields and not declaration.fields[name].computed:
            each = declaration.fields[name]
            absent = facts.value_when_absent(name)
            if absent is not None or each.nullable:
                wanted[name] = absent
    try:
        return model.model_validate(wanted, by_name=True, by_alias=False)
    except ValidationError as error:
        problem = PkskError("item-unreadable", str(error))
        problem.__cause__ = error
        raise unreadable_item(declaration, item, problem) from error


# The item if it still meets the conditions of the read, else None.
ItemCheck: TypeAlias = "Callable[[WireItem | None], WireItem | None]"


def read_whole_items(
    core: Core, table: str, rows: Sequence[tuple[Mapping[str, Any], ItemCheck]], about: Any
) -> Steps[list[WireItem | None]]:
    """The item of each row, by its key; None if it is deleted or no longer meets the conditions.

    An eventually consistent read may come from a replica that is behind the index. So items that seem missing are read
    once more, consistently.
    """
    keys = [key for key, _ in rows]
    items = yield from batch_get_items(core, table, keys, about)
    found = [check(item) for (_, check), item in zip(rows, items, strict=True)]
    lost = [place for place, item in enumerate(found) if item is None]
    if lost:
        again = yield from batch_get_items(
            core, table, [keys[place] for place in lost], about, consistent=True
        )
        for place, item in zip(lost, again, strict=True):
            found[place] = rows[place][1](item)
    return found
