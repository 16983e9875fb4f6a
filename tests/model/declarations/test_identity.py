"""A primary key identifies its items: an entity is rejected if different items would have one key."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, computed_field

from pksk import GSI, DesignError, Entity, InvalidValue, Key, Table, TemplateError, sequence


def shop() -> Table:
    return Table("shop", indexes=[GSI("by-day", pk="g1")])


def test_a_primary_key_without_a_field_is_rejected() -> None:
    with pytest.raises(
        DesignError, match=r"^Settings\.primary: 'settings' and 'all' have no placeholder"
    ) as caught:

        class Settings(Entity, table=shop()):
            theme: str = "light"
            primary = Key("settings", "all")

    assert caught.value.code == "entity-single-item"
    assert "single_item=True" in caught.value.fix


def test_an_f_string_in_place_of_a_template_is_explained() -> None:
    with pytest.raises(TemplateError, match="contains '<built-in function id>'") as caught:

        class Order(Entity, table=shop()):
            id: str
            customer: str
            primary = Key("CUST#{customer}", f"A#{id}")  # noqa: A003 - the slip that is meant

    assert caught.value.fix == "write 'A#{id}', in a string without f in front."
    with pytest.raises(TemplateError, match="contains '<built-in function id>'"):
        sequence(f"orders of {id}", table=shop())


def test_a_field_without_braces_is_explained() -> None:
    with pytest.raises(DesignError, match="have no placeholder") as caught:

        class Order(Entity, table=shop()):
            number: int
            customer: str
            primary = Key("CUST#customer", "X")

    assert caught.value.fix.startswith("write 'CUST#{customer}', in a string")


def test_an_entity_of_a_single_item_says_so() -> None:
    class Settings(Entity, table=shop()):
        theme: str = "light"
        primary = Key("settings", "all", single_item=True)

    assert Settings().to_item()["pk"] == {"S": "settings"}


def test_a_single_item_whose_key_has_a_field_is_rejected() -> None:
    with pytest.raises(
        DesignError, match=r"^Order\.primary: single_item=True, but the key has the field 'id'"
    ) as caught:

        class Order(Entity, table=shop()):
            id: str
            primary = Key("ORDER#{id}", "META", single_item=True)

    assert caught.value.code == "entity-single-item"


def test_a_key_of_an_index_may_have_no_field() -> None:
    class Order(Entity, table=shop()):
        id: str
        primary = Key("ORDER#{id}", "META")
        every = Key("ORDERS", index="by-day")

    assert Order(id="7").to_item()["g1"] == {"S": "ORDERS"}


def test_a_key_of_an_index_does_not_identify_a_single_item() -> None:
    with pytest.raises(
        DesignError, match=r"^Order\.every: single_item=True is on a key of index 'by-day'"
    ) as caught:

        class Order(Entity, table=shop()):
            id: str
            primary = Key("ORDER#{id}", "META")
            every = Key("ORDERS", index="by-day", single_item=True)

    assert caught.value.code == "key-option"


def test_a_sequence_needs_no_single_item() -> None:
    numbers = sequence("orders", table=shop())

    assert numbers.take().request["Key"]["sk"] == {"S": "sequence"}


def test_an_optional_field_in_a_primary_key_is_rejected() -> None:
    with pytest.raises(DesignError, match=r"^Order\.primary: field 'id' may be None") as caught:

        class Order(Entity, table=shop()):
            id: str | None = None
            primary = Key("ORDER#{id}", "META")

    assert caught.value.code == "entity-optional-key"
    assert caught.value.fix.endswith("add assigned_later=('id',).")


def test_a_field_with_none_as_its_default_is_optional() -> None:
    with pytest.raises(DesignError, match=r"^Order\.primary: field 'id' may be None"):

        class Order(Entity, table=shop()):
            id: str = None  # type: ignore[assignment]
            primary = Key("ORDER#{id}", "META")


def test_a_computed_field_that_may_be_none_is_optional() -> None:
    with pytest.raises(DesignError, match=r"^Order\.primary: field 'slug' may be None"):

        class Order(Entity, table=shop()):
            name: str
            primary = Key("ORDER#{slug}", "META")

            @computed_field  # type: ignore[prop-decorator]
            @property
            def slug(self) -> str | None:
                return self.name or None


class Numbered(BaseModel):
    """A model of an application, which has no id before it is stored."""

    id: int | None = None
    name: str


def test_a_model_whose_id_is_assigned_later_is_wrapped() -> None:
    class StoredOrder(Numbered, Entity, table=shop()):
        primary = Key("ORDER#{id}", "META", assigned_later=("id",))

    order = StoredOrder(name="tea")
    with pytest.raises(InvalidValue, match="field 'id' is None"):
        order.to_item()
    order.id = 7

    assert order.to_item()["pk"] == {"S": "ORDER#7"}


@pytest.mark.parametrize(
    ("names", "problem", "fix"),
    [
        (
            ("custmer",),
            "assigned_later names 'custmer', which is not a field of the key",
            "did you mean 'customer'?",
        ),
        (("name",), "assigned_later names 'name', which is not a field of the key", "name one of them"),
        (("customer",), "assigned_later names 'customer', which is never None", "leave 'customer' out"),
    ],
)
def test_only_optional_fields_of_the_key_are_assigned_later(
    names: tuple[str, ...], problem: str, fix: str
) -> None:
    with pytest.raises(DesignError) as caught:

        class Order(Entity, table=shop()):
            id: str | None = None
            customer: str
            name: str | None = None
            primary = Key("CUST#{customer}#{id}", "META", assigned_later=(*names, "id"))

    assert caught.value.code == "key-option"
    assert problem in caught.value.problem
    assert fix in caught.value.fix


def test_names_of_fields_are_texts() -> None:
    with pytest.raises(TemplateError) as caught:
        Key("A#{id}", "META", assigned_later=5)  # type: ignore[arg-type]

    assert caught.value.code == "key-option"


def test_an_optional_field_in_the_key_of_an_index_leaves_items_out() -> None:
    class Order(Entity, table=shop()):
        id: str
        day: str | None = None
        primary = Key("ORDER#{id}", "META")
        by_day = Key("{day}", index="by-day")

    assert "g1" not in Order(id="7").to_item()
