"""The tour of the lessons: shapes of keys, indexes, mistakes beside their fixes, ids, and problem indicators."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

from pksk import F, Put, Retry, Store, connect
from pksk.review import FIGURES, Measurement, ProblemIndicators, review
from pksk.review.reports.text_report import finding_lines

from ..tour import Tour, error_name, in_any_order
from . import mistakes
from .comparisons import HEADERS, ID_LESSON, LESSONS, Lesson, Variant
from .data import moment
from .design import TABLES
from .expected import Expected
from .failing_clients import Slow, Throttling
from .patterns import (
    Address,
    Card,
    Order,
    Possession,
    Profile,
    Purchase,
    Ticket,
    TicketTitle,
    User,
    person,
    tickets,
)

MEASURED = 400
# The comparisons on the screen of `pksk demo`.
ON_SCREEN = (
    "One partition for everything",
    "The day as the partition",
    "Few values, one of them common",
    "Too coarse, too fine",
)
# The problem indicators that must be seen on so many items.
_WATCHED = 800
INDICATORS = [
    ("PutItem tickets", "throttled", 4),
    ("Query tickets", "filtered away", 1),
    ("Ticket.waiting_for", "slow", 1),
    ("TooFine.of_user", "filtered away", 1),
    ("TooFine.of_user", "scan", 1),
]


def run_tour(tour: Tour, items: int) -> None:
    """Fill the tables of all lessons, and run their access patterns."""
    expected = Expected(items)
    tour.fill(expected.all, len(expected.all), f"items in {len(TABLES)} tables")
    tour.db.reconcile(mistakes.numbers, max(each.number for each in expected.of(mistakes.Numbered)))
    _simple_and_composite(tour, expected)
    _hierarchy(tour, expected)
    _typed(tour, expected)
    _indexes(tour, expected)
    _mistakes(tour, expected)
    _instead(tour, expected)
    tour.section(
        f"Mistakes and their fixes side by side, as the engine measured them, with {MEASURED} items each"
    )
    measurements = [_lesson_steps(tour, lesson) for lesson in LESSONS]
    tour.section(f"Ids, for {MEASURED} new items")
    measurements.append(_lesson_steps(tour, ID_LESSON))
    _compare_mistakes(tour, measurements)
    _indicators(tour)


def _simple_and_composite(tour: Tour, expected: Expected) -> None:
    tour.section("Pattern 1, a simple key: one item, and nothing else")
    tour.run(User.one("user_1"), lambda user: user.name == "Name 1")
    tour.run(User.rename("user_1", "Ann", 1), lambda user: (user.name, user.version) == ("Ann", 2))
    tour.call(
        "Renaming an outdated version raises an error",
        error_name(User.rename("user_1", "Bea", 1)),
        "StaleVersion",
    )

    tour.section("Pattern 2, a composite key: the items of one owner, in order")
    mine = expected.of(Order, lambda each: each.user_id == "user_0")
    tour.run(Order.of_user("user_0"), mine[::-1])
    start = mine[len(mine) // 2].at
    tour.run(Order.since("user_0", start), [each for each in mine if each.at >= start])


def _hierarchy(tour: Tour, expected: Expected) -> None:
    tour.section("Pattern 3, a hierarchy in the sort key: a longer prefix for a narrower query")
    mine = expected.of(Possession, lambda each: each.account_id == "account_1")
    mine.sort(key=lambda each: (each.kind, each.category, each.item_id))
    tour.run(Possession.of_account("account_1"), mine)
    kind = [each for each in mine if each.kind == "inventory"]
    tour.run(Possession.of_kind("account_1", "inventory"), kind)
    armor = [each for each in kind if each.category == "armor"]
    tour.run(Possession.of_category("account_1", "inventory", "armor"), armor)
    one = mine[0]
    tour.run(Possession.one(one.account_id, one.kind, one.category, one.item_id), one)


def _typed(tour: Tour, expected: Expected) -> None:
    tour.section("Pattern 4, types in the sort key: all items of a person in one partition")
    kinds: tuple[Any, ...] = (Address, Purchase, Card, Profile)
    known = [each for kind in kinds for each in expected.of(kind, lambda each: each.entity_id == "user_0")]
    tour.run(person("user_0"), in_any_order(known))
    addresses = expected.of(Address, lambda each: each.entity_id == "user_0")
    tour.run(Address.of_person("user_0"), sorted(addresses, key=lambda each: each.label))
    bought = expected.of(Purchase, lambda each: each.entity_id == "user_0" and each.day.month == 1)
    tour.run(Purchase.of_month("user_0", "2025-01"), bought)
    boat = Address(entity_id="user_0", label="boat", street="Pier 7")
    tour.run(Address.add(boat), boat)
    tour.run(Address.drop("user_0", "boat"), boat)


def _indexes(tour: Tour, expected: Expected) -> None:
    tour.section("Indexes: only for the access patterns there are, and no larger than they need")
    first, last = date(2025, 1, 1), date(2025, 3, 31)

    def is_open(each: Ticket) -> bool:
        return each.assignee == "agent_1" and each.status == "open" and first <= each.day <= last

    tour.run(
        Ticket.open_of("agent_1", first, last),
        lambda rows: (
            in_any_order(expected.of(Ticket, is_open))(rows)
            and rows == sorted(rows, key=lambda each: each.day)
        ),
    )
    waiting = expected.of(Ticket, lambda each: each.escalated_to == "lead_0")
    titles = [TicketTitle(title=each.title) for each in waiting]
    tour.run(Ticket.waiting_for("lead_0"), in_any_order(titles))
    tour.run(Ticket.whole_waiting_for("lead_0"), in_any_order(waiting))
    urgent = expected.of(Ticket, lambda each: each.customer == "c0" and each.priority == 1)
    tour.run(Ticket.urgent("c0"), in_any_order(urgent))
    tour.run(
        Ticket.close(waiting[0]), lambda ticket: ticket.status == "closed" and ticket.escalated_to is None
    )
    tour.call(
        "Once it is closed, it is no longer in the sparse index",
        lambda db: db.count(Ticket.waiting_for("lead_0")),
        len(waiting) - 1,
    )
    tour.run(Ticket.everything(), lambda rows: len(rows) == len(expected.of(Ticket)))


def _mistakes(tour: Tour, expected: Expected) -> None:
    tour.section("Keys that put all load on one partition, and others that only seem to")
    tour.run(mistakes.UserInOnePartition.one("user_1"), mistakes.UserInOnePartition(user_id="user_1"))
    tour.run(mistakes.Numbered.one(1), mistakes.Numbered(number=1))
    scattered = expected.of(mistakes.Scattered)[0]
    tour.run(mistakes.Scattered.one(scattered.id), scattered)
    event = mistakes.EventByDate(day=date(2025, 2, 1), event_id="new")
    tour.run(mistakes.EventByDate.add(event), event)
    span = (date(2025, 1, 1), date(2025, 1, 3))
    within = expected.of(mistakes.EventByDate, lambda each: span[0] <= each.day <= span[1])
    tour.run(mistakes.EventByDate.within(*span), in_any_order(within))
    user = expected.of(mistakes.UserByCountry)[1]
    tour.run(mistakes.UserByCountry.one(user.country_code, user.user_id), user)
    coarse = expected.of(mistakes.TooCoarse, lambda each: each.user_id == "user_0")
    tour.run(mistakes.TooCoarse.of_user("user_0"), coarse)
    fine = expected.of(mistakes.TooFine, lambda each: each.user_id == "user_0")
    tour.run(mistakes.TooFine.of_user("user_0"), in_any_order(fine))
    unsorted = expected.of(mistakes.RandomlySorted, lambda each: each.user_id == "user_0")
    tour.run(mistakes.RandomlySorted.of_user("user_0"), in_any_order(unsorted))
    january = [each for each in unsorted if each.at <= mistakes.JANUARY_ENDS]
    tour.run(
        mistakes.RandomlySorted.within("user_0", datetime(2025, 1, 1), mistakes.JANUARY_ENDS),
        in_any_order(january),
    )


def _instead(tour: Tour, expected: Expected) -> None:
    tour.section("What to do instead")
    event = mistakes.EventByEntity(entity_id="sensor_1", day=date(2025, 2, 1), event_id="new")
    tour.run(mistakes.EventByEntity.add(event), event)
    span = (date(2025, 1, 1), date(2025, 1, 31))
    own = expected.of(
        mistakes.EventByEntity, lambda each: each.entity_id == "sensor_1" and each.day <= span[1]
    )
    tour.run(mistakes.EventByEntity.within("sensor_1", *span), in_any_order(own))
    user = expected.of(mistakes.UserByCountryAndId)[1]
    tour.run(mistakes.UserByCountryAndId.one(user.country_code, user.user_id), user)
    shared = mistakes.ShardedEvent(day=date(2025, 1, 2), event_id="new")
    tour.run(mistakes.ShardedEvent.add(shared), shared)
    of_day = [*expected.of(mistakes.ShardedEvent, lambda each: each.day == shared.day), shared]
    tour.run(mistakes.ShardedEvent.of_day(shared.day), sorted(of_day, key=lambda each: each.event_id))
    times = (datetime(2025, 1, 2), moment(3) + timedelta(days=60))
    bucketed = expected.of(mistakes.BucketedEvent, lambda each: each.entity_id == "sensor_0")
    inside = [each for each in bucketed if times[0] <= each.at <= times[1]]
    tour.run(mistakes.BucketedEvent.within("sensor_0", *times), inside)
    sorted_ = expected.of(
        mistakes.SortedByTime, lambda each: each.user_id == "user_0" and each.at <= mistakes.JANUARY_ENDS
    )
    tour.run(mistakes.SortedByTime.within("user_0", datetime(2025, 1, 1), mistakes.JANUARY_ENDS), sorted_)


def _lesson_steps(tour: Tour, lesson: Lesson) -> list[Measurement]:
    """Measure each design, and check the answers and prices of the same calls."""
    tour.note(f"{lesson.title}: {lesson.calls}.")
    expected, measurements, as_measured = lesson.answer(MEASURED), [], True
    for variant in lesson.variants:
        figures = variant.measure(MEASURED)
        tour.call_in_memory(
            f"{lesson.title}, by {variant.name}",
            variant.tables,
            variant.stored(MEASURED),
            _calling(variant),
            expected,
        )
        as_measured &= figures.answer == expected and figures.consumed == tour.steps[-1].consumed
        measurements.append(figures)
    rows = [variant.row(figures) for variant, figures in zip(lesson.variants, measurements, strict=True)]
    tour.table(("keys", *HEADERS), rows, right=(1, 2, 3, 4))
    tour.note(lesson.conclusion, holds=as_measured and lesson.holds(measurements))
    return measurements


def _compare_mistakes(tour: Tour, measurements: list[list[Measurement]]) -> None:
    """Keep four mistakes with their fixes for the screen, and what all of them prove."""
    rows = [
        (variant.name, *figures.row[:3], variant.finding or "-")
        for lesson, measured in zip((*LESSONS, ID_LESSON), measurements, strict=True)
        if lesson.title in ON_SCREEN
        for variant, figures in zip(lesson.variants, measured, strict=True)
    ]
    bad = next(iter(review(mistakes.one_partition).findings))
    tour.find("One of these designs as pksk check reviews it, with its fix", finding_lines(bad))
    tour.compare(
        f"Keys beside their alternatives: the same calls on {MEASURED} items, as the engine measured them",
        ("keys", *FIGURES[:3], "review"),
        rows,
        right=(1, 2, 3),
        conclusion="The hottest key is the share of all units that the busiest partition key takes. One partition key "
        "is limited to 3,000 read or 1,000 write units a second, however many partitions the table has.",
    )
    designs = sum(len(each) for each in measurements)
    if all(step.right for step in tour.steps):
        tour.prove(
            f"{designs} designs of {len(measurements)} comparisons got the same calls and gave the same answers, and "
            "each consumed what its requests were priced at.",
            holds=True,
        )


def _calling(variant: Variant) -> Callable[[Store], object]:
    return lambda db: variant.calls(db, MEASURED)


def _indicators(tour: Tour) -> None:
    tour.section("Problem indicators, as a hook counts them")
    seen = tour.call(
        "The indicators that the hook has counted", lambda _: see_problem_indicators(), _are_as_expected
    )
    tour.table(("access pattern", "indicator", "requests"), seen, right=(2,))
    tour.note(
        "Wrappers around the engine throttle calls and slow them down here, since the engine does neither.",
        holds={"throttled", "slow"} <= {indicator for _, indicator, _ in seen},
    )


def _are_as_expected(seen: list[tuple[str, str, int]]) -> bool:
    """Whether these are the expected indicators; a busy machine may be slow with anything."""
    return [row for row in seen if row[1] != "slow" or row in INDICATORS] == INDICATORS


def see_problem_indicators() -> list[tuple[str, str, int]]:
    """Run the mistakes of these designs under a hook, always on the same items, and return what it saw."""
    expected, indicators = Expected(_WATCHED), ProblemIndicators()
    some = expected.of(Ticket)
    with connect("memory:") as plain:
        plain.create_tables(tickets, mistakes.too_fine)
        plain.batch_put(*some)
        plain.batch_put(*expected.of(mistakes.TooFine))
        watched = connect(plain.client, hooks=[indicators])
        watched.run(mistakes.TooFine.of_user("user_0"))
        watched.run(Ticket.by_status(assignee="agent_1").filter(F.customer == "c1"))
        hot = connect(
            Throttling(plain.client, every=5), hooks=[indicators], retry=Retry(throttled_pause_seconds=0.001)
        )
        for each in some[:20]:
            hot.run(Put(each))
        connect(Slow(plain.client, "Query"), hooks=[indicators]).run(Ticket.waiting_for("lead_0"))
    return indicators.rows
