"""Items whose time is over are hidden, until DynamoDB has deleted them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import BaseModel

from pksk import (
    AlreadyExists,
    Clock,
    F,
    NotFound,
    Put,
    ReferenceMissing,
    Store,
    TransactionFailed,
    collect,
)
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Session, Task, shop
from tests.store.table_contents import items_of

GET = Session.primary.get(user="ann", token="1")
UPDATE = Session.primary.update(user="ann", token="1")
OF_ANN = Session.primary(user="ann")


class Seen(BaseModel):
    token: str


@pytest.fixture
def soon(clock: Clock) -> datetime:
    """In a minute."""
    return datetime.fromtimestamp(int(clock()) + 60, UTC)


@pytest.fixture
def sessions(db: Store, soon: datetime) -> list[Session]:
    """Two that end in a minute, one that ends later, one that never does."""
    ends = [soon, soon, soon + timedelta(hours=1), None]
    made = [Session(token=str(number), user="ann", expires=end) for number, end in enumerate(ends, 1)]
    return [db.put(session) for session in made]


def test_an_item_is_there_until_its_second_comes(
    db: Store, clock: Clock, sessions: list[Session], soon: datetime
) -> None:
    clock.set(soon.timestamp() - 0.001)
    before = db.get(GET)
    clock.set(soon.timestamp())

    assert before == sessions[0]
    assert db.get(GET) is None


def test_every_read_hides_what_is_over(
    db: Store, clock: Clock, sessions: list[Session], eventually: Eventually
) -> None:
    eventually(lambda: db.count(Session.by_user(user="ann")), 4)
    clock.advance(60)
    left = sessions[2:]
    gets = [Session.primary.get(user="ann", token=str(n)) for n in range(1, 5)]

    assert db.batch_get(*gets) == [None, None, *left]
    assert db.transaction(*gets) == [None, None, *left]
    assert list(db.iter(OF_ANN)) == left
    assert list(db.iter(OF_ANN.reverse())) == left[::-1]
    assert db.first(OF_ANN) == left[0]
    assert db.count(OF_ANN) == 2
    assert list(db.iter(OF_ANN.limit(1))) == left[:1]
    assert list(db.iter(Session.by_user(user="ann"))) == left
    assert list(db.iter(OF_ANN.into(Seen))) == [Seen(token="3"), Seen(token="4")]
    assert db.count(OF_ANN.into(Seen)) == 2
    assert db.run(OF_ANN) == left
    assert sorted(each.token for each in db.scan(Session.scan())) == ["3", "4"]
    assert db.count(Session.scan()) == 2


def test_pages_are_filled_with_what_is_left(db: Store, clock: Clock, sessions: list[Session]) -> None:
    clock.advance(60)
    first = db.page(OF_ANN.limit(1))
    second = db.page(OF_ANN.limit(1), after=first.next)

    assert [*first, *second] == sessions[2:]
    assert list(db.page(OF_ANN.limit(2), before=second.cursor(0))) == sessions[2:3]


def test_what_is_over_is_hidden_from_collections(db: Store, clock: Clock, sessions: list[Session]) -> None:
    clock.advance(60)

    assert db.collect(Session.primary(user="ann"), Session.primary(user="bob")) == sessions[2:]
    assert db.run(collect(Session.primary(user="ann"), Task.primary(id="x"))) == sessions[2:]


def test_create_replaces_what_is_over(db: Store, clock: Clock, sessions: list[Session]) -> None:
    again = Session(token="1", user="ann", seen=7)
    with pytest.raises(AlreadyExists):
        db.create(again)
    clock.advance(60)

    assert db.create(again) == again
    assert db.get(GET) == again
    with pytest.raises(AlreadyExists):
        db.create(again)


def test_create_of_an_entity_with_a_version_replaces_what_is_over(db: Store, clock: Clock) -> None:
    until = int(clock()) + 60
    db.create(Task(id="1", until=until))
    clock.advance(60)
    again = db.create(Task(id="1", done=True))

    assert (again.version, again.done) == (1, True)


def test_put_of_an_entity_with_a_version_replaces_what_is_over(db: Store, clock: Clock) -> None:
    db.put(db.put(Task(id="1", until=int(clock()) + 60)))
    clock.advance(60)

    assert db.put(Task(id="1", done=True)).version == 1


def test_an_update_of_what_is_over_finds_nothing(db: Store, clock: Clock, sessions: list[Session]) -> None:
    clock.advance(60)
    for update in (UPDATE.add(seen=1), UPDATE.set(code="x"), UPDATE.set(seen=4).when(F.seen == 0)):
        with pytest.raises(NotFound, match="there is no item pk = 'SESSION#ann', sk = '1'"):
            db.update(update)

    assert db.get(GET) is None


def test_an_update_in_the_last_part_of_a_second_finds_what_a_read_finds(
    db: Store, clock: Clock, sessions: list[Session], soon: datetime
) -> None:
    clock.set(soon.timestamp() - 0.25)

    assert db.get(GET) == sessions[0]
    assert db.update(UPDATE.add(seen=1)).seen == 1
    assert db.move(GET, user="bob").seen == 1


def test_an_update_may_prolong_what_is_not_over_yet(
    db: Store, clock: Clock, sessions: list[Session], soon: datetime
) -> None:
    db.update(UPDATE.set(expires=soon + timedelta(minutes=5)))
    clock.advance(61)

    assert db.get(GET) == sessions[0].model_copy(update={"expires": soon + timedelta(minutes=5)})


def test_an_upsert_of_what_is_over_begins_anew(db: Store, clock: Clock, soon: datetime, door: Door) -> None:
    db.put(Session(token="1", user="ann", seen=5, expires=soon, embedding=[0.5]))
    clock.advance(60)
    made = db.update(UPDATE.add(seen=1).set(expires=soon + timedelta(hours=1)).upsert())

    assert made == Session(token="1", user="ann", seen=1, expires=soon + timedelta(hours=1))
    assert db.get(GET) == made


def test_an_upsert_in_a_transaction_begins_anew_too(db: Store, clock: Clock, soon: datetime) -> None:
    db.put(Session(token="1", user="ann", seen=5, expires=soon))
    db.put(Session(token="2", user="ann", seen=5))
    clock.advance(60)
    db.transaction(
        UPDATE.add(seen=1).upsert(), Session.primary.update(user="ann", token="2").add(seen=1).upsert()
    )

    assert [each.seen for each in db.iter(OF_ANN)] == [1, 6]


def test_an_upsert_of_what_is_over_takes_its_unique_value_anew(
    db: Store, clock: Clock, soon: datetime
) -> None:
    db.put(Session(token="1", user="ann", code="x", expires=soon))
    clock.advance(60)
    db.put(Session(token="2", user="bob", code="x"))
    made = db.update(UPDATE.set(code="y").upsert())

    assert made == Session(token="1", user="ann", code="y")


def test_a_delete_of_what_is_over_says_that_there_was_nothing(
    db: Store, door: Door, clock: Clock, sessions: list[Session]
) -> None:
    clock.advance(60)

    assert db.delete(Session.primary.delete(user="ann", token="1")) is None
    with pytest.raises(NotFound):
        db.delete(Session.primary.delete(user="ann", token="2").if_present())


def test_a_move_of_what_is_over_finds_nothing(db: Store, clock: Clock, sessions: list[Session]) -> None:
    clock.advance(60)
    with pytest.raises(NotFound):
        db.move(GET, user="bob")


def test_a_move_onto_what_is_over_replaces_it(db: Store, clock: Clock, sessions: list[Session]) -> None:
    clock.advance(60)
    moved = db.move(sessions[3], token="1")

    assert db.get(GET) == moved == Session(token="1", user="ann")


def test_a_reference_to_what_is_over_is_missing(db: Store, clock: Clock, sessions: list[Session]) -> None:
    db.put(Task(id="1", owner="ann"))
    clock.advance(60)
    with pytest.raises(ReferenceMissing, match="owner refers to Session"):
        db.put(Task(id="2", owner="ann"))


def test_a_check_of_what_is_over_fails_in_a_transaction(
    db: Store, clock: Clock, sessions: list[Session]
) -> None:
    clock.advance(60)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(Task(id="9")), Session.primary.check(user="ann", token="1"))

    assert {place: type(error) for place, error in caught.value.failures.items()} == {1: NotFound}
    db.transaction(Put(Task(id="9")), Session.primary.check(user="ann", token="1").absent())


def test_the_creation_of_an_item_in_a_transaction_replaces_what_is_over(
    db: Store, clock: Clock, sessions: list[Session]
) -> None:
    clock.advance(60)
    db.transaction(Put(Session(token="1", user="ann", seen=3)).if_absent(), Put(Task(id="9")))

    assert db.get(GET) == Session(token="1", user="ann", seen=3)


def test_seconds_are_rounded_up(db: Store, clock: Clock, soon: datetime) -> None:
    db.put(Session(token="1", user="ann", expires=soon + timedelta(milliseconds=1)))
    clock.set(soon.timestamp() + 0.9)
    before = db.get(GET)
    clock.set(soon.timestamp() + 1)

    assert before is not None
    assert db.get(GET) is None


def test_what_is_over_stays_in_the_table_until_dynamodb_deletes_it(
    db: Store, door: Door, clock: Clock, sessions: list[Session]
) -> None:
    clock.advance(60)
    list(db.iter(OF_ANN))

    assert len(items_of(door, shop)) == 4
