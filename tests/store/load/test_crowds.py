"""Fifty at once: no number twice, no update lost, no value with two owners, no index key stale, no money made."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Any

import pytest

from pksk import AsyncStore, F, NotFound, Put, StaleVersion, Store, TransactionFailed, UniqueViolation
from pksk.errors import AlreadyExists, ConditionFailed
from pksk.values import item_from_wire
from tests.store.load.bank import Account, Board, Member, Plain, Tally, bank, numbers
from tests.store.load.conftest import ALL
from tests.store.load.crowd import MANY, Crowd


def items(db: Store, prefix: str, **options: Any) -> list[dict[str, Any]]:
    """What the table or an index holds under partition keys with a prefix."""
    found = db.client.call("Scan", {"TableName": bank.name, **options})["Items"]
    return [item for item in map(item_from_wire, found) if item["pk"].startswith(prefix)]


def check_indexes(db: Store, *entities: Any) -> None:
    """That each index has the entities under the keys that they would be put with."""
    for index in bank.indexes:
        wanted = {}
        for entity in entities:
            item = item_from_wire(Put(entity).item)
            if all(name in item for name in index.keys):
                wanted[item["pk"]] = {name: item[name] for name in index.keys}
        prefix = item["pk"].partition("#")[0]
        shown = items(db, prefix, IndexName=index.name)
        assert {each["pk"]: {name: each[name] for name in index.keys} for each in shown} == wanted


@pytest.mark.parametrize("crowd", ALL, indirect=True)
def test_every_number_of_a_sequence_is_drawn_exactly_once(crowd: Crowd) -> None:
    async def draw(db: AsyncStore, number: int) -> list[int]:
        found = []
        for turn in crowd.rounds:
            found += [await db.next(numbers, of="all"), *await db.take(numbers, 1 + turn % 3, of="all")]
        return found

    drawn = [number for found in crowd.run(draw) for number in found]

    assert sorted(drawn) == list(range(1, len(drawn) + 1))


@pytest.mark.parametrize("crowd", ALL, indirect=True)
def test_no_read_change_and_write_is_lost(crowd: Crowd, db: Store) -> None:
    async def mark(db: AsyncStore, number: int) -> None:
        for stale in count(1):
            board = await db.get(Board.primary.get(id="1").consistently())
            assert board is not None
            changed = board.model_copy(update={"marks": board.marks | {number}, "level": number})
            try:
                await db.put(changed)
            except StaleVersion:
                await crowd.pause(stale)
            else:
                return

    db.create(Board(id="1", owner="ann"))
    crowd.run(mark)
    board = db.get(Board.primary.get(id="1").consistently())

    assert board is not None
    assert (board.marks, board.version) == (set(range(MANY)), MANY + 1)
    check_indexes(db, board)


def test_concurrent_additions_give_their_sum(crowd: Crowd, db: Store) -> None:
    async def count_up(db: AsyncStore, number: int) -> None:
        for _ in crowd.rounds:
            await db.update(Plain.primary.update(id="1").add(total=number + 1), upsert=True)

    crowd.run(count_up)

    plain = db.get(Plain.primary.get(id="1").consistently())
    assert plain is not None
    assert plain.total == len(crowd.rounds) * sum(range(1, MANY + 1))


def test_concurrent_additions_to_an_index_key_give_their_sum(crowd: Crowd, db: Store) -> None:
    async def count_up(db: AsyncStore, number: int) -> None:
        await db.update(Tally.primary.update(id="1").add(total=number + 1))

    db.create(Tally(id="1"))
    crowd.run(count_up)

    tally = db.get(Tally.primary.get(id="1").consistently())
    assert tally is not None
    assert tally.total == sum(range(1, MANY + 1))
    check_indexes(db, tally)


def test_keys_of_several_fields_are_right_after_concurrent_updates(crowd: Crowd, db: Store) -> None:
    async def change(db: AsyncStore, number: int) -> None:
        update = Board.primary.update(id="1").add(marks={number})
        fields = [{"state": f"s{number}"}, {"level": number}, {"owner": f"o{number}"}, {"owner": None}]
        await db.update(update.set(**fields[number % 4]))  # type: ignore[arg-type]

    db.create(Board(id="1", owner="ann"))
    crowd.run(change)

    board = db.get(Board.primary.get(id="1").consistently())
    assert board is not None
    assert (board.marks, board.version) == (set(range(MANY)), MANY + 1)
    check_indexes(db, board)


def test_a_unique_value_has_one_owner(crowd: Crowd, db: Store) -> None:
    async def take(db: AsyncStore, number: int) -> str | None:
        name = f"name{number % 10}"
        try:
            if number % 3:
                await db.create(Member(id=str(number), name=name))
            else:
                await db.update(Member.primary.update(id=str(number)).set(name=name))
        except UniqueViolation:
            return None
        return name

    for number in range(0, MANY, 3):
        db.create(Member(id=str(number)))
    won = [name for name in crowd.run(take) if name is not None]

    assert sorted(won) == [f"name{number}" for number in range(10)]
    members = [db.get(Member.primary.get(id=item["id"])) for item in items(db, "MEMBER#")]
    owners = {member.name: member.id for member in members if member is not None and member.name is not None}
    assert len(owners) == 10
    guards = {item["pk"]: item["owner"]["pk"] for item in items(db, "unique#")}
    assert guards == {f"unique#Member#name#{name}": f"MEMBER#{owner}" for name, owner in owners.items()}
    check_indexes(db, *members)


def test_unique_values_pass_between_items_without_two_owners(crowd: Crowd, db: Store) -> None:
    async def rename(db: AsyncStore, number: int) -> None:
        key = Member.primary.update(id=str(number % 5))
        for turn in crowd.rounds:
            try:
                await db.update(key.set(name=f"name{(number + turn) % 7}").add(moves=1))
            except UniqueViolation:
                await db.update(key.set(name=None))

    for number in range(5):
        db.create(Member(id=str(number)))
    crowd.run(rename, 20)

    members = [db.get(Member.primary.get(id=str(number))) for number in range(5)]
    names = {member.name: member.id for member in members if member is not None and member.name is not None}
    guards = {item["pk"]: item["owner"]["pk"] for item in items(db, "unique#")}
    assert guards == {f"unique#Member#name#{name}": f"MEMBER#{owner}" for name, owner in names.items()}
    assert len(names) == sum(member.name is not None for member in members if member is not None)
    check_indexes(db, *members)


def test_an_item_moved_by_all_clients_arrives_once(crowd: Crowd, db: Store) -> None:
    async def move(db: AsyncStore, number: int) -> str | None:
        try:
            moved = await db.move(Member.primary.get(id="old"), id=f"new{number}")
        except NotFound:
            return None
        return moved.id

    db.create(Member(id="old", name="ann"))
    arrived = [key for key in crowd.run(move) if key is not None]

    assert len(arrived) == 1
    assert [item["id"] for item in items(db, "MEMBER#")] == arrived
    assert [item["owner"]["pk"] for item in items(db, "unique#")] == [f"MEMBER#{arrived[0]}"]


def test_items_moved_by_all_clients_are_neither_lost_nor_duplicated(crowd: Crowd, db: Store) -> None:
    async def move(db: AsyncStore, number: int) -> None:
        random = Random(number)
        for _ in crowd.rounds:
            source, target = random.sample(range(8), 2)
            try:
                await db.move(Member.primary.get(id=str(source)), id=str(target), moves=number)
            except (NotFound, AlreadyExists):
                continue

    for number in range(4):
        db.create(Member(id=str(number), name=f"name{number}"))
    crowd.run(move, 20)

    members = [db.get(Member.primary.get(id=item["id"])) for item in items(db, "MEMBER#")]
    assert sorted(str(member.name) for member in members if member) == [f"name{n}" for n in range(4)]
    guards = {item["pk"].rpartition("#")[2]: item["owner"]["pk"] for item in items(db, "unique#")}
    assert guards == {member.name: f"MEMBER#{member.id}" for member in members if member}
    check_indexes(db, *members)


def test_transfers_keep_the_sum(crowd: Crowd, db: Store) -> None:
    accounts = 10

    async def transfer(db: AsyncStore, number: int) -> int:
        random, done = Random(number), 0
        for _ in crowd.rounds:
            source, target = random.sample(range(accounts), 2)
            amount = random.randrange(1, 60)
            paid = Account.primary.update(id=source).add(balance=-amount).when(F.balance >= amount)
            try:
                await db.transaction(paid, Account.primary.update(id=target).add(balance=amount))
            except TransactionFailed as error:
                failures_by_member.update((place, type(each)) for place, each in error.failures.items())
            else:
                done += 1
        return done

    failures_by_member: set[tuple[int, type]] = set()
    for number in range(accounts):
        db.create(Account(id=number))
    done = sum(crowd.run(transfer))

    found = [db.get(Account.primary.get(id=number).consistently()) for number in range(accounts)]
    balances = [account.balance for account in found if account is not None]
    assert sum(balances) == 100 * accounts
    assert min(balances) >= 0
    assert failures_by_member <= {(0, ConditionFailed)}
    assert sum(account.version for account in found if account is not None) == accounts + 2 * done
    check_indexes(db, *found)
