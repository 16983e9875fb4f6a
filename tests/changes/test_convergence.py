"""Random trials of several workers with crashes and faults; without any one rule, they find what goes wrong."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.changes.consumer_state import ConsumerRecord, ConsumerState
from pksk.changes.delivery import Deliverer
from pksk.changes.shards import stream_of
from pksk.changes.worker import Batch, Worker
from pksk.dataclass import replace
from tests.changes.simulation import Rules, Simulation, table, violation
from tests.conftest import LONG

TRIALS = 20_000 if LONG else 200
BLOCKS = 10


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_change_is_delivered_in_order_and_the_sink_equals_the_table(block: int) -> None:
    for seed in range(block, TRIALS, BLOCKS):
        assert violation(seed) == "", f"seed {seed}"


def test_the_trials_have_takeovers_splits_late_effects_and_rebuilds() -> None:
    trials = [Simulation(seed) for seed in range(20)]
    for each in trials:
        each.run(400)

    assert sum(each.rebuilds for each in trials) > 2
    assert sum(each.late_effects for each in trials) > 10
    assert sum(each.kills for each in trials) > 40
    assert sum(each.trims for each in trials) > 5
    assert any(each.dead_letters for each in trials)
    sinks = [consumer.sink for each in trials for consumer in each.consumers.values()]
    delivered = [numbers for sink in sinks for numbers in sink.delivered.values()]
    assert any(len(numbers) > len(set(numbers)) for numbers in delivered)


class ChecksBeforeItsEffect(Deliverer):
    """Acknowledges changes before the handler is called."""

    def _deliver(self, batch: Batch, found: Any, first: int, last: int) -> Any:
        kept = yield from self.worker.acknowledge(batch, last)
        return kept and (yield from super()._deliver(batch, found, first, last))


class ReadsChildrenAtOnce(Worker):
    """Reads every shard as soon as it is listed."""

    def _look(self) -> Any:
        overview: Any = yield from super()._look()
        unread = [each for each in overview.shards.values() if each.id not in overview.leases]
        overview.ready, overview.first = (lambda: unread), list
        return overview


class _Unfenced(Batch):
    def version(self, index: int) -> int:
        return self.first_ordinal + index


class HasVersionsWithoutEpochs(Worker):
    """Numbers the changes of each lease from one on."""

    def _read(self, held: Any, limit: int = 1000) -> Any:
        batch = yield from super()._read(held, limit)
        return batch and _Unfenced(batch.held, batch.records, batch.first_ordinal, batch.ended)


class ForgetsItsStream(ConsumerState):
    """Takes whatever stream the table has at the moment for the one that was read before."""

    def read(self) -> Any:
        record = yield from super().read()
        return record and replace(record, stream=(yield from stream_of(self.core, table)))

    def _try_reading(self, record: ConsumerRecord, update: str, values: Any) -> Any:
        stored: Any = yield from super().read()
        return (yield from super()._try_reading(replace(record, stream=stored.stream), update, values))


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(Rules(deliverer=ChecksBeforeItsEffect), id="checkpoint after effect"),
        pytest.param(Rules(worker=ReadsChildrenAtOnce), id="parents first"),
        pytest.param(Rules(worker=HasVersionsWithoutEpochs), id="fencing"),
        pytest.param(Rules(state=ForgetsItsStream), id="the stream in the checkpoint"),
    ],
)
def test_without_one_of_the_rules_a_trial_finds_what_goes_wrong(rules: Rules) -> None:
    assert any(violation(seed, rules) for seed in range(60))
