"""Access patterns: registered where they are written, checked when their class is made."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from pksk import (
    GSI,
    DesignError,
    Entity,
    Get,
    Key,
    Pattern,
    Put,
    Query,
    Scan,
    Table,
    Transaction,
    access,
    collect,
    transaction,
)


def names(table: Table) -> list[tuple[str, str]]:
    return [(each.name, each.kind) for each in table.patterns]


def test_patterns_are_registered_with_their_class_and_stay_ordinary_functions() -> None:
    shop = Table("shop")

    class Order(Entity, table=shop):
        customer: str
        id: str
        primary = Key("CUST#{customer}", "ORDER#{id}")

        @access(rate=5)
        @classmethod
        def of_customer(cls, customer: str) -> Query[Order]:
            """The orders of a customer."""
            return cls.primary(customer=customer)

        @access()
        @staticmethod
        def one(customer: str, order: str) -> Get[Order]:
            return Order.primary.get(customer=customer, id=order)

        @access()
        @classmethod
        def everything(cls) -> Scan[Order]:
            return cls.scan()

    assert names(shop) == [
        ("Order.of_customer", "query"),
        ("Order.one", "get"),
        ("Order.everything", "scan"),
    ]
    assert Order.of_customer("7") == Order.primary(customer="7")
    assert shop.patterns[0].description == "The orders of a customer."


def test_a_function_of_several_entities_is_registered_on_their_tables() -> None:
    shop, audit = Table("shop"), Table("audit")

    class Order(Entity, table=shop):
        id: str
        primary = Key("ORDER#{id}", "META")

    class Line(Entity, table=shop):
        id: str
        n: int
        primary = Key("ORDER#{id}", "LINE#{n:03d}")

    class Entry(Entity, table=audit):
        id: str
        primary = Key("ENTRY#{id}", "META")

    @access()
    def whole(order: str) -> Query[Order | Line]:
        return collect(Order.primary(id=order), Line.primary(id=order))

    @access()
    def place(order: str) -> Transaction[Any]:
        return transaction(Put(Order(id=order)), Put(Entry(id=order)))

    assert names(shop) == [("whole", "query"), ("place", "transaction")]
    assert names(audit) == [("place", "transaction")]
    assert all(each.outcome().problem == "" for each in shop.patterns)


def test_patterns_of_a_base_without_table_belong_to_each_entity_and_those_of_one_with_table_to_itself() -> (
    None
):
    animals = Table("animals")

    class Base(Entity):
        id: str

        @access()
        @classmethod
        def one(cls, animal: str) -> Get[Any]:
            return cls.primary.get(id=animal)  # type: ignore[attr-defined, no-any-return]

    class Dog(Base, table=animals):
        primary = Key("DOG#{id}", "META")

    class Cat(Base, table=animals):
        primary = Key("CAT#{id}", "META")

    class Kitten(Cat, table=animals):
        pass

    assert [name for name, _ in names(animals)] == ["Dog.one", "Cat.one"]


class Filter(BaseModel):
    day: date


def test_arguments_are_made_from_annotations() -> None:
    table = Table("made")

    class Event(Entity, table=table):
        id: UUID
        day: date
        kind: str
        primary = Key("EVENT#{kind}", "{day}#{id}")

        @access()
        @classmethod
        def of_day(cls, kind: str, matching: Filter, newest_first: bool = False) -> Query[Event]:
            found = cls.primary(kind=kind, day=matching.day)
            return found.reverse() if newest_first else found

    outcome = table.patterns[0].outcome()

    assert outcome.problem == ""
    assert outcome.arguments == {"kind": "kind", "matching": Filter(day=date(2025, 6, 15))}


def test_arguments_meet_the_limits_of_their_length() -> None:
    table = Table("limited")

    class Event(Entity, table=table):
        code: str
        place: str
        primary = Key("EVENT#{code}", "{place}")

        @access()
        @classmethod
        def at(
            cls,
            code: Annotated[str, Field(min_length=12)],
            place: Annotated[str, Field(min_length=3, max_length=4)],
        ) -> Get[Event]:
            return cls.primary.get(code=code, place=place)

    assert table.patterns[0].arguments() == {"code": "codexxxxxxxx", "place": "plac"}


def test_a_method_of_an_entity_is_planned_on_a_sample() -> None:
    table = Table("methods")

    class Event(Entity, table=table):
        id: str
        n: int = 0
        primary = Key("EVENT#{id}", "META")

        @access()
        def again(self) -> Get[Event]:
            return type(self).primary.get(id=self.id)

    outcome = table.patterns[0].outcome()

    assert outcome.arguments == {"self": Event(id="id", n=1)}
    assert outcome.requests == (Event.primary.get(id="id"),)


def needing_example() -> Pattern:
    table = Table("needing")

    class Event(Entity, table=table):
        id: str
        day: date
        primary = Key("EVENT#{id}", "{day}")

        @access()
        @classmethod
        def of_code(cls, code: str) -> Query[Event]:
            if len(code) != 3:
                raise ValueError(f"{code!r} has not three letters")
            return cls.primary(id=code)

        @access()
        @classmethod
        def untyped(cls, code) -> Query[Event]:  # type: ignore[no-untyped-def]
            return cls.primary(id=code)

    pattern: Pattern = table.patterns[0]
    assert table.patterns[1].outcome().problem == "needs example: parameter 'code' has no known type"
    return pattern


def test_a_pattern_that_fails_on_generated_values_raises_that_it_needs_an_example() -> None:
    assert needing_example().outcome().problem == "needs example: ValueError: 'code' has not three letters"
    assert needing_example().outcome({"code": "abc"}).problem == ""


def test_a_declared_example_is_used() -> None:
    table = Table("own")

    class Event(Entity, table=table):
        id: str
        primary = Key("EVENT#{id}", "META")

        @access(example={"code": "abc"})
        @classmethod
        def of_code(cls, code: str) -> Get[Event]:
            assert len(code) == 3
            return cls.primary.get(id=code)

    assert table.patterns[0].outcome().requests[0] == Event.primary.get(id="abc")


WRONG = {
    "an unknown part": lambda cls: cls.primary(idd="7"),
    "a missing part": lambda cls: cls.by_day(id="7"),
    "a get of an index": lambda cls: cls.by_day.get(day=date(2025, 1, 1), id="7"),
    "an index that lacks fields": lambda cls: cls.by_day(day=date(2025, 1, 1)),
    "a consistent read of an index": lambda cls: cls.by_day(day=date(2025, 1, 1)).hydrate().consistently(),
    "no index at all": lambda cls: cls.where(total=5),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_pattern_that_cannot_fit_raises_when_its_class_is_declared(wrong: str) -> None:
    table = Table("wrong", indexes=[GSI("by-day", pk="g1", sk="g2", projection="keys")])

    with pytest.raises(DesignError) as caught:

        class Order(Entity, table=table):
            id: str
            day: date
            total: int = 0
            primary = Key("ORDER#{id}", "META")
            by_day = Key("{day}", "{id}", index="by-day")

            @access()
            @classmethod
            def broken(cls) -> Query[Order]:
                found: Query[Order] = WRONG[wrong](cls)
                return found

    assert caught.value.code == "access-does-not-fit"
    assert caught.value.problem.startswith("Order.broken: ")
    assert caught.value.fix


def test_a_pattern_declared_consistent_must_read_so() -> None:
    table = Table("consistent")

    with pytest.raises(DesignError, match="does not read consistently"):

        class Order(Entity, table=table):
            id: str
            primary = Key("ORDER#{id}", "META")

            @access(consistent=True)
            @classmethod
            def one(cls, order: str) -> Get[Order]:
                return cls.primary.get(id=order)


def test_a_decorator_without_parentheses_raises_with_the_fix() -> None:
    def one(key: Any) -> Any:
        return key

    wrapped: list[Any] = [classmethod(one), staticmethod(one)]
    with pytest.raises(DesignError, match="one: @access needs parentheses") as caught:
        access(one)  # type: ignore[arg-type]

    assert caught.value.fix == "write @access()."
    for each in wrapped:
        with pytest.raises(DesignError, match="one: @access needs parentheses"):
            access(each)
