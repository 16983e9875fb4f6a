"""Items of a design become a page of bounded size, whose statistics and keys are those of the items."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Annotated, Any

import pytest

from pksk import Entity, InvalidValue, Key, Table
from pksk.cells import CellLevel, encode
from pksk.geo.map_items import MapItems
from pksk.geo.map_page import MOST_CELLS, MOST_POINTS, MapPage
from pksk.geo.map_source import MapSource, choose_source, choose_values, map_sources, number_fields


class Cell(Entity, table=Table("cells")):
    cell: Annotated[str, CellLevel(3, 8)]
    total: float = 0
    primary = Key("ShCe#{cell[:-3]}", "{cell[-3:]}")


class Report(Entity, table=Table("reports")):
    """Several in a cell, whose key has fewer characters of the cell than the field."""

    cell: Annotated[str, CellLevel(8)]
    number: int
    primary = Key("R#{cell[:4]}", "{cell[4:7]}#{number:05d}#{cell[7:]}")


class Town(Entity, table=Table("towns")):
    id: str
    latitude: float
    longitude: float
    people: int = 0
    primary = Key("T#{id}", "T")


class Tenant(Entity, table=Table("tenants")):
    tenant: str
    cell: Annotated[str, CellLevel(8)]
    primary = Key("{tenant}#{cell[:-3]}", "{cell[-3:]}")


def page_of(entities: list[Any], *, most_cells: int = MOST_CELLS, most_points: int = MOST_POINTS) -> MapPage:
    source = choose_source([entities[0].__pksk__.table], None, None)
    items = MapItems(source, choose_values(source, ()), most_cells=most_cells, most_points=most_points)
    for each in entities:
        items.add(each, each.__pksk__.to_item(each))
    return items.page("Map")


def random_cells(count: int, level: int = 8) -> list[str]:
    random = Random()
    return [
        encode(51 + random.random() / 3, random.random() / 3, level)[: random.choice([level, level])]
        for _ in range(count)
    ]


def totals(page: MapPage) -> dict[str, float]:
    return {each.cell: each.total for each in page.cells}


def test_cells_are_shown_with_their_totals_and_partitions_are_counted() -> None:
    cells = {cell: float(n) for n, cell in enumerate(random_cells(300))}
    page = page_of([Cell(cell=cell, total=n) for cell, n in cells.items()])

    assert totals(page) == cells
    assert page.stored_level == 8
    assert page.statistics[8].partition_items == Counter(cell[:-3] for cell in cells)
    assert [*page.notes] == []


def test_cells_of_one_level_that_are_too_many_are_added_up() -> None:
    cells = sorted(set(random_cells(600)))
    page = page_of([Cell(cell=cell, total=1) for cell in cells], most_cells=100)
    level = len(page.cells[0].cell)

    assert len(page.cells) <= 100
    assert totals(page) == Counter(cell[:level] for cell in cells)
    assert sum(each.items for each in page.cells) == len(cells)
    assert page.stored_level == 8
    assert [*page.notes] == [
        f"There are too many cells of level 8 for one page: they are added up to level {level}."
    ]


def test_of_cells_of_several_levels_the_smallest_are_left_out() -> None:
    small = sorted(set(random_cells(200)))
    large = sorted({cell[:5] for cell in small})
    page = page_of([Cell(cell=cell, total=1) for cell in large + small], most_cells=len(large) + 50)

    assert sorted(totals(page)) == large
    assert [*page.notes] == ["Cells of level 8 are left out: there are too many for one page."]


def test_points_that_are_too_many_become_cells() -> None:
    towns = [Town(id=str(n), latitude=51 + n / 1000, longitude=n / 1000, people=n) for n in range(30)]
    few, many = page_of(towns, most_points=30), page_of(towns, most_points=29)

    assert len(few.points) == 30
    assert few.points[4].label == "T#4 / T"
    assert few.points[4].value == 4
    assert not many.points
    assert sum(each.total for each in many.cells) == sum(range(30))
    assert [*many.notes] == ["30 points are too many for one page: they are added up to cells."]


def test_keys_with_several_items_in_a_cell_end_after_the_last_of_them() -> None:
    page = page_of([Report(cell=cell, number=n) for n, cell in enumerate(random_cells(40))])

    assert page.keys is not None
    assert (page.keys.partition, page.keys.sort, page.keys.end) == (("R#", ""), "", "~")
    assert (page.keys.suffix, page.keys.beyond) == (3, 1)
    assert set(page.statistics[8].partition_items) == {each.cell[:4] for each in page.cells}


def test_keys_with_other_parts_have_no_ranges_and_the_page_says_so() -> None:
    page = page_of([Tenant(tenant=f"t{n % 2}", cell=cell) for n, cell in enumerate(random_cells(20))])

    assert page.keys is None
    assert [*page.notes] == [
        "The key has other parts than the cell, or none of it, so a view is not a few ranges of one key."
    ]


def test_entities_with_cells_come_first_and_keys_and_positions_are_no_values() -> None:
    sources = map_sources([Town.__pksk__.table, Cell.__pksk__.table])

    assert [each.name for each in sources] == ["Cell", "Town"]
    assert number_fields(Town.__pksk__) == ["people"]
    assert number_fields(Report.__pksk__) == []
    assert choose_values(MapSource(Report.__pksk__, "cell"), ()) == ()


@pytest.mark.parametrize("total", [float("inf"), float("nan")])
def test_values_that_have_no_colour_are_rejected(total: float) -> None:
    items = MapItems(MapSource(Cell.__pksk__, "cell"), ["total"])
    entity = Cell.model_construct(cell="gcpjfy6d", total=total)

    with pytest.raises(InvalidValue, match="has no colour"):
        items.add(entity, {"pk": {"S": "ShCe#gcpjf"}, "sk": {"S": "y6d"}})


class Pin(Entity, table=Table("pins")):
    id: str
    lat: float | None = None
    lng: float | None = None
    primary = Key("PIN#{id}", "PIN")


class Sparse(Entity, table=Table("sparse")):
    id: str
    cell: str | None = None
    primary = Key("S#{id}", "S")


def test_items_without_a_position_are_left_out_and_the_page_names_the_first() -> None:
    """One wrong item of thousands does not hide all others."""
    page = page_of(
        [Pin(id="1", lat=51.5, lng=-0.1), Pin(id="2", lat=91, lng=0), Pin(id="3"), Pin(id="4", lat=5)]
    )

    assert [(each.lat, each.lng) for each in page.points] == [(51.5, -0.1)]
    assert "Items without a position on the Earth are left out: 3, the first is 'PIN#2 / PIN'." in page.notes


def test_items_without_a_cell_are_left_out_and_other_texts_are_rejected() -> None:
    items = MapItems(MapSource(Sparse.__pksk__, "cell"), ())
    for each in (Sparse(id="1", cell="gcpj"), Sparse(id="2")):
        items.add(each, each.__pksk__.to_item(each))

    assert [each.cell for each in items.page("Map").cells] == ["gcpj"]
    assert [*items.notes()] == [
        "Items without a position on the Earth are left out: 1, the first is 'S#2 / S'."
    ]
    for text in ("GCPJ", "a field that is not a cell"):
        wrong = Sparse(id="3", cell=text)
        with pytest.raises(
            InvalidValue, match=r"Sparse\.cell is '.*', which is not the name of a cell"
        ) as caught:
            items.add(wrong, wrong.__pksk__.to_item(wrong))
        assert caught.value.code == "map-field"
