"""What every sink does: the highest version of an item wins, whatever comes late or twice."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from pksk import Clock
from pksk.search import BucketDigest, ItemDocuments, ItemWrite, Sink
from tests.search.conftest import MakeSink
from tests.search.places import SQUARE, Campsite, Park, places, reference

EPOCH = 1 << 40


def park(number: int, name: str = "Joffre Lakes", **fields: Any) -> ItemDocuments:
    return places.documents_of(Park(id=str(number), name=name, **fields))


def gone(number: int) -> ItemDocuments:
    item = park(number)
    return places.removed(reference, item.key)


def apply(sink: Sink, item: ItemDocuments, version: int) -> str:
    return sink.apply([ItemWrite(item, version)])[0].status


def digests(sink: Sink) -> dict[str, int]:
    return {item.id: item.digest for number in sink.digests() for item in sink.bucket(number)}


@pytest.fixture
def sink(make_sink: MakeSink) -> Sink:
    return make_sink(places)


def test_the_highest_version_wins(sink: Sink) -> None:
    old, new = park(1, "old"), park(1, "new")

    assert [apply(sink, item, version) for item, version in ((new, 7), (old, 5), (old, 7))] == [
        "applied",
        "superseded",
        "superseded",
    ]
    assert digests(sink) == {new.id: new.digest}


def test_a_removed_item_does_not_come_back_with_a_lower_version(sink: Sink) -> None:
    item = park(1)
    apply(sink, item, 5)
    apply(sink, gone(1), 7)

    assert apply(sink, item, 6) == "superseded"
    assert apply(sink, item, 0) == "superseded"
    assert digests(sink) == {}
    assert apply(sink, item, 8) == "applied"
    assert digests(sink) == {item.id: item.digest}


def test_the_removal_of_an_unknown_item_holds_off_earlier_writes(sink: Sink) -> None:
    assert apply(sink, gone(1), 7) == "applied"
    assert apply(sink, park(1), 6) == "superseded"


def test_a_backfill_writes_only_what_is_not_there(sink: Sink) -> None:
    scanned, changed = park(1, "scanned"), park(1, "changed")

    assert apply(sink, scanned, 0) == "applied"
    assert apply(sink, scanned, 0) == "superseded"
    assert apply(sink, changed, 3) == "applied"
    assert apply(sink, scanned, 0) == "superseded"
    assert digests(sink) == {changed.id: changed.digest}


def test_a_backfill_of_an_item_without_documents_leaves_nothing(sink: Sink) -> None:
    assert apply(sink, gone(1), 0) == "applied"
    assert sink.versions([gone(1).id]) == {}


def test_a_version_of_a_later_epoch_is_a_fencing_signal_except_for_backfill(sink: Sink) -> None:
    apply(sink, park(1), 2 * EPOCH | 1)

    (outcome,) = sink.apply([ItemWrite(gone(1), EPOCH | 9)])
    assert (outcome.status, outcome.version) == ("fenced", 2 * EPOCH | 1)
    assert apply(sink, gone(1), 0) == "superseded"
    assert apply(sink, gone(1), 2 * EPOCH) == "superseded"


def test_all_documents_of_an_item_are_replaced_together(sink: Sink) -> None:
    three, one = (
        places.documents_of(Campsite(id="1", name="Alice", sites=[{"number": n} for n in range(count)]))
        for count in (3, 1)
    )
    apply(sink, three, 1)
    apply(sink, one, 2)

    assert apply(sink, three, 1) == "superseded"
    assert digests(sink) == {one.id: one.digest}


def test_writes_of_one_batch_are_applied_in_their_order(sink: Sink) -> None:
    first, second = park(1, "first"), park(1, "second")

    outcomes = sink.apply(
        [ItemWrite(first, 1), ItemWrite(second, 3), ItemWrite(first, 2), ItemWrite(gone(2), 4)]
    )

    assert [each.status for each in outcomes] == ["applied", "applied", "superseded", "applied"]
    assert sink.versions([first.id, gone(2).id, "absent"]) == {first.id: 3, gone(2).id: 4}


def test_an_item_that_cannot_be_indexed_becomes_a_dead_letter_and_the_others_are_applied(sink: Sink) -> None:
    good = park(1)
    apply(sink, good, 1)
    bad = park(1, boundary={"type": "Polygon", "coordinates": [[[500, 0], [1, 1], [2, 2], [500, 0]]]})

    rejected, applied = sink.apply([ItemWrite(bad, 2), ItemWrite(park(2), 3)])

    assert (rejected.status, applied.status) == ("rejected", "applied")
    assert "which is not a place on earth" in rejected.reason
    (letter,) = sink.dead_letters()
    assert (letter.id, letter.version, letter.count, letter.key) == (good.id, 2, 1, good.key)
    assert digests(sink)[good.id] == good.digest


def test_a_dead_letter_is_cleared_by_a_later_version_and_not_by_an_earlier_one(sink: Sink) -> None:
    item = park(1)
    sink.apply([ItemWrite(item, 5, error="ValueError: no"), ItemWrite(item, 5, error="ValueError: no")])
    apply(sink, item, 4)

    assert [each.count for each in sink.dead_letters()] == [2]
    apply(sink, item, 6)
    assert sink.dead_letters() == []


def test_a_dead_letter_can_be_dropped(sink: Sink) -> None:
    sink.apply([ItemWrite(park(1), 5, error="ValueError: no")])
    sink.drop(park(1).id)

    assert sink.dead_letters() == []


def test_digests_of_buckets_are_those_of_their_items(sink: Sink) -> None:
    items = [park(number) for number in range(200)]
    sink.apply([ItemWrite(each, 1) for each in items])
    sink.apply([ItemWrite(gone(7), 2)])

    shown = [each for each in items if each.id != gone(7).id]
    expected = {
        number: BucketDigest.of(each.digest for each in shown if each.bucket == number)
        for number in {each.bucket for each in shown}
    }
    assert sink.digests() == expected
    assert {item.id for number in expected for item in sink.bucket(number)} == {each.id for each in shown}


def test_a_sweep_removes_items_with_lower_versions(sink: Sink) -> None:
    sink.apply([ItemWrite(park(1), 1), ItemWrite(park(2), EPOCH), ItemWrite(park(3), EPOCH | 4)])
    sink.apply([ItemWrite(park(4), 1), ItemWrite(park(4), EPOCH, error="ValueError: no")])

    assert sink.sweep("archive", EPOCH) == 0
    assert sink.sweep("reference", EPOCH) == 1
    assert sorted(digests(sink)) == [park(2).id, park(3).id, park(4).id]
    assert sink.versions([park(1).id]) == {park(1).id: EPOCH}


def test_the_highest_version_of_a_table_counts_removed_items(sink: Sink) -> None:
    assert sink.highest_version("reference") == 0
    sink.apply([ItemWrite(park(1), 7), ItemWrite(gone(2), 9)])

    assert sink.highest_version("reference") == 9
    assert sink.highest_version("archive") == 0


def test_a_purge_forgets_removed_items_only(sink: Sink, clock: Clock) -> None:
    sink.apply([ItemWrite(park(1), 1), ItemWrite(gone(2), 2)])
    clock.advance(60)
    sink.apply([ItemWrite(gone(3), 3)])

    assert sink.purge(clock() - 30) == 1
    assert sorted(sink.versions([each.id for each in map(park, range(4))])) == sorted(
        [park(1).id, park(3).id]
    )


def test_notes_are_kept(sink: Sink) -> None:
    assert sink.note("rebuild") == ""
    sink.write_note("rebuild", "7")
    sink.write_note("rebuild", "8")
    assert sink.note("rebuild") == "8"


@pytest.mark.parametrize("block", range(4))
def test_any_order_of_writes_with_repetitions_ends_in_the_highest_versions(
    make_sink: MakeSink, block: int
) -> None:
    random = Random(block)
    writes = []
    for version in range(1, 60):
        number = random.randrange(5)
        boundary = SQUARE if random.random() < 0.2 else None
        item = gone(number) if random.random() < 0.3 else park(number, f"name {version}", boundary=boundary)
        writes.append(ItemWrite(item, version))
    latest = {each.item.id: each.item for each in writes}
    shuffled = writes + random.choices(writes, k=40)
    random.shuffle(shuffled)
    sink = make_sink(places)
    for first in range(0, len(shuffled), 7):
        sink.apply(shuffled[first : first + 7])

    assert digests(sink) == {name: item.digest for name, item in latest.items() if item.documents}
    assert sink.altered() == []
