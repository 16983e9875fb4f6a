"""Computes cells anew, from the smallest to the largest, and writes them on condition that nobody else has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from pksk.errors import StaleVersion, WriteConflict, quote
from pksk.geo.counts.count_plan import CellId, CountPlan
from pksk.geo.counts.read_cells import read_cell, read_totals
from pksk.model import Entity
from pksk.sending import Core, Pause, Steps, Together
from pksk.store.requests.put import put

T = TypeVar("T")


def recompute(core: Core, plan: CountPlan, cells: Iterable[CellId]) -> Steps[int]:
    """Compute cells and all larger cells around them, each once; returns how many were written.

    Every one is written, changed or not. A write that changes nothing still moves the version on, so that a worker
    that has read the children before them cannot write what it has computed.
    """
    waiting: defaultdict[int, set[CellId]] = defaultdict(set)
    for cell in cells:
        waiting[plan.level(cell)].add(cell)
    written = 0
    for level in reversed(plan.computed):
        found = sorted(waiting[level])
        yield from together(core, [recompute_cell(core, plan, each) for each in found])
        written += len(found)
        waiting[level - 1].update(map(plan.parent, found) if level > plan.computed[0] else ())
    return written


def recompute_cell(core: Core, plan: CountPlan, cell: CellId) -> Steps[None]:
    """Compute one cell from what is in it and write it, again if it was written meanwhile.

    The cell is read before its children. If its version is still the same when it is written, then every other write of
    it, and all that those were computed from, is older than what was read here.
    """
    attempts = core.retry.conflict_attempts
    for number in range(1, attempts + 1):
        stored = yield from read_cell(core, plan, cell)
        values = yield from read_totals(core, plan, cell)
        try:
            yield from put(core, updated(plan, cell, stored, values))
        except StaleVersion:
            yield Pause(core.retry.pause(number, "conflict", core.chance()))
        else:
            return
    raise WriteConflict(
        "counts-conflict",
        f"{plan.entity.__name__} {quote(cell.cell)}: other workers wrote it during each of {attempts} attempts.",
        fix="let fewer workers count, or allow more attempts: Retry(conflict_attempts=...).",
    )


def updated(plan: CountPlan, cell: CellId, stored: Entity | None, values: dict[str, Any]) -> Entity:
    """The cell with these values; fields that are not computed stay."""
    if stored is None:
        return plan.entity(**plan.key_values(cell), **values)
    return stored.model_copy(update=values)


def together(core: Core, runs: Sequence[Steps[T]]) -> Steps[list[T]]:
    """The results of steps that run in parallel, as many at once as the store allows."""
    results: list[T] = []
    for start in range(0, len(runs), core.max_parallel):
        some = runs[start : start + core.max_parallel]
        results += (yield Together(tuple(some))) if len(some) > 1 else [(yield from some[0])]
    return results
