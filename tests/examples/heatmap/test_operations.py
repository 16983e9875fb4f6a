"""Reports: counted once a day and once a night in six cells, whoever else reports, and however often they are sent."""

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
from examples.heatmap.geohash import area, cell_of, encode
from examples.heatmap.markers import Marker
from examples.heatmap.operations import Outcome, Reporter, make_report, report, submit_report
from examples.heatmap.periods import seconds
from examples.heatmap.reports import Sender
from examples.heatmap.views import LENGTHS
from pksk import Client, Delays, Engine, ServiceError, Store, connect

from .conftest import Day

ABINGDON = (51.6705, -1.2818)
CELL = encode(*ABINGDON, 8)


def sent(db: Store, at: datetime, sender: str = "a", place: tuple[float, float] = ABINGDON) -> Outcome:
    """A report of somebody who is there, sent when it happens."""
    return report(db, *place, at, Reporter(sender, *place), now=at)


def stored(db: Store) -> dict[str, Cell]:
    return {each.cell: each for each in db.scan(Cell.scan())}


def counts(db: Store) -> set[tuple[int, int, int, int]]:
    """The counters of all cells around the one that is reported."""
    found = [stored(db)[CELL[:length]] for length in LENGTHS]
    return {
        (each.first_half_days, each.first_half_nights, each.second_half_days, each.second_half_nights)
        for each in found
    }


def test_a_report_that_was_drawn_up_is_handed_in_as_it_is(db: Store) -> None:
    made = make_report(*ABINGDON, NOW, Reporter("a", *ABINGDON), now=NOW)

    assert [submit_report(db, made), submit_report(db, made)] == ["counted", "repeated"]
    assert made.cell == CELL
    assert sent(db, NOW) == "repeated"


def test_the_first_report_of_a_day_counts_in_all_six_cells_and_leaves_a_marker(db: Store) -> None:
    assert sent(db, NOW) == "counted"

    assert sorted(stored(db), key=len) == [CELL[:length] for length in LENGTHS]
    assert counts(db) == {(0, 0, 1, 0)}
    assert [each.last_report for each in stored(db).values() if len(each.cell) > 6] == [seconds(NOW)] * 2
    assert {each.last_report for each in stored(db).values() if len(each.cell) < 7} == {None}
    assert {each.expires for each in stored(db).values()} == {seconds(NOW) + YEAR}
    assert [each.cell for each in db.scan(Marker.scan())] == [CELL]


def test_a_later_report_of_the_same_day_moves_the_last_one_and_counts_nowhere(db: Store) -> None:
    sent(db, NOW)

    assert sent(db, NOW + timedelta(hours=1), "b") == "touched"

    assert counts(db) == {(0, 0, 1, 0)}
    assert stored(db)[CELL].last_report == stored(db)[CELL[:7]].last_report == seconds(NOW) + 3600
    assert len(list(db.scan(Marker.scan()))) == 2


def test_a_day_its_night_and_the_next_day_count_once_each(db: Store) -> None:
    for hours in (0, 1, 2, 6, 7, 15, 17, 18, 20):
        sent(db, NOW + timedelta(hours=hours), sender=f"after {hours}")

    assert counts(db) == {(0, 0, 2, 1)}


def test_parents_count_each_of_their_children(db: Store) -> None:
    low, high = area(CELL[:7]), area(CELL[:7]).middle
    sent(db, NOW, "a", (low.south, low.west))
    sent(db, NOW, "b", high)

    found = stored(db)
    assert [found[CELL[:length]].second_half_days for length in (7, 6, 3)] == [2, 2, 2]
    assert sorted(each.second_half_days for each in found.values() if len(each.cell) == 8) == [1, 1]


def test_the_same_report_again_changes_nothing(db: Store) -> None:
    sent(db, NOW)
    before = everything(db)

    assert sent(db, NOW) == "repeated"
    assert sent(db, NOW + timedelta(minutes=14)) == "repeated"

    assert everything(db) == before


def test_another_place_within_a_quarter_of_an_hour_is_too_soon(db: Store) -> None:
    sent(db, NOW)
    before = everything(db)

    with pytest.raises(TooSoon, match="in 600 seconds"):
        sent(db, NOW + timedelta(minutes=5), place=(51.7, -1.3))

    assert everything(db) == before
    assert sent(db, NOW + timedelta(minutes=15), place=(51.7, -1.3)) == "counted"


