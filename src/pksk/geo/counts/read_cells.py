"""Reads cells consistently: a stored cell, and the totals of what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from pksk.geo.counts.count_plan import CellId, CountPlan
from pksk.model import Entity
from pksk.model.entity_of_item import requested_entity
from pksk.model.item_key import render_item_key
from pksk.model.requests.get import Get
from pksk.model.requests.query import Query
from pksk.sending import Core, Steps, send
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.requests.get import get
from pksk.store.requests.query import ResultReader
from pksk.values import sortable_wire


def get_of(plan: CountPlan, cell: CellId) -> Get[Entity]:
    """The read of a cell."""
    own = plan.entity.__pksk__
    return Get.for_item(plan.entity, own.primary.name, plan.key_values(cell))


def read_cell(core: Core, plan: CountPlan, cell: CellId) -> Steps[Entity | None]:
    """The stored cell, or None."""
    return (yield from get(core, get_of(plan, cell).consistently()))


def read_totals(core: Core, plan: CountPlan, cell: CellId) -> Steps[dict[str, Any]]:
    """The values that a cell should have, from its children or from the items in it."""
    if plan.counts_items(plan.level(cell)):
        return (yield from _totals_of_items(core, plan, cell))
    totals, children = plan.totals(plan.level(cell)), set(plan.children(cell))
    about = _query(plan.entity, plan.key_values(cell))
    if core.meters:
        core.meters.used(about)
    for request in children_requests(plan, cell):
        for entity in (yield from _read_range(core, plan, request, about)):
            if plan.of_entity(entity) in children:
                totals.take(entity.__getattribute__)
    return totals.values


def _totals_of_items(core: Core, plan: CountPlan, cell: CellId) -> Steps[dict[str, Any]]:
    assert plan.source is not None
    values = {**dict(zip(plan.scope, cell.scope, strict=True)), plan.source_cell: cell.cell}
    totals = plan.totals(plan.smallest)
    reader: ResultReader[Entity] = ResultReader(core, _query(plan.source, values))
    while (items := (yield from reader.batch())) is not None:
        for each in items:
            totals.take(each.__getattribute__)
        totals.shorten()
    return totals.values


def _query(entity: type[Entity], values: dict[str, Any]) -> Query[Entity]:
    """A query of the primary key. For children it only names, in meters and hooks, what requests are for."""
    key = getattr(entity, entity.__pksk__.primary.name)
    query: Query[Entity] = key(**values).consistently()
    return query


def children_requests(plan: CountPlan, cell: CellId) -> Iterator[dict[str, Any]]:
    """The queries that read the children of a cell: one if they are in one partition, as geohashes are."""
    own = plan.entity.__pksk__
    partition, *sort = own.table.key_attributes
    name = own.primary.name
    keys = [render_item_key(own, name, plan.key_values(each), "get") for each in plan.children(cell)]
    for hash_key, group in groupby(keys, itemgetter(partition)):
        condition, values = "#pk = :pk", {":pk": hash_key}
        if sort:
            ordered = sorted((each[sort[0]] for each in group), key=sortable_wire)
            condition += " AND #sk BETWEEN :first AND :last"
            values |= {":first": ordered[0], ":last": ordered[-1]}
        yield {
            "TableName": own.table.name,
            "ConsistentRead": True,
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": {"#pk": partition, **({"#sk": sort[0]} if sort else {})},
            "ExpressionAttributeValues": values,
        }


def _read_range(
    core: Core, plan: CountPlan, request: dict[str, Any], about: Query[Entity]
) -> Steps[list[Entity]]:
    """The cells in a range of keys, without expired ones and items of other entities."""
    own = plan.entity.__pksk__
    entities: list[Entity] = []
    while True:
        answer = yield from send(core, "Query", request, about)
        for item in answer["Items"]:
            if requested_entity([own], item, has_foreign_items=True) is not None:
                entity = entity_reader(own).live_entity(item, core.clock())
                entities += [] if entity is None else [entity]
        if not answer.get("LastEvaluatedKey"):
            return entities
        request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}
