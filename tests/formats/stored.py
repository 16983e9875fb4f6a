"""What today's code writes in each format, as JSON: the content of the golden files."""

from __future__ import annotations

import gzip
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import UUID

import orjson

from pksk import GSI, Engine, Partitioning, Refreshed, Shard, Store, Table, Template, between, connect
from pksk.review import RULES, Review
from pksk.review.baseline import write_baseline
from pksk.transfer import export_table, import_table
from tests.engine.valid_requests import set_up
from tests.review.designs import review_of

from . import design

__all__ = [
    "NOW",
    "QUERIES",
    "REFRESHED",
    "WRITERS",
    "export_content",
    "exported",
    "fill_changes",
    "readings",
    "reviewed",
    "store_on",
    "write_database",
]

NOW: Final = design.AT.timestamp()


def store_on(engine: Engine) -> Store:
    """A store with a fixed clock."""
    store: Store = connect(engine, clock=lambda: NOW, cursor_secret="secret")
    return store


@contextmanager
def _filled() -> Iterator[tuple[Engine, Store]]:
    """A store with one item of each entity."""
    with Engine.open(clock=lambda: NOW) as engine:
        store = store_on(engine)
        store.create_tables(design.shop, design.samples)
        store.put(design.SAMPLE)
        for entity in (design.ACCOUNT, design.MEMBER, design.READING):
            store.put(entity)
        store.take(design.invoices, 3, year=2026)
        yield engine, store


def items_of(engine: Engine, table: str) -> list[dict[str, Any]]:
    """All items of a table, in the order of their keys."""
    found: list[dict[str, Any]] = engine.call("Scan", {"TableName": table})["Items"]
    return sorted(found, key=lambda item: [str(item.get(name)) for name in ("pk", "sk")])


def _stored_values() -> Any:
    with _filled() as (engine, _):
        (item,) = items_of(engine, "samples")
    return {name: item[name] for name in sorted(item)}


def _key_texts() -> Any:
    rendered = []
    for text, types, examples in design.KEYS:
        template = Template(text, types)
        rendered.append([text, [template.render(values) for values in examples]])
    shards = [Shard(1000, of="value").number({"value": value}) for value in design.SHARDS]
    return {"templates": rendered, "shards of 1000": shards}


def _entity_items() -> Any:
    with _filled() as (engine, _):
        return [item for item in items_of(engine, "shop") if not _is_guard(item) and "last" not in item]


def _guard_items() -> Any:
    with _filled() as (engine, _):
        return [item for item in items_of(engine, "shop") if _is_guard(item)]


def _counters() -> Any:
    with _filled() as (engine, _):
        return [item for item in items_of(engine, "shop") if "last" in item]


def _is_guard(item: Mapping[str, Any]) -> bool:
    return bool(item["type"] == {"S": "pksk:unique"})


def readings() -> list[design.Reading]:
    """Readings of two sensors, in different shards of the index."""
    return [
        design.Reading(sensor=sensor, at=design.AT + timedelta(minutes=minute), value=Decimal(minute))
        for sensor in ("s1", "s2")
        for minute in range(3)
    ]


QUERIES: Final[Mapping[str, Any]] = {
    "a partition": design.Reading.primary(sensor="s1"),
    "a partition, backwards": design.Reading.primary(sensor="s1").reverse(),
    "an index with shards": design.Reading.by_day(at=between(design.AT, design.AT + timedelta(hours=1))),
    "a scan": design.Reading.scan().segments(2),
}


REFRESHED: Final = design.Reading.scan().pages(2)


def _cursors() -> Any:
    """The cursor after the second item of each query, and of a refresh."""
    with Engine.open(clock=lambda: NOW) as engine:
        store = store_on(engine)
        store.create_tables(design.shop)
        store.batch_put(*readings())
        found = {
            name: store.page(query.limit(2) if name != "a scan" else query.pages(2)).cursor(1)
            for name, query in QUERIES.items()
        }
        pages: list[Refreshed] = []
        store.refresh(REFRESHED, progress=pages.append)
        return {**found, "a refresh": pages[0].cursor}


def fill_changes(store: Store) -> None:
    """A table with a stream and two changes."""
    store.create_tables(design.events)
    for number in (1, 2):
        store.put(design.Event(number=number))


def fail_for_the_second(changes: list[Any]) -> None:
    """A handler that makes the second change a dead letter."""
    if any(change.new.number == 2 for change in changes):
        raise ValueError("no 2")


def _consumer_state() -> Any:
    """The state of a consumer with a dead letter."""
    with Engine.open(clock=lambda: NOW, partitioning=Partitioning(partitions=1)) as engine:
        store = store_on(engine)
        fill_changes(store)
        store.changes(design.events, consumer="audit").run(fail_for_the_second, follow=False, attempts=1)
        return items_of(engine, "pksk-changes")


