"""Registers: records entered one by one or imported as a whole, their households, and CSV files read."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, count, islice
from pathlib import Path
from typing import TypeAlias

from pydantic import ValidationError

from pksk import ConditionFailed, NotFound, PkskError, Put, Store, Transaction, TransactionFailed

from .. import registers
from ..catalogue import Import, Post
from ..errors import AlreadyImported, ImportRunning, InvalidInput, Missing, error_of_transaction
from ..registers import Record, RecordHousehold
from ..tables import ids
from .catalogue import drop_records

# A line by the names of its columns. Lines with the same "household" are kept together.
Line: TypeAlias = Mapping[str, str]


def add_record(db: Store, post_id: int, line: Line) -> Record:
    """Add a record to an existing post."""
    record = Record(id=db.next(ids), post_id=post_id, data=dict(line))
    return _written(db, record, registers.add_record(record))


def change_record(db: Store, read: Record, line: Line) -> Record:
    """Change a record, unless it has changed since it was read."""
    changed = read.model_copy(update={"data": dict(line)})
    return _written(db, changed, registers.change_record(changed))


def read_records(db: Store, record_ids: Sequence[int]) -> list[Record]:
    """Records by id, without missing ones."""
    return [record for query in Record.several(record_ids) for record in db.iter(query)]


def add_household(db: Store, post_id: int, household: str, record_ids: Sequence[int]) -> RecordHousehold:
    """Add a household to an existing post."""
    new_household = RecordHousehold(post_id=post_id, household=household, record_ids=list(record_ids))
    try:
        db.run(registers.add_household(new_household))
    except TransactionFailed as failed:
        raise error_of_transaction(failed, [("post", post_id), ("household", household)]) from failed
    return new_household


def _written(db: Store, record: Record, write: Transaction) -> Record:
    try:
        stored = db.run(write)
    except TransactionFailed as failed:
        raise error_of_transaction(failed, [("post", record.post_id), ("record", record.id)]) from failed
    return next(each for each in stored if isinstance(each, Record))


# A sequence returns at most so many numbers at once.
_BLOCK = 10_000
_AT_ONCE = 1000

# Numbers to check a register with before any are drawn; they have more digits than real ones.
_STAND_IN = 10**12


def import_register(db: Store, post_id: int, lines: Sequence[Line]) -> int:
    """Import all lines of a register as records of a post, with their households, and return how many.

    The ids are drawn in blocks and kept with the post until all lines are stored, so the same call resumes an
    interrupted import with the same ids. The post is only checked at the beginning and at the end. It remembers its
    registers; importing one again raises `AlreadyImported`.
    """
    progress = _begun(db, post_id, lines)
    numbers = chain.from_iterable(range(first, first + _BLOCK) for first in progress.first_ids)
    records = _records(post_id, lines, numbers)
    households = _households(db, post_id, records)
    for start in range(0, len(records), _AT_ONCE):
        db.run(Record.load(records[start : start + _AT_ONCE]))
    if households:
        db.run(RecordHousehold.load(households))
    _end(db, post_id, progress)
    return len(records)


def _begun(db: Store, post_id: int, lines: Sequence[Line]) -> Import:
    """The import of this register into a post, which may have been started before."""
    post = db.get(Post.one(post_id).consistently())
    if post is None:
        raise Missing("post", post_id)
    digest = _digest(lines)
    if post.importing is not None or digest in post.imported:
        return _same(post, digest)
    _check(db, post_id, lines)
    return _begin(db, post_id, len(lines), digest)


def _digest(lines: Iterable[Line]) -> str:
    """A digest of a register."""
    digest = sha256()
    for line in lines:
        digest.update(json.dumps(dict(line), sort_keys=True, default=str).encode() + b"\n")
    return digest.hexdigest()


def _same(post: Post, digest: str) -> Import:
    """The running import if it is of this register; raises an error if it is not, or if it has ended."""
    if digest in post.imported:
        raise AlreadyImported(post.id)
    if post.importing is None:
        raise InvalidInput(f"The post {post.id} is being changed by others. Import the register again.")
    if post.importing.digest != digest:
        raise ImportRunning(post.id, post.importing.lines)
    return post.importing


def _check(db: Store, post_id: int, lines: Sequence[Line]) -> None:
    """Raise an error if a register cannot be stored as a whole: each write is made, which checks it, but not sent."""
    if not lines:
        raise InvalidInput("The register has no lines.")
    records = _records(post_id, lines, count(_STAND_IN))
    for number, record in enumerate(records, 1):
        _check_one(f"Line {number} of the register", record)
    for each in _households(db, post_id, records):
        _check_one(f"The household {each.household!r} of the register", each)


def _check_one(what: str, entity: Record | RecordHousehold) -> None:
    try:
        Put(entity)
    except PkskError as error:
        raise InvalidInput(f"{what} cannot be stored: {error}") from error


def _begin(db: Store, post_id: int, lines: int, digest: str) -> Import:
    sizes = [min(_BLOCK, lines - start) for start in range(0, lines, _BLOCK)]
    progress = Import(lines=lines, digest=digest, first_ids=[db.take(ids, size)[0] for size in sizes])
    try:
        db.run(Post.begin_import(post_id, progress))
    except NotFound as failed:
        raise Missing("post", post_id) from failed
    except ConditionFailed as failed:
        # Another process was faster; if it imports the same register, its ids can be used.
        return _same(failed.item, digest)
    return progress


def _end(db: Store, post_id: int, progress: Import) -> None:
    try:
        db.run(Post.end_import(post_id, progress))
    except NotFound as failed:
        # The post was deleted meanwhile, so the records that were added since would remain.
        drop_records(db, post_id)
        raise Missing("post", post_id) from failed
    except ConditionFailed:
        # Another process has ended the same import, and the post may be importing another register by now.
        return


def _records(post_id: int, lines: Sequence[Line], numbers: Iterable[int]) -> list[Record]:
    enough = islice(numbers, len(lines))
    return [
        _record(post_id, place, line, number)
        for place, (line, number) in enumerate(zip(lines, enough, strict=True), 1)
    ]


def _record(post_id: int, place: int, line: Line, number: int) -> Record:
    try:
        return Record(id=number, post_id=post_id, data=dict(line))
    except ValidationError as error:
        raise InvalidInput(f"Line {place} of the register cannot be stored: {error}") from error


def _households(db: Store, post_id: int, records: Sequence[Record]) -> list[RecordHousehold]:
    """The households of some records, together with their earlier members."""
    members: dict[str, list[int]] = {}
    for record in records:
        if "household" in record.data:
            members.setdefault(record.data["household"], []).append(record.id)
    if not members:
        return []
    stored = db.iter(RecordHousehold.of_post(post_id).consistently())
    before = {each.household: each.record_ids for each in stored}
    return [
        RecordHousehold(post_id=post_id, household=name, record_ids=sorted({*before.get(name, []), *some}))
        for name, some in members.items()
    ]


# Other separators in files that are called CSV.
_OTHERS = (";", "\t", "|")


def read_register(file: Path) -> list[dict[str, str]]:
    """The lines of a CSV file by the names of its columns, without empty values."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            rows = _rows(text, file)
            names = _names(next(rows, (1, []))[1], file)
            lines = [_line(names, row, f"{file}, line {number}") for number, row in rows]
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not a CSV file in UTF-8: {error}.") from error
    if not lines:
        raise InvalidInput(f"{file} has no lines below the names of its columns.")
    return lines


