"""Entities whose keys can be those of guard items, the items that keep unique values."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from pksk import DesignError, Table, Unique
from tests.model.declarations.models import entity_with

FIELDS: dict[str, Any] = {"id": str, "name": Annotated[str, Unique()]}
NAMED = (FIELDS, "NAMED#{id}", "META")
RULE = ({"one": str, "two": str, "three": str}, "unique#{one}#{two}#{three}", "unique")


@pytest.mark.parametrize("designs", [(NAMED, RULE), (RULE, NAMED)], ids=["unique-first", "unique-last"])
def test_an_entity_that_can_have_the_key_of_a_guard_item_is_rejected(designs: Any) -> None:
    (first, *first_key), (second, *second_key) = designs
    table = Table("anything")
    entity_with(first, *first_key, table=table, name="First")

    with pytest.raises(DesignError, match=r"\.name is unique, and the keys of its guard items") as caught:
        entity_with(second, *second_key, table=table, name="Second")

    assert caught.value.code == "store-unique-key"
    assert [each.name for each in table.entities] == ["First"]


@pytest.mark.parametrize(
    "texts", [("{id}", "unique"), ("unique#{id}", "META"), ("{name}#{id}", "{name}"), ("{id}", "{id}")]
)
def test_a_key_that_no_guard_item_can_have_is_accepted(texts: tuple[str, str]) -> None:
    assert entity_with(FIELDS, *texts)


def test_a_raw_key_of_any_text_can_be_that_of_a_guard_item_of_its_own_entity() -> None:
    with pytest.raises(DesignError, match="can collide with keys of Made"):
        entity_with(FIELDS, "{id}", "{name}", codec="raw")

    assert entity_with(FIELDS, "{id}", "{name}", codec="raw", disjoint="no id begins with unique#")
