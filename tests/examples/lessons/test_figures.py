"""The figures of the lessons show what the lessons say."""

from __future__ import annotations

import pytest

from examples.lessons.comparisons import BLOCK, ID_LESSON, LESSONS, SENSORS, USERS, Lesson
from pksk.review import Measurement

ITEMS = 200
BY_TITLE = {lesson.title: lesson for lesson in LESSONS}


def figures(title: str) -> list[Measurement]:
    return [variant.measure(ITEMS) for variant in BY_TITLE[title].variants]


def test_one_partition_takes_all_of_the_load_and_costs_the_same() -> None:
    together, apart = figures("One partition for everything")

    assert together.consumed.read == apart.consumed.read == ITEMS / 2
    assert (together.hottest, together.skew) == (1.0, 4.0)
    assert apart.hottest <= 2 / ITEMS
    assert apart.skew < 1.5


def test_sequential_numbers_spread_like_random_ids() -> None:
    counted, random = figures("Numbers in sequence")

    assert counted.consumed.write == random.consumed.write == ITEMS
    assert counted.hottest == random.hottest == 1 / ITEMS
    assert max(counted.skew, random.skew) < 1.6


def test_the_day_is_hot_and_a_shard_divides_it() -> None:
    day, thing, shard = figures("The day as the partition")

    assert day.hottest == 1.0
    assert thing.hottest <= 0.03
    assert 0.2 < shard.hottest < 0.4


def test_a_day_is_one_request_by_day_four_by_shard_and_one_for_each_sensor() -> None:
    day, thing, shard = figures("The same day read")

    assert [each.requests for each in (day, thing, shard)] == [1, SENSORS, 4]
    assert day.units < shard.units < thing.units


def test_the_most_common_value_takes_most_of_the_load() -> None:
    country, user = figures("Few values, one of them common")

    assert country.hottest == pytest.approx(0.7)
    assert user.hottest == 1 / ITEMS


def test_keys_that_are_too_fine_make_a_list_a_scan() -> None:
    coarse, fine, right = figures("Too coarse, too fine")

    assert fine.plan == ("Scan too-fine FILTER user_id = 'user_0'",)
    assert right.plan == ("Query orders user_id = 'user_0' REVERSE",)
    assert fine.consumed.read > 2 * right.consumed.read
    assert (coarse.consumed.read, coarse.hottest) == (right.consumed.read, 1.0)
    assert right.hottest == 1 / USERS


def test_a_filter_costs_more_than_a_range() -> None:
    filtered, ranged = figures("A sort key that sorts nothing")

    assert ["FILTER" in line for line in (*filtered.plan, *ranged.plan)] == [True, False]
    assert filtered.consumed.read > ranged.consumed.read


def test_one_table_halves_requests_and_units() -> None:
    several, one = figures("One table or several")

    assert several.plan == ("Get lesson-users p0", "Query orders user_id = 'p0' REVERSE")
    assert len(one.plan) == 1
    assert (several.requests, one.requests) == (2 * ITEMS, ITEMS)
    assert (several.consumed.read, one.consumed.read) == (ITEMS, ITEMS / 2)


def test_the_counter_item_is_hot_unless_numbers_are_drawn_in_blocks() -> None:
    each, blocks, random = (variant.measure(ITEMS) for variant in ID_LESSON.variants)

    assert [found.requests for found in (each, blocks, random)] == [2 * ITEMS, ITEMS + ITEMS // BLOCK, ITEMS]
    assert each.hottest == 0.5
    assert blocks.hottest == pytest.approx(ITEMS / BLOCK / (ITEMS + ITEMS / BLOCK))
    assert random.hottest == 1 / ITEMS


@pytest.mark.parametrize("lesson", [*LESSONS, ID_LESSON], ids=lambda lesson: lesson.title)
def test_all_designs_give_the_same_answer_and_support_the_conclusion(lesson: Lesson) -> None:
    found = [variant.measure(ITEMS) for variant in lesson.variants]

    assert [each.answer for each in found] == [lesson.answer(ITEMS)] * len(found)
    assert lesson.holds(found)


@pytest.mark.wider
def test_too_coarse_and_too_fine_keys_show_even_if_longer_keys_cost_a_unit_more() -> None:
    lesson = BY_TITLE["Too coarse, too fine"]
    found = [variant.measure(8000) for variant in lesson.variants]

    assert found[0].units != found[2].units
    assert lesson.holds(found)


@pytest.mark.parametrize("title", ["Too coarse, too fine", "A sort key that sorts nothing"])
def test_there_is_one_query_per_user_for_any_number_of_items(title: str) -> None:
    for variant in BY_TITLE[title].variants:
        assert variant.measure(100).requests == variant.measure(400).requests
