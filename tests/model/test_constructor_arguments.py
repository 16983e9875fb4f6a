"""Arguments that no field takes raise, where Pydantic would ignore their values."""

# Type checkers see such arguments, too.
# mypy: disable-error-code="call-arg"

from __future__ import annotations

from types import new_class
from typing import Any, ClassVar

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    computed_field,
    model_validator,
)
from pydantic.alias_generators import to_camel

from pksk import Entity, InvalidValue, Key, Table

shop = Table("shop")


class Order(Entity, table=shop):
    id: str
    total: int = 0
    primary = Key("ORDER#{id}", "META")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def double(self) -> int:
        return 2 * self.total


def test_an_unknown_argument_raises_with_the_name_that_may_be_meant() -> None:
    with pytest.raises(InvalidValue, match="there is no field 'totl'") as raised:
        Order(id="1", totl=5)

    assert (raised.value.code, raised.value.fix) == ("entity-unknown-argument", "did you mean 'total'?")


def test_an_entity_is_created_from_its_own_dump() -> None:
    order = Order(id="1", total=5)

    assert order.model_dump() == {"id": "1", "total": 5, "double": 10}
    assert Order(**order.model_dump()) == order


@pytest.mark.parametrize("extra", ["ignore", "forbid", "allow"])
def test_an_entity_is_created_from_its_own_dump_whatever_its_extra_setting(extra: Any) -> None:
    class Own(Order, table=Table("own")):
        model_config = ConfigDict(extra=extra)

    own = Own(id="1", total=5)

    assert Own(**own.model_dump()) == own
    assert "double" not in Own(**own.model_dump()).to_item()


def test_validation_keeps_the_rule_of_pydantic() -> None:
    assert Order.model_validate({"id": "1", "totl": 5}) == Order(id="1")
    assert Order.model_validate_json('{"id": "1", "totl": 5}') == Order(id="1")


class Aliased(Entity, table=shop):
    id: str = Field(alias="_id")
    total: int = Field(0, validation_alias=AliasChoices("sum", AliasPath("sums", 0)))
    primary = Key("ALIASED#{id}", "META")

    @computed_field(alias="twice")  # type: ignore[prop-decorator]
    @property
    def double(self) -> int:
        return 2 * self.total


def test_aliases_count_as_names() -> None:
    assert Aliased(_id="1", sum=5).total == Aliased(_id="1", sums=[5], twice=10).total == 5


def test_the_name_of_a_field_that_is_read_by_its_alias_raises() -> None:
    with pytest.raises(InvalidValue, match="did you mean 'sum'"):
        Aliased(_id="1", total=5)


class ByName(Aliased, table=shop):
    model_config = ConfigDict(populate_by_name=True)
    primary = Key("BYNAME#{id}", "META")


def test_names_and_aliases_are_taken_if_the_model_takes_both() -> None:
    assert ByName(id="1", total=5) == ByName(_id="1", sum=5)