def test_a_fourth_report_within_a_day_is_too_many(db: Store, day: Day) -> None:
    for number in range(3):
        sent(db, day.now, place=(51 + number / 10, 0))
        day.later(hours=1)
    before = everything(db)

    with pytest.raises(TooMany):
        sent(db, day.now, place=(52, 0))

    assert everything(db) == before
    day.later(hours=21)
    assert sent(db, day.now, place=(52, 0)) == "counted"
    assert [each.reports for each in db.scan(Sender.scan())] == [1]


def test_the_day_of_a_sender_also_ends_where_the_clock_of_the_store_is_behind(db: Store) -> None:
    for hours in (0, 1, 2):
        sent(db, NOW + timedelta(hours=hours), place=(51 + hours / 10, 0))

    assert sent(db, NOW + timedelta(hours=24), place=(52, 0)) == "counted"
    assert [each.reports for each in db.scan(Sender.scan())] == [1]


def test_somebody_known_by_address_counts_and_leaves_no_trace_of_when(db: Store) -> None:
    outcome = report(db, *ABINGDON, NOW, Reporter("a", 51.507, -0.128, precise=False), now=NOW)

    assert outcome == "counted"
    assert {each.last_report for each in stored(db).values()} == {None}
    assert list(db.scan(Marker.scan())) == []
    assert report(db, *ABINGDON, NOW, Reporter("b", 51.507, -0.128, precise=False), now=NOW) == "touched"
    assert counts(db) == {(0, 0, 1, 0)}


def test_a_precise_reporter_more_than_10_km_away_counts_only(db: Store) -> None:
    assert report(db, *ABINGDON, NOW, Reporter("a", 51.752, -1.258), now=NOW) == "counted"
    assert sent(db, NOW, "b") == "touched"

    assert [each.at for each in db.scan(Marker.scan())] == [seconds(NOW)]


def test_nobody_reports_from_more_than_100_miles_away_nor_with_a_swapped_place(db: Store) -> None:
    for place in ((48.857, 2.352), ABINGDON[::-1]):
        with pytest.raises(ReporterTooFar):
            report(db, *place, NOW, Reporter("a", *ABINGDON), now=NOW)

    assert everything(db) == []


def test_a_new_half_year_begins_with_one_and_keeps_the_one_before(db: Store) -> None:
    spring, autumn, next_spring = (
        datetime(year, month, 1, 12, tzinfo=UTC) for year, month in ((2045, 3), (2045, 9), (2046, 3))
    )
    for number, at in enumerate((spring, spring + timedelta(hours=12), autumn, next_spring)):
        assert sent(db, at, sender=str(number)) == "counted"

    assert counts(db) == {(1, 0, 1, 0)}
    assert {each.half for each in stored(db).values()} == {2 * 2046}


def test_after_a_half_year_without_reports_nothing_old_is_left(db: Store) -> None:
    sent(db, datetime(2045, 3, 1, 12, tzinfo=UTC), "a")
    sent(db, datetime(2045, 9, 1, 12, tzinfo=UTC), "b")

    assert sent(db, datetime(2046, 9, 1, 23, tzinfo=UTC), "c") == "counted"

    assert counts(db) == {(0, 0, 0, 1)}


def test_a_late_report_of_the_half_year_before_counts_there(db: Store) -> None:
    neighbour = area(CELL).middle[0], area(CELL).east
    sent(db, datetime(2045, 7, 1, 12, tzinfo=UTC), "a")

    assert sent(db, datetime(2045, 6, 30, 12, tzinfo=UTC), "b", neighbour) == "counted"

    parent = stored(db)["gcp"]
    assert (parent.first_half_days, parent.second_half_days, parent.half) == (1, 1, 2 * 2045 + 1)
    with pytest.raises(ReportTooOld):
        sent(db, datetime(2044, 12, 1, tzinfo=UTC), "c", (51.6, -1.2))


