"""Fields that are key attributes themselves: stored once, of the right type, and read back as they were."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AwareDatetime, Json

from pksk import (
    GSI,
    LSI,
    TTL,
    Attribute,
    DesignError,
    Entity,
    InvalidValue,
    Key,
    N,
    Stored,
    Table,
    VectorIndex,
)


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 1


def sorted_by(kind: Any, template: str, sk: Any = "field") -> type[Entity]:
    class Made(Entity, table=Table("made", sk=sk)):
        id: str
        field: kind
        primary = Key("B#{id}", template)

    return Made


def indexed(kind: Any, *default: Any, pk: Any = "status") -> type[Entity]:
    """An entity with a field that is the key of an index for which it declares no Key."""

    class Made(Entity, table=Table("made", indexes=[GSI("by-status", pk=pk, sk="sk")])):
        id: str
        status: kind = default[0] if default else ...
        primary = Key("B#{id}", "META")

    return Made


def there_and_back(entity: Entity) -> Any:
    declaration = type(entity).__pksk__
    return declaration.from_item(declaration.to_item(entity))


@pytest.mark.parametrize(
    ("kind", "template"),
    [
        (str, "{field:.2}"),
        (str, "N#{field}"),
        (date, "{field:%Y-%m}"),
        (str, "{field[1:]}"),
        (str, "{field}#{id}"),
    ],
)
def test_a_template_that_is_not_the_field_alone_does_not_overwrite_it(kind: Any, template: str) -> None:
    with pytest.raises(DesignError) as caught:
        sorted_by(kind, template)

    assert caught.value.code == "entity-attribute-clash"
    assert "Attribute(" in caught.value.fix


@pytest.mark.parametrize(
    ("kind", "template"),
    [(int, "{field:05d}"), (int, "{field}"), (Decimal, "{field:010.2f}"), (Level, "{field}"), (bytes, "{field}"),
     (Literal[1, 2], "{field}"), (int | None, "{field}")],
)  # fmt: skip
def test_a_field_that_is_not_text_cannot_be_a_text_key_attribute(kind: Any, template: str) -> None:
    with pytest.raises(DesignError) as caught:
        sorted_by(kind, template)

    assert caught.value.code == "entity-key-type"
    assert "Attribute(" in caught.value.fix


def test_a_number_in_a_key_of_text_names_both_fixes() -> None:
    with pytest.raises(
        DesignError, match=r"^Made\.field: the field is stored as N, and .* type S in table"
    ) as caught:
        sorted_by(int, "{field}")

    assert "Annotated[int, Attribute('field_')]" in caught.value.fix
    assert "N('field')" in caught.value.fix
    with pytest.raises(DesignError, match=r"another name: add Attribute\('field_'\) to its markers"):
        sorted_by(Annotated[datetime, Stored("epoch-seconds")], "D#{field:%Y}")


WEST = timezone(timedelta(hours=-8))


@pytest.mark.parametrize(
    ("kind", "value", "wire"),
    [
        (str, "a#b c", {"S": "a#b c"}),
        (date, date(2025, 1, 2), {"S": "2025-01-02"}),
        (Colour, Colour.RED, {"S": "red"}),
        (Literal["x"], "x", {"S": "x"}),
        (AwareDatetime, datetime(2025, 1, 2, 4, tzinfo=WEST), {"S": "2025-01-02T12:00:00.000000Z"}),
    ],
)
def test_a_field_that_is_the_key_is_stored_once_and_comes_back(kind: Any, value: Any, wire: Any) -> None:
    made = sorted_by(kind, "{field}")
    entity = made(id="1", field=value)

    assert made.__pksk__.to_item(entity)["field"] == wire
    assert there_and_back(entity) == entity
    assert made.__pksk__.stored_value("field", value) == wire["S"], "a filter compares what is stored"


def test_a_number_is_a_key_of_numbers() -> None:
    made = sorted_by(Decimal, "{field}", sk=N("field"))

    assert there_and_back(made(id="1", field=Decimal("1.5"))).model_dump()["field"] == Decimal("1.5")


def test_a_value_that_a_key_stores_differently_is_checked_by_reading_it_back() -> None:
    made = sorted_by(Json[str], "{field}")

    with pytest.raises(InvalidValue, match=r"Made\.field"):
        made.__pksk__.to_item(made(id="1", field='"abc"'))


def test_a_time_is_stored_the_same_inside_and_outside_of_the_index() -> None:
    class Event(Entity, table=Table("events", indexes=[GSI("by-kind", pk="g", sk="at")])):
        id: str
        at: AwareDatetime
        kind: str | None = None
        primary = Key("E#{id}", "META")
        by_kind = Key("{kind}", "{at}", index="by-kind")

    at = datetime(2025, 1, 2, 4, tzinfo=WEST)
    out, in_ = (Event.__pksk__.to_item(Event(id="1", at=at, kind=kind)) for kind in (None, "x"))

    assert out["at"] == in_["at"] == {"S": "2025-01-02T12:00:00.000000Z"}


@pytest.mark.parametrize(
    "kind", [int, Decimal, bytes, bool, list[str], set[str], dict[str, str], int | str, Level]
)
def test_a_field_in_the_key_of_an_index_has_its_type(kind: Any) -> None:
    with pytest.raises(
        DesignError, match=r"^Made\.status: .*'status' is a key of type S in index 'by-status'"
    ) as caught:
        indexed(kind)

    assert caught.value.code == "entity-key-type"


def test_text_in_a_number_key_of_an_index_raises() -> None:
    with pytest.raises(DesignError, match=r"the field is stored as S, .* key of type N"):
        indexed(str, pk=N("status"))


def test_an_expiry_is_a_number_in_an_index() -> None:
    class Session(
        Entity, table=Table("sessions", ttl="expires", indexes=[LSI("by-expiry", sk=N("expires"))])
    ):
        id: str
        expires: Annotated[datetime, TTL()]
        primary = Key("S#{id}", "META")

    item = Session.__pksk__.to_item(Session(id="1", expires=datetime(1970, 1, 1, 0, 1, tzinfo=UTC)))

    assert item["expires"] == {"N": "60"}


@pytest.mark.parametrize("kind", [str, str | None, date, Colour, float])
def test_a_field_of_the_right_type_may_be_the_key_of_an_index(kind: Any) -> None:
    assert indexed(kind, pk=N("status") if kind is float else "status").__pksk__.key_attributes == {
        "pk",
        "sk",
    }


def test_an_empty_text_in_the_key_of_an_index_raises_with_the_field() -> None:
    made = indexed(str, "")

    with pytest.raises(
        InvalidValue, match=r"^Made\.status: '' is empty, .* the partition key of index 'by-status'"
    ) as c:
        made.__pksk__.to_item(made(id="1"))

    assert c.value.fix
    assert made.__pksk__.to_item(made(id="1", status="a"))["status"] == {"S": "a"}


def test_a_value_that_is_too_long_for_an_index_key_raises() -> None:
    made = indexed(str)

    with pytest.raises(InvalidValue, match="2049 bytes"):
        made.__pksk__.to_item(made(id="1", status="x" * 2049))


def test_none_without_a_default_leaves_the_item_out_of_the_index() -> None:
    made = indexed(str | None)
    entity = made(id="1", status=None)
    item = made.__pksk__.to_item(entity)

    assert "status" not in item
    assert made.__pksk__.from_item(item) == entity
    assert made.__pksk__.is_absent("status", None)


def test_none_that_would_not_read_back_raises() -> None:
    made = indexed(str | None, "open")

    with pytest.raises(InvalidValue, match=r"^Made\.status: None would be stored as a null") as caught:
        made.__pksk__.to_item(made(id="1", status=None))

    assert "default" in caught.value.fix


def test_a_key_declared_in_the_index_is_sparse_as_well() -> None:
    class Order(Entity, table=Table("orders", indexes=[GSI("by-status", pk="status", sk="sk")])):
        id: str
        status: str | None
        primary = Key("O#{id}", "META")
        by_status = Key("{status}", index="by-status")

    entity = Order(id="1", status=None)

    assert "status" not in Order.__pksk__.to_item(entity)
    assert there_and_back(entity) == entity


def test_a_field_of_any_type_is_checked_by_its_value() -> None:
    made = indexed(Any)

    assert made.__pksk__.to_item(made(id="1", status="open"))
    with pytest.raises(InvalidValue, match=r"^Made\.status: 5 is not text"):
        made.__pksk__.to_item(made(id="1", status=5))


def test_a_value_is_checked_by_itself_for_an_update() -> None:
    declaration = indexed(str).__pksk__
    declaration.check_stored("id", "")

    with pytest.raises(InvalidValue, match="is empty"):
        declaration.check_stored("status", "")


def vectors(kind: Any, by: Any = str, at: Any = int) -> type[Entity]:
    index = VectorIndex("near", attribute="embedding", dimensions=2, pk="tenant", filters=[N("year")])

    class Note(Entity, table=Table("notes", indexes=[index])):
        id: str
        embedding: kind
        tenant: by = "t"
        year: at = 1
        primary = Key("N#{id}", "META")

    return Note


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: vectors(list[str]), "embedding"),
        (lambda: vectors(str), "embedding"),
        (lambda: vectors(dict[str, float]), "embedding"),
        (lambda: vectors(list[float], by=int), "tenant"),
        (lambda: vectors(list[float], at=str), "year"),
    ],
)
def test_the_attributes_of_a_vector_index_have_their_types(make: Callable[[], Any], field: str) -> None:
    with pytest.raises(DesignError, match=rf"^Note\.{field}: .*index 'near'") as caught:
        make()

    assert caught.value.code == "entity-key-type"


@pytest.mark.parametrize(
    "kind", [list[float], list[Decimal] | None, tuple[float, float], Annotated[list[int], "x"]]
)
def test_a_vector_is_a_list_of_as_many_numbers(kind: Any) -> None:
    made = vectors(kind)

    assert made.__pksk__.to_item(made(id="1", embedding=[1, 2]))["embedding"] == {
        "L": [{"N": "1"}, {"N": "2"}]
    }
    if kind == list[float]:
        with pytest.raises(
            InvalidValue, match=r"^Note\.embedding: a vector of 2 numbers is expected, not 3 numbers"
        ):
            made.__pksk__.to_item(made(id="1", embedding=[1, 2, 3]))
    if kind == list[Decimal] | None:
        assert "embedding" not in made.__pksk__.to_item(made(id="1", embedding=None))


def test_an_index_may_have_the_discriminator_as_its_key() -> None:
    table = Table("things", indexes=[GSI("by-type", pk="type", sk="sk")])

    class Thing(Entity, table=table):
        id: str
        primary = Key("T#{id}", "META")

    with pytest.raises(
        DesignError, match=r"^Other\.by_type: attribute 'type' is the discriminator"
    ) as caught:

        class Other(Entity, table=table):
            id: str
            primary = Key("O#{id}", "META")
            by_type = Key("Other", index="by-type")

    assert "'g1'" in caught.value.fix
    assert "field" not in caught.value.fix


def test_another_attribute_name_avoids_the_error() -> None:
    class Place(Entity, table=Table("places", sk="name")):
        id: str
        name: Annotated[str, Attribute("full_name")]
        primary = Key("B#{id}", "{name:.2}", identity="id")

    assert there_and_back(Place(id="1", name="vancouver")).name == "vancouver"
