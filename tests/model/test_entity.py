"""Entities: to items and back without loss, and classes as Pydantic users expect them."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, computed_field

from pksk import GSI, Attribute, DesignError, Entity, F, InvalidValue, Key, N, Shard, Table
from pksk.values import item_to_wire


def entity_of(kind: Any) -> type[Entity]:
    class Made(Entity, table=Table("made")):
        id: str
        field: kind
        primary = Key("ID#{id}", "META")

    return Made


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e125, max_value=1e125).filter(
        lambda x: x == 0 or abs(x) > 1e-125
    )
)
def test_a_float_is_stored_by_its_shortest_text(value: float) -> None:
    made = entity_of(float)
    item = made.__pksk__.to_item(made(id="1", field=value))

    assert made.__pksk__.from_item(item).model_dump()["field"] == value


orders = Table(
    "orders",
    discriminator="kind",
    indexes=[GSI("by-status", pk="g1", sk="g2"), GSI("by-id", pk="orderId", sk="sk")],
)


class Order(Entity, table=orders, items=1000):
    id: Annotated[str, Attribute("orderId")]
    json: int = 0  # type: ignore[assignment]
    schema: str = "s"  # type: ignore[assignment]
    status: str | None = None
    total: int = 0

    @computed_field
    def band(self) -> str:
        return "big" if self.total > 100 else "small"

    primary = Key("ORDER#{id}", "{band}")
    by_status = Key("STATUS#{status}", "{total:06d}", index="by-status")
    by_id = Key("{id}", index="by-id")


def test_an_item_holds_fields_keys_and_discriminator() -> None:
    item = Order.__pksk__.to_item(Order(id="a#1", status="open", total=500))

    assert item == {
        "orderId": {"S": "a#1"}, "json": {"N": "0"}, "schema": {"S": "s"}, "status": {"S": "open"},
        "total": {"N": "500"},
        "kind": {"S": "Order"}, "pk": {"S": "ORDER#a$231"}, "sk": {"S": "big"},
        "g1": {"S": "STATUS#open"}, "g2": {"S": "000500"},
    }  # fmt: skip


def test_an_item_without_a_source_of_an_index_key_is_not_in_the_index() -> None:
    assert "g1" not in Order.__pksk__.to_item(Order(id="1"))


def test_model_dump_and_json_schema_show_fields_only() -> None:
    assert list(Order(id="1").model_dump()) == ["id", "json", "schema", "status", "total", "band"]
    assert list(Order.model_json_schema()["properties"]) == ["id", "json", "schema", "status", "total"]


def test_none_is_stored_where_it_would_read_back_as_something_else() -> None:
    class Noted(Entity, table=Table("noted")):
        id: str
        note: str | None = "default"
        primary = Key("{id}", "META")

    item = Noted.__pksk__.to_item(Noted(id="1", note=None))

    assert item["note"] == {"NULL": True}
    assert Noted.from_item(item).note is None


class Holder(Entity, table=Table("later")):
    id: str
    inner: Later | None = None  # type: ignore[name-defined]  # noqa: F821 - not known yet
    primary = Key("{id}", "{missing}")


def test_a_forward_reference_defers_the_checks_until_the_model_is_complete() -> None:
    class Later(BaseModel):
        x: int

    assert not hasattr(Holder, "__pksk__")
    with pytest.raises(Exception, match="missing"):
        Holder.model_rebuild(_types_namespace={"Later": Later})


def test_subclasses_that_share_a_key_are_siblings() -> None:
    zoo = Table("zoo")

    class Animal(Entity, table=zoo):
        name: str
        primary = Key("ANIMAL#{name}", "META")

    class Cat(Animal, table=zoo):
        lives: int = 9

    plan = Animal.primary(name="tom").plan

    assert Cat.__pksk__.to_item(Cat(name="tom"))["type"] == {"S": "Cat"}
    assert "FilterExpression" not in plan.requests[0]


T = TypeVar("T")


def test_a_generic_entity_is_declared_when_its_types_are_known() -> None:
    class Boxed(Entity, Generic[T]):
        id: str
        value: T

    class Number(Boxed[int], table=Table("boxed")):
        primary = Key("N#{id}", "{value:04d}")

    assert Number.__pksk__.to_item(Number(id="1", value=7))["sk"] == {"S": "0007"}


# Fixed for ever: items are stored under these numbers.
SHARDS = [1, 2, 2, 0]


def test_a_shard_is_the_same_in_every_process() -> None:
    assert [Shard(4, of="id").number({"id": name}) for name in ("a", "b", "c", "d")] == SHARDS


def test_a_sparse_key_is_written_only_if_its_condition_holds() -> None:
    class Voucher(Entity, table=Table("vouchers", indexes=[GSI("pending", pk="g1", sk=N("issued"))])):
        id: str
        issued: int
        filled: bool = False
        primary = Key("V#{id}", "META")
        pending = Key("PENDING", "{issued}", index="pending", when=F.filled == False)  # noqa: E712

    waiting, done = (Voucher(id="1", issued=5, filled=filled) for filled in (False, True))

    assert Voucher.__pksk__.to_item(waiting)["g1"] == {"S": "PENDING"}
    assert "g1" not in Voucher.__pksk__.to_item(done)


def test_two_entities_with_colliding_keys_raise_with_an_example() -> None:
    shop = Table("shop")

    class User(Entity, table=shop):
        name: str
        primary = Key("{name}", "META")

    with pytest.raises(DesignError) as caught:

        class Bot(Entity, table=shop):
            n: int
            primary = Key("bot_{n}", "META")

    assert caught.value.code == "entity-collision"
    assert "n=0 gives 'bot_0' / 'META'" in caught.value.expected
    assert [each.name for each in shop.entities] == ["User"]


def test_a_key_that_collides_at_the_end_of_a_range_raises() -> None:
    shop = Table("shop")

    class Line(Entity, table=shop):
        order: str
        n: int
        primary = Key("ORDER#{order}", "LINE{n:04d}")

    class Other(Entity, table=shop):
        order: str
        primary = Key("OTHER#{order}", "LINF")

    with pytest.raises(
        DesignError,
        match=r"can be 'LINF' in attribute 'sk', which is the upper bound of ranges over Line\.primary",
    ) as caught:

        class End(Entity, table=shop):
            order: str
            primary = Key("ORDER#{order}", "LINF")

    assert caught.value.code == "entity-range-end"
    assert [each.name for each in shop.entities] == ["Line", "Other"]


def test_items_are_made_and_read_by_the_entity_itself() -> None:
    class Blob(Entity, table=Table("blobs")):
        id: str
        content: bytes
        primary = Key("BLOB#{id}", "META")

    blob = Blob(id="7", content=b"\x00\xff")

    assert blob.to_item()["content"] == {"B": b"\x00\xff"}
    assert Blob.from_item(blob.to_item()) == blob
    assert Blob.from_item(Blob.__pksk__.to_item(blob)) == blob


def test_fields_may_have_the_names_of_its_methods() -> None:
    class Odd(Entity, table=Table("odd")):
        id: str
        to_item: str  # type: ignore[assignment]
        from_item: int  # type: ignore[assignment]
        primary = Key("ODD#{id}", "META")

    odd = Odd(id="7", to_item="x", from_item=1)

    assert Odd.__pksk__.from_item(Odd.__pksk__.to_item(odd)) == odd
    assert (odd.to_item, odd.from_item) == ("x", 1)


def test_an_unknown_attribute_of_an_entity_raises_with_a_suggestion() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = Order.primry  # type: ignore[attr-defined]

    assert str(caught.value) == (
        "Order has no 'primry'.\nFix: did you mean 'primary'?  (pksk explain entity-no-method)"
    )
    with pytest.raises(AttributeError, match=r"^Order has no 'id'\.\nFix: in conditions, write F\.id\."):
        _ = Order.id
    assert getattr(Order(id="1"), "primry", None) is None


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("get", "db.get(Order, id=..., band=...), or Order.primary.get(id=..., band=...) as a request"),
        ("query", "db.iter(Order.primary(...))"),
        ("save", "db.put(Order(...))"),
        ("delete", "db.delete(Order, id=..., band=...)"),
    ],
)
def test_a_method_of_the_store_on_an_entity_class_raises_with_the_call_to_write(name: str, call: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(Order, name)

    assert str(caught.value) == f"Order has no {name!r}.\nFix: write {call}.  (pksk explain entity-no-method)"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("save", "db.put(entity), or db.create(entity) for an item that must not exist"),
        ("delete", "db.delete(entity)"),
        ("refresh", "db.get(Order, id=..., band=...)"),
    ],
)
def test_a_method_of_the_store_on_an_entity_raises_with_the_call_to_write(name: str, call: str) -> None:
    with pytest.raises(DesignError) as caught:
        getattr(Order(id="1"), name)

    assert caught.value.fix == f"write {call}."
    assert not hasattr(Order(id="1"), name)


def test_a_missing_value_of_a_field_named_as_a_method_of_the_store_is_a_missing_value() -> None:
    class Draft(Entity, table=Table("drafts")):
        id: str
        save: bool
        primary = Key("{id}", "META")

    with pytest.raises(AttributeError, match="no attribute 'save'"):
        _ = Draft.model_construct(id="1").save


def test_an_item_of_python_values_is_explained() -> None:
    made = entity_of(int)
    item = {"pk": "ID#1", "sk": "META", "id": "1", "field": Decimal(5)}

    with pytest.raises(
        InvalidValue, match=r"^Made\.from_item: id: '1' is of type str, not a wire value"
    ) as caught:
        made.from_item(item)

    assert "item_to_wire(item)" in caught.value.fix
    assert made.from_item(item_to_wire(item)) == made(id="1", field=5)
