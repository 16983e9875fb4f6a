"""The great-circle distance between two shapes, also across the antimeridian and near poles."""

from __future__ import annotations

from math import asin

from pksk.geometry.libraries import Array, Shape, np, shapely
from pksk.geometry.measures import EARTH_RADIUS_M, edges, unit_vectors

__all__ = ["distance_m"]

# An edge of this length lies within half a metre of its great circle.
_LONGEST_DEGREES = 0.05


def distance_m(a: Shape, b: Shape) -> float:
    """The distance between shapes that do not touch.

    Edges are grouped; groups whose centres are so far apart that they cannot hold the nearest edges are not compared.
    """
    first, second = _Groups(_segments(a)), _Groups(_segments(b))
    bounds = _chords(first.centres[:, None], second.centres[None]) - first.radii[:, None] - second.radii
    i, j = divmod(int(bounds.argmin()), len(second.radii))
    nearest = _between(first.segments[i], second.segments[j])
    near = np.argwhere(bounds < nearest)
    for i, j in near[np.argsort(bounds[bounds < nearest])].tolist():
        if bounds[i, j] >= nearest:
            break
        nearest = min(nearest, _between(first.segments[i], second.segments[j]))
    return 2 * EARTH_RADIUS_M * asin(min(nearest / 2, 1.0))


class _Groups:
    """Neighbouring edges in groups, each with its centre and radius."""

    def __init__(self, segments: Array) -> None:
        size = max(32, len(segments) // 2000)
        self.segments = [segments[at : at + size] for at in range(0, len(segments), size)]
        self.centres = np.array([group.mean(axis=(0, 1)) for group in self.segments])
        self.radii = np.array(
            [_chords(group, centre).max() for group, centre in zip(self.segments, self.centres, strict=True)]
        )


def _segments(shape: Shape) -> Array:
    """Start and end of each edge on the unit sphere; a point is an edge of no length."""
    if shapely.get_dimensions(shape) == 0:
        points = unit_vectors(shapely.get_coordinates(shape))
        return np.stack((points, points), axis=1)
    start, end = edges(shape, _LONGEST_DEGREES)
    return np.stack((unit_vectors(start), unit_vectors(end)), axis=1)


def _chords(a: Array, b: Array) -> Array:
    apart = a - b
    chords: Array = np.sqrt(np.einsum("...i,...i", apart, apart))
    return chords


def _between(a: Array, b: Array) -> float:
    """The shortest chord between two groups of edges: edges that do not cross are nearest at a vertex."""
    return min(_to_segments(a.reshape(-1, 3), b), _to_segments(b.reshape(-1, 3), a))


def _to_segments(points: Array, segments: Array) -> float:
    start = segments[:, 0]
    along = segments[:, 1] - start
    length = (along**2).sum(axis=-1)
    # Each point of the segment nearest to each point, by the share of the segment before it.
    share = (points @ along.T - (start * along).sum(axis=-1)) / np.where(length > 0, length, 1)
    foot = start + share.clip(0, 1)[..., None] * along
    foot /= np.sqrt((foot**2).sum(axis=-1, keepdims=True))
    return float(_chords(points[:, None], foot).min())
