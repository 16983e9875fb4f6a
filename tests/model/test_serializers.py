"""A serializer of the user decides how values are stored, or is rejected; it is never ignored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, NamedTuple

import pytest
from pydantic import (
    Base64Bytes,
    BaseModel,
    BeforeValidator,
    ByteSize,
    IPvAnyAddress,
    PlainSerializer,
    PlainValidator,
    WrapSerializer,
    computed_field,
    field_serializer,
    model_serializer,
)
from pydantic_core import core_schema
from typing_extensions import TypedDict

from pksk import DesignError, Entity, Key, Table
from tests.model.field_types import Money


def text_of(value: Any) -> str:
    return str(value)


def wrap(value: Any, handler: Callable[[Any], Any]) -> Any:
    return handler(value)


def in_euros(value: Any) -> float:
    return value if isinstance(value, float) else value / 100


def in_cents(value: float) -> int:
    return int(value * 100)


class Inner(BaseModel):
    count: int

    @field_serializer("count")
    def write(self, count: int) -> str:
        return str(count)


class Whole(BaseModel):
    count: int

    @model_serializer
    def write(self) -> dict[str, int]:
        return {"n": self.count}


def entity_of(kind: Any) -> Any:
    class Made(Entity, table=Table("made")):
        id: str
        field: kind
        primary = Key("ID#{id}", "META")

    return Made


class InnerOfBase(Inner):
    more: int = 0


class Colour(Enum):
    RED = "red"


class Unlike(BaseModel):
    """Pydantic refers to a type that has a name, and has the serializer beside the reference."""

    colour: Annotated[Colour, PlainSerializer(text_of)]
    other: Colour


class Sized(TypedDict):
    size: Annotated[int, PlainSerializer(text_of)]


class Pair(NamedTuple):
    left: Annotated[int, PlainSerializer(text_of)]


@dataclass
class Point:
    x: Annotated[int, PlainSerializer(text_of)]


def schema_of(schema: Any) -> Any:
    """A type with a core schema of its own."""
    return type("Made", (), {"__get_pydantic_core_schema__": classmethod(lambda *_: schema)})


class Amount:
    """A class whose objects Pydantic makes from numbers, as its documentation shows for types of other libraries."""

    def __init__(self, cents: int) -> None:
        self.cents = cents

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Amount) and other.cents == self.cents

    __hash__ = None  # type: ignore[assignment]


class AmountAnnotation:
    @classmethod
    def __get_pydantic_core_schema__(cls, *_: Any) -> Any:
        made = core_schema.no_info_after_validator_function(Amount, core_schema.int_schema())
        return core_schema.json_or_python_schema(
            json_schema=made,
            python_schema=core_schema.union_schema([core_schema.is_instance_schema(Amount), made]),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda amount: amount.cents),
        )


REJECTED: list[Any] = [
    Annotated[int, PlainSerializer(text_of)],
    Annotated[int, PlainSerializer(str)],
    Annotated[int | None, PlainSerializer(text_of, when_used="unless-none")],
    Annotated[int, WrapSerializer(wrap)],
    list[Annotated[int, PlainSerializer(text_of)]],
    dict[str, Annotated[int, PlainSerializer(text_of)]],
    Annotated[int, PlainSerializer(text_of)] | None,
    Inner,
    list[Inner],
    Whole,
    InnerOfBase,
    Annotated[Colour, PlainSerializer(text_of)],
    Unlike,
    Annotated[Inner, PlainSerializer(text_of)],
    set[Annotated[int, PlainSerializer(text_of)]],
    tuple[int, Annotated[int, PlainSerializer(text_of)]],
    dict[Annotated[str, PlainSerializer(text_of)], int],
    Annotated[int, PlainSerializer(text_of)] | str,
    Annotated[int, BeforeValidator(int), PlainSerializer(text_of)],
    Sized,
    Pair,
    Point,
    schema_of(core_schema.int_schema(serialization=core_schema.to_string_ser_schema(when_used="always"))),
    schema_of(
        core_schema.float_schema(serialization=core_schema.format_ser_schema(".1f", when_used="unless-none"))
    ),
]
ACCEPTED: list[tuple[Any, Any]] = [
    (Annotated[int, PlainSerializer(text_of, when_used="json")], 5),
    (Annotated[int, WrapSerializer(wrap, when_used="json-unless-none")], 5),
    (Base64Bytes, b"eHh4"),
    (ByteSize, 5),
    (IPvAnyAddress, "10.0.0.1"),
    (Money, Money(5)),
    (Annotated[Amount, AmountAnnotation], Amount(5)),
    (list[Annotated[Amount, AmountAnnotation] | None], [Amount(5), None]),
    (schema_of(core_schema.float_schema(serialization=core_schema.format_ser_schema(".1f"))), 1.25),
]


@pytest.mark.parametrize("kind", REJECTED, ids=range(len(REJECTED)))
def test_a_serializer_that_items_would_ignore_is_rejected(kind: Any) -> None:
    with pytest.raises(DesignError, match=r"Made\.field: the field has the serializer") as raised:
        entity_of(kind)
    assert raised.value.code == "entity-serializer"


@pytest.mark.parametrize(("kind", "value"), ACCEPTED, ids=range(len(ACCEPTED)))
def test_serializers_for_json_and_those_of_known_types_are_accepted(kind: Any, value: Any) -> None:
    entity = entity_of(kind)(id="1", field=value)

    assert type(entity).from_item(entity.to_item()) == entity


def test_a_type_that_reads_and_writes_by_functions_is_stored_as_it_writes() -> None:
    cents = Annotated[float, PlainValidator(in_euros), PlainSerializer(in_cents)]

    entity = entity_of(cents)(id="1", field=1.5)

    assert entity.to_item()["field"] == {"N": "150"}
    assert type(entity).from_item(entity.to_item()).field == 1.5


def test_objects_of_other_libraries_are_stored_as_they_are_serialized() -> None:
    entity = entity_of(Annotated[Amount, AmountAnnotation])

    assert entity(id="1", field=Amount(5)).to_item()["field"] == {"N": "5"}


def test_an_inherited_serializer_is_rejected_unless_it_is_replaced_by_one_for_json() -> None:
    class Base(Inner, Entity):
        id: str

    with pytest.raises(DesignError, match=r"Made\.count: the field has the serializer 'write'"):

        class Made(Base, table=Table("made")):
            primary = Key("ID#{id}", "META")

    class Fine(Base, table=Table("made")):
        primary = Key("ID#{id}", "META")

        @field_serializer("count", when_used="json")
        def write(self, count: int) -> str:
            return str(count)

    assert Fine(id="1", count=5).to_item()["count"] == {"N": "5"}


def test_a_serializer_of_the_whole_entity_is_rejected() -> None:
    with pytest.raises(DesignError, match="Made: the model has the serializer 'write'"):

        class Made(Whole, Entity, table=Table("made")):
            primary = Key("ID#{count}", "META")


def test_a_serializer_of_a_computed_field_is_allowed() -> None:
    class Made(Entity, table=Table("made")):
        id: str
        primary = Key("ID#{id}", "META")

        @computed_field  # type: ignore[prop-decorator]
        @property
        def length(self) -> Annotated[int, PlainSerializer(text_of)]:
            return len(self.id)

    assert Made(id="1").to_item()["id"] == {"S": "1"}
