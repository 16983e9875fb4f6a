"""Reports: each counts once a day and once a night in six cells, also with concurrent and repeated reports."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from examples.heatmap.cells import YEAR, Cell, heatmap
from examples.heatmap.data import NOW
from examples.heatmap.errors import (
    ReporterTooFar,
    ReportInFuture,
    ReportRejected,
    ReportTooOld,
    TooMany,
    TooSoon,
)
from examples.heatmap.expected import Expected
from examples.heatmap.markers import Marker
from examples.heatmap.operations import Outcome, Reporter, make_report, report, submit_report
from examples.heatmap.periods import seconds
from examples.heatmap.reports import Sender
from examples.heatmap.views import LENGTHS
from pksk import Client, Delays, Engine, ServiceError, Store, connect
from pksk.cells import GEOHASH, decode, encode

from .conftest import Day

ABINGDON = (51.6705, -1.2818)
CELL = encode(*ABINGDON, 8)


def send(db: Store, at: datetime, sender: str = "a", place: tuple[float, float] = ABINGDON) -> Outcome:
    """A report of a user who is there, sent at once."""
    return report(db, *place, at, Reporter(sender, *place), now=at)


def stored_cells(db: Store) -> dict[str, Cell]:
    return {each.cell: each for each in db.scan(Cell.scan())}


def counts(db: Store) -> set[tuple[int, int, int, int]]:
    """The counters of all cells around the one that is reported."""
    found = [stored_cells(db)[CELL[:length]] for length in LENGTHS]
    return {
        (each.first_half_days, each.first_half_nights, each.second_half_days, each.second_half_nights)
        for each in found
    }


def test_a_prepared_report_is_submitted_unchanged(db: Store) -> None:
    made = make_report(*ABINGDON, NOW, Reporter("a", *ABINGDON), now=NOW)

    assert [submit_report(db, made), submit_report(db, made)] == ["counted", "repeated"]
    assert made.cell == CELL
    assert send(db, NOW) == "repeated"


def test_the_first_report_of_a_day_counts_in_all_six_cells_and_leaves_a_marker(db: Store) -> None:
    assert send(db, NOW) == "counted"

    assert sorted(stored_cells(db), key=len) == [CELL[:length] for length in LENGTHS]
    assert counts(db) == {(0, 0, 1, 0)}
    assert [each.last_report for each in stored_cells(db).values() if len(each.cell) > 6] == [
        seconds(NOW)
    ] * 2
    assert {each.last_report for each in stored_cells(db).values() if len(each.cell) < 7} == {None}
    assert {each.expires for each in stored_cells(db).values()} == {seconds(NOW) + YEAR}
    assert [each.cell for each in db.scan(Marker.scan())] == [CELL]


def test_a_later_report_of_the_same_day_only_updates_the_last_report(db: Store) -> None:
    send(db, NOW)

    assert send(db, NOW + timedelta(hours=1), "b") == "touched"

    assert counts(db) == {(0, 0, 1, 0)}
    assert stored_cells(db)[CELL].last_report == stored_cells(db)[CELL[:7]].last_report == seconds(NOW) + 3600
    assert len(list(db.scan(Marker.scan()))) == 2


def test_a_day_its_night_and_the_next_day_count_once_each(db: Store) -> None:
    for hours in (0, 1, 2, 6, 7, 15, 17, 18, 20):
        send(db, NOW + timedelta(hours=hours), sender=f"after {hours}")

    assert counts(db) == {(0, 0, 2, 1)}


def test_parents_count_each_of_their_children(db: Store) -> None:
    low, high = decode(CELL[:7]), decode(CELL[:7]).centre
    send(db, NOW, "a", (low.south, low.west))
    send(db, NOW, "b", high)

    found = stored_cells(db)
    assert [found[CELL[:length]].second_half_days for length in (7, 6, 3)] == [2, 2, 2]
    assert sorted(each.second_half_days for each in found.values() if len(each.cell) == 8) == [1, 1]


def test_the_same_report_again_changes_nothing(db: Store) -> None:
    send(db, NOW)
    before = everything(db)

    assert send(db, NOW) == "repeated"
    assert send(db, NOW + timedelta(minutes=14)) == "repeated"

    assert everything(db) == before


def test_another_place_within_a_quarter_of_an_hour_is_too_soon(db: Store) -> None:
    send(db, NOW)
    before = everything(db)

    with pytest.raises(TooSoon, match="in 600 seconds"):
        send(db, NOW + timedelta(minutes=5), place=(51.7, -1.3))

    assert everything(db) == before
    assert send(db, NOW + timedelta(minutes=15), place=(51.7, -1.3)) == "counted"


def test_a_fourth_report_within_a_day_is_too_many(db: Store, day: Day) -> None:
    for number in range(3):
        send(db, day.now, place=(51 + number / 10, 0))
        # Nothing expires before the hour is over, so the sweeper deletes nothing meanwhile.
        day.later(minutes=16)
    before = everything(db)

    with pytest.raises(TooMany):
        send(db, day.now, place=(52, 0))

    assert everything(db) == before
    day.later(hours=24)
    assert send(db, day.now, place=(52, 0)) == "counted"
    assert [each.reports for each in db.scan(Sender.scan())] == [1]


def test_the_day_of_a_sender_ends_even_if_the_clock_of_the_store_is_behind(db: Store) -> None:
    for hours in (0, 1, 2):
        send(db, NOW + timedelta(hours=hours), place=(51 + hours / 10, 0))

    assert send(db, NOW + timedelta(hours=24), place=(52, 0)) == "counted"
    assert [each.reports for each in db.scan(Sender.scan())] == [1]


def test_a_reporter_known_by_address_counts_and_sets_no_last_report(db: Store) -> None:
    outcome = report(db, *ABINGDON, NOW, Reporter("a", 51.507, -0.128, precise=False), now=NOW)

    assert outcome == "counted"
    assert {each.last_report for each in stored_cells(db).values()} == {None}
    assert list(db.scan(Marker.scan())) == []
    assert report(db, *ABINGDON, NOW, Reporter("b", 51.507, -0.128, precise=False), now=NOW) == "touched"
    assert counts(db) == {(0, 0, 1, 0)}


def test_a_precise_reporter_more_than_10_km_away_only_counts(db: Store) -> None:
    assert report(db, *ABINGDON, NOW, Reporter("a", 51.752, -1.258), now=NOW) == "counted"
    assert send(db, NOW, "b") == "touched"

    assert [each.at for each in db.scan(Marker.scan())] == [seconds(NOW)]


def test_a_report_from_more_than_100_miles_away_or_with_swapped_coordinates_is_rejected(db: Store) -> None:
    for place in ((48.857, 2.352), ABINGDON[::-1]):
        with pytest.raises(ReporterTooFar):
            report(db, *place, NOW, Reporter("a", *ABINGDON), now=NOW)

    assert everything(db) == []


def test_a_new_half_year_starts_at_one_and_keeps_the_previous(db: Store) -> None:
    spring, autumn, next_spring = (
        datetime(year, month, 1, 12, tzinfo=UTC) for year, month in ((2045, 3), (2045, 9), (2046, 3))
    )
    for number, at in enumerate((spring, spring + timedelta(hours=12), autumn, next_spring)):
        assert send(db, at, sender=str(number)) == "counted"

    assert counts(db) == {(1, 0, 1, 0)}
    assert {each.half for each in stored_cells(db).values()} == {2 * 2046}


def test_after_a_half_year_without_reports_no_old_count_is_left(db: Store) -> None:
    send(db, datetime(2045, 3, 1, 12, tzinfo=UTC), "a")
    send(db, datetime(2045, 9, 1, 12, tzinfo=UTC), "b")

    assert send(db, datetime(2046, 9, 1, 23, tzinfo=UTC), "c") == "counted"

    assert counts(db) == {(0, 0, 0, 1)}


def test_a_late_report_counts_in_the_previous_half_year(db: Store) -> None:
    neighbour = decode(CELL).centre[0], decode(CELL).east
    send(db, datetime(2045, 7, 1, 12, tzinfo=UTC), "a")

    assert send(db, datetime(2045, 6, 30, 12, tzinfo=UTC), "b", neighbour) == "counted"

    parent = stored_cells(db)["gcp"]
    assert (parent.first_half_days, parent.second_half_days, parent.half) == (1, 1, 2 * 2045 + 1)
    with pytest.raises(ReportTooOld):
        send(db, datetime(2044, 12, 1, tzinfo=UTC), "c", (51.6, -1.2))


def test_a_report_of_an_older_half_year_is_rejected_even_without_a_cell(
    db: Store,
) -> None:
    for months in (12, 12 * 45):
        at = NOW.replace(year=NOW.year - months // 12)
        with pytest.raises(ReportTooOld, match="no longer counted"):
            report(db, *ABINGDON, at, Reporter("a", *ABINGDON), now=NOW)

    assert stored_cells(db) == {}
    assert report(db, *ABINGDON, NOW - timedelta(days=120), Reporter("a", *ABINGDON), now=NOW) == "counted"


def test_a_report_of_an_earlier_day_does_not_count_and_moves_nothing_back(db: Store) -> None:
    send(db, NOW, "a")

    assert send(db, NOW - timedelta(days=1), "b") == "touched"

    assert stored_cells(db)[CELL].last_report == seconds(NOW)
    assert counts(db) == {(0, 0, 1, 0)}


ELSEWHERE = (51.7, -1.3)


def send_late(db: Store, at: datetime, now: datetime, place: tuple[float, float] = ELSEWHERE) -> Outcome:
    return report(db, *place, at, Reporter("a", *place), now=now)


def test_a_known_sender_may_send_a_late_report(db: Store) -> None:
    send(db, NOW)

    with db.meter() as meter:
        outcome = send_late(db, NOW - timedelta(hours=1), NOW + timedelta(minutes=15))

    assert (outcome, meter.calls) == ("counted", 3)
    assert stored_cells(db)[encode(*ELSEWHERE, 8)].last_report == seconds(NOW) - 3600
    assert stored_cells(db)[CELL[:3]].second_half_days == 2
    (sender,) = db.scan(Sender.scan())
    assert (sender.reports, sender.last_report) == (2, seconds(NOW) + 900)


def test_a_late_report_of_a_day_that_was_counted_moves_nothing_back(db: Store) -> None:
    send(db, NOW)

    assert send_late(db, NOW - timedelta(hours=1), NOW + timedelta(hours=1), ABINGDON) == "touched"

    assert stored_cells(db)[CELL].last_report == seconds(NOW)
    assert counts(db) == {(0, 0, 1, 0)}


@pytest.mark.parametrize("behind", [timedelta(), timedelta(minutes=15), timedelta(hours=5)])
def test_a_late_report_sent_too_soon_is_rejected_even_if_the_clock_is_behind(
    db: Store, behind: timedelta
) -> None:
    send(db, NOW)
    before = everything(db)

    with db.meter() as meter, pytest.raises(TooSoon):
        send_late(db, NOW - timedelta(days=1), NOW - behind)

    assert meter.calls == 2
    assert everything(db) == before
    assert send_late(db, NOW - timedelta(days=1), NOW - behind, ABINGDON) == "repeated"


def test_late_reports_are_limited_to_three_a_day(db: Store, day: Day) -> None:
    for number in range(3):
        send_late(db, NOW - timedelta(days=2), day.now, (51 + number / 10, 0))
        day.later(hours=1)

    with pytest.raises(TooMany):
        send_late(db, NOW - timedelta(days=2), day.now)


def test_a_late_report_of_an_expired_but_stored_sender_is_accepted(day: Day) -> None:
    slow = Engine.open(clock=day.clock, delays=Delays(expiry=48 * 3600))
    with slow, connect(slow, clock=day.clock) as db:
        db.create_tables(heatmap)
        send(db, NOW)
        later = day.later(hours=25)

        assert send_late(db, NOW - timedelta(hours=1), later) == "counted"
        assert [each.reports for each in db.scan(Sender.scan())] == [1]


@pytest.mark.parametrize("ahead", [timedelta(seconds=301), timedelta(days=800)])
def test_a_report_in_the_future_is_rejected_and_blocks_no_other(db: Store, ahead: timedelta) -> None:
    with pytest.raises(ReportInFuture, match="2045-09-20 14:00:00"):
        report(db, *ABINGDON, NOW + ahead, Reporter("evil", *ABINGDON), now=NOW)

    assert everything(db) == []
    assert send(db, NOW, "ann") == "counted"
    assert send(db, NOW, "bob", (51.0, -1.0)) == "counted"


def test_a_clock_may_be_five_minutes_ahead(db: Store) -> None:
    outcome = report(db, *ABINGDON, NOW + timedelta(minutes=5), Reporter("a", *ABINGDON), now=NOW)

    assert outcome == "counted"


def test_without_now_the_system_clock_decides_what_is_in_the_future(db: Store) -> None:
    now = datetime.now(UTC)

    with pytest.raises(ReportInFuture):
        report(db, *ABINGDON, now + timedelta(hours=1), Reporter("a", *ABINGDON))
    assert report(db, *ABINGDON, now, Reporter("a", *ABINGDON)) == "counted"


def test_an_expired_cell_starts_again(db: Store, day: Day) -> None:
    send(db, day.now, "a")
    later = day.later(days=400)

    assert send(db, later, "b") == "counted"

    assert counts(db) == {(0, 0, 1, 0)}


def test_random_reports_match_the_model(db: Store) -> None:
    random, expected = Random(9), Expected()
    corner = decode("gcpjfy")
    at = datetime(2044, 11, 1, tzinfo=UTC)
    for number in range(100):
        at += timedelta(hours=random.choice([1, 2, 5, 30, 300]))
        place = (
            random.choice([corner.south, corner.centre[0]]),
            random.choice([corner.west, corner.centre[1]]),
        )
        moment = at - timedelta(days=random.choice([0, 0, 0, 2, 40]))
        precise = random.random() < 0.7
        outcome = report(db, *place, moment, Reporter(str(number), *place, precise=precise), now=at)
        assert outcome == expected.report(encode(*place, 8), seconds(moment), active=precise)

    assert stored_cells(db) == expected.cells
    live = {each.cell + str(each.at) for each in expected.markers if each.expires > seconds(NOW)}
    assert {each.cell + str(each.at) for each in db.scan(Marker.scan())} == live


def test_concurrent_reports_in_one_cell_count_once(db: Store) -> None:
    with ThreadPoolExecutor(16) as threads:
        outcome = list(threads.map(lambda number: send(db, NOW, f"sender {number}"), range(40)))

    assert sorted(outcome) == ["counted"] + ["touched"] * 39
    assert counts(db) == {(0, 0, 1, 0)}


def test_concurrent_reports_in_one_parent_all_count_there(db: Store) -> None:
    corner = decode("gcpjf")
    places = [decode("gcpjf" + GEOHASH.name(number * 1000, 3)).centre for number in range(32)]
    assert corner.centre not in places

    with ThreadPoolExecutor(16) as threads:
        outcome = list(threads.map(lambda place: send(db, NOW, str(place), place), places))

    found = stored_cells(db)
    assert set(outcome) == {"counted"}
    assert [found["gcpjf"[:length]].second_half_days for length in (3, 4, 5)] == [32, 32, 32]


def test_concurrent_reports_of_one_sender_are_accepted_once(db: Store) -> None:
    with ThreadPoolExecutor(16) as threads:
        outcome = list(threads.map(lambda _: send(db, NOW), range(20)))

    assert sorted(outcome) == ["counted"] + ["repeated"] * 19
    assert [each.reports for each in db.scan(Sender.scan())] == [1]


class Losing:
    """A DynamoDB whose answers to transactions get lost, and whose client gives up at once."""

    def __init__(self, client: Client) -> None:
        self.client, self.losing = client, True

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        answer = self.client.call(operation, request)
        if operation == "TransactWriteItems" and self.losing:
            raise ServiceError("NoAnswer", "the connection was closed", 0)
        return answer


def test_a_report_can_be_repeated_after_a_lost_answer(db: Store, day: Day) -> None:
    losing = Losing(db.client)
    with connect(losing, clock=day.clock) as broken:
        with pytest.raises(Exception, match="unknown whether the write was applied"):
            send(broken, NOW)
        losing.losing = False

        assert send(broken, NOW) == "repeated"

    assert counts(db) == {(0, 0, 1, 0)}


def test_every_rejection_has_one_base_class() -> None:
    assert all(
        issubclass(each, ReportRejected)
        for each in (ReporterTooFar, TooSoon, TooMany, ReportTooOld, ReportInFuture)
    )


def test_a_counted_report_costs_16_write_units_and_one_read_unit(db: Store) -> None:
    with db.meter() as first:
        send(db, NOW)
    with db.meter() as again:
        send(db, NOW + timedelta(hours=1), "b")

    assert (first.consumed.read, first.consumed.write) == (1, 16)
    assert (again.consumed.read, again.consumed.write) == (1, 8)


def test_the_largest_cells_take_an_eighth_of_all_writes_in_one_partition(day: Day) -> None:
    engine = Engine.open(clock=day.clock)
    with engine, connect(engine, clock=day.clock) as db:
        db.create_tables(heatmap)
        for number in range(40):
            send(db, NOW, str(number), (-60 + 3.0 * number, -170 + 8.0 * number))

        hottest = engine.heat().tables["heatmap"].writes.keys[0]

    assert hottest.key == {"PK": {"S": "ShCe#"}}
    assert (hottest.units, hottest.share) == (80, 1 / 8)


def everything(db: Store) -> list[Any]:
    return sorted(db.client.call("Scan", {"TableName": "heatmap"})["Items"], key=repr)
