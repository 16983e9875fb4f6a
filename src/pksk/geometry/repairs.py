"""What was repaired in a geometry while it was read."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.dataclass import dataclass

__all__ = ["Repair", "RepairLog"]

# Each kind of repair, as users read it.
TEXTS = {
    "altitude": "altitudes were dropped",
    "antimeridian": "edges longer than 180 degrees cross the antimeridian; it was split there",
    "closed": "the last position of a ring was not the first one; the ring was closed",
    "corners": "the corners of the envelope were in another order than north-west, south-east",
    "empty": "a part without extent was dropped",
    "envelope": "an envelope, which is not GeoJSON, became a polygon",
    "orientation": "rings had the wrong orientation; they follow the right-hand rule now",
    "overlap": "rings or polygons crossed each other; they were merged",
    "pole": "a ring around a pole was closed over it",
    "regrouped": "rings outside the first one became polygons of their own, as they are not holes",
    "self-crossing": "a ring crossed itself; it was made valid",
    "type-case": "the name of the type was not spelled as in GeoJSON",
}


@dataclass(frozen=True, slots=True)
class Repair:
    """One kind of repair at one place of the input: `path` is where, `count` how many parts it changed.

    Example:
        >>> str(Repair("closed", "coordinates[0]"))
        'coordinates[0]: the last position of a ring was not the first one; the ring was closed'
    """

    kind: str
    path: str
    count: int = 1

    def __str__(self) -> str:
        times = f" ({self.count})" if self.count > 1 else ""
        return f"{self.path}: {TEXTS[self.kind]}{times}" if self.path else f"{TEXTS[self.kind]}{times}"


class RepairLog:
    """Collects repairs; those of one kind at one place are counted."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, kind: str, path: str, count: int = 1) -> None:
        """Note a repair."""
        if count:
            self._counts[kind, path] = self._counts.get((kind, path), 0) + count

    def __iter__(self) -> Iterator[Repair]:
        return (Repair(kind, path, count) for (kind, path), count in self._counts.items())