_PRAGMAS: Final = ("application_id", "user_version", "page_size")
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def _database() -> Any:
    """The content of a file of an engine: bytes that are text as text, and others in hex digits."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tables.db"
        with Engine.open(path, durable=False, clock=lambda: NOW) as engine:
            _fill_database(engine)
        with closing(sqlite3.connect(path)) as connection:
            shown = orjson.dumps(_content(connection)).decode()
    # The ids of tables are random.
    names: dict[str, str] = {}
    return orjson.loads(_UUID.sub(lambda found: names.setdefault(found[0], str(UUID(int=len(names)))), shown))


def _fill_database(engine: Engine) -> None:
    """What the catalogue of valid requests needs, a transaction with a token, and the stream of a deleted table."""
    set_up(engine)
    key = {"AttributeName": "pk", "KeyType": "HASH"}
    engine.call(
        "CreateTable",
        {
            "TableName": "deleted",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [key],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        },
    )
    put = {"Put": {"TableName": "deleted", "Item": {"pk": {"S": "a"}}}}
    engine.call("TransactWriteItems", {"TransactItems": [put], "ClientRequestToken": "t-1"})
    engine.call("DeleteTable", {"TableName": "deleted"})


def _content(connection: sqlite3.Connection) -> dict[str, Any]:
    named = "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY length(name), name"
    tables = dict(connection.execute(named))
    return {
        "pragmas": {each: connection.execute(f"PRAGMA {each}").fetchone()[0] for each in _PRAGMAS},
        "schema": tables,
        "rows": {
            name: [
                [_shown(value) for value in row]
                for row in connection.execute(f"SELECT * FROM {name} ORDER BY 1")
            ]
            for name in tables
        },
    }


def _shown(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    text = value.decode("utf-8", "replace")
    return {"text": text} if text.isprintable() and "\ufffd" not in text else {"hex": value.hex()}


def write_database(content: Mapping[str, Any], path: Path) -> None:
    """Write the file with this content."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for name, value in content["pragmas"].items():
            connection.execute(f"PRAGMA {name} = {value}")
        for name, statement in content["schema"].items():
            if name != "sqlite_sequence":  # SQLite makes it, and adds to it
                connection.execute(statement)
        for name, rows in content["rows"].items():
            connection.execute(f"DELETE FROM {name}")
            for row in rows:
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", [_hidden(value) for value in row])


def _hidden(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return value["text"].encode() if "text" in value else bytes.fromhex(value["hex"])


def exported(folder: Path) -> None:
    """Export the table of a design, as files."""
    with _filled() as (engine, _):
        export_table(engine, "shop", folder)


_RANDOM: Final = {
    re.compile(r"[0-9]{14}-[0-9a-f]{8}"): "EXPORT",
    re.compile(r"[a-z2-7]{26}\.json\.gz"): "ITEMS.json.gz",
    re.compile(r"[0-9-]{10}T[0-9:.]{12}Z"): "TIME",
    re.compile(r'(?<="s3Bucket":")[^"]*'): "FOLDER",
    re.compile(r'(?<=md5Checksum":")[^"]*'): "MD5",
    re.compile(r'(?<=etag":")[^"]*'): "ETAG",
    _UUID: "ID",
}


def export_content(folder: Path) -> dict[str, Any]:
    """The names and the content of the files of an export, without what is random, and without checksums."""
    content: dict[str, Any] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        data = path.read_bytes()
        text = (
            "MD5"
            if path.suffix == ".md5"
            else (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        )
        name = path.relative_to(folder).as_posix()
        for pattern, fixed in _RANDOM.items():
            name, text = pattern.sub(fixed, name), pattern.sub(fixed, text)
        content[name] = text.splitlines()
    return content


class _Recorder:
    """A client that keeps the requests of one operation."""

    def __init__(self, engine: Engine, operation: str) -> None:
        self._engine, self._operation = engine, operation
        self.requests: list[Mapping[str, Any]] = []

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == self._operation:
            self.requests.append(request)
        return self._engine.call(operation, request)


def _import_tags() -> Any:
    """The tags of a table during its import."""
    with TemporaryDirectory() as folder, Engine.open(clock=lambda: NOW) as engine:
        path, client = Path(folder) / "items.json", _Recorder(engine, "CreateTable")
        path.write_text('{"Item": {"pk": {"S": "a"}}}\n')
        import_table(client, path, "imported", keys={"pk": "S"})
    return client.requests[0]["Tags"]


def _trace_lines() -> Any:
    """The lines of a trace: a write with an entry in an index, and reads of every kind."""
    status = {"status": {"S": "open"}, "day": {"S": "2026-03-04"}}
    key = {"pk": {"S": "CUST#1"}, "sk": {"S": "ORDER#1"}}
    query = {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": {"S": "CUST#1"}}}
    table = Table("orders", indexes=[GSI("by-status", pk="status", sk="day")])
    with TemporaryDirectory() as folder, Engine.open(clock=lambda: NOW) as engine:
        engine.call("CreateTable", table.create_request())
        with engine.trace(Path(folder) / "calls.jsonl"):
            engine.call("PutItem", {"TableName": "orders", "Item": key | status})
            engine.call("GetItem", {"TableName": "orders", "Key": key})
            engine.call("Query", {"TableName": "orders", "FilterExpression": "attribute_exists(x)", **query})
            engine.call("Scan", {"TableName": "orders", "IndexName": "by-status"})
        return [orjson.loads(line) for line in (Path(folder) / "calls.jsonl").read_bytes().splitlines()]


def reviewed() -> Review:
    """The review of a design with a finding, by one rule: others may come."""
    rules = [each for each in RULES if each.code == "constant-partition-key"]
    return review_of(
        """
        readings = Table("readings")

        class Reading(Entity, table=readings, items=1_000_000):
            id: str
            primary = Key("READINGS", "{id}")

            @access(rate=50_000, items=1)
            @classmethod
            def one(cls, id: str) -> Get["Reading"]:
                return cls.primary.get(id=id)
        """,
        rules,
    )


def _baseline() -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "findings.json"
        write_baseline(reviewed(), path)
        return orjson.loads(path.read_bytes())


# What is written, by the name of its format; exports are files of their own.
WRITERS: Final[Mapping[str, Callable[[], Any]]] = {
    "stored-values": _stored_values,
    "keys": _key_texts,
    "entities": _entity_items,
    "guard-items": _guard_items,
    "sequences": _counters,
    "cursors": _cursors,
    "consumers": _consumer_state,
    "database-file": _database,
    "unfinished-imports": _import_tags,
    "traces": _trace_lines,
    "baselines": _baseline,
}
