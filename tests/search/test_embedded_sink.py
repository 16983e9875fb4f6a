"""The file of an embedded index: kept when it is opened again, and checked."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from pksk.errors import FileError, NotConfigured, ServiceUnreachable
from pksk.search import EmbeddedSink, ItemWrite, SearchIndex
from pksk.search.embedded_schema import _check_modules
from tests.conftest import LONG
from tests.search.places import SQUARE, Campsite, Park, places


def write(number: int, version: int, **fields: object) -> ItemWrite:
    park = Park(id=str(number), name=f"Park {number}", **fields)  # type: ignore[arg-type]
    return ItemWrite(places.documents_of(park), version)


def rows(sink: EmbeddedSink, table: str) -> int:
    with sink.reading() as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_a_file_keeps_its_documents(tmp_path: Path) -> None:
    with EmbeddedSink(places, tmp_path / "index.db") as sink:
        sink.apply([write(1, 5)])
    with EmbeddedSink(places, tmp_path / "index.db") as sink:
        assert sink.apply([write(1, 4)])[0].status == "superseded"


def test_a_replaced_document_leaves_no_rows() -> None:
    with EmbeddedSink(places) as sink:
        for version in range(1, 4):
            sink.apply([write(1, version, boundary=SQUARE, tags={"a", "b"})])
        assert [rows(sink, table) for table in ("documents", "texts", "shapes", "boxes")] == [1, 1, 1, 1]
        removed = ItemWrite(places.documents_of(Park(id="1", name="a", closed=True)), 9)
        sink.apply([removed])
        assert [rows(sink, table) for table in ("documents", "texts", "terms", "shapes", "boxes")] == [0] * 5


def test_a_file_of_another_index_is_rejected(tmp_path: Path) -> None:
    EmbeddedSink(places, tmp_path / "index.db").close()

    for other in (SearchIndex("sites", Park, Campsite), SearchIndex("places", Campsite)):
        with pytest.raises(FileError) as caught:
            EmbeddedSink(other, tmp_path / "index.db")
        assert caught.value.code == "search-file-differs"


def test_a_file_that_is_no_index_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but a text that is long enough to be read as one" * 20)
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE orders (id)")
    connection.close()

    for name in ("text", "other.db"):
        with pytest.raises(FileError) as caught:
            EmbeddedSink(places, tmp_path / name)
        assert caught.value.code == "search-file"


def test_a_folder_that_is_missing_is_an_outage(tmp_path: Path) -> None:
    with pytest.raises(ServiceUnreachable) as caught:
        EmbeddedSink(places, tmp_path / "missing" / "index.db")

    assert caught.value.code == "search-unavailable"


def test_a_full_disk_is_an_outage_and_nothing_of_the_batch_is_applied(tmp_path: Path) -> None:
    with EmbeddedSink(places, tmp_path / "index.db") as sink:
        sink.apply([write(1, 1)])
        with sink.reading() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(ServiceUnreachable, match="disk is full"):
            sink.apply([write(number, 2, description="word " * 2000) for number in range(1, 50)])
        assert sink.versions([write(1, 1).item.id]) == {write(1, 1).item.id: 1}
        with sink.reading() as connection:
            connection.execute("PRAGMA max_page_count = 1000000")
        assert sink.apply([write(1, 2)])[0].status == "applied"


def test_a_sqlite_without_its_modules_is_rejected() -> None:
    class Bare:
        def execute(self, statement: str) -> list[tuple[str]]:
            return [("ENABLE_FTS5",)]

    with pytest.raises(NotConfigured, match="without ENABLE_RTREE") as caught:
        _check_modules(Bare())  # type: ignore[arg-type]

    assert caught.value.code == "search-sqlite"


WRITER = """
import sys
from pksk.search import EmbeddedSink
from tests.search.places import places
from tests.search.test_embedded_sink import write
sink = EmbeddedSink(places, sys.argv[1])
version = int(sys.argv[2])
while True:
    version += 1
    sink.apply([write(number, version) for number in range(20)])
    print(version, flush=True)
"""


def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    acknowledged = 0
    for _ in range(100 if LONG else 3):
        command = [sys.executable, "-c", WRITER, str(tmp_path / "index.db"), str(acknowledged)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(5):
                acknowledged = int(writer.stdout.readline())
            writer.kill()
            acknowledged = max([acknowledged, *map(int, writer.stdout.read().split())])
        with EmbeddedSink(places, tmp_path / "index.db") as sink, sink.reading() as connection:
            ids = [write(number, 0).item.id for number in range(20)]
            assert len(set(sink.versions(ids).values())) == 1
            assert min(sink.versions(ids).values()) >= acknowledged
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            connection.execute("INSERT INTO texts(texts) VALUES ('integrity-check')")
            assert connection.execute("SELECT rtreecheck('boxes')").fetchone() == ("ok",)
