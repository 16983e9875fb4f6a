"""Another date or kind moves a service in one transaction; striking out keeps it, and passes the first on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from itertools import combinations

import pytest

from examples.pantry.clients import Client
from examples.pantry.errors import ChangedMeanwhile, FirstService, NotAVoucher, ServiceUnknown, TypeUnknown
from examples.pantry.operations import reports
from examples.pantry.operations.check_in import check_in, fulfil, issue
from examples.pantry.operations.corrections import correct, find_service, strike_out
from examples.pantry.services import FOOD, Service
from pksk import RequestStarted, Store, connect
from tests.examples.pantry.conftest import NOON

NOW = NOON + timedelta(hours=3)
NOVEMBER = NOON.replace(month=11)


def stored_services(db: Store) -> list[Service]:
    return list(db.scan(Service.scan()))


def test_a_new_date_moves_a_service_with_its_id_and_all_fields(db: Store, ana: Client) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob", items=3)

    moved = correct(db, given, NOW, at=NOVEMBER)

    assert moved == given.model_copy(update={"at": NOVEMBER, "updated_at": NOW})
    assert stored_services(db) == [moved]
    assert reports.monthly(db, date(2022, 12, 1)).services == 0
    assert reports.monthly(db, date(2022, 11, 1), "Clothes_Closet").items == 3


def test_a_new_type_moves_a_service_only_in_the_index(db: Store, ana: Client) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob")

    moved = correct(db, given, NOW, type_id="card")

    assert (moved.category, moved.type_id, moved.name) == ("Administration", "card", "Card replaced")
    assert stored_services(db) == [moved]
    assert reports.daily(db, NOON.date(), "Clothes_Closet").services == 0
    assert reports.daily(db, NOON.date(), "Administration").services == 1


def test_a_new_date_and_type_are_one_move(db: Store, ana: Client) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob")

    moved = correct(db, given, NOW, at=NOVEMBER, type_id="food-2")

    assert (moved.at, moved.category) == (NOVEMBER, FOOD)
    assert stored_services(db) == [moved]


@pytest.mark.parametrize(
    "changed", [{"at": NOVEMBER}, {"type_id": "turkey"}, {"at": NOVEMBER, "type_id": "turkey"}]
)
def test_a_moved_service_is_never_duplicated_or_missing(
    db: Store, ana: Client, changed: dict[str, object]
) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    seen: list[int] = []

    def look(_: RequestStarted) -> object:
        seen.append(len(stored_services(db)))
        return lambda _done: seen.append(len(stored_services(db)))

    with connect(db.client, hooks=[look]) as watched:  # type: ignore[list-item]
        correct(watched, given, NOW, **changed)  # type: ignore[arg-type]

    assert set(seen) == {1}
    assert len(seen) >= 4


def test_a_voucher_filled_during_a_move_is_filled_under_its_new_key(db: Store, ana: Client) -> None:
    given = issue(db, ana.client_id, "toys", "V1", NOON, "bob")

    def fill_first(sending: RequestStarted) -> None:
        if sending.operation == "TransactWriteItems" and db.run(Service.unfilled()):
            fulfil(db, given, "eva", 2, NOW)

    with connect(db.client, hooks=[fill_first]) as slow:
        moved = correct(slow, given, NOW, at=NOVEMBER)

    assert (moved.filled_by, moved.filled_items, moved.fill_pending, moved.at) == ("eva", 2, None, NOVEMBER)
    assert stored_services(db) == [moved]
    assert db.run(Service.unfilled()) == []


def test_moving_a_service_that_another_desk_has_moved_raises_an_error(db: Store, ana: Client) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob")
    moved = correct(db, given, NOW, at=NOVEMBER)

    with pytest.raises(ServiceUnknown, match="look at the history again"):
        correct(db, given, NOW, at=NOON + timedelta(days=1))

    assert stored_services(db) == [moved]
    assert find_service(db, ana.client_id, given.service_id) == moved


def test_a_missing_service_is_not_found(db: Store, ana: Client) -> None:
    with pytest.raises(ServiceUnknown):
        find_service(db, ana.client_id, "nothing")


def test_a_type_that_does_not_fit_is_rejected_and_nothing_changes(db: Store, ana: Client) -> None:
    food = check_in(db, ana.client_id, "food-1", NOON, "bob")
    toys = issue(db, ana.client_id, "toys", "V1", NOON, "bob")
    before = stored_services(db)

    with pytest.raises(TypeUnknown):
        correct(db, food, NOW, type_id="boats")
    with pytest.raises(NotAVoucher):
        correct(db, food, NOW, type_id="toys")
    with pytest.raises(NotAVoucher):
        correct(db, toys, NOW, type_id="food-1")
    with pytest.raises(FirstService, match="Strike it out and check in again"):
        correct(db, food, NOW, type_id="clothes")
    assert stored_services(db) == before
    assert correct(db, food, NOW, type_id="food-3").usda == "Emergency"


def test_a_struck_out_service_stays_stored_and_counts_nowhere(db: Store, ana: Client) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob")

    struck = strike_out(db, given, NOW)

    assert struck == given.model_copy(update={"valid": False, "updated_at": NOW})
    assert stored_services(db) == [struck]
    assert db.run(Service.history(ana.client_id)) == []
    assert reports.monthly(db, NOON.date()).services == 0


def test_a_struck_out_service_cannot_be_struck_out_again(db: Store, ana: Client) -> None:
    food = check_in(db, ana.client_id, "food-1", NOON, "bob")
    clothes = check_in(db, ana.client_id, "clothes", NOON, "bob")
    for given in (food, clothes):
        strike_out(db, given, NOW)

        with pytest.raises(ServiceUnknown):
            strike_out(db, given, NOW)


@pytest.mark.parametrize("gone", [each for size in (1, 2, 3) for each in combinations(range(3), size)])
def test_after_any_strike_outs_only_the_oldest_remaining_food_is_the_first(
    db: Store, ana: Client, gone: tuple[int, ...]
) -> None:
    given = [check_in(db, ana.client_id, "food-1", NOON + timedelta(days=day), "bob") for day in range(3)]

    for number in gone:
        strike_out(db, find_service(db, ana.client_id, given[number].service_id), NOW)

    left = [each for number, each in enumerate(given) if number not in gone]
    firsts = [each.service_id for each in db.iter(Service.history(ana.client_id)) if each.first]
    client = db.get(Client.one(ana.client_id))
    assert client is not None
    assert firsts == [each.service_id for each in left[:1]]
    assert client.first_served == (left[0].at.date() if left else None)
    assert check_in(db, ana.client_id, "food-1", NOON + timedelta(days=9), "bob").first is (not left)


@pytest.mark.parametrize("moved_to", [-40, -1, 1, 6, 8, 40])
def test_after_any_move_of_the_first_only_the_oldest_food_is_the_first(
    db: Store, ana: Client, moved_to: int
) -> None:
    given = [
        check_in(db, ana.client_id, "food-1", NOON + timedelta(days=7 * week), "bob") for week in range(2)
    ]
    at = NOON + timedelta(days=moved_to)

    moved = correct(db, given[0], NOW, at=at, type_id="food-2")

    oldest = moved if moved.at < given[1].at else given[1]
    assert (moved.at, moved.type_id, moved.first) == (at, "food-2", oldest is moved)
    left = stored_services(db)
    assert len(left) == 2
    assert [each.service_id for each in left if each.first] == [oldest.service_id]
    client = db.get(Client.one(ana.client_id))
    assert client is not None
    assert client.first_served == oldest.at.date()
    for month in (date(2022, 11, 1), date(2022, 12, 1), date(2023, 1, 1)):
        new = [each.client_id for each in reports.new_clients(db, month)]
        assert new == ([ana.client_id] if oldest.at.month == month.month else [])


def test_an_outdated_screen_passes_the_first_on_when_it_moves_the_service(db: Store, ana: Client) -> None:
    given = [check_in(db, ana.client_id, "food-1", NOON + timedelta(days=day), "bob") for day in range(3)]
    strike_out(db, given[0], NOW)

    assert correct(db, given[1], NOW, at=NOON + timedelta(days=9)).first is False

    assert [each.service_id for each in db.run(Service.history(ana.client_id)) if each.first] == [
        given[2].service_id
    ]


def first_of(db: Store, client: Client) -> tuple[list[str], date | None]:
    """The services that are marked as the first of a client, and the day that the client knows."""
    stored_client = db.get(Client.one(client.client_id))
    assert stored_client is not None
    firsts = [each for each in stored_services(db) if each.first and each.valid]
    assert {each.category for each in firsts} <= {FOOD}
    return [each.service_id for each in firsts], stored_client.first_served


def test_food_moved_before_the_first_replaces_it_only_when_that_is_struck_out(db: Store, ana: Client) -> None:
    first, other = [
        check_in(db, ana.client_id, "food-1", NOON + timedelta(days=day), "bob") for day in range(2)
    ]

    moved = correct(db, other, NOW, at=NOVEMBER)

    assert moved.first is False
    assert first_of(db, ana) == ([first.service_id], first.at.date())
    strike_out(db, first, NOW)
    assert first_of(db, ana) == ([moved.service_id], NOVEMBER.date())


@pytest.mark.parametrize("at", [None, NOVEMBER])
def test_a_service_corrected_to_food_is_the_first_of_a_client_without_food(
    db: Store, ana: Client, at: datetime | None
) -> None:
    clothes = check_in(db, ana.client_id, "clothes", NOON, "bob")

    food = correct(db, clothes, NOW, at=at, type_id="food-1")

    assert food.first is True
    assert first_of(db, ana) == ([food.service_id], (at or NOON).date())
    assert [each.client_id for each in reports.new_clients(db, food.at.date())] == [ana.client_id]
    assert check_in(db, ana.client_id, "food-1", NOON + timedelta(days=1), "bob").first is False


def test_a_service_corrected_to_food_is_not_the_first_of_a_client_with_food(db: Store, ana: Client) -> None:
    clothes = check_in(db, ana.client_id, "clothes", NOON, "bob")
    first = check_in(db, ana.client_id, "food-1", NOON + timedelta(days=1), "bob")

    assert correct(db, clothes, NOW, type_id="food-1").first is False

    assert first_of(db, ana) == ([first.service_id], first.at.date())


def test_only_one_of_two_services_corrected_to_food_becomes_the_first(db: Store, ana: Client) -> None:
    clothes = [check_in(db, ana.client_id, "clothes", NOON + timedelta(days=day), "bob") for day in range(2)]

    def other_first(sending: RequestStarted) -> None:
        if sending.operation == "TransactWriteItems" and not first_of(db, ana)[0]:
            correct(db, clothes[1], NOW, type_id="food-1")

    with connect(db.client, hooks=[other_first]) as slow:
        assert correct(slow, clothes[0], NOW, type_id="food-1").first is False

    assert first_of(db, ana) == ([clothes[1].service_id], clothes[1].at.date())


def test_an_outdated_screen_cannot_lose_the_first(db: Store, ana: Client) -> None:
    given = [check_in(db, ana.client_id, "food-1", NOON + timedelta(days=day), "bob") for day in range(3)]
    strike_out(db, given[0], NOW)

    with pytest.raises(FirstService):
        correct(db, given[1], NOW, type_id="clothes")
    strike_out(db, given[1], NOW)

    assert first_of(db, ana) == ([given[2].service_id], given[2].at.date())


def interrupted_by(db: Store, act: Callable[[], object], *, before: str = "TransactWriteItems") -> Store:
    """A desk that another one comes before, once, as it is about to write."""
    acted: list[str] = []

    def come_first(sending: RequestStarted) -> None:
        if sending.operation == before and not acted:
            acted.append(before)
            act()

    return connect(db.client, hooks=[come_first])


def test_food_that_becomes_the_first_during_a_move_passes_it_on_to_the_oldest(db: Store, ana: Client) -> None:
    given = [check_in(db, ana.client_id, "food-1", NOON + timedelta(days=5 * n), "bob") for n in range(3)]

    with interrupted_by(db, lambda: strike_out(db, given[0], NOW)) as slow:
        moved = correct(slow, given[1], NOW, at=NOON + timedelta(days=20))

    assert (moved.at, moved.first) == (NOON + timedelta(days=20), False)
    assert first_of(db, ana) == ([given[2].service_id], given[2].at.date())


def test_food_that_becomes_the_first_during_a_type_change_stays_the_first(db: Store, ana: Client) -> None:
    given = [check_in(db, ana.client_id, "food-1", NOON + timedelta(days=day), "bob") for day in range(2)]

    with (
        interrupted_by(db, lambda: strike_out(db, given[0], NOW), before="PutItem") as slow,
        pytest.raises(FirstService),
    ):
        correct(slow, given[1], NOW, type_id="clothes")

    assert first_of(db, ana) == ([given[1].service_id], given[1].at.date())


def test_food_that_becomes_the_first_during_a_strike_out_passes_it_on(db: Store, ana: Client) -> None:
    given = [check_in(db, ana.client_id, "food-1", NOON + timedelta(days=day), "bob") for day in range(3)]

    with interrupted_by(db, lambda: strike_out(db, given[0], NOW), before="UpdateItem") as slow:
        strike_out(slow, given[1], NOW)

    assert first_of(db, ana) == ([given[2].service_id], given[2].at.date())


def test_a_service_that_is_no_longer_food_does_not_become_the_first(db: Store, ana: Client) -> None:
    given = [check_in(db, ana.client_id, "food-1", NOON + timedelta(days=day), "bob") for day in range(3)]

    with interrupted_by(db, lambda: correct(db, given[1], NOW, type_id="clothes")) as slow:
        strike_out(slow, given[0], NOW)

    assert first_of(db, ana) == ([given[2].service_id], given[2].at.date())


def test_food_entered_while_the_only_food_is_struck_out_is_the_first(db: Store, ana: Client) -> None:
    first = check_in(db, ana.client_id, "food-1", NOON, "bob")

    with interrupted_by(
        db, lambda: check_in(db, ana.client_id, "food-1", NOVEMBER, "bob", service_id="s1")
    ) as slow:
        strike_out(slow, first, NOW)

    assert first_of(db, ana) == (["s1"], NOVEMBER.date())


def test_a_change_of_the_first_during_its_move_is_kept(db: Store, ana: Client) -> None:
    first = check_in(db, ana.client_id, "food-1", NOON, "bob")

    with interrupted_by(db, lambda: db.run(Service.edit(first, 3, NOW))) as slow:
        correct(slow, first, NOW, at=NOVEMBER)

    assert [(each.at, each.items) for each in stored_services(db)] == [(NOVEMBER, 3)]


def test_a_change_in_the_same_minute_is_not_lost_by_a_move(db: Store, ana: Client) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob")
    db.run(Service.edit(given, 2, NOW))

    with interrupted_by(db, lambda: db.run(Service.edit(given, 3, NOW))) as slow:
        assert correct(slow, given, NOW, at=NOVEMBER).items == 3


def test_a_correction_that_is_always_overtaken_raises_an_error_and_changes_nothing(
    db: Store, ana: Client
) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob")
    items = iter(range(2, 100))

    def edit(sending: RequestStarted) -> None:
        if sending.operation == "TransactWriteItems":
            db.run(Service.edit(given, next(items), NOW))

    with (
        connect(db.client, hooks=[edit]) as slow,
        pytest.raises(ChangedMeanwhile, match="is being changed by others"),
    ):
        correct(slow, given, NOW, at=NOVEMBER)

    assert [each.at for each in stored_services(db)] == [NOON]


def test_a_move_costs_six_units_and_a_type_change_two(db: Store, ana: Client) -> None:
    given = check_in(db, ana.client_id, "clothes", NOON, "bob")
    costs = []
    for changed in ({"at": NOVEMBER}, {"type_id": "card"}):
        with db.meter() as meter:
            given = correct(db, given, NOW, **changed)
        costs.append(meter.consumed.write)

    assert costs == [6, 2]


def test_if_the_next_first_is_struck_out_meanwhile_no_food_is_the_first(db: Store, ana: Client) -> None:
    first, second = (
        check_in(db, ana.client_id, "food-1", NOON + timedelta(days=day), "bob") for day in range(2)
    )

    with interrupted_by(db, lambda: strike_out(db, second, NOW)) as slow:
        strike_out(slow, first, NOW)

    assert db.run(Service.history(ana.client_id)) == []
    assert first_of(db, ana) == ([], None)