def _rows(text: Iterator[str], file: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its last line."""
    reader = csv.reader(text, strict=True)
    try:
        yield from ((reader.line_num, row) for row in reader if row)
    except csv.Error as error:
        raise InvalidInput(f"{file}, line {reader.line_num}: this is not CSV: {error}.") from error


def _names(row: list[str], file: Path) -> list[str]:
    if not row:
        raise InvalidInput(f"{file} is empty: its first line must have the names of its columns.")
    if len(row) == 1 and (other := next((each for each in _OTHERS if each in row[0]), None)):
        raise InvalidInput(
            f"{file}, line 1 has one column, {row[0]!r}: are columns separated by {other!r}? "
            "Fix: separate them by commas."
        )
    for place, name in enumerate(row, 1):
        if not name.strip():
            raise InvalidInput(f"{file}: column {place} has no name, and its values would be lost.")
        _check_text(name, f"{file}: the name of column {place}")
    twice = [name for name, many in Counter(row).items() if many > 1]
    if twice:
        raise InvalidInput(f"{file}: more than one column has the name {twice[0]!r}; only one could be kept.")
    return row


def _line(names: list[str], row: list[str], where: str) -> dict[str, str]:
    if len(row) != len(names):
        raise InvalidInput(
            f"{where} does not have one value per column: values {len(row)}, columns {len(names)}."
        )
    for name, value in zip(names, row, strict=True):
        _check_text(value, f"{where}, column {name!r}")
    values = {name: value for name, value in zip(names, row, strict=True) if value}
    if not any(value.strip() for value in values.values()):
        raise InvalidInput(f"{where} has no value in any column. Fix: take the line out.")
    return values


def _check_text(value: str, where: str) -> None:
    if "\0" in value:
        raise InvalidInput(
            f"{where} has the character NUL, which text files do not have: is this a CSV file?"
        )
