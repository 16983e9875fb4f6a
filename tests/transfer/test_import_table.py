"""Imports into a new table, an empty one, or another on request; no table is left half filled."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pksk import GSI, Engine, N, ServiceError, Table, VectorIndex
from pksk.errors import PkskError
from pksk.transfer import Progress, import_table
from pksk.transfer.import_target import UNFINISHED_TAG

from .tables import SHOP, exported, lines_of, order, put, scanned, seen, shop

KEYS = {"pk": "S", "number": "N"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "items.json"
    path.write_text(lines_of(*(order(number) for number in range(60))))
    return path


def _error_of(engine: Engine, *given: Any, **options: Any) -> PkskError:
    with pytest.raises(PkskError) as raised:
        import_table(engine, *given, **options)
    assert raised.value.expected
    assert raised.value.fix
    return raised.value


def _tags(engine: Engine, table: str) -> list[str]:
    arn = engine.call("DescribeTable", {"TableName": table})["Table"]["TableArn"]
    return [tag["Key"] for tag in engine.call("ListTagsOfResource", {"ResourceArn": arn}).get("Tags", [])]


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_of_dynamodb_json_is_imported_plain_or_compressed(
    tmp_path: Path, file: Path, packed: bool
) -> None:
    if packed:
        file = tmp_path / "packed.json.gz"
        file.write_bytes(gzip.compress((tmp_path / "items.json").read_bytes()))
    engine = Engine.open()
    imported = import_table(engine, file, "copy", keys=KEYS)

    assert (imported.table, imported.created, imported.files, imported.items) == ("copy", True, 1, 60)
    assert len(scanned(engine, "copy")) == 60
    assert _tags(engine, "copy") == []


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_are_ignored(tmp_path: Path) -> None:
    text = lines_of(order(1), order(2)).replace("\n", "\r\n\r\n")
    (tmp_path / "items.json").write_text(text, "utf-8-sig", newline="")

    assert import_table(Engine.open(), tmp_path / "items.json", "copy", keys=KEYS).items == 2


def test_the_files_of_a_folder_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.json").write_text(lines_of(order(1, read={"N": str(number)})))
    engine = Engine.open()
    imported = import_table(engine, tmp_path, "copy", keys=KEYS)

    assert (imported.files, imported.items) == (3, 3)
    assert [item["read"]["N"] for item in scanned(engine, "copy")] == ["2"]


def test_the_last_of_several_items_with_one_key_is_kept(tmp_path: Path) -> None:
    items = [order(0, read={"N": str(number)}) | {"number": {"N": spelled}}
             for number, spelled in enumerate(["1", "1.0", "1e0", "01"] * 20)]  # fmt: skip
    (tmp_path / "items.json").write_text(lines_of(*items))
    engine = Engine.open()

    assert import_table(engine, tmp_path / "items.json", "copy", keys=KEYS).items == 80
    assert [item["read"]["N"] for item in scanned(engine, "copy")] == ["79"]


def test_a_table_can_be_created_by_a_request_with_indexes(file: Path) -> None:
    engine = Engine.open()
    import_table(engine, file, "copy", create=SHOP.create_request())

    assert len(scanned(engine, "copy", "by-day")) == 60
    assert scanned(engine, "copy", "by-status") == []


@pytest.mark.parametrize(
    "attribute", [{"status": {"N": "1"}}, {"status": {"S": ""}}, {"day": {"S": "d" * 1025}}]
)
def test_an_item_with_an_invalid_index_key_raises_before_any_write(
    tmp_path: Path, attribute: dict[str, Any]
) -> None:
    (tmp_path / "items.json").write_text(lines_of(order(1), order(2) | attribute))
    engine = Engine.open()
    error = _error_of(engine, tmp_path / "items.json", "copy", create=SHOP.create_request())

    assert error.code == "import-item"
    assert "line 2: " in error.problem
    assert engine.call("ListTables", {}) == {"TableNames": []}


def test_the_error_about_missing_keys_lists_candidates(tmp_path: Path, file: Path) -> None:
    error = _error_of(Engine.open(), file, "copy")

    assert error.code == "import-keys"
    assert error.expected == "The first item has: pk:S, number:N, day:S."


@pytest.mark.parametrize(
    "keys", [{}, {"a": "S", "b": "S", "c": "S"}, {"a": "string"}, {"": "S"}, {"a": "BOOL"}]
)
def test_invalid_keys_raise(file: Path, keys: dict[str, str]) -> None:
    assert _error_of(Engine.open(), file, "copy", keys=keys).code == "import-keys"


@pytest.mark.parametrize("create", [{}, {"KeySchema": []}, {"KeySchema": 7, "AttributeDefinitions": 7}])
def test_an_invalid_createtable_request_raises(file: Path, create: dict[str, Any]) -> None:
    assert _error_of(Engine.open(), file, "copy", create=create).code == "import-keys"


@pytest.mark.parametrize(
    "indexes",
    [
        {"GlobalSecondaryIndexes": [{"IndexName": "by-day"}]},
        {"GlobalSecondaryIndexes": [{"IndexName": "by-day", "KeySchema": [{"AttributeName": "day"}]}]},
        {"LocalSecondaryIndexes": 5},
        {"KeySchema": [{"AttributeName": "pk", "KeyType": "HSAH"}]},
        {"VectorIndexes": [{"IndexName": "near"}]},
        {
            "VectorIndexes": [
                {"IndexName": "near", "VectorAttribute": {"AttributeName": "x"}, "Dimensions": "2"}
            ]
        },
        {"VectorIndexes": [{"IndexName": "near", "VectorAttribute": "x", "Dimensions": 2}]},
    ],
)
def test_a_request_with_invalid_keys_or_indexes_raises(file: Path, indexes: dict[str, Any]) -> None:
    create = Table("copy", sk=N("number")).create_request() | indexes

    assert _error_of(Engine.open(), file, "copy", create=create).code == "import-keys"


@pytest.mark.parametrize(
    ("text", "fix"),
    [('{"id":{"N":"9"}}', "'{Item: .}'"), ('[{"id":{"N":"9"}}]', "'.[] | {Item: .}'"),
     ('{"Items":[],"Count":0}', "'.Items[] | {Item: .}'")],
)  # fmt: skip
def test_the_error_about_items_without_the_item_member_names_the_fix(
    tmp_path: Path, text: str, fix: str
) -> None:
    (tmp_path / "items.json").write_text(text)

    assert fix in _error_of(Engine.open(), tmp_path / "items.json", "copy", keys=KEYS).fix


def test_keys_that_contradict_the_export_raise(tmp_path: Path) -> None:
    exported(shop(), tmp_path)
    error = _error_of(Engine.open(), tmp_path, "copy", keys={"pk": "S"})

    assert error.problem == "Table 'copy' would have the keys pk:S, number:N, and not pk:S."


def test_an_empty_export_creates_an_empty_table(tmp_path: Path) -> None:
    source = shop(0)
    exported(source, tmp_path)
    engine = Engine.open()
    imported = import_table(engine, tmp_path, "copy")

    assert (imported.items, imported.created) == (0, True)
    assert seen(engine, "copy") == seen(source, "shop")


def test_an_existing_empty_table_is_filled_and_keeps_its_settings(file: Path) -> None:
    engine = shop(0)
    imported = import_table(engine, file, "shop")

    assert (imported.items, imported.created) == (60, False)
    assert len(scanned(engine, "shop", "by-day")) == 60


def test_a_table_with_other_keys_raises(tmp_path: Path) -> None:
    exported(shop(), tmp_path)
    engine = shop(0, Table("other", sk=None))
    error = _error_of(engine, tmp_path, "other")

    assert error.code == "import-keys"
    assert scanned(engine, "other") == []


def test_a_table_with_items_raises_unless_appending_is_allowed(file: Path) -> None:
    engine = shop(0)
    put(engine, "shop", [order(1, note={"S": "old"}), order(1000)])
    before = scanned(engine, "shop")

    assert _error_of(engine, file, "shop").code == "import-into"
    assert scanned(engine, "shop") == before
    assert import_table(engine, file, "shop", append=True).items == 60
    assert len(scanned(engine, "shop")) == 61
    assert order(1) in scanned(engine, "shop")


def test_progress_covers_both_passes(file: Path) -> None:
    reports: list[Progress] = []
    import_table(Engine.open(), file, "copy", keys=KEYS, progress=reports.append)
    size = file.stat().st_size

    assert [each for each in reports if each.share == 1.0][-1] == Progress("writing", size, size)
    assert Progress("checking", size, size) in reports


def test_progress_is_reported_while_a_long_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "items.json"
    file.write_text(lines_of(*(order(number, note={"S": "x" * 1000}) for number in range(300))))
    reports: list[Progress] = []
    import_table(Engine.open(), file, "copy", keys=KEYS, progress=reports.append)

    shares = [each.share for each in reports if each.step == "checking"]
    assert shares == sorted(shares)
    assert [share for share in shares if 0 < share < 1]


def test_an_invalid_table_name_raises_the_message_of_the_service(file: Path) -> None:
    with pytest.raises(ServiceError, match="ValidationException"):
        import_table(Engine.open(), file, "x", keys=KEYS)


class Stopping:
    """A client that stops at a batch."""

    def __init__(
        self, client: Engine, batches: int, error: BaseException, *, alone: str = "BatchWriteItem"
    ) -> None:
        self.client, self.left, self.error, self.at = client, batches, error, alone

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == self.at:
            self.left -= 1
            if self.left < 0:
                raise self.error
        return self.client.call(operation, request)


FULL = ServiceError("InternalServerError", "The disk is full", status=500)


@pytest.mark.parametrize("operation", ["CreateTable", "BatchWriteItem", "UntagResource", "UpdateTimeToLive"])
def test_a_failed_import_deletes_the_table_it_created(tmp_path: Path, operation: str) -> None:
    table = Table("shop", sk=SHOP.primary.sort_key[0], ttl="expires", deletion_protection=True)
    source = shop(60, table)
    ttl = table.ttl_request()
    assert ttl is not None
    source.call("UpdateTimeToLive", ttl)
    exported(source, tmp_path)
    engine = Engine.open()
    batches = 1 if operation == "BatchWriteItem" else 0
    with pytest.raises(PkskError) as raised:
        import_table(Stopping(engine, batches, FULL, alone=operation), tmp_path, "copy")

    assert raised.value.code == "import-stopped"
    assert "The disk is full" in raised.value.problem
    assert raised.value.expected == "Nothing is left of table 'copy'."
    assert engine.call("ListTables", {}) == {"TableNames": []}


def test_the_error_of_a_failed_import_whose_table_cannot_be_deleted_counts_written_items(file: Path) -> None:
    class Full(Stopping):
        def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
            if operation == "DeleteTable":
                raise FULL
            return super().call(operation, request)

    engine = Engine.open()
    error = _error_of(Full(engine, 1, FULL), file, "copy", keys=KEYS)  # type: ignore[arg-type]

    assert error.expected == "25 of 60 items are in table 'copy'."
    assert "--restart" in error.fix
    assert import_table(engine, file, "copy", keys=KEYS, restart=True).items == 60


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError()])
def test_an_interrupted_import_deletes_the_table_it_created(file: Path, error: BaseException) -> None:
    engine = Engine.open()
    with pytest.raises(type(error)):
        import_table(Stopping(engine, 1, error), file, "copy", keys=KEYS)

    assert engine.call("ListTables", {}) == {"TableNames": []}


def test_the_error_of_a_failed_import_into_an_existing_table_counts_written_items(file: Path) -> None:
    engine = shop(0)
    error = _error_of(Stopping(engine, 1, FULL), file, "shop")  # type: ignore[arg-type]

    assert error.expected == "25 of 60 items are in table 'shop'."
    assert "--append" in error.fix
    assert import_table(engine, file, "shop", append=True).items == 60
    assert len(scanned(engine, "shop")) == 60


def test_an_import_whose_file_changes_between_passes_deletes_the_table_it_created(file: Path) -> None:
    engine = Engine.open()

    def change(progress: Progress) -> None:
        if progress == Progress("checking", progress.total, progress.total):
            file.write_text(lines_of(order(1)))

    error = _error_of(engine, file, "copy", keys=KEYS, progress=change)

    assert error.code == "import-stopped"
    assert "changed during the import" in error.problem
    assert engine.call("ListTables", {}) == {"TableNames": []}


def _killed(engine: Engine, file: Path) -> None:
    """What is there after a process was killed: a table with some items and the mark of an import."""

    class Killed(BaseException):
        pass

    class Dead(Stopping):
        def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
            if operation == "DeleteTable":
                raise FULL
            return super().call(operation, request)

    with pytest.raises(Killed):
        import_table(Dead(engine, 1, Killed()), file, "copy", keys=KEYS)


def test_the_table_of_a_killed_import_is_reported_and_can_be_replaced(file: Path) -> None:
    engine = Engine.open()
    _killed(engine, file)

    assert _tags(engine, "copy") == [UNFINISHED_TAG]
    error = _error_of(engine, file, "copy", keys=KEYS)
    assert error.code == "import-unfinished"
    assert "has 25 of its items" in error.problem
    assert _error_of(engine, file, "copy", append=True).code == "import-unfinished"
    imported = import_table(engine, file, "copy", keys=KEYS, restart=True)
    assert (imported.created, imported.items) == (True, 60)
    assert _tags(engine, "copy") == []


def test_a_restart_checks_the_files_before_it_deletes_the_table(tmp_path: Path, file: Path) -> None:
    engine = Engine.open()
    _killed(engine, file)
    (tmp_path / "broken.json").write_text("{")

    assert _error_of(engine, tmp_path / "broken.json", "copy", keys=KEYS, restart=True).code == "file-json"
    assert _error_of(engine, file, "copy", restart=True).code == "import-keys"
    assert len(scanned(engine, "copy")) == 25


def test_a_restart_deletes_a_protected_table(file: Path) -> None:
    engine = Engine.open()
    _killed(engine, file)
    engine.call("UpdateTable", {"TableName": "copy", "DeletionProtectionEnabled": True})

    assert import_table(engine, file, "copy", keys=KEYS, restart=True).items == 60


def test_restart_deletes_only_the_table_of_an_unfinished_import(file: Path) -> None:
    engine = shop(3)

    assert _error_of(engine, file, "shop", restart=True).code == "import-into"
    assert len(scanned(engine, "shop")) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"form": "jsn"},
        {"form": "ion"},
        {"delimiter": "x"},
        {"header": []},
        {"header": ["a", "a"]},
        {"header": [""]},
    ],
)
def test_an_invalid_option_raises(file: Path, options: dict[str, Any]) -> None:
    assert _error_of(Engine.open(), file, "copy", keys=KEYS, **options).code == "import-option"


def test_a_file_without_an_ending_needs_a_format(tmp_path: Path) -> None:
    (tmp_path / "items").write_text(lines_of(order(1)))

    assert import_table(Engine.open(), tmp_path / "items", "copy", keys=KEYS, form="dynamodb-json").items == 1


def test_a_vector_index_is_exported_and_imported(tmp_path: Path) -> None:
    vectors = VectorIndex("near", attribute="place", dimensions=2, pk="kind", filters=["open"])
    engine = shop(0, Table("shop", indexes=[vectors]))
    exported(engine, tmp_path)
    import_table(engine, tmp_path, "copy")

    assert seen(engine, "copy") == seen(engine, "shop")
    assert len(seen(engine, "copy")["declared"]["VectorIndexes"]) == 1


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"place": {"L": [{"N": "1"}]}}, "'place' has 1 elements"),
        ({"place": {"S": "here"}}, "'place' is of type S"),
        ({"place": {"L": [{"N": "1"}, {"S": "2"}]}}, "'place' holds {'S': '2'}"),
        ({"place": {"L": [{"N": "1"}, {"N": "1e39"}]}}, "'place' holds a number that is too large"),
        ({"kind": {"N": "1"}}, "'kind' is {'N': '1'}, of type N; it is the partition key of index 'near'"),
        ({"kind": {"S": ""}}, "'kind' is empty"),
        ({"open": {"N": "1"}}, "'open' is {'N': '1'}, of type N; it is the filter attribute of index 'near'"),
    ],
)
def test_an_invalid_vector_raises_before_any_write(tmp_path: Path, bad: dict[str, Any], message: str) -> None:
    vectors = VectorIndex("near", attribute="place", dimensions=2, pk="kind", filters=["open"])
    engine = shop(0, Table("shop", indexes=[vectors]))
    right = {"kind": {"S": "a"}, "open": {"S": ""}, "place": {"L": [{"N": "1"}, {"N": "2"}]}}
    keys = [{"pk": {"S": "a"}, "sk": {"S": str(number)}} for number in range(30)]
    (tmp_path / "items.json").write_text(lines_of(*(key | right for key in keys), keys[0] | right | bad))
    with pytest.raises(ServiceError):
        put(engine, "shop", [keys[0] | right | bad])

    error = _error_of(engine, tmp_path / "items.json", "shop")

    assert (error.code, "line 31: " + message in error.problem) == ("import-item", True)
    assert scanned(engine, "shop") == []


@pytest.mark.parametrize("bad", [{"B": "AAF="}, {"L": [{"BS": ["AB=="]}]}, {"M": {"n" * 65_536: {"S": ""}}}])
def test_items_that_the_service_rejects_raise_before_any_write(tmp_path: Path, bad: dict[str, Any]) -> None:
    (tmp_path / "items.json").write_text(lines_of(order(1, bad=bad)))
    engine = shop(0)
    with pytest.raises(ServiceError):
        put(engine, "shop", [order(1, bad=bad)])

    assert _error_of(engine, tmp_path / "items.json", "shop").code == "file-item"


def test_a_line_can_be_as_long_as_the_largest_item(tmp_path: Path) -> None:
    empty = [{"S": ""}] * 409_000
    (tmp_path / "items.json").write_text(lines_of(order(1, empty={"L": empty})))

    assert import_table(Engine.open(), tmp_path / "items.json", "copy", keys=KEYS).items == 1


def test_an_index_with_keys_of_several_attributes_is_exported_and_imported(tmp_path: Path) -> None:
    table = Table("shop", indexes=[GSI("wide", pk=["a", "b"], sk=["c", "d"])])
    engine = shop(0, table)
    item = {name: {"S": name} for name in ("pk", "sk", "a", "b", "c", "d")}
    put(engine, "shop", [item])
    exported(engine, tmp_path)
    import_table(engine, tmp_path, "copy")

    assert seen(engine, "copy") == seen(engine, "shop")
    assert scanned(engine, "copy", "wide") == [item]
