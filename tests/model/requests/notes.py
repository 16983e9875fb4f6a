"""A small design with vector indexes, and an engine with some of its items."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pksk import Attribute, Engine, Entity, F, Key, N, Put, Table, VectorIndex
from pksk.model import Nearest
from pksk.model.entity_of_item import is_item_of

notes = Table(
    "notes",
    indexes=[
        VectorIndex("by-meaning", attribute="v", dimensions=2, pk="g1", filters=["lang", N("year")]),
        VectorIndex("everywhere", attribute="v", dimensions=2, projection=["title"], distance="dot"),
        VectorIndex("by-month", attribute="v", dimensions=2, pk="month", filters=["type"], projection="keys"),
    ],
)


class Note(Entity, table=notes):
    tenant: str
    id: str
    team: str | None = "red"
    title: str = ""
    lang: str | None = None
    published: Annotated[int, Attribute("year")] = 2025
    day: date = date(2025, 6, 15)
    draft: bool = False
    vector: Annotated[list[float] | None, Attribute("v")] = None
    primary = Key("NOTE#{tenant}#{id}", "META")
    by_meaning = Key("TENANT#{tenant}#{team}", index="by-meaning", when=F.draft == False)  # noqa: E712
    everywhere = Key(index="everywhere")
    by_month = Key("{day:%Y-%m}", index="by-month")


class Photo(Entity, table=notes):
    id: str
    month: str = "2025-06"
    vector: Annotated[list[Decimal], Attribute("v")]
    primary = Key("PHOTO#{id}", "META")


def engine_with(*entities: Entity) -> Engine:
    """An engine with the table and these items."""
    engine = Engine.open()
    engine.call("CreateTable", notes.create_request())
    for each in entities:
        engine.call("PutItem", Put(each).request)
    return engine


def found(engine: Engine, nearest: Nearest[Any]) -> list[tuple[float, Any]]:
    """What a store would make of a search: scores, and entities or smaller models."""
    declaration = nearest.entity.__pksk__
    made = []
    for result in engine.call("SearchVectors", nearest.request)["SearchResults"]:
        item = result["Item"]
        if nearest.plan.has_foreign_items and not is_item_of(declaration, item):
            continue
        if nearest.reads_table:
            item = engine.call("GetItem", {"TableName": "notes", "Key": _key(item)})["Item"]
        if nearest.model is None:
            made.append((result["Score"], declaration.from_item(item)))
        else:
            made.append((result["Score"], nearest.model(**dict(_fields(declaration, item, nearest.model)))))
    return made


def _key(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in notes.key_attributes}


def _fields(declaration: Any, item: dict[str, Any], model: Any) -> Iterable[tuple[str, Any]]:
    from pksk.values import from_wire

    for name in model.model_fields:
        attribute = declaration.attribute(name)
        if attribute in item:
            yield name, from_wire(item[attribute])
