"""Imports a register: all its lines are checked before the first is stored, and one that was begun is ended first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import chain, count, islice

from pydantic import ValidationError

from pksk import ConditionFailed, NotFound, PkskError, Put, Store

from .catalogue import Import, Post
from .enter import Line
from .publish import drop_records
from .refusals import Imported, Importing, Missing, Unfit
from .registers import Record, RecordHousehold
from .table import ids

__all__ = ["import_register"]

# A sequence gives so many numbers at once.
_BLOCK = 10_000
_AT_ONCE = 1000

# Numbers to check a register with before any is drawn; with more digits than those that will be.
_STAND_IN = 10**12


def import_register(db: Store, post_id: int, lines: Sequence[Line]) -> int:
    """All lines of a register as records of a post, and their households; gives how many.

    The numbers are drawn in blocks and kept with the post until all is stored, so an import that was interrupted is
    done again by the same call, with the same numbers. Only the post is asked for: at the beginning, and at the end.
    It remembers which registers it has got, so none comes twice: raises `Imported`.
    """
    begun = _begun(db, post_id, lines)
    numbers = chain.from_iterable(range(first, first + _BLOCK) for first in begun.first_ids)
    records = _records(post_id, lines, numbers)
    households = _households(db, post_id, records)
    for start in range(0, len(records), _AT_ONCE):
        db.run(Record.load(records[start : start + _AT_ONCE]))
    if households:
        db.run(RecordHousehold.load(households))
    _end(db, post_id, begun)
    return len(records)


def _begun(db: Store, post_id: int, lines: Sequence[Line]) -> Import:
    """The import of this register into a post, which may have been begun before."""
    post = db.get(Post.one(post_id).consistently())
    if post is None:
        raise Missing("post", post_id)
    digest = _digest(lines)
    if post.importing is not None or digest in post.imported:
        return _same(post, digest)
    _check(db, post_id, lines)
    return _begin(db, post_id, len(lines), digest)


def _digest(lines: Iterable[Line]) -> str:
    """What tells a register from every other one."""
    found = sha256()
    for line in lines:
        found.update(json.dumps(dict(line), sort_keys=True, default=str).encode() + b"\n")
    return found.hexdigest()


def _same(post: Post, digest: str) -> Import:
    """What was begun, if it is this register; one that the post has got is not begun again."""
    if digest in post.imported:
        raise Imported(post.id)
    if post.importing is None:
        raise Unfit(f"The post {post.id} is being changed by others. Import the register again.")
    if post.importing.digest != digest:
        raise Importing(post.id, post.importing.lines)
    return post.importing


def _check(db: Store, post_id: int, lines: Sequence[Line]) -> None:
    """Refuse a register that could not be stored as a whole: each write is made up, which checks it, and none sent."""
    if not lines:
        raise Unfit("The register has no lines.")
    records = _records(post_id, lines, count(_STAND_IN))
    for number, record in enumerate(records, 1):
        _check_one(f"Line {number} of the register", record)
    for each in _households(db, post_id, records):
        _check_one(f"The household {each.household!r} of the register", each)


def _check_one(what: str, entity: Record | RecordHousehold) -> None:
    try:
        Put(entity)
    except PkskError as error:
        raise Unfit(f"{what} cannot be stored: {error}") from error


def _begin(db: Store, post_id: int, lines: int, digest: str) -> Import:
    sizes = [min(_BLOCK, lines - start) for start in range(0, lines, _BLOCK)]
    begun = Import(lines=lines, digest=digest, first_ids=[db.take(ids, size)[0] for size in sizes])
    try:
        db.run(Post.begin_import(post_id, begun))
    except NotFound as failed:
        raise Missing("post", post_id) from failed
    except ConditionFailed as failed:
        # Somebody else was faster; with the same register, their numbers are as good.
        return _same(failed.item, digest)
    return begun


def _end(db: Store, post_id: int, begun: Import) -> None:
    try:
        db.run(Post.end_import(post_id, begun))
    except NotFound as failed:
        # It was dropped meanwhile, and nobody else would take away what has come since.
        drop_records(db, post_id)
        raise Missing("post", post_id) from failed
    except ConditionFailed:
        # Somebody else has ended the same import, and the post may be getting another register by now.
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
        raise Unfit(f"Line {place} of the register cannot be stored: {error}") from error


def _households(db: Store, post_id: int, records: Sequence[Record]) -> list[RecordHousehold]:
    """The households of some records, with those that they have had before."""
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