def test_a_report_of_a_half_year_that_is_no_longer_counted_is_refused_where_there_is_no_cell_too(
    db: Store,
) -> None:
    for months in (12, 12 * 45):
        at = NOW.replace(year=NOW.year - months // 12)
        with pytest.raises(ReportTooOld, match="no longer counted"):
            report(db, *ABINGDON, at, Reporter("a", *ABINGDON), now=NOW)

    assert stored(db) == {}
    assert report(db, *ABINGDON, NOW - timedelta(days=120), Reporter("a", *ABINGDON), now=NOW) == "counted"


def test_a_report_of_an_earlier_day_is_not_counted_and_moves_nothing_back(db: Store) -> None:
    sent(db, NOW, "a")

    assert sent(db, NOW - timedelta(days=1), "b") == "touched"

    assert stored(db)[CELL].last_report == seconds(NOW)
    assert counts(db) == {(0, 0, 1, 0)}


ELSEWHERE = (51.7, -1.3)


def sent_late(db: Store, at: datetime, now: datetime, place: tuple[float, float] = ELSEWHERE) -> Outcome:
    return report(db, *place, at, Reporter("a", *place), now=now)


def test_a_known_sender_may_send_a_late_report(db: Store) -> None:
    sent(db, NOW)

    with db.meter() as meter:
        outcome = sent_late(db, NOW - timedelta(hours=1), NOW + timedelta(minutes=15))

    assert (outcome, meter.calls) == ("counted", 3)
    assert stored(db)[encode(*ELSEWHERE, 8)].last_report == seconds(NOW) - 3600
    assert stored(db)[CELL[:3]].second_half_days == 2
    (sender,) = db.scan(Sender.scan())
    assert (sender.reports, sender.last_report) == (2, seconds(NOW) + 900)


def test_a_late_report_of_a_day_that_was_counted_moves_nothing_back(db: Store) -> None:
    sent(db, NOW)

    assert sent_late(db, NOW - timedelta(hours=1), NOW + timedelta(hours=1), ABINGDON) == "touched"

    assert stored(db)[CELL].last_report == seconds(NOW)
    assert counts(db) == {(0, 0, 1, 0)}


@pytest.mark.parametrize("behind", [timedelta(), timedelta(minutes=15), timedelta(hours=5)])
def test_a_late_report_sent_too_soon_is_refused_also_by_a_clock_that_is_behind(
    db: Store, behind: timedelta
) -> None:
    sent(db, NOW)
    before = everything(db)

    with db.meter() as meter, pytest.raises(TooSoon):
        sent_late(db, NOW - timedelta(days=1), NOW - behind)

    assert meter.calls == 2
    assert everything(db) == before
    assert sent_late(db, NOW - timedelta(days=1), NOW - behind, ABINGDON) == "repeated"


def test_of_late_reports_too_there_are_three_a_day(db: Store, day: Day) -> None:
    for number in range(3):
        sent_late(db, NOW - timedelta(days=2), day.now, (51 + number / 10, 0))
        day.later(hours=1)

    with pytest.raises(TooMany):
        sent_late(db, NOW - timedelta(days=2), day.now)


def test_a_late_report_is_taken_where_its_sender_has_expired_and_is_still_stored(day: Day) -> None:
    slow = Engine.open(clock=day.clock, delays=Delays(expiry=48 * 3600))
    with slow, connect(slow, clock=day.clock) as db:
        db.create_tables(heatmap)
        sent(db, NOW)
        later = day.later(hours=25)

        assert sent_late(db, NOW - timedelta(hours=1), later) == "counted"
        assert [each.reports for each in db.scan(Sender.scan())] == [1]


@pytest.mark.parametrize("ahead", [timedelta(seconds=301), timedelta(days=800)])
def test_a_report_of_a_moment_that_has_not_come_is_refused_and_shuts_nobody_out(
    db: Store, ahead: timedelta
) -> None:
    with pytest.raises(ReportInFuture, match="2045-09-20 14:00:00"):
        report(db, *ABINGDON, NOW + ahead, Reporter("evil", *ABINGDON), now=NOW)

    assert everything(db) == []
    assert sent(db, NOW, "ann") == "counted"
    assert sent(db, NOW, "bob", (51.0, -1.0)) == "counted"


def test_a_clock_may_be_five_minutes_ahead(db: Store) -> None:
    outcome = report(db, *ABINGDON, NOW + timedelta(minutes=5), Reporter("a", *ABINGDON), now=NOW)

    assert outcome == "counted"


def test_without_a_moment_the_clock_of_the_machine_says_what_has_not_come(db: Store) -> None:
    now = datetime.now(UTC)

    with pytest.raises(ReportInFuture):
        report(db, *ABINGDON, now + timedelta(hours=1), Reporter("a", *ABINGDON))
    assert report(db, *ABINGDON, now, Reporter("a", *ABINGDON)) == "counted"


def test_a_cell_that_has_expired_begins_anew(db: Store, day: Day) -> None:
    sent(db, day.now, "a")
    later = day.later(days=400)

    assert sent(db, later, "b") == "counted"

    assert counts(db) == {(0, 0, 1, 0)}


def test_random_reports_give_what_the_model_gives(db: Store) -> None:
    random, expected = Random(9), Expected()
    corner = area("gcpjfy")
    at = datetime(2044, 11, 1, tzinfo=UTC)
    for number in range(100):
        at += timedelta(hours=random.choice([1, 2, 5, 30, 300]))
        place = (
            random.choice([corner.south, corner.middle[0]]),
            random.choice([corner.west, corner.middle[1]]),
        )
        moment = at - timedelta(days=random.choice([0, 0, 0, 2, 40]))
        precise = random.random() < 0.7
        outcome = report(db, *place, moment, Reporter(str(number), *place, precise=precise), now=at)
        assert outcome == expected.report(encode(*place, 8), seconds(moment), active=precise)

    assert stored(db) == expected.cells
    live = {each.cell + str(each.at) for each in expected.markers if each.expires > seconds(NOW)}
    assert {each.cell + str(each.at) for each in db.scan(Marker.scan())} == live


def test_many_at_once_in_one_cell_count_once(db: Store) -> None:
    with ThreadPoolExecutor(16) as threads:
        outcome = list(threads.map(lambda number: sent(db, NOW, f"sender {number}"), range(40)))

    assert sorted(outcome) == ["counted"] + ["touched"] * 39
    assert counts(db) == {(0, 0, 1, 0)}


def test_many_at_once_in_one_parent_are_all_counted_there(db: Store) -> None:
    corner = area("gcpjf")
    places = [area("gcpjf" + cell_of(number * 1000, 3)).middle for number in range(32)]
    assert corner.middle not in places

    with ThreadPoolExecutor(16) as threads:
        outcome = list(threads.map(lambda place: sent(db, NOW, str(place), place), places))

    found = stored(db)
    assert set(outcome) == {"counted"}
    assert [found["gcpjf"[:length]].second_half_days for length in (3, 4, 5)] == [32, 32, 32]


def test_one_sender_many_times_at_once_is_taken_once(db: Store) -> None:
    with ThreadPoolExecutor(16) as threads:
        outcome = list(threads.map(lambda _: sent(db, NOW), range(20)))

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


def test_a_report_whose_answer_was_lost_may_be_sent_again(db: Store, day: Day) -> None:
    losing = Losing(db.client)
    with connect(losing, clock=day.clock) as broken:
        with pytest.raises(Exception, match="may have been done or not"):
            sent(broken, NOW)
        losing.losing = False

        assert sent(broken, NOW) == "repeated"

    assert counts(db) == {(0, 0, 1, 0)}


def test_every_refusal_can_be_caught_as_one() -> None:
    assert all(
        issubclass(each, ReportRejected)
        for each in (ReporterTooFar, TooSoon, TooMany, ReportTooOld, ReportInFuture)
    )


def test_a_counted_report_costs_16_write_units_and_one_read_unit(db: Store) -> None:
    with db.meter() as first:
        sent(db, NOW)
    with db.meter() as again:
        sent(db, NOW + timedelta(hours=1), "b")

    assert (first.consumed.read, first.consumed.write) == (1, 16)
    assert (again.consumed.read, again.consumed.write) == (1, 8)


def test_the_largest_cells_take_an_eighth_of_all_writes_in_one_partition(day: Day) -> None:
    engine = Engine.open(clock=day.clock)
    with engine, connect(engine, clock=day.clock) as db:
        db.create_tables(heatmap)
        for number in range(40):
            sent(db, NOW, str(number), (-60 + 3.0 * number, -170 + 8.0 * number))

        hottest = engine.heat().tables["heatmap"].writes.keys[0]

    assert hottest.key == {"PK": {"S": "ShCe#"}}
    assert (hottest.units, hottest.share) == (80, 1 / 8)


def everything(db: Store) -> list[Any]:
    return sorted(db.client.call("Scan", {"TableName": "heatmap"})["Items"], key=repr)
