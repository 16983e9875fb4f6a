"""Compares every computed cell with what is in it: one pass over the table, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from pksk.dataclass import dataclass
from pksk.geo.counts.count_plan import CellId, CountPlan
from pksk.geo.counts.read_cells import get_of, read_cell, read_totals
from pksk.geo.counts.recompute import recompute, together
from pksk.model import Entity
from pksk.sending import Core, Steps
from pksk.store.requests.batch_get import batch_get
from pksk.store.requests.query import ResultReader

DifferenceKind: TypeAlias = Literal["missing", "wrong", "extra"]
_LISTED: Final = 100
# A cell that is written during so many comparisons is left to those who write it.
_ATTEMPTS: Final = 3
# How many cells are remembered as compared, or as existing, so that each child need not look again.
_REMEMBERED: Final = 100_000


@dataclass(frozen=True)
class Difference:
    """A cell whose values are not those of what is in it.

    It is `missing` if there are children and no cell, `extra` if it has values and there are no children, and
    otherwise `wrong`. `scope` has the other fields of its key.

    Example:
        >>> print(Difference("wrong", "gcp", {}, {"reports": 3}, {"reports": 5}))
        wrong gcp: reports is 3 and should be 5
    """

    kind: DifferenceKind
    cell: str
    scope: Mapping[str, Any]
    stored: Mapping[str, Any] | None
    expected: Mapping[str, Any]

    def __str__(self) -> str:
        where = " ".join([self.cell, *(f"{name}={value}" for name, value in self.scope.items())])
        differing = [
            f"{name} should be {value}"
            if self.stored is None
            else f"{name} is {self.stored[name]} and should be {value}"
            for name, value in self.expected.items()
            if value != (None if self.stored is None else self.stored[name])
        ]
        return f"{self.kind} {where}: {', '.join(differing)}"


@dataclass(frozen=True)
class CountReport:
    """How many cells were compared, and how many differ by kind; `differences` has the first 100 of them.

    If they were repaired, `written` says how many cells that took, larger cells included.

    Example:
        >>> print(CountReport(cells=5, missing=1))
        5 cells compared: 1 missing, 0 wrong, 0 extra
    """

    cells: int = 0
    missing: int = 0
    wrong: int = 0
    extra: int = 0
    written: int = 0
    differences: tuple[Difference, ...] = ()

    @property
    def is_correct(self) -> bool:
        """Whether no cell differed."""
        return not (self.missing or self.wrong or self.extra)

    def __str__(self) -> str:
        written = f"; {self.written:,} written" if self.written else ""
        return (
            f"{self.cells:,} cells compared: {self.missing:,} missing, {self.wrong:,} wrong, {self.extra:,} extra"
            f"{written}"
        )


def verify(core: Core, plan: CountPlan, *, repair: bool) -> Steps[CountReport]:
    """Compare all computed cells with what is in them; `repair` writes those that differ and the cells around them."""
    run = _Verification(core, plan, repair=repair)
    for entity in (plan.source, plan.entity):
        if entity is not None:
            reader: ResultReader[Entity] = ResultReader(core, entity.scan())
            while (entities := (yield from reader.batch())) is not None:
                yield from run.compare_all([plan.of_entity(each) for each in entities], entity is plan.source)
    return run.report


class _Verification:
    """One pass: the items of the table come page by page, those of one partition one after the other."""

    def __init__(self, core: Core, plan: CountPlan, *, repair: bool) -> None:
        self._core, self._plan, self._repair = core, plan, repair
        self._counts: Counter[str] = Counter()
        self._differences: list[Difference] = []
        self._existing: dict[CellId, None] = {}
        self._compared: dict[CellId, None] = {}

    @property
    def report(self) -> CountReport:
        """What was found so far."""
        return CountReport(**self._counts, differences=tuple(self._differences))

    def compare_all(self, found: Sequence[CellId], are_counted_items: bool) -> Steps[None]:
        """Compare the computed cells of a page, and those that are missing around its cells and items."""
        plan, computed = self._plan, self._plan.computed
        own = [] if are_counted_items else [each for each in found if plan.level(each) in computed]
        inside = found if are_counted_items else [each for each in found if plan.level(each) > computed[0]]
        above = [each if are_counted_items else plan.parent(each) for each in inside]
        self._remember(self._existing, own)
        missing = yield from self._missing(above)
        cells = [each for each in dict.fromkeys((*own, *missing)) if each not in self._compared]
        self._remember(self._compared, cells)
        compared = yield from together(self._core, [self._compare(each) for each in cells])
        differing = [each for each in compared if each is not None]
        self._count(len(cells), differing)
        if self._repair and differing:
            stale = [cell for cell, each in zip(cells, compared, strict=True) if each is not None]
            self._counts["written"] += yield from recompute(self._core, plan, stale)

    def _missing(self, cells: Iterable[CellId]) -> Steps[list[CellId]]:
        """The cells that do not exist, as far as an eventually consistent read can tell."""
        unknown = [each for each in dict.fromkeys(cells) if each not in self._existing]
        entities = yield from batch_get(self._core, [get_of(self._plan, each) for each in unknown])
        pairs = list(zip(unknown, entities, strict=True))
        self._remember(self._existing, [cell for cell, entity in pairs if entity is not None])
        return [cell for cell, entity in pairs if entity is None]

    def _remember(self, cells: dict[CellId, None], more: Iterable[CellId]) -> None:
        cells.update(dict.fromkeys(more))
        for each in list(cells)[: max(0, len(cells) - _REMEMBERED)]:
            del cells[each]

    def _compare(self, cell: CellId) -> Steps[Difference | None]:
        """How a cell differs from what is in it, if nobody writes it meanwhile."""
        plan = self._plan
        stored = yield from read_cell(self._core, plan, cell)
        for _ in range(_ATTEMPTS):
            expected = yield from read_totals(self._core, plan, cell)
            values = None if stored is None else {name: getattr(stored, name) for name in expected}
            if (plan.empty if values is None else values) == expected:
                return None
            again = yield from read_cell(self._core, plan, cell)
            if again == stored:
                kind: DifferenceKind = (
                    "missing" if values is None else "extra" if expected == plan.empty else "wrong"
                )
                scope = dict(zip(plan.scope, cell.scope, strict=True))
                return Difference(kind, cell.cell, scope, values, expected)
            stored = again
        return None

    def _count(self, cells: int, differing: Sequence[Difference]) -> None:
        self._counts["cells"] += cells
        for each in differing:
            self._counts[each.kind] += 1
        self._differences += differing[: _LISTED - len(self._differences)]
