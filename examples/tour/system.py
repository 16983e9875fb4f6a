"""Systems: a design with its data and the tour through it, as `pksk demo` and a system's own command run it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pksk import Entity, Store, Table

from .load import load
from .step import Step
from .there import There
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
        """Make the tables where they are missing, and store generated data; gives how many items of it are there.

        What is there of it stays as it is, also where it was changed since. Raises `OtherData` where that is not all
        of it, and there is something else besides: numbers and counts of two loads do not go together.
        """
        db.ensure_tables(*self.tables)
        tell = tell or (lambda _: None)
        there = There.read(db, self.tables, tell)
        entities, before = self.generate(items), 0
        if there:
            before = there.check(self.generate(items))
            entities = there.missing(entities)
            tell(before)
        done = load(db, entities, tell, before)
        if self.loaded is not None:
            self.loaded(db, items)
        return done

    @property
    def file(self) -> Path:
        """Where the system's command keeps its data, unless it is told another target."""
        return Path(f"{self.name}.db")
