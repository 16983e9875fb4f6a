"""BatchWriteItem: up to twenty-five puts and deletes in any tables, each for itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.consumed import Units, consumed
from pksk.engine.core import Answer, Core
from pksk.engine.expressions import DELETE_ITEM, PUT_ITEM
from pksk.engine.faults import validation
from pksk.engine.tables.table import Table
from pksk.engine.texts import batches as texts
from pksk.engine.texts import items as item_texts
from pksk.engine.writes.collection import metrics
from pksk.engine.writes.delete import Delete
from pksk.engine.writes.perform import perform
from pksk.engine.writes.put import Put
from pksk.engine.writes.write import Write
from pksk.limits import BATCH_WRITE_ITEMS

__all__ = ["batch_write_item"]


def batch_write_item(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a BatchWriteItem request; one bad member refuses all of it."""
    members = request["RequestItems"]
    if sum(len(requests) for requests in members.values()) > BATCH_WRITE_ITEMS:
        raise validation(texts.TOO_MANY_WRITES)
    asked = [(name, [_action(one) for one in requests]) for name, requests in members.items()]
    writes = [(name, _on(core.catalogue.table(name), actions)) for name, actions in asked]
    answer: Answer = {"UnprocessedItems": {}}
    capacities, collections = [], {}
    with core.storage.writing() as writer:
        for name, of_table in writes:
            units = Units()
            measured = []
            for write in of_table:
                outcome = perform(core, writer, write)
                units.add(outcome.table_units, outcome.index_units)
                measured.append(metrics(write, outcome))
            table = of_table[0].table
            capacities.append(
                consumed(request.get("ReturnConsumedCapacity"), table, units.table, units.indexes)
            )
            if found := [one for one in measured if one]:
                collections[name] = found
    if capacities[0] is not None:
        answer["ConsumedCapacity"] = capacities
    if collections and request.get("ReturnItemCollectionMetrics") == "SIZE":
        answer["ItemCollectionMetrics"] = collections
    return answer


def _action(member: Mapping[str, Any]) -> Put | Delete:
    if len(member) != 1:
        raise validation(texts.ONE_REQUEST if member else texts.NO_REQUEST)
    if "PutRequest" in member:
        return Put(member["PutRequest"], PUT_ITEM)
    return Delete(member["DeleteRequest"], DELETE_ITEM)


def _on(table: Table, actions: list[Put | Delete]) -> list[Write]:
    writes = [_write(table, action) for action in actions]
    if len({write.key for write in writes}) < len(writes):
        raise validation(texts.DUPLICATE_WRITES)
    return writes


def _write(table: Table, action: Put | Delete) -> Write:
    if isinstance(action, Put) and not all(
        attribute.type in action.item.get(attribute.name, ()) for attribute in table.rows.keys
    ):
        # A batch words it otherwise than PutItem does.
        raise validation(item_texts.KEY_MISMATCH)
    return action.on(table)
