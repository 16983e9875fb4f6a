"""The levels of the cells in a key: their size, an example of the key, and how many are in a partition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pksk.cells import GEOHASH, CellLevel, CellRange
from pksk.cells.coordinates import HALF_CIRCUMFERENCE_M
from pksk.errors import PkskError
from pksk.keys import Template
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.planning import CellKey, find_cell_key
from pksk.model.sample_values import field_sample

HEADINGS = ["Level", "Degrees", "At the equator", "Partition key", "Sort key", "Cells a partition"]
_KILOMETRE = 1000
_DEGREE_DIGITS = 3


def cell_levels(declaration: Declaration, key: EntityKey) -> list[dict[str, Any]]:
    """What each level of the cells in a key looks like; empty for a key without cells."""
    templates = [part.writer for part in key.sort if isinstance(part.writer, Template)]
    if not any(each.cell_levels for template in templates for each in template.parts):
        return []
    try:
        cells = find_cell_key(declaration, key.name)
        return [_level(cells, level) for level in cells.levels]
    except (PkskError, ValueError):  # a key that queries by region cannot use, or without sample values
        return []


def _level(cells: CellKey, level: int) -> dict[str, Any]:
    columns, rows = (1 << bits for bits in GEOHASH.grid(level))
    suffix = cells.suffix(level)
    sample = CellLevel(level).sample
    fields = cells.declaration.entity.__pydantic_fields__
    parts = {name: field_sample(name, fields[name]) for name in cells.required if name in fields}
    ranges = CellRange(sample[: level - suffix], sample[level - suffix :], sample[level - suffix :])
    partition, sort = cells.key_range(cells.parts(parts), ranges)
    return {
        "level": level,
        "degrees": [360 / columns, 180 / rows],
        "metres": [2 * HALF_CIRCUMFERENCE_M / columns, HALF_CIRCUMFERENCE_M / rows],
        "partition_key": " ".join(map(str, partition.attributes.values())),
        "sort_key": str(sort[-1][1].lower),
        "cells_per_partition": 1 << GEOHASH.bits * suffix,
    }


def cell_tables(table: dict[str, Any]) -> Iterator[tuple[str, list[list[str]]]]:
    """The name of each key with cells, and a row for each level."""
    for entity in table["entities"]:
        for key in entity["keys"]:
            if key.get("cells"):
                yield f"Cells of {entity['name']}.{key['name']}", [_row(each) for each in key["cells"]]


def _row(level: dict[str, Any]) -> list[str]:
    return [
        str(level["level"]),
        " x ".join(f"{each:.{_DEGREE_DIGITS}g}" for each in level["degrees"]),
        " x ".join(map(_distance, level["metres"])),
        level["partition_key"],
        level["sort_key"],
        f"{level['cells_per_partition']:,}",
    ]


def _distance(metres: float) -> str:
    return f"{metres / _KILOMETRE:,.3g} km" if metres >= _KILOMETRE else f"{metres:,.3g} m"
