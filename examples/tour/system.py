"""Systems: a design with its data and the tour through it, as `pksk demo` and a system's own command run it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pksk import Entity, Store, Table

from .load import load
from .loading import taken_up
from .step import Step
from .tour import Listener, Tour

__all__ = ["System"]


@dataclass(frozen=True)
class System:
    """One of the systems.

    `generate(items)` gives about so many entities, always the same ones; `tour(tour, items)` fills a store with them
    and asks every question of the design. `items` is how many a tour takes unless it is told. `loaded(db, items)` is
    called after a load, for sequences that must go on after the numbers in it.
    """

    name: str
    about: str
    tables: tuple[Table, ...]
    generate: Callable[[int], Iterator[Entity]]
    tour: Callable[[Tour, int], None]
    items: int = 1000
    loaded: Callable[[Store, int], object] | None = None

    def show(self, target: Any, listener: Listener, items: int | None = None) -> list[Step]:
        """Run the tour, and give its steps."""
        listener.section(f"{self.name}: {self.about}")
        with Tour.open(target, self.tables, listener) as tour:
            self.tour(tour, items or self.items)
            return tour.steps

    def load(self, db: Store, items: int, tell: Callable[[int], None] | None = None) -> int:
        """Make the tables where they are missing, and store generated data; gives how many items that is.

        A load that was interrupted goes on; one that has ended is left alone, whatever became of its items. Raises
        `OtherLoad` where a load of another size was begun, or something else is there: they do not go together.
        """
        loading, again = taken_up(db, self.name, items, self.tables)
        if loading.ended:
            return loading.stored
        db.ensure_tables(*self.tables)
        before = loading.stored

        def note(done: int) -> None:
            loading.note(db, before + done)
            if tell is not None:
                tell(before + done)

        rest = islice(self.generate(items), before, None)
        stored = before + load(db, rest, note, again=again)
        if self.loaded is not None:
            self.loaded(db, items)
        loading.note(db, stored, ended=True)
        return stored

    @property
    def file(self) -> Path:
        """Where the system's command keeps its data, unless it is told another target."""
        return Path(f"{self.name}.db")
