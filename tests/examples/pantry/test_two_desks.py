"""Two desks work on one client: whatever comes between a read and a write, it is as if one came after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from examples.pantry.clients import Client, clients
from examples.pantry.data import SERVICE_TYPES
from examples.pantry.desk import service_types
from examples.pantry.errors import PantryError
from examples.pantry.operations.check_in import check_in
from examples.pantry.operations.corrections import correct, strike_out
from examples.pantry.service_changes import entered
from examples.pantry.services import FOOD, Service, svcs
from pksk import PkskError, RequestStarted, Store, connect

# All at the same minute, so that no condition can count on a clock.
NOW = datetime(2022, 12, 31, 12)
IDS = ("a", "b", "c", "d")
Screens = dict[str, Service]


def day(number: int) -> datetime:
    return datetime(2022, 12, number, 12)


@dataclass(frozen=True)
class Enter:
    service_id: str
    day: int
    type_id: str = "food-1"

    def run(self, db: Store, _screens: Screens) -> object:
        return check_in(db, "1", self.type_id, day(self.day), "ann", service_id=self.service_id)


@dataclass(frozen=True)
class Correct:
    service_id: str
    day: int | None = None
    type_id: str | None = None

    def run(self, db: Store, screens: Screens) -> object:
        at = None if self.day is None else day(self.day)
        return correct(db, screens[self.service_id], NOW, at=at, type_id=self.type_id)


@dataclass(frozen=True)
class Edit:
    service_id: str
    items: int

    def run(self, db: Store, screens: Screens) -> object:
        db.run(Service.edit(screens[self.service_id], self.items, NOW))
        return self.items


@dataclass(frozen=True)
class StrikeOut:
    service_id: str

    def run(self, db: Store, screens: Screens) -> object:
        return strike_out(db, screens[self.service_id], NOW)


Action = Enter | Correct | Edit | StrikeOut

# Two actions, and before which request of the first one the second comes.
Pair = tuple[Action, Action, int]


@contextmanager
def pantry() -> Iterator[Store]:
    with connect("memory:") as db:
        db.create_tables(svcs, clients, service_types, entered)
        db.batch_put(*SERVICE_TYPES)
        born = date(1980, 1, 1)
        db.create(Client(client_id="1", given_name="Ana", family_name="Li", born=born, ethnic_group="Other"))
        yield db


def screens_of(db: Store) -> Screens:
    """The services that both desks see; one that never existed is found by neither."""
    unknown = Service(client_id="1", at=day(1), service_id="?", category=FOOD, type_id="food-1")
    there = {each.service_id: each for each in db.scan(Service.scan())}
    return {name: there.get(name, unknown.model_copy(update={"service_id": name})) for name in IDS}


def outcome(action: Action, db: Store, screens: Screens) -> str:
    """The outcome that a desk gets."""
    try:
        result = action.run(db, screens)
    except (PantryError, PkskError) as error:
        return type(error).__name__
    return str(
        (result.at, result.type_id, result.first, result.valid) if isinstance(result, Service) else result
    )


def state(db: Store) -> list[Any]:
    """All services, and the day that the client has."""
    client = db.get(Client.one("1"))
    assert client is not None
    return [client.first_served, *sorted(str(each) for each in db.scan(Service.scan()))]


def one_after_the_other(actions: Sequence[Pair]) -> tuple[list[Any], list[str]]:
    """The state in the end, and what the two desks of the last pair got."""
    with pantry() as db:
        for first, second, _ in actions:
            screens = screens_of(db)
            outcomes = [outcome(first, db, screens), outcome(second, db, screens)]
        return state(db), outcomes


def run_between(db: Store, first: Action, second: Action, place: int) -> list[str]:
    """Run the second action before a request of the first one, or after all of them."""
    screens, outcomes, seen = screens_of(db), list[str](), 0

    def other_desk(_: RequestStarted) -> None:
        nonlocal seen
        if seen == place:
            seen += 1
            outcomes.append(outcome(second, db, screens))
        seen += 1

    with connect(db.client, hooks=[other_desk]) as slow:
        own = outcome(first, slow, screens)
    # What a hook raises is logged by the store, and nothing else.
    assert bool(outcomes) == (seen > place)
    return [own, *(outcomes or [outcome(second, db, screens)])]


def check_first(db: Store) -> None:
    """A client who has food has one that is the first, and the day of it."""
    client = db.get(Client.one("1"))
    services = [each for each in db.scan(Service.scan()) if each.valid]
    food = [each for each in services if each.category == FOOD]
    firsts = [each for each in services if each.first]
    assert client is not None
    assert len(firsts) == bool(food)
    assert all(each in food for each in firsts)
    assert client.first_served == (firsts[0].at.date() if firsts else None)
    ids = [each.service_id for each in db.scan(Service.scan())]
    assert len(ids) == len(set(ids))


def check(pairs: Sequence[Pair]) -> None:
    done: list[Pair] = []
    with pantry() as db:
        for first, second, place in pairs:
            outcomes = run_between(db, first, second, place)
            now = state(db)
            check_first(db)
            if (now, outcomes) == one_after_the_other([*done, (first, second, 0)]):
                done.append((first, second, 0))
            else:
                assert (now, outcomes[::-1]) == one_after_the_other([*done, (second, first, 0)])
                done.append((second, first, 0))


ids, days = st.sampled_from(IDS), st.integers(5, 12)
kinds = st.sampled_from(["food-1", "food-2", "clothes"])
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Enter, ids, days, kinds),
    st.builds(Correct, ids, days, st.none() | kinds),
    st.builds(Correct, ids, st.none(), kinds),
    st.builds(Edit, ids, st.integers(1, 3)),
    st.builds(StrikeOut, ids),
)
pairs = st.tuples(actions, actions, st.integers(0, 9))
AFTER = 99
ONE: list[Pair] = [(Enter("a", 5), Enter("d", 6, "clothes"), AFTER), (Edit("a", 2), Edit("d", 2), AFTER)]
THREE: list[Pair] = [*ONE, (Enter("b", 10), Enter("c", 15), AFTER), (Edit("b", 2), Edit("c", 2), AFTER)]


@given(st.lists(pairs, min_size=2, max_size=5))
# The first is struck out while the next one is moved, struck out, or something else.
@example([*THREE, (Correct("b", 25), StrikeOut("a"), 1)])
@example([*THREE, (StrikeOut("b"), StrikeOut("a"), 1)])
@example([*THREE, (Correct("b", None, "clothes"), StrikeOut("a"), 2)])
# And the other way round: the next one is no longer there, no longer valid, no longer food.
@example([*THREE, (StrikeOut("a"), Correct("b", 25), 2)])
@example([*THREE, (StrikeOut("a"), StrikeOut("b"), 2)])
@example([*THREE, (StrikeOut("a"), Correct("b", None, "clothes"), 2)])
# Food is entered, or becomes food, while the only one is struck out, at each moment of it.
@example([*ONE, (StrikeOut("a"), Enter("b", 10), 2)])
@example([*ONE, (StrikeOut("a"), Enter("b", 10), 3)])
@example([*ONE, (StrikeOut("a"), Correct("d", None, "food-1"), 2)])
# And the other way round.
@example([*ONE, (Enter("b", 10), StrikeOut("a"), 2)])
@example([*ONE, (Correct("d", None, "food-1"), StrikeOut("a"), 3)])
# One is edited or struck out a second time in its minute, while it is moved.
@example([*ONE, (Correct("a", 7), Edit("a", 3), 2)])
@example([*ONE, (Correct("d", 7), StrikeOut("d"), 1)])
# The same check-in comes from two desks, at two times.
@example([(Enter("a", 5), Enter("a", 6), 2)])
@example([(Enter("a", 5, "clothes"), Enter("a", 6, "clothes"), 2)])
def test_concurrent_work_of_two_desks_has_the_same_result_as_one_after_the_other(pairs: list[Pair]) -> None:
    check(pairs)
