"""The report of --pksk-heat: the hottest keys, scans, and queries without a Limit of a run of pytest."""

from __future__ import annotations

import pickle
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import field
from typing import Any, Final, TypeAlias
from weakref import finalize, ref

import pytest

from pksk.dataclass import dataclass
from pksk.engine import Engine, Heat
from pksk.engine.heat.collect_heat import merge_heat
from pksk.engine.heat.heat import PageHeat, TableHeat

from .engine_observer import use_observer

_OUTPUT: Final = "pksk_heat"


class HeatReport:
    """The plugin for --pksk-heat."""

    def __init__(self, config: pytest.Config, rows: int) -> None:
        self._rows = rows
        self._heat = HeatCollector()
        self._stack = ExitStack()
        self._stack.enter_context(use_observer(self._heat.record))
        config.add_cleanup(self._stack.close)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note which test runs."""
        self._heat.test = item.nodeid
        try:
            return (yield)
        finally:
            self._heat.record_all()
            self._heat.test = None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """In a worker of xdist: send the collected heat to the main process."""
        self._heat.record_all()
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = pickle.dumps(self._heat.collected())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """In the main process of xdist: add the heat of a worker."""
        output = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if output is not None:
            self._heat.add(pickle.loads(output))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the report."""
        terminalreporter.ensure_newline()
        terminalreporter.section("pksk: what the tests consumed")
        terminalreporter.write_line(self._heat.collected().text(self._rows))


# Tests close their engines; the heat of this many is merged at a time, with at most this many keys.
_MERGED_ENGINES: Final = 50
_MERGED_KEYS: Final = 2_000
SCANS: Final = "scans"
QUERIES: Final = "queries"
# Pages and units, by kind, by table or index, and by test.
Pages: TypeAlias = dict[tuple[str, str, str], tuple[int, float]]


@dataclass
class CollectedHeat:
    """The heat of a run, and the pages of scans and queries that read whole pages of 1 MB by test."""

    heat: Heat = field(default_factory=lambda: Heat({}))
    pages: Pages = field(default_factory=dict)

    def text(self, rows: int) -> str:
        """The report, with so many rows of each kind."""
        lines = [self.heat.text(rows)]
        for kind, title in (
            (SCANS, "scans by test"),
            (QUERIES, "queries that reached 1 MB without a Limit, by test"),
        ):
            pages = {key: value for key, value in self.pages.items() if key[0] == kind}
            lines += ["", title, *_rows(pages, rows)] if pages else []
        return "\n".join(lines)


class HeatCollector:
    """Collects the heat of engines while tests run."""

    def __init__(self) -> None:
        self.test: str | None = None
        self._engines: dict[int, ref[Engine]] = {}
        self._latest: dict[int, Heat] = {}
        self._ended: list[Heat] = []
        self._pages: Pages = {}

    def record(self, engine: object) -> None:
        """Record what the current test has consumed of an engine."""
        if not isinstance(engine, Engine):
            return
        key = id(engine)
        if key not in self._engines:
            self._engines[key] = ref(engine)
            finalize(engine, self._end, key)
        before, now = self._latest.get(key, Heat({})), engine.heat()
        self._note(before, now)
        self._latest[key] = now
        if len(self._ended) > _MERGED_ENGINES:
            self._ended = [merge_heat(self._ended, _MERGED_KEYS)]

    def record_all(self) -> None:
        """Record the consumption of all engines."""
        for engine in [reference() for reference in list(self._engines.values())]:
            if engine is not None:
                self.record(engine)

    def add(self, collected: CollectedHeat) -> None:
        """Add the heat of another process."""
        self._ended.append(collected.heat)
        for key, (calls, units) in collected.pages.items():
            self._add_pages(key, calls, units)

    def collected(self) -> CollectedHeat:
        """The heat so far."""
        heat = merge_heat([*self._ended, *self._latest.values()], _MERGED_KEYS)
        return CollectedHeat(heat, self._pages)

    def _end(self, key: int) -> None:
        self._engines.pop(key, None)
        heat = self._latest.pop(key, None)
        if heat is not None:
            self._ended.append(heat)

    def _note(self, before: Heat, now: Heat) -> None:
        for name, table in before.tables.items():
            later = now.tables.get(name)
            # The table was deleted, and perhaps created again: its heat still belongs to the run.
            if later is None or _calls(later) < _calls(table):
                self._ended.append(Heat({name: table}))
                before = Heat({key: value for key, value in before.tables.items() if key != name})
        earlier = {(kind, title): pages for kind, title, pages in _all_pages(before)}
        for kind, title, pages in _all_pages(now):
            was = earlier.get((kind, title), PageHeat())
            if pages.calls > was.calls:
                key = kind, title, self.test or "outside of tests"
                self._add_pages(key, pages.calls - was.calls, pages.units - was.units)

    def _add_pages(self, key: tuple[str, str, str], calls: int, units: float) -> None:
        calls_before, units_before = self._pages.get(key, (0, 0.0))
        self._pages[key] = calls_before + calls, units_before + units


def _all_pages(heat: Heat) -> Iterator[tuple[str, str, PageHeat]]:
    for table in heat.tables.values():
        indexes = ((f"{table.name} / {name}", index) for name, index in table.indexes.items())
        for title, part in ((table.name, table), *indexes):
            yield SCANS, title, part.scans
            yield QUERIES, title, part.full_pages


def _calls(table: TableHeat) -> int:
    return sum(part.reads.calls + part.writes.calls for part in (table, *table.indexes.values()))


def _rows(pages: Pages, most: int) -> Iterator[str]:
    order = sorted(pages, key=lambda key: (-pages[key][1], -pages[key][0], key))
    width = max(len(title) for _, title, _ in order[:most])
    for key in order[:most]:
        _, title, test = key
        calls, units = pages[key]
        page_count = f"{calls:,} page{'' if calls == 1 else 's'}"
        yield f"  {title:<{width}}  {f'{units:,.1f}'.removesuffix('.0'):>8} units in {page_count:<9}  {test}"
    if len(order) > most:
        yield f"  and {len(order) - most:,} more"
