"""Turns rows into results: entities or smaller models, without expired items and items of other entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, cast

from pydantic import BaseModel, ValidationError

from pksk.errors import ItemUnreadable, PkskError
from pksk.keys import Filter
from pksk.limits import BATCH_GET_ITEMS
from pksk.model import Entity
from pksk.model.declaration import Declaration
from pksk.model.entity_of_item import field_problems, match_primary_key, requested_entity, unreadable_item
from pksk.model.fields.facts import field_facts
from pksk.model.markers.ttl import is_expired
from pksk.model.requests.geo_query import GeoQuery
from pksk.model.requests.request import Request
from pksk.model.storing.origin import mark_partial
from pksk.sending import Core, Steps
from pksk.store.arguments import UnreadableItems, collect_unreadable
from pksk.store.reads.entity_reader import EntityReader, entity_reader
from pksk.store.reads.rows import Paginator, Read, Row
from pksk.store.requests.batch_get import batch_get_items
from pksk.values import WireItem

_Result: TypeAlias = "tuple[Row, BaseModel]"


class Results:
    """Makes the results of one read."""

    def __init__(self, core: Core, read: Read | GeoQuery, unreadable: UnreadableItems = None) -> None:
        self._core, self._read, self._unreadable = core, read, unreadable
        self._model: type[BaseModel] | None = getattr(read, "model", None)
        self._quick: dict[int, EntityReader | None] = {}

    def entities(self, rows: Sequence[Row], most: int | None = None) -> Steps[Sequence[BaseModel]]:
        """The results of these rows, in order, up to a limit."""
        reader = self._quick_reader(rows)
        if reader is not None:
            items = [item for _, item in rows[:most]]
            entities = reader.read_all(items)
            if rows[0][0].is_partial:
                for entity, item in zip(entities, items, strict=True):
                    _mark_partial(rows[0][0], entity, item)
            return entities
        results, _ = yield from self.with_rows(rows, most)
        return [result for _, result in results]

    def with_rows(self, rows: Sequence[Row], most: int | None = None) -> Steps[tuple[list[_Result], bool]]:
        """The results of these rows up to a limit, each with its row, and whether there are more.

        It does not read rows after the limit: errors in them belong to the next page.
        """
        if most is None or not self._read.plan.reads_table:
            items = yield from self._hydrated(rows)
            return self._results_of(rows, items, most)
        results: list[_Result] = []
        start = size = 0
        while start < len(rows):
            if len(results) >= most:
                return results, True
            # Reads only as many items from the table as are needed; each further step is twice as large.
            size = min(max(most - len(results), 2 * size), BATCH_GET_ITEMS)
            chunk = rows[start : start + size]
            items = yield from self._hydrated(chunk)
            chunk_results, has_more = self._results_of(chunk, items, most - len(results))
            results += chunk_results
            start += size
            if has_more:
                return results, True
        return results, False

    def _results_of(
        self, rows: Sequence[Row], items: Sequence[WireItem | None], most: int | None
    ) -> tuple[list[_Result], bool]:
        now = self._core.clock()
        results: list[_Result] = []
        for row, item in zip(rows, items, strict=True):
            paginator, _ = row
            is_full = most is not None and len(results) >= most
            try:
                result = None if item is None else self._result(paginator, item, now)
            except ItemUnreadable as error:
                if is_full:
                    return results, True
                collect_unreadable(self._unreadable, error)
                continue
            if result is not None and is_full:
                return results, True
            if result is not None:
                results.append((row, result))
        return results, False

    def _quick_reader(self, rows: Sequence[Row]) -> EntityReader | None:
        """The reader that reads all rows at once, if no row needs further checks; else None."""
        plan = rows[0][0].plan
        if id(plan) not in self._quick:
            plain = (
                len(plan.entities) == 1
                and not (plan.filters_after_reading or plan.reads_table)
                and self._unreadable is None
            )
            candidate = entity_reader(plan.entities[0].__pksk__)
            self._quick[id(plan)] = (
                candidate if plain and self._model is None and candidate.expiry is None else None
            )
        reader = self._quick[id(plan)]
        if reader is None or any(paginator.plan is not plan for paginator, _ in rows):
            return None
        return (
            None if plan.has_foreign_items and not all(reader.is_plain(item) for _, item in rows) else reader
        )

    def _hydrated(self, rows: Sequence[Row]) -> Steps[list[WireItem | None]]:
        """The whole items, read from the table if the index lacks attributes; None for a deleted item."""
        partial = [(paginator, item) for paginator, item in rows if paginator.plan.reads_table]
        if not partial:
            return [item for _, item in rows]
        table = partial[0][0].plan.entities[0].__pksk__.table
        checks = [
            ({name: item[name] for name in table.key_attributes}, paginator.current_item)
            for paginator, item in partial
        ]
        items = iter((yield from read_whole_items(self._core, table.name, checks, self._read)))
        return [next(items) if paginator.plan.reads_table else item for paginator, item in rows]

    def _result(self, paginator: Paginator, item: WireItem, now: float) -> BaseModel | None:
        plan = paginator.plan
        declaration = requested_entity(
            [entity.__pksk__ for entity in plan.entities], item, has_foreign_items=plan.has_foreign_items
        )
        if declaration is None:
            return None
        reader = entity_reader(declaration)
        if reader.expiry is not None and is_expired(item, reader.expiry, now):
            return None
        if self._model is not None:
            names = [*self._model.__pydantic_fields__, *(each.field for each in plan.filters_after_reading)]
            values = _field_values(declaration, item, names)
            reader.check_key(values, item)
            passes = all(each.field in values and each.accepts(values) for each in plan.filters_after_reading)
            return _into_model(declaration, self._model, item, values) if passes else None
        entity = reader.read(item)
        if paginator.is_partial:
            _mark_partial(paginator, entity, item)
        return entity if passes_filters(plan.filters_after_reading, entity) else None


def _mark_partial(paginator: Paginator, entity: Entity, item: WireItem) -> None:
    declaration = type(entity).__pksk__
    if declaration.unknown != "drop":
        read = f"from index {paginator.plan.index!r}, which does not project all attributes"
        mark_partial(declaration, entity, item, read)


def one_result(
    declaration: Declaration, model: type[BaseModel] | None, item: WireItem, now: float
) -> BaseModel | None:
    """One item as its entity or as a smaller model; None if it has expired."""
    reader = entity_reader(declaration)
    if model is None:
        return reader.live_entity(item, now)
    if reader.expiry is not None and is_expired(item, reader.expiry, now):
        return None
    values = _field_values(declaration, item, model.__pydantic_fields__)
    reader.check_key(values, item)
    return _into_model(declaration, model, item, values)


def passes_filters(filters: Sequence[Filter], entity: Entity) -> bool:
    """Whether an entity meets the filters that are applied after reading."""
    return all(each.operator.accepts(getattr(entity, each.field)) for each in filters)


def _field_values(declaration: Declaration, item: WireItem, names: Iterable[str]) -> dict[str, Any]:
    """The field values of an item; needed fields may also come from its key."""
    facts = field_facts(declaration)
    wires = {name: item.get(declaration.attribute(name)) for name in facts.stored}
    key_values = _values_in_key(
        declaration, item, [name for name in names if name in wires and wires[name] is None]
    )
    values: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for name, wire in wires.items():
        try:
            if wire is not None:
                values[name] = facts.values.read(name, wire)
            elif name in key_values:
                values[name] = facts.values.validated(name, key_values[name])
        except PkskError as error:
            problems[name] = "; ".join(field_problems(error).values()) or error.problem
    if problems:
        raise unreadable_item(declaration, item, None, problems)
    return values


def _values_in_key(declaration: Declaration, item: WireItem, names: Sequence[str]) -> dict[str, Any]:
    """Values of fields that only the primary key holds, in items of other programs."""
    names = [name for name in names if name in field_facts(declaration).primary]
    values = match_primary_key(declaration, item) if names else None
    return {name: values[name] for name in names if name in values} if values else {}


def _into_model(
    declaration: Declaration, model: type[BaseModel], item: WireItem, values: dict[str, Any]
) -> BaseModel:
    facts = field_facts(declaration)
    arguments = {name: values[name] for name in model.__pydantic_fields__ if name in values}
    for name in model.__pydantic_fields__:
        # The value that a missing attribute is read as.
        if name not in arguments and name in declaration.fields and not declaration.fields[name].computed:
            each = declaration.fields[name]
            absent = facts.value_when_absent(name)
            if absent is not None or each.nullable:
                arguments[name] = absent
    try:
        instance = model.model_validate(arguments, by_name=True, by_alias=False)
    except ValidationError as error:
        problem = PkskError("item-unreadable", str(error))
        problem.__cause__ = error
        raise unreadable_item(declaration, item, problem) from error
    own: Declaration | None = getattr(model, "__pksk__", None)
    if own is not None and own.table.name == declaration.table.name:
        # Its put would replace the item that these fields are from.
        read = f"by .into({model.__name__}), with its fields alone"
        mark_partial(own, cast("Entity", instance), item, read)
    return instance


# Returns the item if it still meets the conditions of the read, else None.
ItemCheck: TypeAlias = "Callable[[WireItem | None], WireItem | None]"


def read_whole_items(
    core: Core, table: str, rows: Sequence[tuple[WireItem, ItemCheck]], request: Request | None
) -> Steps[list[WireItem | None]]:
    """The item of each row, by its key; None if it is deleted or no longer meets the conditions.

    An eventually consistent read may come from a replica that is behind the index. So items that seem missing are read
    once more, consistently.
    """
    keys = [key for key, _ in rows]
    items = yield from batch_get_items(core, table, keys, request)
    checked = [check(item) for (_, check), item in zip(rows, items, strict=True)]
    missing = [index for index, item in enumerate(checked) if item is None]
    if missing:
        again = yield from batch_get_items(
            core, table, [keys[index] for index in missing], request, consistent=True
        )
        for index, item in zip(missing, again, strict=True):
            checked[index] = rows[index][1](item)
    return checked
