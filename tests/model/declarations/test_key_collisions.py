"""Entities of several tables whose primary keys can be equal."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import Field, computed_field

from pksk import DesignError, Entity, Key, N, PkskError, Shard, Table, doc_id, key_collisions, sequence
from tests.model.declarations.models import entity_with
from tests.model.test_random_coarse_keys import Model, complete, entity_of, models, rejection, stored


def test_tables_whose_keys_begin_with_other_words_have_no_collision() -> None:
    orders = entity_with({"id": str}, "ORDER#{id}", "META", table=Table("orders"))
    lines = entity_with({"id": str, "n": int}, "ORDER#{id}", "LINE#{n:03d}", table=Table("lines"))

    assert key_collisions(orders, lines) == ()


def test_a_collision_names_both_entities_and_shows_a_key() -> None:
    class Order(Entity, table=Table("orders")):
        id: str
        primary = Key("ORDER#{id}", "META")

    class Archived(Entity, table=Table("archive")):
        number: Annotated[int, Field(ge=7)]
        primary = Key("ORDER#{number}", "META")

    (found,) = key_collisions(Order, Archived)

    assert found.overlap.verdict == "possible"
    assert str(found) == (
        "Order.primary in table 'orders' and Archived.primary in table 'archive' can have the same key: "
        "id='10' gives 'ORDER#10' / 'META', number=10 gives 'ORDER#10' / 'META'."
    )


def test_all_entities_of_a_table_are_compared_but_not_with_each_other() -> None:
    shop, archive = Table("shop"), Table("archive")
    sequence("orders", table=shop)
    sequence("orders", table=archive)
    entity_with({"id": str}, "ORDER#{id}", "META", table=shop)
    entity_with({"id": str}, "REFUND#{id}", "META", table=archive)

    found = key_collisions(shop, archive)

    assert [each.left.__name__ for each in found] == ["OrdersSequence"]
    assert key_collisions(shop, shop) == ()


def test_entities_that_inherit_a_key_collide_across_tables() -> None:
    class Base(Entity):
        id: str
        primary = Key("BASE#{id}", "META")

    class Here(Base, table=Table("here")):
        pass

    class There(Base, table=Table("there")):
        pass

    (found,) = key_collisions(Here, There)
    assert found.overlap.left_values == found.overlap.right_values


def test_values_that_a_field_rejects_are_not_used_as_an_example() -> None:
    small = entity_with(
        {"id": Annotated[str, Field(pattern="^[a-z]+$")]}, "{id}", "META", table=Table("small")
    )
    large = entity_with(
        {"id": Annotated[str, Field(pattern="^[A-Z]+$")]}, "{id}", "META", table=Table("large")
    )

    (open_one,) = key_collisions(small, large)

    assert open_one.overlap.verdict == "may"
    assert str(open_one).endswith("may have the same key: no example was found.")


def test_a_computed_field_may_have_any_value() -> None:
    class Place(Entity, table=Table("places")):
        name: str
        primary = Key("{slug}", "META")

        @computed_field  # type: ignore[prop-decorator]
        @property
        def slug(self) -> str:
            return f"place-{self.name}"

    other = entity_with({"id": str}, "{id}", "META", table=Table("others"))
    (found,) = key_collisions(Place, other)

    assert found.overlap.verdict == "may"
    assert "may have the same key: slug='a' gives 'a' / 'META'" in str(found)


def test_in_one_table_a_reason_is_enough_where_no_example_is_valid() -> None:
    table = Table("people")
    entity_with({"id": Annotated[str, Field(pattern="^[a-z]+$")]}, "{id}", "META", table=table)

    with pytest.raises(DesignError, match="may render the same key in table 'people'"):

        class Large(Entity, table=table):
            id: Annotated[str, Field(pattern="^[A-Z]+$")]
            primary = Key("{id}", "META")

    class Largest(Entity, table=table):
        id: Annotated[str, Field(pattern="^[A-Z]+$")]
        primary = Key("{id}", "META", disjoint="these are capitals")


def test_an_example_has_the_shard_of_its_values() -> None:
    fields: dict[str, Any] = {"id": str}
    one = entity_with(fields, "E#{shard}", "{id}", shard=Shard(5, of="id"), table=Table("one"))
    two = entity_with(fields, "E#{shard}", "{id}", shard=Shard(7, of="id"), table=Table("two"))

    (found,) = key_collisions(one, two)

    left, right = (
        one(id=(found.overlap.left_values or {})["id"]).to_item(),
        two(id=(found.overlap.right_values or {})["id"]).to_item(),
    )
    assert (left["pk"], left["sk"]) == (right["pk"], right["sk"])


def test_keys_of_other_types_and_numbers_are_compared_as_stored() -> None:
    text = entity_with({"n": int}, "{n}", "META", table=Table("text"))
    number = entity_with({"n": int}, "{n}", table=Table("number", pk=N("n"), sk=None))
    again = entity_with({"n": int}, "{n}", table=Table("again", pk=N("n"), sk=None))

    assert key_collisions(text, number) == ()
    assert len(key_collisions(number, again)) == 1


@pytest.mark.parametrize("wrong", ["orders", 5, Entity, dict])
def test_an_argument_that_is_not_a_design_is_rejected(wrong: Any) -> None:
    with pytest.raises(PkskError) as caught:
        key_collisions(wrong)

    assert caught.value.code == "collisions-argument"


def rows_of(model: Model) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(st.fixed_dictionaries(model.values), max_size=12)


def keys_of(entity: type[Any], rows: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {found[0] for row in rows if (found := stored(entity, row))}


# Most random designs are rejected; only pairs of accepted ones are compared.
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(models(), models(), st.data())
def test_items_of_two_tables_with_one_key_are_found_and_examples_are_true(
    left: Model, right: Model, data: st.DataObject
) -> None:
    assume(rejection(left) is None and rejection(right) is None)
    one, other = entity_of(left), entity_of(right)
    found = key_collisions(one, other)
    keys = [keys_of(entity, data.draw(rows_of(model))) for entity, model in ((one, left), (other, right))]

    if not found:
        assert not keys[0] & keys[1]
        return
    overlap = found[0].overlap
    if overlap.verdict == "possible":
        first = stored(one, complete(left, overlap.left_values or {}))
        second = stored(other, complete(right, overlap.right_values or {}))
        assert first is not None
        assert second is not None
        assert first[0] == second[0]
        assert doc_id(*first[0]) == doc_id(*second[0])


def test_a_month_and_a_day_can_have_one_key() -> None:
    month = entity_with({"day": date, "id": str}, "{day:%Y-%m}", "{id}", identity="id", table=Table("months"))
    text = entity_with({"id": str}, "2025-03", "{id}", table=Table("texts"))

    (found,) = key_collisions(month, text)

    assert (found.overlap.left_values or {})["day"] == date(2025, 3, 1)
