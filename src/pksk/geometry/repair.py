"""Polygons made valid: rings regrouped by containment, merged, oriented, on the grid, between -180 and 180 degrees."""

from __future__ import annotations

from collections.abc import Sequence

from pksk.errors import InvalidValue
from pksk.geometry.antimeridian import crosses, has_long_edges, ring_area, with_short_edges
from pksk.geometry.crossings import reject_endless_crossings, reject_endless_overlaps
from pksk.geometry.libraries import Array, Shape, np, shapely
from pksk.geometry.positions import DECIMALS, without_repeats
from pksk.geometry.repairs import RepairLog

__all__ = ["polygonal", "repair_polygons", "settle"]

_POLYGON = 3
# Snapping an area to the grid can move edges onto each other; what that leaves is snapped again.
_ATTEMPTS = 4


def repair_polygons(
    polygons: Sequence[Sequence[Array]], path: str, paths: Sequence[str], log: RepairLog
) -> Shape:
    """One valid Polygon or MultiPolygon of these polygons, each a list of rings; it can be empty."""
    reject_endless_crossings([ring for rings in polygons for ring in rings], path)
    parts = [_polygon(rings, path, log) for rings, path in zip(polygons, paths, strict=True)]
    area = polygonal(parts)
    if len(parts) > 1 and not shapely.is_valid(area):
        log.add("overlap", "")
        area = shapely.union_all(shapely.get_parts(area))
    return settle(area)


def _polygon(rings: Sequence[Array], path: str, log: RepairLog) -> Shape:
    closed = [_closed(ring, f"{path}[{index}]", log) for index, ring in enumerate(rings)]
    named = [(ring, f"{path}[{index}]") for index, ring in enumerate(closed) if len(ring) > 3]
    log.add("empty", path, len(rings) - len(named))
    if not named:
        return shapely.Polygon()
    if not any(crosses(ring) for ring, _ in named):
        outer, *holes = (ring for ring, _ in named)
        polygon = _polygon_of(outer, *holes)
        if shapely.is_valid(polygon):
            log.add(
                "orientation", path, _is_clockwise(outer) + sum(not _is_clockwise(hole) for hole in holes)
            )
            return polygon
    areas = [ring_area(ring, where, log) for ring, where in named]
    return _regrouped([area for area in areas if not shapely.is_empty(area)], path, log)


def _polygon_of(outer: Array, *holes: Array) -> Shape:
    return shapely.polygons(shapely.linearrings(outer), [shapely.linearrings(hole) for hole in holes] or None)


def _closed(ring: Array, path: str, log: RepairLog) -> Array:
    if len(ring) > 2 and (ring[0] != ring[-1]).any():
        log.add("closed", path)
        ring = np.concatenate((ring, ring[:1]))
    return without_repeats(ring)


def _is_clockwise(ring: Array) -> bool:
    return not shapely.is_ccw(shapely.linearrings(ring))


def _regrouped(areas: list[Shape], path: str, log: RepairLog) -> Shape:
    """The areas of rings as one area: those in an even number of others, without those directly within them."""
    if not areas:
        return shapely.Polygon()
    rings = np.array(areas, dtype=object)
    reject_endless_overlaps(shapely.bounds(rings), path)
    inner, outer, repeated = _containment(rings)
    depth = np.bincount(inner, minlength=len(rings))
    depth[repeated] = -1
    log.add("regrouped", path, int((depth[1:] % 2 == 0).sum()))
    log.add("overlap", path, len(repeated))
    holes: dict[int, list[int]] = {}
    for hole, ring in zip(inner.tolist(), outer.tolist(), strict=True):
        if depth[hole] == depth[ring] + 1 and depth[hole] % 2:
            holes.setdefault(ring, []).append(hole)
    parts = [
        shapely.difference(rings[index], shapely.union_all(rings[holes[index]]))
        if index in holes
        else rings[index]
        for index in np.flatnonzero((depth >= 0) & (depth % 2 == 0)).tolist()
    ]
    return parts[0] if len(parts) == 1 else shapely.union_all(parts)


def _containment(rings: Array) -> tuple[Array, Array, Array]:
    """Pairs of a ring and a greater one that holds most of it, and the rings that repeat another one."""
    sizes = shapely.area(rings)
    inner, outer = shapely.STRtree(rings).query(rings, predicate="intersects")
    order = (sizes[inner] < sizes[outer]) | ((sizes[inner] == sizes[outer]) & (inner > outer))
    inner, outer = inner[order], outer[order]
    contained = shapely.covers(rings[outer], rings[inner])
    rest = ~contained
    shared = shapely.area(shapely.intersection(rings[outer[rest]], rings[inner[rest]]))
    contained[rest] = shared > sizes[inner[rest]] / 2
    inner, outer = inner[contained], outer[contained]
    same = np.flatnonzero(sizes[inner] == sizes[outer])
    same = same[shapely.equals(rings[inner[same]], rings[outer[same]])]
    repeated = np.unique(inner[same])
    kept = ~(np.isin(outer, repeated) | np.isin(inner, repeated))
    return inner[kept], outer[kept], repeated


def polygonal(shapes: Sequence[Shape]) -> Shape:
    """The polygons among the parts of shapes, as a Polygon if there is one, else as a MultiPolygon."""
    parts = shapely.get_parts(shapely.get_parts(shapes))
    kept = parts[(shapely.get_type_id(parts) == _POLYGON) & ~shapely.is_empty(parts)]
    return kept[0] if len(kept) == 1 else shapely.multipolygons(kept)


def settle(area: Shape) -> Shape:
    """A polygonal shape on the grid, valid and oriented, without edges longer than 180 degrees."""
    for _ in range(_ATTEMPTS):
        area = shapely.orient_polygons(_with_short_edges(area))
        snapped = shapely.transform(area, _snap)
        if shapely.is_valid(snapped):
            return shapely.remove_repeated_points(snapped)
        whole = shapely.make_valid(area, method="structure", keep_collapsed=False)
        area = polygonal([shapely.set_precision(whole, 10**-DECIMALS)])
    raise InvalidValue(
        "geometry-invalid",
        f"The polygon could not be made valid: {shapely.is_valid_reason(snapped)}.",
        fix="simplify it, or remove the positions near that place.",
    )


def _snap(positions: Array) -> Array:
    return np.round(positions, DECIMALS) + 0.0


def _with_short_edges(area: Shape) -> Shape:
    if not has_long_edges(shapely.get_coordinates(area)):
        return area
    polygons = []
    for part in shapely.get_parts(area):
        rings = [with_short_edges(shapely.get_coordinates(ring)) for ring in shapely.get_rings(part)]
        polygons.append(_polygon_of(*rings))
    return polygonal(polygons)
