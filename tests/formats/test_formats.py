"""Each format is written as its golden file shows, and golden files of all versions are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any

import orjson
import pytest

from pksk import GSI, Engine, Partitioning, PkskError, Store, Table, Template, UniqueViolation
from pksk.client import ServiceError
from pksk.engine import check_file
from pksk.engine.state.table_record import RECORD_FORMAT
from pksk.engine.storage.sqlite.format import CURRENT
from pksk.review import read_traffic
from pksk.review.baseline import without_baseline
from pksk.transfer import import_table, open_export
from tests.engine.valid_requests import LABEL, ORDERS_BACKUP

from . import design
from .golden_files import VERSIONS, golden, golden_files
from .stored import (
    NOW,
    QUERIES,
    REFRESHED,
    WRITERS,
    export_content,
    exported,
    fill_changes,
    readings,
    reviewed,
    store_on,
    write_database,
)

DOCUMENT = Path(__file__).parents[2] / "docs" / "stored-formats.md"


@pytest.mark.parametrize("name", WRITERS)
def test_a_format_is_written_as_its_golden_file_shows(name: str) -> None:
    assert WRITERS[name]() == golden(name, VERSIONS[name]), (
        f"The format {name} has changed. Raise its version in golden_files.py and docs/stored-formats.md, keep what "
        f"reads the older version, and run python -m tests.formats {name}"
    )


def test_an_export_is_written_as_its_golden_files_show(tmp_path: Path) -> None:
    exported(tmp_path / "new")

    assert export_content(tmp_path / "new") == export_content(golden_files()["exports", VERSIONS["exports"]])


def test_every_version_of_every_format_has_a_golden_file() -> None:
    expected = {(name, version) for name, last in VERSIONS.items() for version in range(1, last + 1)}

    assert set(golden_files()) == expected


def test_the_document_lists_every_format_with_its_version() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| ([0-9]+) \|", DOCUMENT.read_text(), re.MULTILINE)

    assert {name: int(version) for name, version in rows} == VERSIONS
    assert len(rows) == len(VERSIONS)


def test_versions_that_are_stored_are_those_of_the_document() -> None:
    assert CURRENT.version == VERSIONS["database-file"] == RECORD_FORMAT


# What golden files have is read.


def versions_of(name: str) -> list[int]:
    return [version for each, version in golden_files() if each == name]


@contextmanager
def holding(table: str, *names: str) -> Iterator[Store]:
    """A store with the items of golden files."""
    with Engine.open(clock=lambda: NOW) as engine:
        store = store_on(engine)
        store.create_tables(design.shop, design.samples)
        for name in names:
            items = golden(name, VERSIONS[name])
            for item in items if isinstance(items, list) else [items]:
                engine.call("PutItem", {"TableName": table, "Item": item})
        yield store


@pytest.mark.parametrize("version", versions_of("stored-values"))
def test_stored_values_are_read_as_the_values_of_fields(version: int) -> None:
    with Engine.open() as engine:
        store = store_on(engine)
        store.create_tables(design.samples)
        engine.call("PutItem", {"TableName": "samples", "Item": golden("stored-values", version)})
        found = store.get(design.Sample, id="s1")

    assert found == design.SAMPLE


@pytest.mark.parametrize("version", versions_of("keys"))
def test_keys_are_read_as_the_values_that_they_were_made_of(version: int) -> None:
    for (text, types, examples), (written, keys) in zip(
        design.KEYS, golden("keys", version)["templates"], strict=True
    ):
        assert text == written
        assert [Template(text, types).match(key) for key in keys] == examples


def test_items_of_entities_are_read_updated_and_counted() -> None:
    with holding("shop", "entities", "guard-items") as store:
        account = store.get(design.Account, tenant="t#1", id=7)
        later = store.update(design.Account.primary.update(tenant="t#1", id=7).set(alias="b"))
        member = store.get(design.Member, tenant="t#1", number=1)
        (reading,) = store.iter(design.Reading.by_day(at=design.AT))
        with pytest.raises(PkskError):
            store.put(design.MEMBER.model_copy(update={"account": 8}))

    stamps = {"version": 1, "created": design.AT, "updated": design.AT}
    assert account == design.ACCOUNT.model_copy(update=stamps)
    assert (later.alias, later.version) == ("b", 2)
    assert (member, reading) == (design.MEMBER, design.READING)


def test_guard_items_keep_their_values_until_their_owner_is_deleted() -> None:
    other = design.ACCOUNT.model_copy(update={"id": 8, "alias": None})
    with holding("shop", "entities", "guard-items") as store:
        for changed in ({"name": "bob"}, {"email": "x@y.z"}):
            with pytest.raises(UniqueViolation):
                store.put(other.model_copy(update=changed))
        store.delete(design.Account, tenant="t#1", id=7)
        stored = store.put(other)

    assert stored.id == 8


def test_a_sequence_goes_on() -> None:
    with holding("shop", "sequences") as store:
        assert store.next(design.invoices, year=2026) == 4


@pytest.mark.parametrize("version", versions_of("cursors"))
@pytest.mark.parametrize("name", QUERIES)
def test_a_cursor_leads_to_the_results_after_it(name: str, version: int) -> None:
    with Engine.open(clock=lambda: NOW) as engine:
        store = store_on(engine)
        store.create_tables(design.shop)
        store.batch_put(readings())
        query = QUERIES[name]
        every = list(store.page(query))
        rest = store.page(query, after=golden("cursors", version)[name])

    assert len(every) == 6 if "partition" not in name else 3
    assert list(rest) == every[2:]


@pytest.mark.parametrize("version", versions_of("cursors"))
def test_a_refresh_resumes_at_its_cursor(version: int) -> None:
    with Engine.open(clock=lambda: NOW) as engine:
        store = store_on(engine)
        store.create_tables(design.shop)
        store.batch_put(readings())

        assert store.refresh(REFRESHED).items == 6
        assert store.refresh(REFRESHED, after=golden("cursors", version)["a refresh"]).items == 4


@pytest.mark.parametrize("version", versions_of("baselines"))
def test_a_baseline_accepts_the_findings_in_it(version: int) -> None:
    found = reviewed()
    review = without_baseline(found, golden_files()["baselines", version])

    assert [each.rule for each in found.findings] == [each.finding.rule for each in review.accepted] != []
    assert review.findings == ()


@pytest.mark.parametrize("version", versions_of("traces"))
def test_a_trace_is_read(version: int, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in golden("traces", version)))
    table = Table("orders", indexes=[GSI("by-status", pk="status", sk="day")])
    traffic = read_traffic(path, [table])

    orders, by_status = traffic.of(table, None), traffic.of(table, "by-status")
    assert traffic.partial == ()
    assert (orders.writes.units, orders.reads.units, by_status.writes.units) == (1.0, 1.0, 1.0)
    assert (orders.queries.read, orders.queries.returned, by_status.scans.calls) == (1, 0, 1)


@pytest.mark.parametrize("version", versions_of("consumers"))
def test_a_consumer_goes_on_where_it_stopped(version: int) -> None:
    with Engine.open(clock=lambda: NOW, partitioning=Partitioning(partitions=1)) as engine:
        store = store_on(engine)
        fill_changes(store)
        list(store.changes(design.events, consumer="other"))  # which creates the table
        for item in golden("consumers", version):
            engine.call("PutItem", {"TableName": "pksk-changes", "Item": item})
        store.put(design.Event(number=3))
        consumer = store.changes(design.events, consumer="audit")
        (letter,) = consumer.dead_letters()
        (change,) = consumer

    assert (letter.key, letter.reason) == ({"pk": {"S": "0002"}}, "ValueError: no 2")
    assert change.key_values == {"number": 3}


@pytest.mark.parametrize("version", versions_of("database-file"))
def test_a_file_is_opened_checked_and_used(version: int, tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    write_database(golden("database-file", version), path)

    assert check_file(path).is_sound
    with Engine.open(path, durable=False, clock=lambda: NOW) as engine:
        for check in (_check_items, _check_changes, _check_settings, _check_backup, _check_token):
            check(engine)
    assert check_file(path).is_sound


def _check_items(engine: Engine) -> None:
    assert {name: _count(engine, name) for name in engine.call("ListTables", {})["TableNames"]} == {
        "guarded": 1,
        "orders": 4,
        "parts": 2,
        "pictures": 2,
    }


def _count(engine: Engine, table: str, **members: Any) -> int:
    return int(engine.call("Scan", {"TableName": table, **members})["Count"])


def _check_changes(engine: Engine) -> None:
    streams = [each["StreamArn"] for each in engine.call("ListStreams", {})["Streams"]]
    assert [arn.split(":table/")[1] for arn in streams] == [
        "deleted/stream/2026-03-04T05:06:07.000",
        f"orders/stream/{LABEL}",
    ]
    assert [sum(_records(engine, arn)) for arn in streams] == [1, 4]


def _records(engine: Engine, arn: str) -> Iterator[int]:
    for shard in engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]:
        start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = engine.call("GetShardIterator", start)["ShardIterator"]
        yield len(engine.call("GetRecords", {"ShardIterator": iterator})["Records"])


def _check_settings(engine: Engine) -> None:
    described = engine.call("DescribeTimeToLive", {"TableName": "orders"})["TimeToLiveDescription"]
    arn = engine.call("DescribeTable", {"TableName": "orders"})["Table"]["TableArn"]
    near = {
        "TableName": "pictures",
        "IndexName": "by-look",
        "SearchVector": [{"N": "1"}, {"N": "0"}, {"N": "0"}],
        "TopK": 1,
        "SearchConditionExpression": "shop = :s",
        "ExpressionAttributeValues": {":s": {"S": "x"}},
    }
    assert described == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    assert engine.call("ListTagsOfResource", {"ResourceArn": arn})["Tags"] == [
        {"Key": "team", "Value": "shop"}
    ]
    assert _count(engine, "orders", IndexName="by-status") > 0
    assert len(engine.call("SearchVectors", near)["SearchResults"]) == 1


def _check_backup(engine: Engine) -> None:
    engine.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": ORDERS_BACKUP})
    assert _count(engine, "restored") == 4


def _check_token(engine: Engine) -> None:
    put = {"Put": {"TableName": "orders", "Item": {"pk": {"S": "b"}, "sk": {"N": "1"}}}}
    with pytest.raises(ServiceError, match="IdempotentParameterMismatch"):
        engine.call("TransactWriteItems", {"TransactItems": [put], "ClientRequestToken": "t-1"})


@pytest.mark.parametrize("version", versions_of("exports"))
def test_an_export_is_imported(version: int, tmp_path: Path) -> None:
    folder = copytree(golden_files()["exports", version], tmp_path / "export")
    with Engine.open() as engine:
        import_table(engine, folder, "imported")
        items = engine.call("Scan", {"TableName": "imported"})["Items"]
        described = engine.call("DescribeTable", {"TableName": "imported"})["Table"]

    assert len(items) == open_export(folder).item_count == 6
    assert [each["IndexName"] for each in described["GlobalSecondaryIndexes"]] == ["by-day"]


@pytest.mark.parametrize("version", versions_of("unfinished-imports"))
def test_a_table_of_an_unfinished_import_is_recognized(version: int, tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    path.write_text('{"Item": {"pk": {"S": "a"}}}\n')
    with Engine.open() as engine:
        tags = golden("unfinished-imports", version)
        engine.call("CreateTable", {**design.samples.create_request(), "TableName": "imported", "Tags": tags})
        with pytest.raises(PkskError, match="comes from an import that was killed"):
            import_table(engine, path, "imported", append=True)
        import_table(engine, path, "imported", keys={"pk": "S"}, restart=True)

        assert _count(engine, "imported") == 1
