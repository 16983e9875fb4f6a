"""Enters records one by one, each with a check of its post, and the households that they make up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pksk import Store, Transaction, TransactionFailed

from . import registers
from .refusals import of_members
from .registers import Record, RecordHousehold
from .table import ids

__all__ = ["Line", "add_household", "add_record", "change_record", "read_records"]

# What a line says, by the names of its columns. Those with the same "household" are kept together.
Line: TypeAlias = Mapping[str, str]


def add_record(db: Store, post_id: int, line: Line) -> Record:
    """A new record of a post, which must be there."""
    record = Record(id=db.next(ids), post_id=post_id, data=dict(line))
    return _written(db, record, registers.add_record(record))


def change_record(db: Store, read: Record, line: Line) -> Record:
    """Another text for a record that was read, unless somebody else has changed it since."""
    changed = read.model_copy(update={"data": dict(line)})
    return _written(db, changed, registers.change_record(changed))


def read_records(db: Store, record_ids: Sequence[int]) -> list[Record]:
    """Records by id, those that are there."""
    return [record for query in Record.several(record_ids) for record in db.iter(query)]


def add_household(db: Store, post_id: int, household: str, record_ids: Sequence[int]) -> RecordHousehold:
    """A household of a post, which must be there."""
    made = RecordHousehold(post_id=post_id, household=household, record_ids=list(record_ids))
    try:
        db.run(registers.add_household(made))
    except TransactionFailed as failed:
        raise of_members(failed, [("post", post_id), ("household", household)]) from failed
    return made


def _written(db: Store, record: Record, write: Transaction) -> Record:
    try:
        stored = db.run(write)
    except TransactionFailed as failed:
        raise of_members(failed, [("post", record.post_id), ("record", record.id)]) from failed
    return next(each for each in stored if isinstance(each, Record))
