"""Declarations that cannot be counted are rejected, as the explanations say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest

import pksk
from pksk import Entity, Key, Shard, Table, Version
from pksk.cells import CellLevel
from pksk.errors import DesignError
from pksk.geo import CellCounts

PAGE = (Path(pksk.__file__).parent / "explanations" / "counts.md").read_text("utf-8")
EXAMPLES = {
    section.partition("\n")[0]: line.strip()
    for section in PAGE.split("\n## ")[1:]
    for line in section.splitlines()
    if line.startswith("    CellCounts")
}
map_table = Table("map", stream=True)


class Cell(Entity, table=map_table):
    cell: Annotated[str, CellLevel(3, 8)]
    reports: int = 0
    note: str = ""
    newest: int | None = None
    version: Annotated[int, Version()] = 0
    primary = Key("CELL#{cell[:-3]}", "{cell[-3:]}")


class Unversioned(Entity, table=map_table):
    cell: Annotated[str, CellLevel(3, 8)]
    reports: int = 0
    primary = Key("UNVERSIONED#{cell[:-3]}", "{cell[-3:]}")


class OneLevel(Entity, table=map_table):
    cell: Annotated[str, CellLevel(8)]
    reports: int = 0
    version: Annotated[int, Version()] = 0
    primary = Key("ONE#{cell[:-3]}", "{cell[-3:]}")


class Sharded(Entity, table=map_table):
    cell: Annotated[str, CellLevel(3, 8)]
    reports: int = 0
    version: Annotated[int, Version()] = 0
    primary = Key("SHARDED#{cell[:-3]}#{shard}", "{cell[-3:]}", shard=Shard(4, of="cell"))


class Named(Entity, table=map_table):
    cell: Annotated[str, CellLevel(3, 8)]
    name: str
    reports: int = 0
    version: Annotated[int, Version()] = 0
    primary = Key("NAMED#{cell[:-3]}", "{cell[-3:]}")


class Sighting(Entity, table=map_table):
    cell: Annotated[str, CellLevel(8)]
    id: int
    primary = Key("SIGHTING#{cell[:-3]}", "{cell[-3:]}#{id:04d}")


class Coarse(Entity, table=map_table):
    cell: Annotated[str, CellLevel(7)]
    id: int
    primary = Key("COARSE#{cell[:-3]}", "{cell[-3:]}#{id:04d}")


class ByTime(Entity, table=map_table):
    cell: Annotated[str, CellLevel(8)]
    at: int
    primary = Key("TIME#{cell[:-3]}", "{at:010d}#{cell[-3:]}")


class Order(Entity, table=map_table):
    id: str
    total: int = 0
    primary = Key("ORDER#{id}", "META")


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_raises_the_error_that_it_explains(code: str) -> None:
    with pytest.raises(DesignError) as caught:
        eval(EXAMPLES[code])

    assert caught.value.code == code


@pytest.mark.parametrize(
    ("entity", "options", "said"),
    [
        ("Cell", {"add": "reports"}, "'Cell', which is not an entity"),
        (Sharded, {"add": "reports"}, "has a shard"),
        (OneLevel, {"add": "reports"}, "OneLevel.cell has one level"),
        (Named, {"add": "reports"}, "would have no value for 'name'"),
        (Cell, {}, "no field is named"),
        (Cell, {"add": ["reports", "reports"]}, "'reports' is named twice"),
        (Cell, {"add": "report"}, "did you mean 'reports'?"),
        (Cell, {"add": "version"}, "no such field"),
        (Cell, {"maximum": "reports"}, "declare one that is None in an empty cell"),
        (
            Cell,
            {"of": Coarse, "count": "reports"},
            "Coarse.cell has cells of CellLevel(7), and the smallest level of Cell is 8",
        ),
        (Cell, {"of": Sighting, "add": {"reports": "weight"}}, "Sighting has no field 'weight'"),
        (Cell, {"count": "reports"}, "'reports' is to come from items, and there is no entity of items"),
        (Cell, {"add": {"reports": "weight"}}, "and there is no entity of items"),
        (Cell, {"of": Order, "count": "reports"}, "no fields that are cells"),
    ],
)
def test_a_declaration_that_cannot_be_counted_is_rejected(
    entity: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(DesignError) as caught:
        CellCounts(entity, **options)

    assert said in str(caught.value)


def test_items_without_cells_of_the_same_scope_are_rejected() -> None:
    class OfApp(Entity, table=map_table):
        app: str
        cell: Annotated[str, CellLevel(3, 8)]
        reports: int = 0
        version: Annotated[int, Version()] = 0
        primary = Key("APP#{app}#{cell[:-3]}", "{cell[-3:]}")

    with pytest.raises(DesignError, match="Sighting has no field 'app' in its primary key"):
        CellCounts(OfApp, of=Sighting, count="reports")


def test_one_level_is_enough_if_items_are_counted() -> None:
    assert repr(CellCounts(OneLevel, of=Sighting, count="reports")) == "CellCounts(OneLevel)"