class Forbids(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: str


class Allows(BaseModel):
    model_config = ConfigDict(extra="allow")
    id: str


class Ignores(BaseModel):
    model_config = ConfigDict(extra="ignore")
    id: str


def wrapped(model: type[BaseModel], *, model_first: bool) -> Any:
    bases = (model, Entity) if model_first else (Entity, model)
    body = {"primary": Key("ID#{id}", "META"), "__module__": __name__}
    return new_class("Wrapped", bases, {"table": Table("wrapped")}, lambda space: space.update(body))


@pytest.mark.parametrize("model_first", [True, False])
def test_the_extra_setting_of_an_application_model_wins(model_first: bool) -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        wrapped(Forbids, model_first=model_first)(id="1", more=2)
    assert wrapped(Allows, model_first=model_first)(id="1", more=2).more == 2
    assert wrapped(Ignores, model_first=model_first)(id="1", more=2).model_dump() == {"id": "1"}


def test_a_model_that_reads_its_input_itself_takes_other_names() -> None:
    class Renamed(Entity, table=Table("renamed")):
        id: str
        primary = Key("ID#{id}", "META")

        @model_validator(mode="before")
        @classmethod
        def rename(cls, data: Any) -> Any:
            return {"id": data["key"]} if "key" in data else data

    assert Renamed(key="1").id == "1"


class Named(BaseModel):
    name: str


def renamed(_: type[BaseModel], data: dict[str, Any]) -> Any:
    if "key" in data:
        data["id"] = data.pop("key")
    return data


def renamed_around(kind: type[BaseModel], data: dict[str, Any], handler: Any) -> Any:
    return handler(renamed(kind, data))


@pytest.mark.parametrize(("mode", "function"), [("before", renamed), ("wrap", renamed_around)])
def test_an_argument_that_a_validator_of_the_input_does_not_use_raises(mode: Any, function: Any) -> None:
    class Cleaned(Entity, table=Table("cleaned")):
        id: str
        named: Named | None = None
        primary = Key("ID#{id}", "META")

        @computed_field  # type: ignore[prop-decorator]
        @property
        def length(self) -> int:
            return len(self.id)

        clean = model_validator(mode=mode)(classmethod(function))  # type: ignore[no-untyped-call]

    more: Any = {"name": "x", "more": "of a nested model"}
    cleaned = Cleaned(key="12", named=more)

    assert cleaned == Cleaned(**cleaned.model_dump())
    with pytest.raises(InvalidValue, match="there is no field 'idd'") as raised:
        Cleaned(key="12", idd="1")
    assert raised.value.fix == "did you mean 'id'?"
    with pytest.raises(ValidationError, match="id"):
        Cleaned()


def test_an_own_init_beside_a_validator_of_the_input_takes_its_arguments() -> None:
    class Own(Entity, table=Table("own")):
        id: str
        primary = Key("ID#{id}", "META")

        @model_validator(mode="before")
        @classmethod
        def clean(cls, data: Any) -> Any:
            return renamed(cls, data)

        def __init__(self, number: int, **data: Any) -> None:
            super().__init__(id=str(number), **data)

    assert Own(7, more=1).id == "7"


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    order_id: str
    unit_price: int = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def double_price(self) -> int:
        return 2 * self.unit_price


@pytest.mark.parametrize("by_alias", [True, False])
def test_a_model_with_generated_aliases_is_created_from_both_dumps(by_alias: bool) -> None:
    class Stored(Camel, Entity, table=Table("stored")):
        primary = Key("ORDER#{order_id}", "META")

    stored = Stored(orderId="1", unit_price=3)

    assert Stored(**stored.model_dump(by_alias=by_alias)) == stored
    with pytest.raises(InvalidValue, match="did you mean 'unitPrice'"):
        Stored(order_id="1", unitPrise=3)


@pytest.mark.parametrize("name", ["_seen", "KIND", "primary", "self"])
def test_names_of_a_class_that_are_not_fields_raise(name: str) -> None:
    class Row(Entity, table=Table("rows")):
        KIND: ClassVar[str] = "row"
        id: str
        _seen: int = PrivateAttr(default=0)
        primary = Key("ROW#{id}", "META")

    with pytest.raises(InvalidValue, match=f"there is no field '{name}'"):
        Row(id="1", **{name: 1})


def test_a_subclass_takes_the_arguments_of_its_own_fields() -> None:
    class More(Order, table=shop):
        note: str = ""

    assert More(id="1", note="x").note == "x"
    with pytest.raises(InvalidValue, match=r"Order\(\.\.\.\): there is no field 'note'"):
        Order(id="1", note="x")


def test_a_base_class_without_a_table_raises_too() -> None:
    class Base(Entity):
        id: str

    with pytest.raises(InvalidValue, match="'idd'"):
        Base(idd="1")


def test_an_init_of_the_application_passes_its_own_arguments() -> None:
    class Own(BaseModel):
        id: str

        def __init__(self, number: int, **data: Any) -> None:
            super().__init__(id=str(number), **data)

    entity = wrapped(Own, model_first=True)

    assert entity(number=7).id == "7"
    with pytest.raises(InvalidValue, match="'more'"):
        entity(number=7, more=1)


class Early(Entity, table=Table("early")):
    id: str = Field(alias="_id")
    later: Later | None = None
    primary = Key("EARLY#{id}", "META")


class NeverMade(Early, table=Table("never-made")):
    """Its first object completes it."""


class Later(BaseModel):
    name: str


def test_a_class_that_names_a_later_one_rejects_unknown_arguments_too() -> None:
    assert Early(_id="1", later=Later(name="x")).id == "1"
    with pytest.raises(InvalidValue, match="'more'"):
        Early(_id="1", more=1)


def test_the_first_object_of_a_class_that_names_a_later_one_rejects_them_already() -> None:
    assert not NeverMade.__pydantic_complete__

    with pytest.raises(InvalidValue, match="'more'"):
        NeverMade(_id="1", more=1)
