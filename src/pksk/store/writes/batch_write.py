"""Puts and deletes many items: 25 in a request, what is left unprocessed again, to the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pksk.errors import BatchIncomplete, DesignError
from pksk.limits import BATCH_BYTES, BATCH_WRITE_ITEMS
from pksk.model import Batch, Delete, Put, batch
from pksk.store.reads.batch_get import pause_or_give_up
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps, Together
from pksk.store.writes.marks import marks_of
from pksk.store.writes.prepare_put import stamped
from pksk.store.writes.prepare_update import wire_key

if TYPE_CHECKING:
    from pksk.store.core import Core

__all__ = ["batch_write"]

# A write, and it as a batch has it.
_Sent = tuple[Put[Any] | Delete[Any], dict[str, Any]]


def batch_write(core: Core, writes: Sequence[Put[Any] | Delete[Any]]) -> Steps[list[Any]]:
    """Do all of them, each for itself; gives the entities that were put, as they are stored, and None for deletes."""
    if not writes:
        return []
    about: Batch[Any] = batch(*writes)
    if core.meters:
        core.meters.used(about)
    made = [_stamped(core, each) for each in writes]
    chunks = _chunks([(each, _member(each)) for each in made])
    width = core.side_by_side
    for start in range(0, len(chunks), width):
        some = chunks[start : start + width]
        try:
            if len(some) == 1:
                yield from _written(core, some[0], about)
            else:
                yield Together(tuple(_written(core, chunk, about) for chunk in some))
        except BatchIncomplete as error:
            rest = [write for chunk in chunks[start + width :] for write, _ in chunk]
            error.left = [*error.left, *rest]
            raise
    return [each.value if isinstance(each, Put) else None for each in made]


def _stamped(core: Core, write: Put[Any] | Delete[Any]) -> Put[Any] | Delete[Any]:
    marks = marks_of(write.declaration)
    if isinstance(write, Delete):
        if marks.unique:
            _refuse(write, f"{marks.unique[0]!r} is unique, and its guard goes with the item")
        return write
    for name, what in (
        (marks.version, "a version, which is asked for"),
        (next(iter(marks.unique), None), "a unique value, which is guarded"),
        (next(iter(marks.references), None), "a reference, which is checked"),
    ):
        if name is not None:
            _refuse(write, f"{name!r} is {what}")
    if marks.created is None and marks.updated is None:
        return write
    return Put(stamped(core, marks, write.declaration.from_item(write.item)))


def _refuse(write: Any, why: str) -> None:
    raise DesignError(
        "store-batch-marked",
        f"A batch with a {type(write).__name__} of {write.declaration.name}: {why}; batches have no conditions.",
        fix="write them one by one, or together in a transaction.",
    )


def _member(write: Put[Any] | Delete[Any]) -> dict[str, Any]:
    if isinstance(write, Put):
        return {"PutRequest": {"Item": write.item}}
    return {"DeleteRequest": {"Key": wire_key(write)}}


def _chunks(sent: list[_Sent]) -> list[list[_Sent]]:
    """As many as a request takes, in number and in bytes."""
    chunks: list[list[_Sent]] = []
    size = 0
    for each in sent:
        own = each[0].size if isinstance(each[0], Put) else 0
        if not chunks or len(chunks[-1]) == BATCH_WRITE_ITEMS or size + own > BATCH_BYTES:
            chunks.append([])
            size = 0
        chunks[-1].append(each)
        size += own
    return chunks


def _written(core: Core, chunk: list[_Sent], about: Any) -> Steps[None]:
    left, stalled = chunk, 0
    while left:
        tables: dict[str, list[dict[str, Any]]] = {}
        for write, member in left:
            tables.setdefault(write.table_name, []).append(member)
        answer = yield from send(core, "BatchWriteItem", {"RequestItems": tables}, about)
        rest = _unprocessed(left, answer.get("UnprocessedItems") or {})
        stalled = stalled + 1 if len(rest) == len(left) else 0
        left = rest
        if left:
            done = [write for write, _ in chunk if all(write is not other for other, _ in left)]
            yield from pause_or_give_up(core, stalled, about, [write for write, _ in left], done)


def _unprocessed(sent: list[_Sent], answer: dict[str, list[dict[str, Any]]]) -> list[_Sent]:
    """The writes that an answer gives back, by their keys."""
    if not answer:
        return []
    back = {
        (table, _key(member, names))
        for table, members in answer.items()
        for names in [_names(sent, table)]
        for member in members
    }
    return [
        each for each in sent if (each[0].table_name, _key(each[1], _names(sent, each[0].table_name))) in back
    ]


def _names(sent: list[_Sent], table: str) -> tuple[str, ...]:
    found: tuple[str, ...] = next(
        write.declaration.table.key_attributes for write, _ in sent if write.table_name == table
    )
    return found


def _key(member: dict[str, Any], names: tuple[str, ...]) -> str:
    from pksk.store.reads.batch_get import key_text

    ((_, inner),) = member.items()
    item = inner.get("Item") or inner["Key"]
    return key_text({name: item[name] for name in names})
