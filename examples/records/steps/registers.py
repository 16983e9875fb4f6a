"""Registers: records in a partition of their own for each post, and households."""

from __future__ import annotations

from random import Random

from ...tour import Tour
from ..catalogue import Post
from ..comparisons import measure
from ..data import line
from ..expected import Expected, alike, error_of, same
from ..operations import catalogue, registers
from ..operations.registers import import_register
from ..registers import Record, RecordHousehold

_MISSING_ID = 9_999_999
_WORKERS = 8
_LINES = 80


def register_steps(tour: Tour, expected: Expected) -> None:
    """Read records and households, enter some, and delete a whole post."""
    tour.section(
        "Registers: the records of each post are a partition of the index, and no list has all records"
    )
    _reads(tour, expected)
    _records(tour, expected)
    _households(tour, expected)
    _import(tour, expected)


def _reads(tour: Tour, expected: Expected) -> None:
    records, households = expected.of(Record), expected.of(RecordHousehold)
    post = households[0].post_id
    of_post = [each for each in records if each.post_id == post]
    tour.run(Record.of_post(post), alike(sorted(of_post, key=lambda each: str(each.id))))
    chosen = [records[0], records[-1]]
    tour.run(Record.several([each.id for each in chosen]), alike(chosen))
    tour.run(
        RecordHousehold.of_post(post),
        alike(sorted((each for each in households if each.post_id == post), key=lambda each: each.household)),
    )
    tour.run(RecordHousehold.one(post, households[0].household), same(households[0]))


def _records(tour: Tour, expected: Expected) -> None:
    post = expected.of(Post)[-1].id
    before = [each for each in expected.of(Record) if each.post_id == post]
    text = {"given": "Ann", "surname": "Example", "born": "1850-03-01"}
    record = Record(id=expected.next_id(), post_id=post, data=text)
    read = tour.call("A new record", lambda db: registers.add_record(db, post, text), same(record))
    expected.next_id()
    tour.call(
        "A missing post raises an error",
        error_of(lambda db: registers.add_record(db, _MISSING_ID, text)),
        f"There is no post {_MISSING_ID}.",
    )
    tour.call(
        "It is read by id, and a missing one is left out",
        lambda db: registers.read_records(db, [record.id, _MISSING_ID]),
        alike([record]),
    )
    changed = record.model_copy(update={"data": text | {"born": "1851-03-01"}})
    tour.call("It is corrected", lambda db: registers.change_record(db, read, changed.data), same(changed))
    tour.call(
        "Correcting it again as it was first read raises an error",
        error_of(lambda db: registers.change_record(db, read, text)),
        f"The record {record.id} has changed since it was read.",
    )
    tour.run(
        Record.of_post(post),
        alike(sorted([*before, changed], key=lambda each: str(each.id))),
        title="A changed record is still in the index: every write writes its index key",
    )


def _households(tour: Tour, expected: Expected) -> None:
    post = expected.of(Post)[-1].id
    members = [each.id for each in expected.of(Record) if each.post_id == post][:2]
    household = RecordHousehold(post_id=post, household="by hand", record_ids=members)
    tour.call(
        "A household",
        lambda db: registers.add_household(db, post, household.household, members),
        same(household),
    )
    tour.call(
        "A missing post raises an error",
        error_of(lambda db: registers.add_household(db, _MISSING_ID, "1", members)),
        f"There is no post {_MISSING_ID}.",
    )


def _import(tour: Tour, expected: Expected) -> None:
    census = Post(id=expected.next_id(), collection_id=expected.of(Post)[0].collection_id, name="Census 1850")
    tour.call(
        "A post for a register is added",
        lambda db: catalogue.add_post(db, census.collection_id, census.name),
        same(census),
    )
    lines = _census(60)
    numbers = [expected.next_id() for _ in lines]
    tour.call(
        "A register of 60 lines: one block of numbers, and batches of 25 records",
        lambda db: import_register(db, census.id, lines),
        len(lines),
    )
    records = [
        Record(id=each, post_id=census.id, data=text) for each, text in zip(numbers, lines, strict=True)
    ]
    in_order = sorted(records, key=lambda each: str(each.id))
    tour.run(Record.of_post(census.id), alike(in_order), title="All its lines are stored")
    first = RecordHousehold(post_id=census.id, household="1850-1", record_ids=numbers[:5])
    tour.run(RecordHousehold.one(census.id, first.household), same(first), title="Its households are stored")
    tour.call(
        "The post is deleted with all its records", lambda db: catalogue.drop_post(db, census.id), len(lines)
    )
    tour.run(Record.of_post(census.id), [], title="No record is left")
    tour.run(RecordHousehold.of_post(census.id), [], title="No household is left")


def hot_spot_steps(tour: Tour) -> None:
    """Measure what the check of one post costs many workers who add records at the same time."""
    tour.section("The hot spot: every new record checks its post, which is one item for all of them")
    headers = ["by 8 workers", "records", "requests", "conflicts", "write units each", "seconds"]
    rows = [
        (
            each.way,
            each.records,
            each.requests,
            each.conflicts,
            f"{each.units_each:.2f}",
            f"{each.seconds:.2f}",
        )
        for each in measure(_census(_LINES), _WORKERS)
    ]
    tour.table(headers, rows, right=(1, 2, 3, 4, 5))
    tour.compare(
        f"The same {_LINES} records stored in three ways, where overlapping transactions conflict as on AWS",
        headers,
        rows,
        right=(1, 2, 3, 4, 5),
        conclusion="Each single record checks that its post exists, so many workers conflict on that one item. A "
        "register checks the post when it begins and ends, and draws its numbers as one block.",
    )
    tour.note(
        "Checks of one item conflict like writes, and are tried again after a pause. A register checks its\n"
        "post when it begins and ends, draws one block of numbers, and pays neither for checks nor for transactions."
    )


def _census(many: int) -> list[dict[str, str]]:
    random = Random(1850)
    place = "Prattville, Autauga, Alabama, United States"
    return [
        line(random, "Census", place, 1850) | {"household": f"1850-{1 + number // 5}"}
        for number in range(many)
    ]
