"""The traceback of a user's error shows few of our frames after the user's line."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pksk
from pksk import GSI, Entity, Key, Put, Store, Table, Template, connect, gt
from pksk.errors import PkskError

PACKAGE = str(Path(pksk.__file__).parent)
FRAMES = 3

shop = Table("tracebacks", indexes=[GSI("by-total", pk="by-total-pk")])


class Order(Entity, table=shop):
    id: str
    total: int = 0

    primary = Key("ORDER#{id}", "META")


class Absent(Entity, table=Table("absent")):
    id: str

    primary = Key("ABSENT#{id}", "META")


def declare_with_an_unknown_field(_: Store) -> None:
    class Line(Entity, table=Table("lines")):
        id: str

        primary = Key("LINE#{number}", "META")


ERRORS: dict[str, Callable[[Store], object]] = {
    "a template names an unknown field": declare_with_an_unknown_field,
    "a template without a delimiter between its parts": lambda _: Template("A#{b}{c}"),
    "a key without a value": lambda _: Template("A#{b}").render({}),
    "a range over a plain number": lambda _: Template("A#{n}", n=int).bounds({"n": gt(5)}),
    "a missing part of a key": lambda _: Order.primary.get(),
    "an unknown part of a key": lambda _: Order.primary.get(id="1", number=2),
    "where without an index": lambda _: Order.where(total=5).plan,
    "put of an object of another class": lambda db: db.put(object()),  # type: ignore[arg-type]
    "update of a missing item": lambda db: db.update(Order.primary.update(id="0").set(total=5)),
    "create of an existing item": lambda db: db.create(Order(id="1")),
    "put into a missing table": lambda db: db.put(Absent(id="1")),
    "run of what is not a request": lambda db: db.run(Put),  # type: ignore[arg-type]
    "connect to a host": lambda _: connect("localhost"),
    "a table with a short name": lambda _: Table("t"),
}


@pytest.fixture(scope="module")
def db() -> Store:
    store = connect("memory:")
    store.create_tables(shop)
    store.put(Order(id="1"))
    return store


@pytest.mark.parametrize("name", ERRORS)
def test_a_traceback_has_few_frames_of_pksk_and_only_its_cause(db: Store, name: str) -> None:
    with pytest.raises(PkskError) as caught:
        ERRORS[name](db)

    error = caught.value
    assert len(_our_frames(error)) <= FRAMES, _our_frames(error)
    assert error.__context__ is None or error.__suppress_context__
    if error.__cause__ is not None:
        assert _our_frames(error.__cause__) == []


def test_frames_of_other_code_stay_in_the_traceback(db: Store) -> None:
    class Failing:
        def call(self, _operation: str, _request: object) -> dict[str, Any]:
            return {"Item": db.create(Order(id="1"))}

    with pytest.raises(PkskError) as caught:
        connect(Failing()).get(Order.primary.get(id="2"))

    frames = traceback.extract_tb(caught.value.__traceback__)
    assert "call" in [each.name for each in frames]


def _our_frames(error: BaseException) -> list[str]:
    return [
        f"{each.filename.removeprefix(PACKAGE)}:{each.name}"
        for each in traceback.extract_tb(error.__traceback__)
        if each.filename.startswith((PACKAGE, "<pksk "))
    ]
