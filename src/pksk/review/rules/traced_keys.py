"""The busiest partition key of each entity key in a trace, for the rules that use one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pksk.model.bill.key_loads import units_text
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.partitions import Share
from pksk.partitions.ceilings import Side
from pksk.review.rule import Design
from pksk.review.traffic import IndexTraffic, Traffic, entity_key_of

# Fewer calls say little about how they spread.
FEWEST_CALLS: Final = 200
_SIDES: Final[tuple[Side, ...]] = ("write", "read")


def traced_keys(design: Design) -> Iterator[tuple[Declaration, EntityKey, Side, Share, str]]:
    """The key that the busiest partition key of a table or index belongs to, its share, and where it is from."""
    traffic = design.traffic
    if traffic is None:
        return
    for table in design.tables:
        for index in (None, *(each.name for each in table.indexes if each.kind == "gsi")):
            part = traffic.of(table, index)
            for side in _SIDES:
                busiest = part.side(side).busiest
                if busiest is None or part.side(side).calls < FEWEST_CALLS:
                    continue
                value, share = busiest
                match = entity_key_of(table, index, value)
                if match is not None:
                    yield *match, side, share, calls_text(traffic, part, side)


def calls_text(traffic: Traffic, part: IndexTraffic, side: Side) -> str:
    """How many calls a trace has: calls.jsonl: 12,000 reads of shop in 60 seconds."""
    calls = part.side(side).calls
    seconds = f" in {units_text(traffic.seconds)} seconds" if traffic.seconds >= 1 else ""
    return f"{traffic.file}: {calls:,} {side}s of {part.name}{seconds}"
