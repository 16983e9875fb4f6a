"""The store against a dict: random writes of every sort, after each of which everything is compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pksk import Clock, Engine, Entity, Put, Store
from pksk.engine import Delays
from pksk.errors import AlreadyExists, DesignError, TransactionFailed
from pksk.model import BoundKey
from pksk.store import Core, Retry
from tests.store.machine.checks import asked, check_raw, check_same, check_typed, expected_rows, questions
from tests.store.machine.model import KEEP_SECONDS, Model, Verdict
from tests.store.machine.park import ENTITIES, Keeper, Pass, Ticket, park, queue
from tests.store.machine.wishes import entities, kinds, moves, writes
from tests.store.machine.writes import Change, Entry, Look, Removal, Write, address_of

__all__ = ["StoreMachine"]

START = 1_800_000_000.25
GATES = st.sampled_from(["n", "s"])


def deletion(entity: Entity) -> Any:
    """The deletion of an item by its key."""
    kind = type(entity)
    parts = {name: getattr(entity, name) for name in kind.__pksk__.primary.fields}
    return BoundKey(kind, "primary").delete(**parts)


class StoreMachine(RuleBasedStateMachine):
    """Every step is done by the store and by the model; then all that both hold is compared."""

    @initialize()
    def begin(self) -> None:
        self.clock = Clock(START)
        self.engine = self.opened()
        # Nobody else writes: what is tried again three times would be for ever.
        retry = Retry(contended=3, pause_seconds=0)
        self.core = Core(clock=self.clock, secret=b"of the machine", retry=retry)
        self.db = self.store()
        self.model = Model(START)
        self.db.create_tables(park)

    def opened(self, path: str = ":memory:") -> Engine:
        return Engine.open(path, clock=self.clock, delays=Delays(expiry=KEEP_SECONDS), durable=False)

    def store(self) -> Store:
        return Store(self.engine, self.core)

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            self.engine.close()

    def expect(self, verdict: Verdict, action: Callable[[], Any]) -> Any:
        """Do it, and see that what comes of it is what the model says."""
        if not verdict.problems:
            result = action()
            self.model.commit(verdict)
            return result
        with pytest.raises(verdict.problems[0]) as refusal:
            action()
        assert refusal.type is verdict.problems[0]
        return None

    def entity(self, data: st.DataObject, kind: type[Entity]) -> Entity:
        """An entity as it is stored, or as it once was."""
        known = [row for row in (*self.model.rows.values(), *self.model.seen) if type(row) is kind]
        if known and data.draw(st.booleans(), "known"):
            return data.draw(st.sampled_from(known), "read before")
        return data.draw(entities(self.model, kind), "entity")

    @rule(data=st.data())
    def put(self, data: st.DataObject) -> None:
        write = data.draw(writes(self.model, "put"), "write")
        assert isinstance(write, Entry)
        verdict = self.model.judge(write)
        whole = write.when is None and data.draw(st.booleans(), "as an entity")
        result = self.expect(verdict, lambda: self.db.put(write.entity if whole else write.value))
        assert result == (None if verdict.problems else verdict.after)

    @rule(data=st.data())
    def create(self, data: st.DataObject) -> None:
        write = data.draw(writes(self.model, "create"), "write")
        assert isinstance(write, Entry)
        verdict = self.model.judge(write)
        result = self.expect(verdict, lambda: self.db.create(write.entity))
        assert result == (None if verdict.problems else verdict.after)

    @rule(data=st.data())
    def update(self, data: st.DataObject) -> None:
        write = data.draw(writes(self.model, "update"), "write")
        verdict = self.model.judge(write)
        result = self.expect(verdict, lambda: self.db.update(write.value))
        assert result == (None if verdict.problems else verdict.after)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        write = data.draw(writes(self.model, "delete"), "write")
        verdict, there = self.model.judge(write), self.model.live(write.address)
        result = self.expect(verdict, lambda: self.db.delete(write.value))
        assert result == (None if verdict.problems else there)

    @rule(data=st.data(), kind=kinds)
    def delete_entity(self, data: st.DataObject, kind: type[Entity]) -> None:
        entity = self.entity(data, kind)
        verdict, there = self.model.removed_entity(entity), self.model.live(address_of(Put(entity).item))
        result = self.expect(verdict, lambda: self.db.delete(entity))
        assert result == (None if verdict.problems else there)

    @rule(data=st.data(), kind=kinds, by_key=st.booleans())
    def move(self, data: st.DataObject, kind: type[Entity], by_key: bool) -> None:
        entity = self.entity(data, kind)
        changes = data.draw(moves(self.model, kind), "changes")
        thing: Any = entity
        if by_key:
            parts = {name: getattr(entity, name) for name in kind.__pksk__.primary.fields}
            thing = BoundKey(kind, "primary").get(**parts)
        version = None if by_key else getattr(entity, "version", None)
        verdict = self.model.moved(kind, address_of(Put(entity).item), version, changes)
        result = self.expect(verdict, lambda: self.db.move(thing, **changes))
        assert result == (None if verdict.problems else verdict.after)

    @rule(data=st.data(), kinds_=st.lists(st.sampled_from([Keeper, Pass]), min_size=1, max_size=6))
    def batch(self, data: st.DataObject, kinds_: list[type[Entity]]) -> None:
        found = [data.draw(entities(self.model, kind)) for kind in kinds_]
        once = {Entry(each).address: each for each in found}
        if data.draw(st.booleans(), "puts"):
            verdicts = [self.model.judge(Entry(each)) for each in once.values()]
            result = self.db.batch_put(*once.values())
            self.model.commit(*verdicts)
            assert result == [each.after for each in verdicts]
        else:
            self.db.batch_delete(*(deletion(each) for each in once.values()))
            self.model.commit(*(Verdict(address) for address in once))

    @rule(data=st.data())
    def transaction(self, data: st.DataObject) -> None:
        verbs = ("put", "create", "update", "delete", "check")
        found = data.draw(st.lists(writes(self.model, *verbs), min_size=1, max_size=6), "writes")
        once = list({each.address: each for each in reversed(found)}.values())
        verdicts = self.model.judge_together(once)
        if verdicts is None:
            self._clashing(once)
        elif any(each.problems for each in verdicts):
            self._failing(once, verdicts)
        else:
            result = self.db.transaction(*(each.value for each in once))
            self.model.commit(*verdicts)
            assert result == [
                verdict.after if isinstance(each, Entry) else None
                for each, verdict in zip(once, verdicts, strict=True)
            ]

    def _clashing(self, found: list[Write]) -> None:
        with pytest.raises((DesignError, TransactionFailed)):
            self.db.transaction(*(each.value for each in found))

    def _failing(self, found: list[Write], verdicts: list[Verdict]) -> None:
        wanted = {place: each.problems[0] for place, each in enumerate(verdicts) if each.problems}
        with pytest.raises(TransactionFailed) as refusal:
            self.db.transaction(*(each.value for each in found))
        shown = {place: type(error) for place, error in refusal.value.failures.items()}
        # Where an item is known to be missing, the others are not even asked for.
        assert shown
        assert shown.items() <= wanted.items()

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

    @precondition(lambda self: self.model.rows)
    @rule(data=st.data(), reverse=st.booleans(), size=st.integers(1, 3), limit=st.integers(1, 4))
    def walk(self, data: st.DataObject, reverse: bool, size: int, limit: int) -> None:
        entity, name, _ = data.draw(st.sampled_from(list(questions())), "key")
        expected = expected_rows(self.model, entity, name)
        if not expected:
            return
        query = asked(entity, name, data.draw(st.sampled_from(list(expected)), "partition")).pages(size)
        query = query.reverse() if reverse else query
        rows = list(self.db.iter(query))
        forwards, page = [], self.db.page(query.limit(limit))
        pages = [page]
        while page.next is not None:
            page = self.db.page(query.limit(limit), after=page.next)
            pages.append(page)
        assert [row for each in pages for row in each] == rows
        back = pages[-1] if len(pages[-1]) else pages[-2] if len(pages) > 1 else pages[-1]
        backwards = list(back)
        while back.previous is not None:
            back = self.db.page(query.limit(limit), before=back.previous)
            backwards = [*back, *backwards]
        assert backwards == rows, forwards

    @invariant()
    def all_is_as_it_should_be(self) -> None:
        if hasattr(self, "model"):
            check_raw(self.engine, self.model)
            check_typed(self.db, self.model)
