"""What designs seldom have: shards by chance, None that is NULL, an end in a subclass, ids of every sort."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

import pytest
from pydantic import Field
from ulid import ULID

from pksk import GSI, TTL, Attribute, Clock, Entity, F, Key, Null, Shard, Store, Table
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import named
from tests.store.table_contents import stored

odd = Table(named("odd"), ttl="expires", indexes=[GSI("spread", pk="x1", sk="x2")])


class Vote(Entity, table=odd):
    """Nothing of the item says in which shard it is."""

    id: str
    choice: str
    weight: int = 1

    primary = Key("VOTE#{id}", "META")
    spread = Key("CHOICE#{choice}#{shard}", "{id}", index="spread", shard=Shard(3))


class Answer(Entity, table=odd):
    id: UUID = Field(default_factory=uuid4)
    made: ULID = Field(default_factory=ULID)
    text: Annotated[str | None, Null()] = None
    note: str | None = None

    primary = Key("ANSWER#{id}", "{made}")


class Page(Entity, table=odd):
    site: str
    path: str

    primary = Key("SITE#{site}", "{path}")


class Draft(Page, table=odd):
    """Ends some time, and what it is a kind of does not."""

    until: Annotated[datetime | None, TTL(), Attribute("expires")] = None


@pytest.fixture
def tables() -> Iterable[Table]:
    return (odd,)


def test_shards_that_chance_draws_are_all_read(db: Store, eventually: Eventually) -> None:
    votes = [Vote(id=f"{n:02d}", choice="yes") for n in range(20)]
    db.batch_put(*votes)

    eventually(lambda: db.iter(Vote.spread(choice="yes")), votes)
    eventually(lambda: db.count(Vote.spread(choice="yes")), 20)


def test_an_update_leaves_the_shard_or_draws_another_and_the_item_is_found_once(
    db: Store, door: Door, eventually: Eventually
) -> None:
    db.put(Vote(id="1", choice="yes"))
    before = stored(door, odd, "VOTE#1", "META")["x1"]
    db.update(Vote.primary.update(id="1").add(weight=1))
    unchanged = stored(door, odd, "VOTE#1", "META")["x1"]
    changed = db.update(Vote.primary.update(id="1").set(choice="no"))

    assert unchanged == before
    eventually(lambda: db.iter(Vote.spread(choice="no")), [changed])
    eventually(lambda: db.iter(Vote.spread(choice="yes")), [])


def test_none_is_nothing_unless_it_is_told_to_be_null(db: Store, door: Door) -> None:
    answer = db.put(Answer())
    item = stored(door, odd, f"ANSWER#{answer.id}", str(answer.made))

    assert item["text"] == {"NULL": True}
    assert "note" not in item
    assert db.get(Answer.primary.get(id=answer.id, made=answer.made)) == answer


def test_null_can_be_asked_for_and_written_again(db: Store, door: Door) -> None:
    answer = db.put(Answer(text="yes"))
    update = Answer.primary.update(id=answer.id, made=answer.made)
    changed = db.update(update.set(text=None))
    again = db.update(update.set(note="n").when(F.text == None))  # noqa: E711 - it is a condition

    assert (changed.text, again.note) == (None, "n")
    assert stored(door, odd, f"ANSWER#{answer.id}", str(answer.made))["text"] == {"NULL": True}


def test_ids_that_sort_by_time_come_in_order(db: Store) -> None:
    one = uuid4()
    made = [Answer(id=one, made=ULID.from_timestamp(1_700_000_000 + second)) for second in (3, 1, 2)]
    db.batch_put(*made)

    assert [each.made for each in db.iter(Answer.primary(id=one))] == sorted(each.made for each in made)


def test_what_is_over_is_hidden_from_its_base_too(db: Store, clock: Clock) -> None:
    soon = datetime.fromtimestamp(int(clock()) + 60, UTC)
    page = db.put(Page(site="x", path="a"))
    draft = db.put(Draft(site="x", path="b", until=soon))
    before = list(db.iter(Page.primary(site="x")))
    clock.advance(60)

    assert before == [page, draft]
    assert list(db.iter(Page.primary(site="x"))) == [page]
    assert db.count(Page.primary(site="x")) == 1
    assert db.get(Page.primary.get(site="x", path="b")) is None
    assert db.batch_get(Page.primary.get(site="x", path="b")) == [None]
    assert db.create(Draft(site="x", path="b")) == Draft(site="x", path="b")
