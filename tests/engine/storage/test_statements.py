"""SQLite finds the rows of a space by their keys, and never scans or sorts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from pksk.engine.storage.sqlite.statements import statements

SQL = statements(1)
WHAT_FINDS_ROWS = [
    SQL.get,
    SQL.size,
    SQL.delete,
    *SQL.between,
    *SQL.from_on,
    *SQL.chunk_between,
    *SQL.chunk_from_on,
]


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:")
    opened.execute(SQL.make)
    yield opened
    opened.close()


@pytest.mark.parametrize("sql", WHAT_FINDS_ROWS)
def test_rows_are_found_by_their_key_and_not_sorted(sql: str, connection: sqlite3.Connection) -> None:
    steps = connection.execute(f"EXPLAIN QUERY PLAN {sql}", (b"a",) * sql.count("?")).fetchall()

    assert len(steps) == 1
    assert "USING PRIMARY KEY" in steps[0][3]


def test_the_statements_of_a_space_are_the_same_texts_each_time() -> None:
    assert statements(1) is SQL
