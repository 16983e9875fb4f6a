"""Random trials: index and table agree in the end. Without one of the rules, trials find that they do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pksk.changes.worker import Batch, Worker
from pksk.model.changes import Change
from pksk.search.table_sync import TableSync
from tests.conftest import LONG
from tests.search.simulation import Rules, Simulation, violation

TRIALS = 20_000 if LONG else 60
BLOCKS = 6


@pytest.mark.parametrize("block", range(BLOCKS))
def test_index_and_table_agree_in_the_end(block: int) -> None:
    for number in range(block, TRIALS, BLOCKS):
        assert violation(number) == "", f"trial {number}"


def test_the_trials_have_fencing_backfills_repairs_rebuilds_and_losses() -> None:
    trials = [Simulation(number, Rules()) for number in range(30)]
    for each in trials:
        each.run(400)

    assert sum(each.fenced for each in trials) > 0
    assert sum(each.late_effects for each in trials) > 10
    assert sum(each.backfills for each in trials) > 10
    assert sum(each.repairs for each in trials) > 10
    assert sum(each.rebuilds for each in trials) > 2
    assert sum(each.losses for each in trials) > 2


class _Unfenced(Batch):
    def version(self, index: int) -> int:
        return self.first_ordinal + index + 1


class HasVersionsWithoutEpochs(Worker):
    """Numbers the changes of each lease from one on."""

    def _read(self, held: Any, limit: int = 1000) -> Any:
        batch = yield from super()._read(held, limit)
        return batch and _Unfenced(batch.held, batch.records, batch.first_ordinal, batch.ended)


class IgnoresTheFencingSignal(TableSync):
    """Takes a version of a later epoch for success, as a plain version conflict is."""

    def handle(self, changes: Sequence[Change[Any]]) -> None:
        self.apply([self.write_of(each) for each in changes])


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(
            Rules(worker=HasVersionsWithoutEpochs, sync=IgnoresTheFencingSignal), id="epochs in versions"
        ),
        pytest.param(Rules(forgets_tombstones=True), id="tombstones"),
    ],
)
def test_without_one_of_the_rules_a_trial_finds_a_difference(rules: Rules) -> None:
    assert any(violation(number, rules) for number in range(60))
