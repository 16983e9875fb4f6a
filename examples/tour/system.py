"""A system: a design with its data and the tour through it, as `pksk demo` and the system's own command run it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from pksk import BoundKey, Entity, Store, Table

from .loading import load, start_or_resume
from .tour import Listener, Tour


@dataclass(frozen=True)
class System:
    """One of the five systems.

    `generate(items)` returns about so many entities, always the same ones. `run_tour(tour, items)` fills a store with
    them and runs every access pattern; `items` is how many it takes by default. `after_load(db, items)` is called when
    a load has ended, for sequences that must continue after the numbers in the data.

    `keys` are the keys on its screen in `pksk demo`, with `short_names` for parts of templates that are long.
    `commands` are what to try after `load`, each with what it shows.
    """

    name: str
    about: str
    tables: tuple[Table, ...]
    generate: Callable[[int], Iterator[Entity]]
    run_tour: Callable[[Tour, int], None]
    items: int = 1000
    after_load: Callable[[Store, int], object] | None = None
    keys: tuple[BoundKey[Any], ...] = ()
    short_names: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[tuple[str, str], ...] = ()

    def take_tour(self, target: Any, listener: Listener, items: int | None = None) -> Tour:
        """Run the tour, and return it with its steps; raises `Stopped` if it cannot go on."""
        listener.section(f"{self.name}: {self.about}")
        with Tour.open(target, self.tables, listener) as tour:
            self.run_tour(tour, items or self.items)
            return tour

    def load(self, db: Store, items: int, on_progress: Callable[[int], None] | None = None) -> int:
        """Create missing tables and store generated data; return how many items that is.

        An interrupted load resumes. One that has ended is left alone, whatever was changed since. Raises
        `LoadConflict` if the tables hold other items, or a load of another size was started.
        """
        loading, resumed = start_or_resume(db, self.name, items, self.tables)
        if loading.ended:
            return loading.stored
        db.ensure_tables(*self.tables)
        before = loading.stored

        def record(count: int) -> None:
            loading.record(db, before + count)
            if on_progress is not None:
                on_progress(before + count)

        rest = islice(self.generate(items), before, None)
        stored = before + load(db, rest, record, resumed=resumed)
        if self.after_load is not None:
            self.after_load(db, items)
        loading.record(db, stored, ended=True)
        return stored

    @property
    def file(self) -> Path:
        """Where the system's command keeps its data by default."""
        return Path(f"{self.name}.db")
