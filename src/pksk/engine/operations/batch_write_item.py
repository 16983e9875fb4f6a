"""BatchWriteItem: up to 25 independent puts and deletes in several tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import DELETE_ITEM, PUT_ITEM
from pksk.engine.items.consumed_capacity import CapacityByTable
from pksk.engine.items.perform import CollectionMetrics, note_committed_writes, perform
from pksk.engine.items.write_requests import ItemDelete, ItemPut, read_delete, read_put
from pksk.engine.service_errors import validation
from pksk.engine.state import ItemId, Outcome, Table, Write
from pksk.limits import BATCH_WRITE_ITEMS


class _BatchMember(NamedTuple):
    """One member of a batch, as in the request, and its write."""

    member: Request
    write: Write

    @property
    def item(self) -> ItemId:
        return self.write.table.layout.space, self.write.key


# The members for each table, under the name or ARN that the request uses.
_Batch = dict[str, list[_BatchMember]]


def batch_write_item(core: Core, request: Request) -> Answer:
    """Answer a BatchWriteItem request; one invalid member fails all of it."""
    batch = _read(core, request["RequestItems"])
    if not core.settings.conflicts:
        return _write_batch(core, request, batch, ())
    items = [member.item for members in batch.values() for member in members]
    with core.conflicts.hold_for_writes(items) as conflicting:
        return _write_batch(core, request, batch, conflicting)


def _read(core: Core, members: Request) -> _Batch:
    if sum(map(len, members.values())) > BATCH_WRITE_ITEMS:
        raise validation("Too many items requested for the BatchWriteItem call")
    actions = {name: [_action(member) for member in requests] for name, requests in members.items()}
    batch: _Batch = {}
    seen: set[ItemId] = set()
    for name, requests in members.items():
        table = core.catalogue.table(name)
        pairs = zip(requests, actions[name], strict=True)
        batch[name] = [_BatchMember(member, _write(table, action)) for member, action in pairs]
        items = [member.item for member in batch[name]]
        if len(seen.union(items)) < len(seen) + len(items):
            raise validation(texts.DUPLICATES)
        seen.update(items)
    return batch


def _action(member: Request) -> ItemPut | ItemDelete:
    if len(member) != 1:
        raise validation(texts.SEVERAL_TYPES if member else texts.EMPTY_VALUE)
    if "PutRequest" in member:
        return read_put(member["PutRequest"], PUT_ITEM)
    return read_delete(member["DeleteRequest"], DELETE_ITEM)


def _write(table: Table, action: ItemPut | ItemDelete) -> Write:
    if isinstance(action, ItemPut) and not all(
        attribute.type in action.item.get(attribute.name, ()) for attribute in table.layout.keys
    ):
        # A batch has another message than PutItem.
        raise validation(texts.KEY_MISMATCH)
    return action.write_to(table)


def _write_batch(core: Core, request: Request, batch: _Batch, conflicting: Collection[ItemId]) -> Answer:
    """Carry out all writes, except those of items that transactions hold, which stay unprocessed."""
    answer: Answer = {"UnprocessedItems": {}}
    capacity, collections = CapacityByTable(), CollectionMetrics()
    outcomes: list[tuple[Write, Outcome]] = []
    with core.storage.writing() as writer:
        for name, members in batch.items():
            unprocessed = [member.member for member in members if member.item in conflicting]
            if unprocessed:
                answer["UnprocessedItems"][name] = unprocessed
            # A table is listed even if nothing is written to it.
            capacity.add(name, members[0].write.table, 0.0)
            for member in members:
                if member.item not in conflicting:
                    outcome = perform(core, writer, member.write)
                    units, index_units = outcome.table_units, outcome.index_units
                    capacity.add(name, member.write.table, units, index_units, outcome.vector_bytes)
                    collections.add(name, member.write, outcome)
                    outcomes.append((member.write, outcome))
        # Inside the block, where no index can be deleted yet.
        answer.update(capacity.response_members(request))
    note_committed_writes(core, outcomes)
    answer.update(collections.response_members(request))
    return answer
