"""Days, nights and half-years; and how the counters of one half-year fade into those of the next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.heatmap.cells import YEAR, Cell
from examples.heatmap.periods import elapsed, half_year, period, seconds

LONDON, TOKYO, NEW_YORK = "gcpvj0du", "xn76urx4", "dr5regw3"


def at(text: str) -> int:
    return seconds(datetime.fromisoformat(text).replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("cell", "time", "night"),
    [
        (LONDON, "2025-03-01T06:01", False),
        (LONDON, "2025-03-01T17:59", False),
        (LONDON, "2025-03-01T18:01", True),
        (LONDON, "2025-03-01T05:59", True),
        (TOKYO, "2025-03-01T12:00", True),
        (TOKYO, "2025-02-28T22:00", False),
        (NEW_YORK, "2025-03-01T12:00", False),
        (NEW_YORK, "2025-03-01T00:00", True),
    ],
)
def test_the_sun_of_a_place_determines_its_night(cell: str, time: str, night: bool) -> None:
    assert period(cell, at(time)).night is night


def test_a_night_is_one_period_and_belongs_to_the_date_on_which_it_began() -> None:
    evening, morning = period(LONDON, at("2025-06-30T23:00")), period(LONDON, at("2025-07-01T04:00"))

    assert evening == morning
    assert evening.counter == "first_half_nights"
    assert period(LONDON, at("2025-07-01T08:00")).counter == "second_half_days"
    assert period(LONDON, at("2025-07-01T08:00")).number == evening.number + 1


@given(st.integers(0, 4_000_000_000), st.sampled_from([LONDON, TOKYO, NEW_YORK]))
def test_periods_follow_each_other_twice_a_day(moment: int, cell: str) -> None:
    now = period(cell, moment)

    assert period(cell, moment + 86_400).number == now.number + 2
    assert period(cell, moment + 43_200).number == now.number + 1
    assert period(cell, moment + 1).number - now.number in (0, 1)


def test_a_time_without_a_zone_is_rejected() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        seconds(datetime(2025, 3, 1))


def test_half_years_are_numbered_without_gaps() -> None:
    days = [datetime(2023, 12, 31, tzinfo=UTC) + timedelta(days=number) for number in range(900)]

    assert {half_year(later) - half_year(day) for day, later in pairwise(days)} == {0, 1}
    assert all(0 <= elapsed(day) < 1 for day in days)


def test_the_counters_of_two_half_years_are_separate_and_older_ones_are_zero() -> None:
    cell = Cell(cell="gcp", half=4051, first_half_days=1, second_half_nights=5, expires=1)

    assert [cell.counts(half) for half in (4049, 4050, 4051, 4052)] == [(0, 0), (1, 0), (0, 5), (0, 0)]


@given(
    *[st.integers(0, 180)] * 4,
    st.integers(4048, 4052),
    st.sampled_from([datetime(2025, 7, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)]),
)
def test_intensity_does_not_jump_when_a_half_year_begins(
    one: int, two: int, three: int, four: int, half: int, begin: datetime
) -> None:
    cell = Cell(
        cell="gcp",
        first_half_days=one,
        first_half_nights=two,
        second_half_days=three,
        second_half_nights=four,
        half=min(half, half_year(begin)),
        expires=1,
    )

    before, after = cell.intensity(begin - timedelta(seconds=1)), cell.intensity(begin)

    if cell.half < half_year(begin):
        assert before == pytest.approx(after, abs=0.001)


def test_intensity_fades_and_a_cell_lives_as_long_as_it_shows() -> None:
    counted = datetime(
        2027, 7, 1, tzinfo=UTC
    )  # the longest: of the year that follows, one day is the 29th of February
    cell = Cell(cell="gcp", half=half_year(counted), second_half_days=10, expires=seconds(counted) + YEAR)

    shown = [cell.intensity(counted + timedelta(days=days)) for days in (0, 183, 185, 275, 365, 366)]

    assert shown[:2] == [10, 10]
    assert shown == sorted(shown, reverse=True)
    assert shown[-1] == 0 < shown[-2]
    assert cell.expires == seconds(counted + timedelta(days=366))


def test_a_half_year_that_has_begun_in_the_east_counts_at_once() -> None:
    cell = Cell(cell="xn7", half=4051, first_half_days=7, second_half_days=2, expires=1)

    assert cell.intensity(datetime(2025, 6, 30, 23, tzinfo=UTC)) == 9
