"""H3 cells as fields, keys and counts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import pksk
from pksk import Entity, Key, Table, Version, connect
from pksk.cells import CellLevel, distance_m
from pksk.errors import NotConfigured, PkskError, TemplateError
from pksk.geo import CellCounts, h3
from pksk.geo.counts.count_plan import CellId
from pksk.geo.counts.read_cells import children_requests
from pksk.geo.h3 import H3Resolution
from pksk.model.sample_values import sample_model

PAGE = (Path(pksk.__file__).parent / "explanations" / "h3.md").read_text("utf-8")
EXAMPLES = {
    section.partition("\n")[0]: line.strip()
    for section in PAGE.split("\n## ")[1:]
    for line in section.splitlines()
    if line.startswith("    ")
}
hexagons = Table("hexagons", stream=True)
positions = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


class Hexagon(Entity, table=hexagons):
    cell: Annotated[str, H3Resolution(6, 9)]
    reports: int = 0
    version: Annotated[int, Version()] = 0
    primary = Key("H3#{cell[:-7]}", "{cell[-7:]}")


class Wide(Entity, table=hexagons):
    cell: Annotated[str, H3Resolution(0, 2)]
    reports: int = 0
    version: Annotated[int, Version()] = 0
    primary = Key("WIDE#{cell}", "META")


COUNTS = CellCounts(Hexagon, add="reports")


@given(positions, st.integers(0, 15))
def test_a_cell_has_15_characters_and_is_around_its_position(
    position: tuple[float, float], resolution: int
) -> None:
    cell = h3.encode(*position, resolution)

    assert H3Resolution(resolution).check(cell) == cell
    assert len(cell) == 15
    assert cell == cell.lower()
    corners = h3.boundary(cell)
    radius = max(distance_m(*h3.centre(cell), *corner) for corner in corners)
    assert distance_m(*position, *h3.centre(cell)) <= radius * 1.001 + 1
    assert len(corners) >= 5


@given(positions, st.integers(1, 15))
def test_children_are_those_whose_parent_a_cell_is_and_their_ids_are_a_range(
    position: tuple[float, float], resolution: int
) -> None:
    cell = h3.encode(*position, resolution)
    around = h3.parent(cell)
    found = h3.children(around)
    others = [h3.encode(lat, lng, resolution) for lat in range(-80, 81, 20) for lng in range(-180, 180, 30)]

    assert cell in found
    assert {h3.parent(each) for each in found} == {around}
    assert all((found[0] <= each <= found[-1]) == (each in found) for each in others)


@given(st.integers(0, 2**32).map(Random))
def test_hexagons_are_counted_as_other_cells_are(random: Random) -> None:
    db = connect("memory:")
    db.create_tables(hexagons)
    near = [h3.encode(51.67 + random.uniform(0, 0.2), -1.28 + random.uniform(0, 0.2), 9) for _ in range(12)]
    for cell in near:
        db.put((db.get(Hexagon, cell=cell) or Hexagon(cell=cell)).model_copy(update={"reports": 1}))
    for cell in near[:3]:
        db.delete(Hexagon, cell=cell)

    db.changes(Hexagon, consumer="counts").run(COUNTS.handler(db), follow=False)

    stored = {each.cell: each.reports for each in db.scan(Hexagon.scan())}
    for resolution in (6, 7, 8):
        parents = [h3.parent(cell, resolution) for cell in set(near) - set(near[:3])]
        for each in {h3.parent(cell, resolution) for cell in near}:
            assert stored[each] == parents.count(each)
    assert COUNTS.verify(db).is_correct


def test_the_children_of_a_cell_are_read_by_one_query_or_by_one_for_each_partition() -> None:
    (query,) = children_requests(COUNTS._plan, CellId((), h3.encode(51.67, -1.28, 8)))
    wide = [*children_requests(CellCounts(Wide, add="reports")._plan, CellId((), h3.encode(51.67, -1.28, 0)))]

    assert query["ExpressionAttributeValues"] == {
        ":pk": {"S": "H3#89195d70"},
        ":first": {"S": "663ffff"},
        ":last": {"S": "67bffff"},
    }
    assert len(wide) == 7


@pytest.mark.parametrize(
    "cell",
    ["89195D70663FFFF", "89195d705cfff", "85195d73fffffff", "not a cell at all", "x" * 15, "89195d705cffffe"],
)
def test_a_field_takes_cells_of_its_resolutions_only(cell: str) -> None:
    with pytest.raises(ValidationError, match=r"pksk explain h3-(cell|resolution)"):
        Hexagon(cell=cell)


def test_hexagons_and_geohashes_are_not_counted_together() -> None:
    class Sighting(Entity, table=hexagons):
        cell: Annotated[str, CellLevel(9)]
        id: int
        primary = Key("SIGHTING#{cell[:-3]}", "{cell[-3:]}#{id:04d}")

    with pytest.raises(PkskError, match=r"Sighting.cell has cells of CellLevel\(9\)"):
        CellCounts(Hexagon, of=Sighting, count="reports")


def test_a_sample_is_a_cell() -> None:
    assert sample_model(Hexagon).cell == H3Resolution(9).sample


def test_resolutions_that_do_not_exist_are_rejected() -> None:
    with pytest.raises(TemplateError, match=r"H3Resolution\(9, 6\) has no cells"):
        H3Resolution(9, 6)
    for wrong in ("6", None, 6.0):
        value: Any = wrong
        with pytest.raises(TemplateError, match="has no cells"):
            H3Resolution(value)
    with pytest.raises(PkskError, match="has no parent of resolution 8"):
        h3.parent("85195d73fffffff", 8)


def without_h3(code: str) -> None:
    """Run code in a Python that has no h3."""
    hidden = f"import sys\nsys.modules['h3'] = None\n{code}"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert 'pip install "pksk[h3]"' in done.stderr
    raise NotConfigured("h3-extra", done.stderr)


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_raises_the_error_that_it_explains(code: str) -> None:
    with pytest.raises(PkskError) as caught:
        eval(EXAMPLES[code], {"h3": h3, "without_h3": without_h3})

    assert caught.value.code == code


def test_everything_else_works_without_h3() -> None:
    code = (
        "import sys\nsys.modules['h3'] = None\nfrom pksk.geo import CellCounts, RangeCache\nimport pksk.cells"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
