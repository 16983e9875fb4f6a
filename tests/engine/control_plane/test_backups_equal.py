"""A restored table equals its source, item for item in the table and in every index, on both storages."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.engine import Engine
from pksk.engine.storage import Row
from pksk.schema import GSI, LSI, N, Table
from pksk.values.numbers import canonical_number

TABLES = [
    Table("plain-", sk=None),
    Table(
        "orders",
        sk=N("sk"),
        indexes=[
            LSI("by-total", sk=N("total"), projection="keys"),
            GSI("by-status", pk="status", sk=N("total"), projection=["note"]),
            GSI("several", pk=("status", "pk"), sk=(N("total"), "note")),
        ],
    ),
    Table("texts", indexes=[GSI("by-note", pk="note", sk="sk"), LSI("notes", sk="note")]),
]
texts = st.sampled_from(["a", "ab", "b", "\x00", "é", "a\x00b", "long" * 200]).map(lambda text: {"S": text})
numbers = st.sampled_from(["0", "1", "-1", "2.5", "10", "-0.001", "1e20"]).map(
    lambda n: {"N": canonical_number(n)}
)
others = st.fixed_dictionaries(
    {}, optional={"status": texts, "note": texts, "total": numbers, "tags": st.just({"SS": ["x"]})}
)
Step = tuple[str, dict[str, Any]]


@contextmanager
def opened(kind: str) -> Iterator[Engine]:
    if kind == "memory":
        with Engine.open() as engine:
            yield engine
        return
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine.open(Path(folder) / "tables.db", durable=False)
        try:
            yield engine
        finally:
            engine.close()


def rows(engine: Engine, name: str) -> dict[str, list[tuple[bytes, int, Any]]]:
    """All rows of a table: its own, those of each index, and the sizes of its collections.

    An index entry keeps the order of its attributes while they stay equal, so rows are compared as items.
    """
    core = engine._core
    table = core.catalogue.table(name)
    spaces = {"": table.layout.space, **{name: index.space for name, index in table.indexes.items()}}
    if table.collection_space is not None:
        spaces["collections"] = table.collection_space
    with core.storage.reading() as reader:
        return {
            name: [(row.key, row.size, _item(row)) for row in reader.rows(space, b"", None)]
            for name, space in spaces.items()
        }


def _item(row: Row) -> Any:
    return orjson.loads(row.data) if row.data else None


@st.composite
def written(draw: st.DrawFn) -> tuple[Table, list[Step], list[Step]]:
    """A table, the writes before its backup, and those after it."""
    table = draw(st.sampled_from(TABLES))
    keys = {
        each.name: (numbers if each.type == "N" else texts) for each in table.index(None).typed_attributes
    }
    put = st.builds(
        lambda more, key: ("PutItem", {"Item": {**more, **key}}), others, st.fixed_dictionaries(keys)
    )
    delete = st.builds(lambda key: ("DeleteItem", {"Key": key}), st.fixed_dictionaries(keys))
    steps = st.lists(st.one_of(put, put, put, delete), max_size=12)
    return table, draw(steps), draw(steps)


def write(engine: Engine, name: str, steps: list[Step]) -> None:
    for operation, request in steps:
        engine.call(operation, {"TableName": name, **request})


@pytest.mark.parametrize("kind", ["memory", "file"])
@settings(max_examples=settings().max_examples // 2)
@given(case=written())
def test_a_restored_table_equals_its_source_at_the_time_of_the_backup(
    kind: str, case: tuple[Table, list[Step], list[Step]]
) -> None:
    table, before, after = case
    with opened(kind) as engine:
        engine.call("CreateTable", table.create_request())
        write(engine, table.name, before)
        expected = rows(engine, table.name)
        sizes = _sizes(engine, table.name)
        arn = engine.call("CreateBackup", {"TableName": table.name, "BackupName": "first"})["BackupDetails"]
        write(engine, table.name, after)
        now = rows(engine, table.name)

        request = {"TargetTableName": "again", "BackupArn": arn["BackupArn"]}
        engine.call("RestoreTableFromBackup", request)

        assert rows(engine, "again") == expected
        assert _sizes(engine, "again") == sizes
        assert rows(engine, table.name) == now


@pytest.mark.parametrize("kind", ["memory", "file"])
@settings(max_examples=settings().max_examples // 4)
@given(case=written())
def test_a_restored_table_behaves_like_its_source(
    kind: str, case: tuple[Table, list[Step], list[Step]]
) -> None:
    table, before, after = case
    with opened(kind) as engine:
        engine.call("CreateTable", table.create_request())
        write(engine, table.name, before)
        setting = {"PointInTimeRecoveryEnabled": True}
        engine.call(
            "UpdateContinuousBackups", {"TableName": table.name, "PointInTimeRecoverySpecification": setting}
        )
        request = {"SourceTableName": table.name, "TargetTableName": "again", "UseLatestRestorableTime": True}

        engine.call("RestoreTableToPointInTime", request)
        write(engine, table.name, after)
        write(engine, "again", after)

        assert rows(engine, "again") == rows(engine, table.name)


def _sizes(engine: Engine, name: str) -> list[tuple[Any, ...]]:
    described = engine.call("DescribeTable", {"TableName": name})["Table"]
    indexes = [*described.get("GlobalSecondaryIndexes", ()), *described.get("LocalSecondaryIndexes", ())]
    return [
        (described["ItemCount"], described["TableSizeBytes"]),
        *((each["IndexName"], each["ItemCount"], each["IndexSizeBytes"]) for each in indexes),
    ]
