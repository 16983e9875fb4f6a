"""The tour of the lessons: shapes of keys, indexes, mistakes beside their fixes, ids, and warning signs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

from pksk import F, Put, Retry, Store, connect

from ..tour import Tour, error_name, in_any_order
from .comparisons import ID_LESSON, LESSONS, Lesson, Variant
from .data import moment
from .design import TABLES
from .expected import Expected
from .measuring import FIGURES, Measurement
from .mistakes import (
    JANUARY_ENDS,
    BucketedEvent,
    EventByDate,
    EventByEntity,
    Numbered,
    RandomlySorted,
    Scattered,
    ShardedEvent,
    SortedByTime,
    TooCoarse,
    TooFine,
    UserByCountry,
    UserByCountryAndId,
    UserInOnePartition,
    numbers,
    too_fine,
)
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
from .warning_signs import Slow, Throttling, WarningSigns

MEASURED = 400
# The comparisons on the screen of `pksk demo`.
ON_SCREEN = (
    "One partition for everything",
    "The day as the partition",
    "Few values, one of them common",
    "Too coarse, too fine",
)
# The warning signs that must be seen on so many items.
_WATCHED = 800
SIGNS = [
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
    tour.db.reconcile(numbers, max(each.number for each in expected.of(Numbered)))
    _simple_and_composite(tour, expected)
    _hierarchy(tour, expected)
    _typed(tour, expected)
    _indexes(tour, expected)
    _mistakes(tour, expected)
    _instead(tour, expected)
    tour.section(
        f"Mistakes and their fixes side by side, as the engine measured them, with {MEASURED} items each"
    )
    found = [_lesson_steps(tour, lesson) for lesson in LESSONS]
    tour.section(f"Ids, for {MEASURED} new items")
    found.append(_lesson_steps(tour, ID_LESSON))
    _compare_mistakes(tour, found)
    _signs(tour)


def _simple_and_composite(tour: Tour, expected: Expected) -> None:
    tour.section("Pattern 1, a simple key: one item, and nothing else")
    tour.run(User.one("user_1"), lambda found: found.name == "Name 1")
    tour.run(User.rename("user_1", "Ann", 1), lambda found: (found.name, found.version) == ("Ann", 2))
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
    tour.run(Ticket.close(waiting[0]), lambda found: found.status == "closed" and found.escalated_to is None)
    tour.call(
        "Once it is closed, it is no longer in the sparse index",
        lambda db: db.count(Ticket.waiting_for("lead_0")),
        len(waiting) - 1,
    )
    tour.run(Ticket.everything(), lambda rows: len(rows) == len(expected.of(Ticket)))


def _mistakes(tour: Tour, expected: Expected) -> None:
    tour.section("Keys that put all load on one partition, and others that only seem to")
    tour.run(UserInOnePartition.one("user_1"), UserInOnePartition(user_id="user_1"))
    tour.run(Numbered.one(1), Numbered(number=1))
    scattered = expected.of(Scattered)[0]
    tour.run(Scattered.one(scattered.id), scattered)
    event = EventByDate(day=date(2025, 2, 1), event_id="new")
    tour.run(EventByDate.add(event), event)
    span = (date(2025, 1, 1), date(2025, 1, 3))
    within = expected.of(EventByDate, lambda each: span[0] <= each.day <= span[1])
    tour.run(EventByDate.within(*span), in_any_order(within))
    user = expected.of(UserByCountry)[1]
    tour.run(UserByCountry.one(user.country_code, user.user_id), user)
    coarse = expected.of(TooCoarse, lambda each: each.user_id == "user_0")
    tour.run(TooCoarse.of_user("user_0"), coarse)
    fine = expected.of(TooFine, lambda each: each.user_id == "user_0")
    tour.run(TooFine.of_user("user_0"), in_any_order(fine))
    unsorted = expected.of(RandomlySorted, lambda each: each.user_id == "user_0")
    tour.run(RandomlySorted.of_user("user_0"), in_any_order(unsorted))
    january = [each for each in unsorted if each.at <= JANUARY_ENDS]
    tour.run(RandomlySorted.within("user_0", datetime(2025, 1, 1), JANUARY_ENDS), in_any_order(january))


def _instead(tour: Tour, expected: Expected) -> None:
    tour.section("What to do instead")
    event = EventByEntity(entity_id="sensor_1", day=date(2025, 2, 1), event_id="new")
    tour.run(EventByEntity.add(event), event)
    span = (date(2025, 1, 1), date(2025, 1, 31))
    own = expected.of(EventByEntity, lambda each: each.entity_id == "sensor_1" and each.day <= span[1])
    tour.run(EventByEntity.within("sensor_1", *span), in_any_order(own))
    user = expected.of(UserByCountryAndId)[1]
    tour.run(UserByCountryAndId.one(user.country_code, user.user_id), user)
    shared = ShardedEvent(day=date(2025, 1, 2), event_id="new")
    tour.run(ShardedEvent.add(shared), shared)
    of_day = [*expected.of(ShardedEvent, lambda each: each.day == shared.day), shared]
    tour.run(ShardedEvent.of_day(shared.day), sorted(of_day, key=lambda each: each.event_id))
    times = (datetime(2025, 1, 2), moment(3) + timedelta(days=60))
    bucketed = expected.of(BucketedEvent, lambda each: each.entity_id == "sensor_0")
    inside = [each for each in bucketed if times[0] <= each.at <= times[1]]
    tour.run(BucketedEvent.within("sensor_0", *times), inside)
    sorted_ = expected.of(SortedByTime, lambda each: each.user_id == "user_0" and each.at <= JANUARY_ENDS)
    tour.run(SortedByTime.within("user_0", datetime(2025, 1, 1), JANUARY_ENDS), sorted_)


def _lesson_steps(tour: Tour, lesson: Lesson) -> list[Measurement]:
    """Measure each design, and check the answers and prices of the same calls."""
    tour.note(f"{lesson.title}: {lesson.calls}.")
    expected, found, as_measured = lesson.answer(MEASURED), [], True
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
        found.append(figures)
    rows = [(variant.name, *figures.row) for variant, figures in zip(lesson.variants, found, strict=True)]
    tour.table(("keys", *FIGURES), rows, right=(1, 2, 3, 4))
    tour.note(lesson.conclusion, holds=as_measured and lesson.holds(found))
    return found


def _compare_mistakes(tour: Tour, found: list[list[Measurement]]) -> None:
    """Keep four mistakes with their fixes for the screen, and what all of them prove."""
    rows = [
        (lesson.title if variant is lesson.variants[0] else "", variant.name, *figures.row[:3])
        for lesson, measured in zip((*LESSONS, ID_LESSON), found, strict=True)
        if lesson.title in ON_SCREEN
        for variant, figures in zip(lesson.variants, measured, strict=True)
    ]
    tour.compare(
        f"Keys beside their alternatives: the same calls on {MEASURED} items, as the engine measured them",
        ("mistake", "keys", *FIGURES[:3]),
        rows,
        right=(2, 3, 4),
        conclusion="The hottest key is the share of all units that one partition key takes. It ends at 3,000 read or "
        "1,000 write units a second, however many partitions the table has.",
    )
    designs = sum(len(each) for each in found)
    if all(step.right for step in tour.steps):
        tour.prove(
            f"{designs} designs of {len(found)} comparisons got the same calls and gave the same answers, and each "
            "consumed what its requests were priced at.",
            holds=True,
        )


def _calling(variant: Variant) -> Callable[[Store], object]:
    return lambda db: variant.calls(db, MEASURED)


def _signs(tour: Tour) -> None:
    tour.section("Warning signs, as a hook sees them")
    seen = tour.call("The signs that the hook has seen", lambda _: see_warning_signs(), _are_the_signs)
    tour.table(("access pattern", "sign", "requests"), seen, right=(2,))
    tour.note(
        "Wrappers around the engine throttle calls and slow them down here, since the engine does neither.",
        holds={"throttled", "slow"} <= {sign for _, sign, _ in seen},
    )


def _are_the_signs(seen: list[tuple[str, str, int]]) -> bool:
    """Whether these are the expected signs; a busy machine may be slow with anything."""
    return [row for row in seen if row[1] != "slow" or row in SIGNS] == SIGNS


def see_warning_signs() -> list[tuple[str, str, int]]:
    """Run the mistakes of these designs under a hook, always on the same items, and return what it saw."""
    expected, signs = Expected(_WATCHED), WarningSigns()
    some = expected.of(Ticket)
    with connect("memory:") as plain:
        plain.create_tables(tickets, too_fine)
        plain.batch_put(*some)
        plain.batch_put(*expected.of(TooFine))
        watched = connect(plain.client, hooks=[signs])
        watched.run(TooFine.of_user("user_0"))
        watched.run(Ticket.by_status(assignee="agent_1").filter(F.customer == "c1"))
        hot = connect(Throttling(plain.client, every=5), hooks=[signs], retry=Retry(throttled_seconds=0.001))
        for each in some[:20]:
            hot.run(Put(each))
        connect(Slow(plain.client, "Query"), hooks=[signs]).run(Ticket.waiting_for("lead_0"))
    return signs.rows
