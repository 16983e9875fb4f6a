"""A table that is exported and imported is the same table: keys, indexes, settings, every item and index entry."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pksk import GSI, LSI, Engine, Provisioned, ServiceError, Table
from pksk.schema import B, KeyAttribute, N, S
from pksk.transfer import export_table, import_table, open_export
from tests.engine.random_items import OF_KIND, items

from .tables import lines_of, scanned, seen

LONG = os.environ.get("PKSK_LONG", "") not in {"", "0"}

_TYPES: st.SearchStrategy[Any] = st.sampled_from((S, N, B))
_BILLINGS: st.SearchStrategy[Any] = st.sampled_from(["on-demand", Provisioned(read=3, write=2)])
_PROJECTIONS: st.SearchStrategy[Any] = st.sampled_from(["all", "keys", ("a", "note")])
_KEY_NAMES = ("k1", "k2", "k3", "k4")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Keys of every type, up to three indexes on a few attributes, and settings."""
    typed: dict[str, KeyAttribute] = {name: draw(_TYPES)(name) for name in ("pk", "sk", *_KEY_NAMES)}
    has_sort = draw(st.booleans())
    indexes: list[GSI | LSI] = [_global(draw, typed, number) for number in range(draw(st.integers(0, 2)))]
    if has_sort and draw(st.booleans()):
        indexes.append(LSI("local", sk=typed["k4"]))
    return Table(
        "source",
        pk=typed["pk"],
        sk=typed["sk"] if has_sort else None,
        indexes=indexes,
        stream=draw(st.booleans()),
        ttl=draw(st.sampled_from([None, "expires"])),
        billing=draw(_BILLINGS),
        deletion_protection=draw(st.booleans()),
        table_class=draw(st.sampled_from(["standard", "infrequent-access"])),
    )


def _global(draw: st.DrawFn, typed: dict[str, KeyAttribute], number: int) -> GSI:
    names = draw(st.lists(st.sampled_from(_KEY_NAMES), min_size=1, max_size=2, unique=True))
    keys = [typed[name] for name in names]
    projection = draw(_PROJECTIONS)
    return GSI(f"index-{number}", pk=keys[0], sk=keys[1] if len(keys) > 1 else None, projection=projection)


@st.composite
def filled(draw: st.DrawFn) -> tuple[Table, list[dict[str, Any]]]:
    table = draw(tables())
    rows = []
    for item in draw(st.lists(items(), max_size=6)):
        keys = {
            name: draw(OF_KIND[kind])
            for name, kind in table.attribute_types.items()
            if name in table.key_attributes or draw(st.booleans())
        }
        rows.append({**item, **keys})
    return table, rows


@settings(max_examples=2_000 if LONG else 20, suppress_health_check=[HealthCheck.too_slow])
@given(segments=st.sampled_from([1, 3]), table_and_items=filled())
def test_importing_an_export_gives_an_equal_table(
    segments: int, table_and_items: tuple[Table, list[dict[str, Any]]]
) -> None:
    table, rows = table_and_items
    engine, other = Engine.open(), Engine.open(region="eu-west-1")
    engine.call("CreateTable", table.create_request())
    ttl = table.ttl_request()
    if ttl:
        engine.call("UpdateTimeToLive", ttl)
    count = sum(_stored(engine, row) for row in rows)
    before = seen(engine, "source")

    with TemporaryDirectory() as folder:
        export = export_table(engine, "source", folder, segments=segments)
        imported = import_table(other, folder, "copy")
        again = sorted(map(repr, open_export(folder).items()))

    assert len(export.files) == segments
    assert export.item_count == imported.items == len(before["items"]) <= count
    assert again == sorted(map(repr, before["items"]))
    assert seen(other, "copy") == before
    assert seen(engine, "source") == before


def _stored(engine: Engine, item: dict[str, Any]) -> bool:
    """Whether the engine takes it: random keys may be empty, or hold what no key can."""
    try:
        engine.call("PutItem", {"TableName": "source", "Item": item})
    except ServiceError:
        return False
    return True


@settings(max_examples=4_000 if LONG else 40, suppress_health_check=[HealthCheck.too_slow])
@given(table_and_items=filled())
def test_an_import_accepts_exactly_the_items_that_the_engine_accepts(
    table_and_items: tuple[Table, list[dict[str, Any]]],
) -> None:
    table, rows = table_and_items
    engine, other = Engine.open(), Engine.open()
    engine.call("CreateTable", table.create_request())
    other.call("CreateTable", table.create_request())
    taken = sum(_stored(engine, row) for row in rows)

    with TemporaryDirectory() as folder:
        file = Path(folder) / "items.json"
        file.write_text(lines_of(*rows) or "\n{}\n")
        imported = import_table(other, file, "source", skip_bad=True)

    assert (imported.items, imported.skipped) == (taken, len(rows) - taken if rows else 1)
    assert scanned(other, "source") == scanned(engine, "source")
