"""Rejects polygons whose rings cross or overlap so often that making them valid would take minutes."""

from __future__ import annotations

from collections.abc import Sequence

from pksk.errors import InvalidValue
from pksk.geometry.libraries import Array, np

__all__ = ["reject_endless_crossings", "reject_endless_overlaps"]

_SAMPLE = 32
# 500 random positions cross each other 30,000 times, and take a second to repair; the time grows with the square.
_MOST = 30_000
_MOST_OF_AN_EDGE = 2_000
_MOST_PAIRS = 250_000


def reject_endless_crossings(rings: Sequence[Array], path: str) -> None:
    """Raise if a sample of the edges crosses the others too often; what people draw by mistake has few crossings."""
    start = np.concatenate([ring[:-1] for ring in rings] or [np.empty((0, 2))])
    end = np.concatenate([ring[1:] for ring in rings] or [np.empty((0, 2))])
    if len(start) < 2 * _SAMPLE:
        return
    length = np.abs(end - start).sum(axis=1)
    low, high = np.minimum(start, end), np.maximum(start, end)

    def mean_crossings(sample: Array) -> float:
        return sum(_crossings(start, end, low, high, int(edge)) for edge in sample) / len(sample)

    estimate = mean_crossings(np.linspace(0, len(start) - 1, _SAMPLE)) * len(start) / 2
    longest = mean_crossings(np.argpartition(length, -_SAMPLE)[-_SAMPLE:])
    if estimate > _MOST + len(start) or longest > _MOST_OF_AN_EDGE:
        raise InvalidValue(
            "geometry-invalid",
            f"{path}: the rings cross each other about {max(estimate, longest * _SAMPLE):,.0f} times.",
            expected="A polygon that can be repaired has few crossings.",
            fix="check the order of its positions.",
        )


def reject_endless_overlaps(bounds: Array, path: str) -> None:
    """Raise if most rings lie within or across most others: each pair of them would be compared."""
    if len(bounds) < 2 * _SAMPLE:
        return
    west, south, east, north = bounds.T
    sample = np.linspace(0, len(bounds) - 1, _SAMPLE).astype(int)
    counts = [
        int(((west <= east[i]) & (east >= west[i]) & (south <= north[i]) & (north >= south[i])).sum())
        for i in sample.tolist()
    ]
    # Without the largest, as a mainland overlaps with each of its lakes.
    overlaps = sorted(counts)[-_SAMPLE // 8]
    if overlaps * len(bounds) > _MOST_PAIRS:
        raise InvalidValue(
            "geometry-invalid",
            f"{path}: most of the {len(bounds)} rings overlap with about {overlaps} others.",
            expected="A polygon that can be repaired has rings apart from each other, and holes in them.",
            fix="check that each ring is written once, and that they belong to one shape.",
        )


def _crossings(start: Array, end: Array, low: Array, high: Array, edge: int) -> int:
    """How many edges an edge crosses; one across the antimeridian is taken to cross none."""
    a, b = start[edge], end[edge]
    if abs(b[0] - a[0]) > 180:
        return 0
    near = np.flatnonzero(
        (low[:, 0] <= high[edge, 0])
        & (high[:, 0] >= low[edge, 0])
        & (low[:, 1] <= high[edge, 1])
        & (high[:, 1] >= low[edge, 1])
    )
    c, d = start[near], end[near]
    apart = (_side(a, b, c) * _side(a, b, d) < 0) & (_side(c, d, a) * _side(c, d, b) < 0)
    return int(apart.sum())


def _side(a: Array, b: Array, c: Array) -> Array:
    """On which side of the line from a to b a point is: the sign of the area of the triangle."""
    side: Array = (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1])
    side -= (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])
    return side
