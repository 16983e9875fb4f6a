"""Entities whose annotations name later definitions, that have no table, or that were rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from pksk import DesignError, Entity, Key, PkskError, Put, Table

trees = Table("trees")


class Node(Entity, table=trees):
    id: str
    meta: Meta | None = None
    primary = Key("NODE#{id}", "META")


class Branch(Node, table=trees):
    more: Meta | None = None
    primary = Key("BRANCH#{id}", "META")


class Lost(Entity, table=trees):
    id: str
    meta: Missing | None = None  # type: ignore[name-defined]  # noqa: F821 - never defined
    primary = Key("LOST#{id}", "META")


class First(Entity, table=trees):
    id: str
    primary = Key("SAME#{id}", "META")


class Second(Entity, table=trees):
    id: str
    meta: Meta | None = None
    primary = Key("SAME#{id}", "META")


class Base(Entity):
    id: str
    primary = Key("BASE#{id}", "META")


class Meta(BaseModel):
    note: str


class Wider(First):
    note: str = ""


QUESTIONS: list[Callable[[Any], Any]] = [
    lambda entity: entity.primary(id="1"),
    lambda entity: entity.primary.get(id="1"),
    lambda entity: entity.primary.scan(),
    lambda entity: entity.primary.update(id="1"),
    lambda entity: entity.primary.delete(id="1"),
    lambda entity: entity.where(id="1"),
    lambda entity: entity.scan(),
]


def test_a_class_is_completed_when_it_is_first_used() -> None:
    assert Node.where(id="1").entities == (Node,)

    request = Branch.primary(id="1").plan.requests[0]

    assert request["ExpressionAttributeValues"][":v0"] == {"S": "BRANCH#1"}, "not by the key of its base"
    assert {"Node", "Branch"} <= {each.name for each in trees.entities}


@pytest.mark.parametrize("ask", QUESTIONS)
def test_an_unresolved_name_is_in_the_error(ask: Callable[[Any], Any]) -> None:
    with pytest.raises(DesignError, match=r"^Lost is not complete: its annotations name 'Missing'") as caught:
        ask(Lost)

    assert caught.value.code == "entity-incomplete"
    assert not hasattr(Lost, "__pksk__")


@pytest.mark.parametrize(
    "ask", [*QUESTIONS, lambda entity: entity(id="1"), lambda e: e.model_validate({"id": "1"})]
)
def test_a_class_with_a_mistake_raises_on_every_use(ask: Callable[[Any], Any]) -> None:
    for _ in range(2):
        with pytest.raises(DesignError, match=r"^Second\.primary and First\.primary can render") as caught:
            ask(Second)

        assert caught.value.code == "entity-collision"
    assert "Second" not in [each.name for each in trees.entities]


@pytest.mark.parametrize("ask", QUESTIONS)
@pytest.mark.parametrize("entity", [Base, Wider])
def test_a_class_without_a_table_raises_when_it_is_used(ask: Callable[[Any], Any], entity: Any) -> None:
    with pytest.raises(DesignError, match=rf"^{entity.__name__} belongs to no table") as caught:
        ask(entity)

    assert caught.value.code == "entity-no-table"
    assert "table=" in caught.value.fix


def test_attributes_of_a_base_without_a_table_are_missing_as_usual() -> None:
    assert not hasattr(Base, "__pksk__")
    assert not hasattr(Base, "nothing")
    with pytest.raises(PkskError):
        Put(Wider(id="1"))


def test_a_pattern_with_a_mistake_is_not_registered() -> None:
    from pksk import Query, access

    shop = Table("shop")

    with pytest.raises(PkskError):

        class Order(Entity, table=shop):
            id: str
            primary = Key("ORDER#{id}", "META")

            @access(rate=1)
            @classmethod
            def broken(cls, name: str) -> Query[Order]:
                return cls.primary(idd=name)

    assert shop.entities == []
