"""What is stored as NULL and what as nothing: None, empty sets, and defaults of sets."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BeforeValidator, Field

from pksk import Entity, F, InvalidValue, Key, Put, Table
from tests.model.writes.running import updated


class Row(Entity, table=Table("rows")):
    id: str
    required: int | None
    worth: int | None = 5
    items: list[str] | None
    numbers: set[int] | None = None
    tags: set[str] = {"new"}  # noqa: RUF012 - Pydantic copies it
    made: set[str] = Field(default_factory=lambda: {"made"})
    total: int | None = None
    log: list[str] | None = None
    zero: Annotated[int | None, BeforeValidator(lambda value: value or 0)] = 3
    primary = Key("ROW#{id}", "META")


class Plain(Entity, table=Table("plain")):
    id: str
    total: int = 7
    tags: set[str] = Field(default_factory=set)
    must: set[str]
    numbers: set[int] | None = None
    primary = Key("PLAIN#{id}", "META")


THE = Row.primary.update(id="7")


def row(**values: Any) -> Row:
    return Row(**{"id": "7", "required": None, "items": None, **values})


def after(update: Any, before: Entity) -> Any:
    return type(before).from_item(updated(update.request, Put(before).item))


@pytest.mark.parametrize(
    ("change", "fix"),
    [
        (lambda: THE.add(required=1), "let its default be None"),
        (lambda: THE.add(worth=1), "let its default be None"),
        (lambda: THE.append(items=["a"]), "let its default be None"),
        (lambda: THE.add(numbers={1}), "remove None from its type"),
        (lambda: THE.discard(numbers={1}), "remove None from its type"),
        (lambda: THE.apply(F.required.add(1)), "let its default be None"),
    ],
)
def test_adding_to_a_field_that_may_hold_null_raises(change: Any, fix: str) -> None:
    with pytest.raises(InvalidValue, match="stored as NULL") as caught:
        change()

    assert caught.value.code == "write-null-field"
    assert fix in caught.value.fix


def test_a_field_with_an_absent_none_can_be_added_to() -> None:
    found = after(THE.add(total=2, zero=1).append(log=["a"]).set(numbers={1}), row())

    assert (found.total, found.log, found.zero, found.numbers) == (2, ["a"], 4, {1})


def test_a_set_that_is_removed_has_its_default_again() -> None:
    found = after(THE.remove("tags", "numbers", "made"), row(tags={"x"}, numbers={1}, made={"y"}))
    none = after(Plain.primary.update(id="7").remove("tags", "must"), Plain(id="7", tags={"x"}, must={"y"}))

    assert (found.tags, found.numbers, found.made) == ({"new"}, None, {"made"})
    assert (none.tags, none.must) == (set(), set())


@pytest.mark.parametrize(
    ("upsert", "name"),
    [
        (Plain.primary.update(id="7").set(total=1), "numbers"),
        (THE.set(required=1, items=[], numbers=None, made=set()), "tags"),
        (THE.set(required=1, items=[], numbers=None, made=set()).add(tags={"x"}), "tags"),
        (THE.set(required=1, items=[], numbers=None, made=set()).discard(tags={"x"}), "tags"),
        (THE.set(required=1, items=[], numbers=None, tags=set()), "made"),
    ],
)
def test_an_upsert_cannot_know_whether_a_set_is_new_or_empty(upsert: Any, name: str) -> None:
    with pytest.raises(InvalidValue, match=f"begin with {name} = ") as caught:
        _ = upsert.upsert().request

    assert caught.value.code == "write-upsert-set"
    assert f"set {name!r} too" in caught.value.fix


def test_an_upsert_that_sets_its_sets_changes_nothing_else() -> None:
    sets: dict[str, Any] = {"numbers": None, "made": {"a"}}
    upsert = THE.set(required=1, items=[], **sets).remove("tags").upsert()
    expected = row(required=1, items=[], **sets)

    assert after(upsert, row(total=5, tags={"x"})) == expected.model_copy(update={"total": 5})
    assert Row.from_item(updated(upsert.request, {})) == expected


def test_an_upsert_leaves_a_stored_empty_set_as_it_is() -> None:
    upsert = Plain.primary.update(id="7").add(total=1).set(numbers={1}).upsert()

    assert after(upsert, Plain(id="7", must=set())) == Plain(id="7", must=set(), numbers={1}, total=8)
