"""Ways to damage a file, each with the problem that is reported: data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from .sample_file import DamagedFile

__all__ = ["DAMAGES"]


def _row(edit: Callable[[dict[str, Any]], object], index: str | None = None) -> Callable[[DamagedFile], None]:
    """Damage the item of the first row of a table or an index."""

    def damage(file: DamagedFile) -> None:
        space = file.space(index)
        key, _, data = file.first(space)
        item = orjson.loads(data)
        edit(item)
        file.change(space, key, data=orjson.dumps(item))

    return damage


def _bytes(data: bytes) -> Callable[[DamagedFile], None]:
    def damage(file: DamagedFile) -> None:
        space = file.space()
        file.change(space, file.first(space)[0], data=data)

    return damage


def _delete_first(index: str | None, table: str = "orders") -> Callable[[DamagedFile], None]:
    def damage(file: DamagedFile) -> None:
        space = file.space(index, table)
        file.run(f"DELETE FROM {space} WHERE key = ?", file.first(space)[0])

    return damage


def _resize_first(index: str | None, table: str = "orders") -> Callable[[DamagedFile], None]:
    return lambda file: file.change(file.space(index, table), file.first(file.space(index, table))[0], size=1)


def _add_row(index: str | None, table: str = "orders") -> Callable[[DamagedFile], None]:
    def damage(file: DamagedFile) -> None:
        space = file.space(index, table)
        key, size, data = file.first(space)
        file.run(f"INSERT INTO {space} VALUES (?, ?, ?)", key + b"!", size, data)

    return damage


def _record(
    edit: Callable[[dict[str, Any]], object], name: str = "table/orders"
) -> Callable[[DamagedFile], None]:
    def damage(file: DamagedFile) -> None:
        record = file.note(name)
        edit(record)
        file.save(name, record)

    return damage


def _collections(file: DamagedFile) -> str:
    return f"space_{file.note('table/orders')['collections']}"


def _expiry(file: DamagedFile) -> str:
    return f"space_{file.note('table/orders')['ttl']['space']}"


def _stream(file: DamagedFile) -> str:
    return f"space_{file.note('table/orders')['streams'][-1]['space']}"


def _first_change(file: DamagedFile) -> tuple[str, bytes, bytes]:
    space = _stream(file)
    key, data = file.run(f"SELECT key, data FROM {space} WHERE key > X'00000001' ORDER BY key LIMIT 1")[0]
    return space, key, data


def _rekey_change(new: Callable[[bytes], bytes]) -> Callable[[DamagedFile], None]:
    def damage(file: DamagedFile) -> None:
        space, key, _ = _first_change(file)
        file.change(space, key, key=new(key))

    return damage


def _rewrite_change(old: bytes, new: bytes) -> Callable[[DamagedFile], None]:
    def damage(file: DamagedFile) -> None:
        space, key, data = _first_change(file)
        assert old in data
        file.change(space, key, data=data.replace(old, new))

    return damage


def _move_change(file: DamagedFile) -> None:
    """Put the newest change of one open shard into another."""
    space = _stream(file)
    stream = file.note("table/orders")["streams"][-1]
    shards = [shard["number"].to_bytes(4) for shard in stream["shards"] if "end" not in shard]
    for shard in shards:
        keys = file.run(f"SELECT key FROM {space} WHERE substr(key, 1, 4) = ?", shard)
        other = next(each for each in shards if each != shard)
        if keys:
            file.change(space, keys[-1][0], key=other + keys[-1][0][4:])
            return


def _shard(edit: Callable[[list[dict[str, Any]]], object]) -> Callable[[DamagedFile], None]:
    return _record(lambda record: edit(record["streams"][-1]["shards"]))


def _parts(edit: Callable[[list[Any]], object]) -> Callable[[DamagedFile], None]:
    return _record(lambda record: edit(record["partitions"]["parts"]))


def _index_parts(record: dict[str, Any]) -> None:
    record["GlobalSecondaryIndexes"][0]["partitions"]["parts"][0][1] = "10"


def _backup(file: DamagedFile) -> tuple[str, dict[str, Any]]:
    ((name,),) = file.run("SELECT name FROM notes WHERE name LIKE 'backup/%'")
    return name, file.note(name)


def _shorten_backup(file: DamagedFile) -> None:
    space = f"space_{_backup(file)[1]['space']}"
    file.run(f"DELETE FROM {space} WHERE key = ?", file.first(space)[0])


def _break_backup(file: DamagedFile) -> None:
    space = f"space_{_backup(file)[1]['space']}"
    file.change(space, file.first(space)[0], data=b"{}")


def _resize_backup(file: DamagedFile) -> None:
    space = f"space_{_backup(file)[1]['space']}"
    file.change(space, file.first(space)[0], size=1)


def _token(file: DamagedFile) -> None:
    file.run(f"DELETE FROM space_{file.note('tokens')} WHERE substr(key, 1, 1) = X'74'")


def _orphan(file: DamagedFile) -> None:
    file.run("INSERT INTO spaces VALUES (999)")
    file.run(
        "CREATE TABLE space_999 (key BLOB PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID"
    )


def _left(file: DamagedFile) -> None:
    ((name,),) = file.run("SELECT name FROM notes WHERE name LIKE 'stream/%'")
    file.run(f"UPDATE space_{file.note(name)['streams'][0]['space']} SET data = X'00'")


def _vector(file: DamagedFile) -> None:
    space = file.space("by-look", "pictures")
    key, _, data = file.first(space)
    file.change(space, key, data=b"\x01" + data[1:])


# By name: the damage, and the reported problem.
DAMAGES: dict[str, tuple[Callable[[DamagedFile], Any], str]] = {
    "item is not JSON": (_bytes(b"{"), r"orders: item \w+: it is not JSON"),
    "item is a list": (_bytes(b"[]"), r"orders: item \w+: it is not an item"),
    "item has a value of no type": (
        _row(lambda item: item.update(x={"Q": "1"})),
        "orders: item .*: it is not an item",
    ),
    "item has a value of another type": (
        _row(lambda item: item.update(x={"S": 1})),
        "item .*: (it is not an item|its values are not)",
    ),
    "item has a bad number": (
        _row(lambda item: item.update(x={"N": "1e999"})),
        "orders: item .*: it is not an item",
    ),
    "item has an empty set": (
        _row(lambda item: item.update(x={"SS": []})),
        "orders: item .*: it is not an item",
    ),
    "item has a number in another form": (
        _row(lambda item: item.update(amount={"N": "01"})),
        "not in the form",
    ),
    "item lacks its key": (
        _row(lambda item: item.pop("pk")),
        r"orders: item \w+: its key attribute pk is missing",
    ),
    "item has a key of another type": (
        _row(lambda item: item.update(pk={"N": "1"})),
        "key attribute pk is missing or invalid",
    ),
    "item under another key": (
        _row(lambda item: item.update(pk={"S": "else"})),
        "item .*: it is stored under another key",
    ),
    "item has another size": (
        _resize_first(None),
        r"orders: item .*: its stored size is 1, and its actual size is \d+",
    ),
    "item is gone": (_delete_first(None), "orders: index by-amount: the entry .* has no item"),
    "item has changed": (
        _row(lambda item: item.update(amount={"N": "77"})),
        "orders: index by-amount: the entry of item .* is missing",
    ),
    "local entry is gone": (_delete_first("by-day"), "orders: index by-day: the entry of item .* is missing"),
    "global entry is gone": (
        _delete_first("several"),
        "orders: index several: the entry of item .* is missing",
    ),
    "entry is too much": (
        _add_row("by-status"),
        "orders: index by-status: the entry [0-9a-f]+ has no item",
    ),
    "entry has another size": (
        _resize_first("by-status"),
        "orders: index by-status: the entry of item .* does not match the item",
    ),
    "entry has other contents": (
        _row(lambda item: item.update(note={"S": "!"}), "by-status"),
        "index by-status: the entry of .* does not match",
    ),
    "entry has too much": (
        _row(lambda item: item.update(x={"S": "!"}), "by-amount"),
        "index by-amount: the entry of .* does not match",
    ),
    "vector entry is gone": (
        _delete_first("by-look", "pictures"),
        "pictures: vector index by-look: the entry of item .* is missing",
    ),
    "vector entry is too much": (
        _add_row("by-look", "pictures"),
        "pictures: vector index by-look: the entry .* has no item",
    ),
    "vector is another": (_vector, "pictures: vector index by-look: the entry of item .* does not match"),
    "vector entry has another size": (
        _resize_first("by-look", "pictures"),
        "vector index by-look: the entry of item .* does not match",
    ),
    "expiry is gone": (
        lambda file: file.run(f"DELETE FROM {_expiry(file)}"),
        "orders: time to live: the entry of item .* is missing",
    ),
    "expiry is too much": (
        lambda file: file.run(f"INSERT INTO {_expiry(file)} VALUES (X'8000000000000001', 0, X'')"),
        "time to live: the entry 80+1 has no item",
    ),
    "collection has another size": (
        lambda file: file.run(f"UPDATE {_collections(file)} SET size = size + 1"),
        "orders: item collections: the stored size of .* is ",
    ),
    "collection is gone": (
        lambda file: file.run(f"DELETE FROM {_collections(file)}"),
        "orders: item collections: the stored size of .* is 0",
    ),
    "collection is too much": (
        lambda file: file.run(f"INSERT INTO {_collections(file)} VALUES (X'00', 0, X'')"),
        r"item collections: \d+ have a stored size, but only \d+ have items",
    ),
    "change is in no shard": (
        _rekey_change(lambda key: b"\x00\x00\x0f\xff" + key[4:]),
        r"orders: stream .*: change \d+ has no shard",
    ),
    "change has a number beyond": (
        _rekey_change(lambda key: key[:4] + b"\x0f" + key[5:]),
        r"stream .*: change \d+ is outside of the sequence numbers of shard 1",
    ),
    "change is in another shard": (
        _move_change,
        r"stream .*: change \d+ is in shard \d+, which is not the shard of its key",
    ),
    "invalid change record": (
        _rewrite_change(b"INSERT", b"UPSERT"),
        r"stream .*: change \d+: it is not a change record",
    ),
    "change lacks an image": (
        _rewrite_change(b"NewImage", b"NextImage"),
        r"stream .*: change \d+: it has Keys, NextImage instead of Keys, NewImage",
    ),
    "change has other keys": (
        _rewrite_change(b'"Keys":{"pk"', b'"Keys":{"px"'),
        r"stream .*: change \d+: its key attributes are not those of the table",
    ),
    "shard begins too soon": (
        _shard(lambda shards: shards[-1].update(start=1)),
        r"stream .*: shard \d+ begins before its parent shard \d+ ends",
    ),
    "shard ends too soon": (
        _shard(lambda shards: shards[0].update(end=0)),
        "stream .*: shard 1 ends before it begins",
    ),
    "shard is gone": (
        _shard(lambda shards: shards.pop()),
        "stream .*: partitions .* must have one open shard each|has no child",
    ),
    "shard is followed by none": (
        _shard(lambda shards: [each.update(parent=None) for each in shards]),
        "stream .*: shard 1 is closed and has no child",
    ),
    "shards are in no order": (
        _shard(lambda shards: shards.reverse()),
        r"stream .*: shard \d+ does not follow shard \d+",
    ),
    "left stream is broken": (_left, r"gone, deleted: stream .*: change \d+: it is not a change record"),
    "first partition is gone": (
        _parts(lambda parts: parts.pop(0)),
        "orders: partitions: no partition has the lowest keys",
    ),
    "partitions overlap": (
        _parts(lambda parts: parts[2].__setitem__(1, parts[1][1])),
        r"orders: partitions: partition \d+ does not begin after",
    ),
    "partition has a number that comes again": (
        _parts(lambda parts: parts[0].__setitem__(0, 99)),
        "orders: partitions: a number is used twice",
    ),
    "partition is its own parent": (
        _parts(lambda parts: parts[0].__setitem__(2, parts[0][0])),
        r"orders: partitions: partition \d+ is older than its parent",
    ),
    "partitions of an index have a hole": (
        _record(_index_parts),
        "orders: partitions of index by-status: no partition has the lowest keys",
    ),
    "backup lacks an item": (
        _shorten_backup,
        r"orders: backup .*: its record has 4 items of \d+ bytes, but there are 3",
    ),
    "backup has a broken item": (
        _break_backup,
        "orders: backup .*: item .*: its key attribute pk is missing",
    ),
    "backup has another size": (_resize_backup, "orders: backup .*: item .*: its stored size is 1"),
    "token is found one way": (_token, "tokens: b'token' is not listed by time"),
    "space is not used": (_orphan, "space 999: is not used"),
    "space has no rows": (
        lambda file: file.run("INSERT INTO spaces VALUES (999)"),
        "space 999: has no table",
    ),
    "space is missing": (
        lambda file: file.run("DELETE FROM spaces WHERE number = 1"),
        "space 1: is missing, and tokens uses it",
    ),
    "space is used twice": (
        _record(lambda record: record.update(collections=record["space"])),
        r"space \d+: is used twice, by table/orders and by table/orders",
    ),
    "rows of a space are gone": (
        lambda file: file.run(f"DROP TABLE {file.space()}"),
        "table/orders: cannot be read: Space ",
    ),
    "note is not JSON": (
        lambda file: file.run("UPDATE notes SET data = X'00' WHERE name = 'table/parts'"),
        "note 'table/parts': is not JSON",
    ),
    "note is none of ours": (
        lambda file: file.run("INSERT INTO notes VALUES ('odd', X'30')"),
        "note 'odd': was not written by an engine",
    ),
    "record lacks a member": (
        _record(lambda record: record.pop("KeySchema")),
        "table/orders: has an invalid record: KeyError",
    ),
    "record has a member of another type": (
        _record(lambda record: record.update(KeySchema=5)),
        "table/orders: has an invalid record: TypeError",
    ),
}
