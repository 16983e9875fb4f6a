"""Whatever is delivered, in which order and how often: every cell ends up with the sum of what is in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk import Clock, Store, WriteConflict, connect_async
from pksk.client import ServiceError
from pksk.geo import CellCounts, CountReport
from pksk.geo.counts.count_plan import CellId
from pksk.geo.counts.recompute import recompute
from pksk.model.changes import Change
from pksk.sending import Call, Core, Steps
from tests.geo.counting import (
    CORE,
    OF_CELLS,
    OF_PAIR,
    OF_REPORTS,
    Cell,
    Crash,
    Crashing,
    Pair,
    Report,
    Visit,
    VisitedCell,
    change_something,
    expected_counts,
    heat,
    open_store,
    stored_counts,
    take_turns,
)

both = pytest.mark.parametrize("counts", [OF_CELLS, OF_REPORTS], ids=["of cells", "of reports"])
randoms = st.integers(0, 2**32).map(Random)


def read_changes(db: Store, counts: CellCounts) -> list[Change[Any]]:
    return list(db.changes(counts.source, consumer="test"))


@both
@given(randoms)
def test_a_consumer_keeps_every_cell_the_sum_of_its_children(counts: CellCounts, random: Random) -> None:
    db = open_store()

    for _ in range(random.randrange(1, 5)):
        for _ in range(random.randrange(12)):
            change_something(db, counts, random)
        db.changes(heat, consumer="counts").run(counts.handler(db), follow=False)

        assert stored_counts(db, counts) == expected_counts(db, counts)
        assert counts.verify(db).is_correct


@both
@given(randoms)
def test_changes_may_come_twice_and_in_any_order_and_workers_may_die(
    counts: CellCounts, random: Random
) -> None:
    db = open_store()
    for _ in range(random.randrange(1, 25)):
        change_something(db, counts, random)
    changes = read_changes(db, counts)
    random.shuffle(changes)
    client = Crashing(db.client, random, 0.2)
    handle = counts.handler(Store(client))

    while changes:
        batch = changes[: random.randrange(1, 8)]
        try:
            handle(batch)
        except Crash:
            client.share /= 1.5
            continue
        changes = changes[len(batch) :] if random.random() < 0.7 else changes

    assert stored_counts(db, counts) == expected_counts(db, counts)


@both
@given(randoms)
def test_workers_at_once_agree_also_if_some_are_slow_or_die(counts: CellCounts, random: Random) -> None:
    db = open_store()

    _run_workers(db, counts, random, 6, lambda: change_something(db, counts, random))

    assert stored_counts(db, counts) == expected_counts(db, counts)


@both
@given(randoms)
def test_threads_that_handle_the_same_changes_agree(counts: CellCounts, random: Random) -> None:
    db = open_store()
    for _ in range(random.randrange(1, 15)):
        change_something(db, counts, random)
    changes = read_changes(db, counts)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(counts.handler(db), [changes, changes[::-1], changes[: len(changes) // 2]]))

    assert stored_counts(db, counts) == expected_counts(db, counts)


@settings(max_examples=200)
@given(randoms)
def test_a_slow_worker_never_overwrites_what_a_later_one_computed(random: Random) -> None:
    db, parent = open_store(), CellId((), "gcp")

    def change() -> CellId:
        cell = Pair.primary.get(cell=random.choice(["gcp0", "gcpz"]))
        stored = db.get(cell) or Pair(cell=cell.parts["cell"])
        db.put(stored.model_copy(update={"reports": 1 - stored.reports}))
        return parent

    _run_workers(db, OF_PAIR, random, 3, change)

    children = [db.get(Pair, cell=each) for each in ("gcp0", "gcpz")]
    stored = db.get(Pair, cell="gcp")
    assert stored is not None
    assert stored.reports == sum(each.reports for each in children if each is not None)


def _run_workers(
    db: Store, counts: CellCounts, random: Random, changes: int, change: Callable[[], CellId]
) -> None:
    """Somebody changes items, a consumer follows, and two others compute what the consumer has computed or will."""
    due = [change()]
    known = [*due]

    def make_changes() -> Steps[None]:
        while len(known) < changes:
            due.append(change())
            known.append(due[-1])
            yield Call("ListTables", {})

    def consume() -> Steps[None]:
        while len(known) < changes or due:
            cells = due[:3]
            yield from recompute(CORE, counts._plan, cells)
            del due[: len(cells)]  # acknowledged; a worker that was killed before gets them again
            yield Call("ListTables", {})

    def repeat() -> Steps[None]:
        yield from recompute(CORE, counts._plan, random.sample(known, 1))

    take_turns(db.client, [make_changes, consume, repeat, repeat], random)


@both
@given(randoms)
def test_a_repair_makes_every_cell_right_and_verify_lists_what_was_wrong(
    counts: CellCounts, random: Random
) -> None:
    db = open_store()
    for _ in range(random.randrange(20)):
        change_something(db, counts, random)
    if random.random() < 0.7:
        counts.repair(db)
    _spoil(db, random)
    right, stored = expected_counts(db, counts), stored_counts(db, counts)

    found = counts.verify(db)
    counts.repair(db)

    assert found.is_correct == (right == stored)
    assert found.missing + found.wrong + found.extra == len(found.differences)
    assert stored_counts(db, counts) == expected_counts(db, counts)
    assert counts.verify(db).is_correct


def _spoil(db: Store, random: Random) -> None:
    """Change, delete and invent computed cells."""
    for _ in range(random.randrange(3)):
        cell = random.choice(["gcp", "u00", "gcp0", "gcpz", "zzz", "zzz0"])
        stored = db.get(Cell, app="a", cell=cell) or Cell(app="a", cell=cell)
        db.put(stored.model_copy(update={"reports": stored.reports + 1}))
        if random.random() < 0.3:
            db.delete(Cell, app="a", cell=cell)


def test_the_differences_say_what_is_stored_and_what_should_be() -> None:
    db = open_store()
    for cell, reports in (("gcp00", 3), ("gcpz0", 2)):
        db.put(Cell(app="a", cell=cell, reports=reports, note="mine"))
    OF_CELLS.repair(db)
    db.put(db.get(Cell, app="a", cell="gcp").model_copy(update={"reports": 1, "note": "kept"}))  # type: ignore[union-attr]
    db.delete(Cell, app="a", cell="gcpz")
    db.put(Cell(app="b", cell="u00", reports=7))

    report = OF_CELLS.verify(db)

    assert str(report) == "4 cells compared: 1 missing, 1 wrong, 1 extra"
    assert sorted(map(str, report.differences)) == [
        "extra u00 app=b: reports is 7 and should be 0",
        "missing gcpz app=a: reports should be 2, weight should be 0.0",
        "wrong gcp app=a: reports is 1 and should be 3",
    ]
    assert OF_CELLS.repair(db).written == 3
    assert db.get(Cell, app="a", cell="gcp").note == "kept"  # type: ignore[union-attr]
    assert OF_CELLS.verify(db) == CountReport(cells=4)


def test_a_parent_without_children_becomes_zero() -> None:
    db = open_store()
    report = db.put(Report(cell="gcp00", id=1, at=5))
    db.changes(Report, consumer="counts").run(OF_REPORTS.handler(db), follow=False)
    db.delete(report)

    db.changes(Report, consumer="counts").run(OF_REPORTS.handler(db), follow=False)

    assert [(each.reports, each.first) for each in db.scan(Cell.scan())] == [(0, None)] * 3
    assert OF_REPORTS.verify(db).is_correct


def test_expired_items_are_not_counted() -> None:
    now = Clock(1_800_000_000)
    db = Store(open_store().client, Core(clock=now))
    for id_, seconds in enumerate((-10, 50, 100)):
        db.put(Visit(cell="gcp00", id=id_, expires=int(now()) + seconds))
    visits = CellCounts(VisitedCell, of=Visit, count="visits", maximum="expires")

    visits.repair(db)
    first = db.get(VisitedCell, cell="gcp")
    now.advance(60)
    visits.repair(db)
    second = db.get(VisitedCell, cell="gcp")
    now.advance(60)

    assert first is not None
    assert second is not None
    assert (first.visits, second.visits, second.expires) == (2, 1, int(now()) - 20)
    assert db.get(VisitedCell, cell="gcp") is None
    assert visits.verify(db).is_correct


def test_changes_of_computed_cells_and_of_other_fields_are_ignored() -> None:
    db = open_store()
    cell = db.put(Cell(cell="gcp00", reports=3))
    db.changes(Cell, consumer="counts").run(OF_CELLS.handler(db), follow=False)
    db.update(Cell.primary.update(app="a", cell="gcp00").set(note="new"))

    with db.meter(everywhere=True) as meter:
        db.changes(Cell, consumer="counts").run(OF_CELLS.handler(db), follow=False)

    assert [row.name for row in meter.rows] == ["tables"]
    assert cell.reports == 3


def test_an_insert_costs_two_reads_and_a_write_for_each_level_and_a_batch_shares_them() -> None:
    db = open_store()
    for number in range(3):
        db.put(Report(cell="gcp00", id=number))
    db.put(Report(cell="gcpz0", id=1))
    changes = read_changes(db, OF_REPORTS)

    with db.meter(everywhere=True) as meter:
        OF_REPORTS.handler(db)(changes[:1])
    with db.meter(everywhere=True) as shared:
        OF_REPORTS.handler(db)(changes)

    assert (meter.consumed.read, meter.consumed.write, meter.calls) == (6, 3, 9)
    # Two cells, two parents and one that they share.
    assert (shared.consumed.read, shared.consumed.write, shared.calls) == (10, 5, 15)


def test_an_asynchronous_store_counts_verifies_and_repairs_as_well() -> None:
    async def main() -> list[Any]:
        async with connect_async("memory:") as db:
            await db.create_tables(heat)
            await db.put(Report(cell="gcp00", id=1))
            changes = db.changes(Report, consumer="counts")
            await changes.run(OF_REPORTS.handler(db), follow=False)
            await db.delete(Cell, app="a", cell="gcp")
            found = await OF_REPORTS.verify(db)
            return [found, await OF_REPORTS.repair(db), await OF_REPORTS.verify(db)]

    found, repaired, after = asyncio.run(main())

    assert (found.missing, repaired.written, after.is_correct) == (1, 1, True)


def test_a_cell_that_others_keep_writing_is_an_error_in_the_end() -> None:
    db = open_store()
    db.put(Cell(cell="gcp00", reports=1))
    steps = recompute(Core(), OF_CELLS._plan, [CellId(("a",), "gcp0")])

    with pytest.raises(WriteConflict, match="counts-conflict"):
        _run_beside_a_writer(db, steps)


def _run_beside_a_writer(db: Store, steps: Steps[Any]) -> None:
    """Run steps; before each put, somebody else writes the cell."""
    answer: Any = None
    error: Exception | None = None
    while True:
        step = steps.send(answer) if error is None else steps.throw(error)
        answer, error = None, None
        if isinstance(step, Call):
            if step.operation == "PutItem":
                db.put(db.get(Cell, app="a", cell="gcp0") or Cell(cell="gcp0"))
            try:
                answer = db.client.call(*step)
            except ServiceError as raised:
                error = raised
