"""Measures a design under some calls: what they consumed, and how the load spread over keys and partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pksk import Engine, Entity, Sending, Store, Table, connect
from pksk.capacity import Cost

from ..tour.lines import lines_of

__all__ = ["Measured", "measured"]


@dataclass(frozen=True)
class Measured:
    """What some calls did to the tables of a design, by the engine's own count.

    `hottest` is the share of all units that the busiest partition key took, `skew` the load of the busiest partition
    over the mean of all. One key on one of four partitions is a hottest of 1 and a skew of 4.
    """

    plan: str
    requests: int
    consumed: Cost
    hottest: float
    skew: float

    @property
    def row(self) -> tuple[str, str, str, str]:
        """The figures as they are shown; of very few requests there is no spread to speak of."""
        return (
            f"{self.requests:,}",
            f"{self.consumed.read + self.consumed.write:,g}",
            f"{self.hottest:.0%}",
            f"{self.skew:.1f}" if self.skew >= 1 else "-",
        )


def measured(tables: Iterable[Table], stored: Iterable[Entity], calls: Callable[[Store], object]) -> Measured:
    """Store some items on an engine of its own, make the calls, and measure these alone."""
    declared = list(tables)
    keys = {table.name: table.key_attributes for table in declared}
    sent: list[str] = []

    def keep(sending: Sending) -> None:
        if len(sent) < 1:
            sent.extend(lines_of(sending.operation, sending.request, keys))

    with Engine.open() as engine:
        db = connect(engine, hooks=[keep])
        db.create_tables(*declared)
        for each in stored:
            db.put(each)
        engine.heat(reset=True)
        sent.clear()
        with db.meter(everywhere=True) as meter:
            calls(db)
        heat = engine.heat()
        sides = [side for table in heat.tables.values() for side in (table.reads, table.writes)]
        units = sum(side.units for side in sides)
        busiest = max(sides, key=lambda side: side.units)
        top = max((key.units for side in sides for key in side.keys), default=0.0)
        return Measured(sent[0], meter.calls, meter.consumed, top / units if units else 0.0, busiest.skew)
