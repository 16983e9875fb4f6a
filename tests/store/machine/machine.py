"""The store against a dict: random writes of every kind, with a comparison of everything after each step."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pksk import Clock, Engine, Entity, Put, Store
from pksk.engine import Delays
from pksk.errors import DesignError, ReferenceMissing, TransactionFailed
from pksk.model import BoundKey
from pksk.store import Core, Retry
from tests.store.machine.checks import check_raw, check_typed, partitions
from tests.store.machine.model import KEEP_SECONDS, Model, Verdict, version_of
from tests.store.machine.paging import walked
from tests.store.machine.park import Keeper, Pass, park, queue
from tests.store.machine.random_operations import RandomOperations
from tests.store.machine.writes import Entry, Write, address_of

__all__ = ["StoreMachine"]

START = 1_800_000_000.25
# Bytes, because Hypothesis draws the same few integers most of the time.
SEEDS = st.binary(min_size=6, max_size=6)
GATES = st.sampled_from(["n", "s"])


class StoreMachine(RuleBasedStateMachine):
    """The store and the model take every step; afterwards their contents are compared."""

    @initialize(seed=SEEDS, count=st.integers(0, 12))
    def begin(self, seed: bytes, count: int) -> None:
        self.base, self.steps = seed, 0
        self.clock = Clock(START)
        self.engine = self.opened()
        # There are no other writers, so an operation that conflicts three times would never succeed.
        retry = Retry(conflict_attempts=3, pause_seconds=0)
        self.core = Core(clock=self.clock, secret=b"of the machine", retry=retry)
        self.db = self.store()
        self.model = Model(START)
        self.db.create_tables(park)
        operations = self.operations(seed)
        for _ in range(count):
            self.write(Entry(operations.new_entity(), absent=True))

    def opened(self, path: str = ":memory:") -> Engine:
        return Engine.open(path, clock=self.clock, delays=Delays(expiry=KEEP_SECONDS), durable=False)

    def store(self) -> Store:
        return Store(self.engine, self.core)

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            self.engine.close()

    def operations(self, seed: bytes) -> RandomOperations:
        # Hypothesis often repeats a value, which would repeat the operation.
        self.steps += 1
        return RandomOperations(Random(self.base + seed + bytes([self.steps])), self.model)

    def expect(self, verdict: Verdict, result: Any, action: Callable[[], Any]) -> None:
        """Run the action, and compare its result with the model."""
        if verdict.problems:
            has_expired = self.model.has_expired_item(verdict.address)
            with pytest.raises(verdict.problems) as caught:
                action()
            # The store deletes an expired item only if nothing else prevents the write.
            assert caught.type in (verdict.problems if has_expired else verdict.problems[:1])
            return
        assert action() == result
        self.model.commit(verdict)

    def write(self, write: Write) -> None:
        """Run one write request."""
        note(f"{write}")
        verdict = self.model.judge(write)
        result = verdict.after if verdict.after is not None else self.model.live(write.address)
        self.expect(verdict, result, lambda: self.db.run(write.value))

    @rule(seed=SEEDS)
    def put_or_create(self, seed: bytes) -> None:
        self.write(self.operations(seed).write("put", "create"))

    @rule(seed=SEEDS, create=st.booleans())
    def store_an_entity(self, seed: bytes, create: bool) -> None:
        entity = self.operations(seed).entity()
        note(f"{entity!r}")
        verdict = self.model.judge(Entry(entity, create))
        self.expect(verdict, verdict.after, lambda: self.db.create(entity) if create else self.db.put(entity))

    @rule(seed=SEEDS)
    def update(self, seed: bytes) -> None:
        self.write(self.operations(seed).write("update"))

    @rule(seed=SEEDS)
    def update_or_delete(self, seed: bytes) -> None:
        self.write(self.operations(seed).write("update", "delete"))

    @rule(seed=SEEDS)
    def delete_an_entity(self, seed: bytes) -> None:
        entity = self.operations(seed).read_entity()
        note(f"{entity!r}")
        there = self.model.live(address_of(Put(entity).item))
        self.expect(self.model.removed_entity(entity), there, lambda: self.db.delete(entity))

    @rule(seed=SEEDS, by_key=st.booleans())
    def move(self, seed: bytes, by_key: bool) -> None:
        operations = self.operations(seed)
        entity = operations.read_entity()
        kind = type(entity)
        if by_key:
            kind, parts = operations.item_key()
            changes, version = operations.move(kind), None
            thing: Any = BoundKey(kind, "primary").get(**parts)
            address = address_of(thing.request["Key"])
        else:
            thing, changes, version = entity, operations.move(kind), version_of(entity)
            address = address_of(Put(entity).item)
        note(f"{thing!r}: {changes}")
        verdict = self.model.moved(kind, address, version, changes)
        self.expect(verdict, verdict.after, lambda: self.db.move(thing, **changes))

    @rule(seed=SEEDS, count=st.integers(1, 6), put=st.booleans())
    def batch(self, seed: bytes, count: int, put: bool) -> None:
        operations = self.operations(seed)
        entities = {
            Entry(each).address: each for each in (operations.entity(Keeper, Pass) for _ in range(count))
        }
        note(f"{entities}")
        if put:
            verdicts = [self.model.judge(Entry(each)) for each in entities.values()]
            assert self.db.batch_put(*entities.values()) == [each.after for each in verdicts]
            self.model.commit(*verdicts)
        else:
            self.db.batch_delete(*map(_deletion, entities.values()))
            self.model.commit(*(Verdict(address) for address in entities))

    @rule(seed=SEEDS, count=st.integers(1, 6))
    def transaction(self, seed: bytes, count: int) -> None:
        operations = self.operations(seed)
        drawn = [operations.write("put", "create", "update", "delete", "check") for _ in range(count * 2)]
        once = {each.address: each for each in drawn}
        verdicts = {address: self.model.judge(each) for address, each in once.items()}
        # Mostly writes that succeed.
        likely = [
            each
            for address, each in once.items()
            if not verdicts[address].problems or operations.happens(0.15)
        ]
        self.transact((likely or list(once.values()))[:count])

    @rule(seed=SEEDS)
    def trade(self, seed: bytes) -> None:
        writes = self.operations(seed).trade()
        if len(writes) > 1:
            self.transact(writes)

    def transact(self, writes: list[Write]) -> None:
        note("\n".join(map(repr, writes)))
        verdicts = self.model.judge_together(writes)
        if verdicts is None:
            with pytest.raises((DesignError, TransactionFailed)):
                self.db.transaction(*(each.value for each in writes))
        elif any(each.problems for each in verdicts):
            self.fail(writes, verdicts)
        else:
            assert self.db.transaction(*(each.value for each in writes)) == [
                verdict.after if isinstance(each, Entry) else None
                for each, verdict in zip(writes, verdicts, strict=True)
            ]
            self.model.commit(*verdicts)

    def fail(self, writes: list[Write], verdicts: list[Verdict]) -> None:
        expected = {position: each.problems for position, each in enumerate(verdicts)}
        with pytest.raises((DesignError, TransactionFailed)) as caught:
            self.db.transaction(*(each.value for each in writes))
        if not isinstance(caught.value, TransactionFailed):
            # Writes that would fail can conflict with each other, too.
            assert caught.value.code == "store-transaction-clash"
            return
        failures = {position: type(error) for position, error in caught.value.failures.items()}
        # If an item is known to be missing, the others are not read.
        assert failures
        # A reference to an item of the same transaction is checked before any request is sent.
        assert all(error in (*expected[position], ReferenceMissing) for position, error in failures.items())
        assert any(error in expected[position] for position, error in failures.items()) or len(failures) == 1

    @rule(gate=GATES, count=st.integers(0, 3), at_least=st.integers(0, 6))
    def draw_numbers(self, gate: str, count: int, at_least: int) -> None:
        last = self.model.counters.get(gate, 0)
        if count == 0:
            assert self.db.reconcile(queue, at_least, gate=gate) == max(last, at_least)
        elif count == 1:
            assert self.db.next(queue, gate=gate) == last + 1
        else:
            assert self.db.take(queue, count, gate=gate) == range(last + 1, last + count + 1)
        self.model.counters[gate] = last + count if count else max(last, at_least)

    @rule(seconds=st.sampled_from([0.5, 1, 12, 60, 150]))
    def let_time_pass(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.engine.expire()
        self.model.advance(seconds)

    @precondition(lambda self: self.model.alive)
    @rule(seed=SEEDS, reverse=st.booleans(), size=st.integers(1, 3), limit=st.integers(1, 4))
    def walk(self, seed: bytes, reverse: bool, size: int, limit: int) -> None:
        queries = [(key_query, partition) for key_query, partition, _ in partitions(self.model)]
        random = Random(seed)
        key_query, partition = random.choice(queries)
        query = key_query.query(partition).pages(size)
        query = query.reverse() if reverse else query
        rows, limited = list(self.db.iter(query)), query.limit(limit)
        assert [row for page in walked(self.db, limited, "after", None) for row in page] == rows
        whole = self.db.page(query.limit(100))
        position = random.randrange(len(rows))
        before = walked(self.db, limited, "before", whole.cursor(position))
        after = walked(self.db, limited, "after", whole.cursor(position))
        assert [row for page in reversed(before) for row in page] == rows[:position]
        assert [row for page in after for row in page] == rows[position + 1 :]

    @invariant()
    def store_equals_model(self) -> None:
        if hasattr(self, "model"):
            check_raw(self.engine, self.model)
            check_typed(self.db, self.model)


def _deletion(entity: Entity) -> Any:
    """The deletion of an item by its key."""
    kind = type(entity)
    parts = {name: getattr(entity, name) for name in kind.__pksk__.primary.fields}
    return BoundKey(kind, "primary").delete(**parts)
