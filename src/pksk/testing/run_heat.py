"""What all tests of a run have consumed, and which of them have scanned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from weakref import finalize, ref

from pksk.engine import Engine, Heat
from pksk.engine.heat.heat import PagesHeat, TableHeat
from pksk.engine.heat.merge import merged

__all__ = ["Collected", "RunHeat"]

# Engines end with their tests; what they have consumed is put together so many at a time, with so many keys.
_TOGETHER: Final = 50
_KEYS: Final = 2_000
SCANS: Final = "scans"
QUERIES: Final = "queries"
# Pages and units, by kind, by table or index, and by test.
Pages: TypeAlias = dict[tuple[str, str, str], tuple[int, float]]


@dataclass
class Collected:
    """The heat of a run, and the pages of scans and unbounded queries by test."""

    heat: Heat = field(default_factory=lambda: Heat({}))
    pages: Pages = field(default_factory=dict)

    def text(self, rows: int) -> str:
        """All of it for people, with so many rows of each kind."""
        lines = [self.heat.text(rows)]
        for kind, title in (
            (SCANS, "scans by test"),
            (QUERIES, "queries that ended with 1 MB and no limit, by test"),
        ):
            found = {key: value for key, value in self.pages.items() if key[0] == kind}
            lines += ["", title, *_rows(found, rows)] if found else []
        return "\n".join(lines)


class RunHeat:
    """Looks at engines while tests run."""

    def __init__(self) -> None:
        self.test: str | None = None
        self._engines: dict[int, ref[Engine]] = {}
        self._latest: dict[int, Heat] = {}
        self._ended: list[Heat] = []
        self._pages: Pages = {}

    def look(self, engine: object) -> None:
        """See what was consumed of an engine so far, and which test did it."""
        if not isinstance(engine, Engine):
            return
        key = id(engine)
        if key not in self._engines:
            self._engines[key] = ref(engine)
            finalize(engine, self._end, key)
        before, now = self._latest.get(key, Heat({})), engine.heat()
        self._note(before, now)
        self._latest[key] = now
        if len(self._ended) > _TOGETHER:
            self._ended = [merged(self._ended, _KEYS)]

    def look_at_all(self) -> None:
        """The same, for every engine that is there."""
        for engine in [known() for known in list(self._engines.values())]:
            if engine is not None:
                self.look(engine)

    def add(self, collected: Collected) -> None:
        """Take over what another process has collected."""
        self._ended.append(collected.heat)
        for key, (calls, units) in collected.pages.items():
            self._add_pages(key, calls, units)

    def collected(self) -> Collected:
        """All of it."""
        return Collected(merged([*self._ended, *self._latest.values()], _KEYS), self._pages)

    def _end(self, key: int) -> None:
        self._engines.pop(key, None)
        heat = self._latest.pop(key, None)
        if heat is not None:
            self._ended.append(heat)

    def _note(self, before: Heat, now: Heat) -> None:
        for name, table in before.tables.items():
            later = now.tables.get(name)
            # It was deleted, and perhaps made anew: what it had is still part of the run.
            if later is None or _calls(later) < _calls(table):
                self._ended.append(Heat({name: table}))
                before = Heat({key: value for key, value in before.tables.items() if key != name})
        earlier = {(kind, title): pages for kind, title, pages in _all_pages(before)}
        for kind, title, pages in _all_pages(now):
            was = earlier.get((kind, title), PagesHeat())
            if pages.calls > was.calls:
                key = kind, title, self.test or "outside of tests"
                self._add_pages(key, pages.calls - was.calls, pages.units - was.units)

    def _add_pages(self, key: tuple[str, str, str], calls: int, units: float) -> None:
        calls_before, units_before = self._pages.get(key, (0, 0.0))
        self._pages[key] = calls_before + calls, units_before + units


def _all_pages(heat: Heat) -> Iterator[tuple[str, str, PagesHeat]]:
    for table in heat.tables.values():
        indexes = ((f"{table.name} / {name}", index) for name, index in table.indexes.items())
        for title, part in ((table.name, table), *indexes):
            yield SCANS, title, part.scans
            yield QUERIES, title, part.unbounded


def _calls(table: TableHeat) -> int:
    return sum(part.reads.calls + part.writes.calls for part in (table, *table.indexes.values()))


def _rows(pages: Pages, most: int) -> Iterator[str]:
    order = sorted(pages, key=lambda key: (-pages[key][1], -pages[key][0], key))
    width = max(len(title) for _, title, _ in order[:most])
    for key in order[:most]:
        _, title, test = key
        calls, units = pages[key]
        counted = f"{calls:,} page{'' if calls == 1 else 's'}"
        yield f"  {title:<{width}}  {f'{units:,.1f}'.removesuffix('.0'):>8} units in {counted:<9}  {test}"
    if len(order) > most:
        yield f"  and {len(order) - most:,} more"
