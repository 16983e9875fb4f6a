"""An export has the layout of AWS's, and is there whole or not at all."""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pksk import Engine, ServiceError, Table
from pksk.errors import PkskError
from pksk.transfer import Progress, export_table, open_export
from pksk.values import item_size

from .tables import SHOP, exported, md5, order, put, scanned, shop

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
SUMMARY_MEMBERS = [
    "version",
    "exportArn",
    "startTime",
    "endTime",
    "tableArn",
    "tableId",
    "exportTime",
    "s3Bucket",
    "s3Prefix",
    "s3SseAlgorithm",
    "s3SseKmsKeyId",
    "manifestFilesS3Key",
    "billedSizeBytes",
    "itemCount",
    "outputFormat",
    "exportType",
]


def test_an_export_has_the_files_of_aws_and_the_table_definition(
    tmp_path: Path,
) -> None:
    export = exported(shop(), tmp_path / "out")
    names = sorted(path.relative_to(export.folder).as_posix() for path in export.folder.rglob("*"))
    data = names.pop(names.index(next(name for name in names if name.endswith(".gz"))))

    assert export.folder.parent == tmp_path / "out" / "AWSDynamoDB"
    assert re.fullmatch(r"0\d{13}-[0-9a-f]{8}", export.name)
    assert re.fullmatch(r"data/[a-z2-7]{26}\.json\.gz", data)
    assert names == [
        "_started", "data", "manifest-files.json", "manifest-files.md5", "manifest-summary.json",
        "manifest-summary.md5", "table.json", "table.md5",
    ]  # fmt: skip
    assert (export.folder / "_started").read_bytes() == b""


def test_the_summary_has_the_documented_members_in_order(tmp_path: Path) -> None:
    engine = shop()
    export = exported(engine, tmp_path / "out")
    summary = json.loads((export.folder / "manifest-summary.json").read_text())
    described = engine.call("DescribeTable", {"TableName": "shop"})["Table"]

    assert list(summary) == SUMMARY_MEMBERS
    assert summary["version"] == "2020-06-30"
    assert summary["exportArn"] == f"{described['TableArn']}/export/{export.name}"
    assert (summary["tableArn"], summary["tableId"]) == (described["TableArn"], described["TableId"])
    assert summary["manifestFilesS3Key"] == f"AWSDynamoDB/{export.name}/manifest-files.json"
    assert (summary["s3Bucket"], summary["s3Prefix"]) == ("out", None)
    assert summary["itemCount"] == 7
    assert summary["billedSizeBytes"] == sum(map(item_size, scanned(engine, "shop")))
    assert (summary["outputFormat"], summary["exportType"]) == ("DYNAMODB_JSON", "FULL_EXPORT")
    assert summary["startTime"] == summary["exportTime"] <= summary["endTime"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", summary["startTime"])
    assert datetime.fromisoformat(summary["endTime"]).year >= 2026


@pytest.mark.parametrize("name", ["manifest-summary", "manifest-files", "table"])
def test_a_checksum_is_the_md5_of_its_file_in_base64_and_24_bytes_long(tmp_path: Path, name: str) -> None:
    export = exported(shop(), tmp_path)
    found = (export.folder / f"{name}.md5").read_text()

    assert found == md5((export.folder / f"{name}.json").read_bytes())
    assert len(found) == 24


def test_each_line_of_the_files_manifest_describes_one_file(tmp_path: Path) -> None:
    export = exported(shop(50), tmp_path, segments=3)
    entries = [json.loads(line) for line in (export.folder / "manifest-files.json").read_text().splitlines()]

    assert [list(entry) for entry in entries] == [["itemCount", "md5Checksum", "etag", "dataFileS3Key"]] * 3
    assert sum(entry["itemCount"] for entry in entries) == 50
    for entry in entries:
        path = tmp_path / entry["dataFileS3Key"]
        assert entry["md5Checksum"] == md5(path.read_bytes())
        assert re.fullmatch(r"[0-9a-f]{32}-1", entry["etag"])
        assert len(gzip.decompress(path.read_bytes()).splitlines()) == entry["itemCount"]


def test_a_line_of_a_data_file_is_one_item_in_dynamodb_json(tmp_path: Path) -> None:
    engine = shop(1)
    export = exported(engine, tmp_path)
    [line] = gzip.decompress(export.files[0].path.read_bytes()).splitlines()

    assert json.loads(line) == {"Item": scanned(engine, "shop")[0]}


def test_the_definition_of_the_table_is_a_create_table_request(tmp_path: Path) -> None:
    table = Table("shop", sk=SHOP.primary.sort_key[0], indexes=SHOP.indexes, ttl="expires", stream=True)
    engine = shop(0, table)
    ttl = table.ttl_request()
    assert ttl is not None
    engine.call("UpdateTimeToLive", ttl)
    definition = json.loads((exported(engine, tmp_path).folder / "table.json").read_text())

    assert Table.from_description(definition["CreateTable"], describe_ttl=definition) == table
    assert Engine.open().call("CreateTable", definition["CreateTable"])


def test_several_exports_can_share_a_folder(tmp_path: Path) -> None:
    engine = shop()
    first, second = exported(engine, tmp_path), exported(engine, tmp_path)

    assert first.folder != second.folder
    assert first.item_count == second.item_count == 7


def test_a_table_larger_than_a_page_is_exported_whole(tmp_path: Path) -> None:
    engine = shop(0)
    put(engine, "shop", (order(n, note={"S": "x" * 100_000}) for n in range(25)))

    assert len(list(exported(engine, tmp_path, segments=2).items())) == 25


def test_items_are_the_same_however_many_segments_there_are(tmp_path: Path) -> None:
    engine = shop(40)

    for segments in (1, 2, 7, 50):
        export = exported(engine, tmp_path / str(segments), segments=segments)
        assert sorted(export.items(), key=json.dumps) == sorted(scanned(engine, "shop"), key=json.dumps)


@pytest.mark.parametrize("segments", [0, -1, 1001, 1.0, True, "2"])
def test_an_invalid_number_of_segments_raises(tmp_path: Path, segments: Any) -> None:
    with pytest.raises(PkskError) as raised:
        export_table(shop(), "shop", tmp_path / "out", segments=segments)

    assert raised.value.code == "export-segments"
    assert not (tmp_path / "out").exists()


def test_progress_ends_with_the_last_item(tmp_path: Path) -> None:
    reports: list[Progress] = []
    export_table(shop(), "shop", tmp_path, progress=reports.append)

    assert reports[-1] == Progress("exporting", 7, 7)
    assert [each.done for each in reports] == sorted(each.done for each in reports)


def test_a_missing_table_raises_the_message_of_the_service_and_creates_no_folder(
    tmp_path: Path,
) -> None:
    with pytest.raises(ServiceError, match="ResourceNotFoundException"):
        export_table(shop(), "shp", tmp_path / "out")

    assert not (tmp_path / "out").exists()


class Failing:
    """A client that answers a number of scans, and raises at the next."""

    def __init__(self, client: Engine, scans: int, error: BaseException) -> None:
        self.client, self.scans, self.error = client, scans, error

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "Scan":
            self.scans -= 1
            if self.scans < 0:
                raise self.error
        return self.client.call(operation, request)


@pytest.mark.parametrize("segments", [1, 4])
@pytest.mark.parametrize(
    "error", [ServiceError("InternalServerError", status=500), KeyboardInterrupt(), MemoryError()]
)
def test_a_failed_export_leaves_no_files(tmp_path: Path, segments: int, error: BaseException) -> None:
    client = Failing(shop(0), 0 if segments == 1 else 2, error)

    with pytest.raises(type(error)):
        export_table(client, "shop", tmp_path / "out", segments=segments)

    assert list(tmp_path.iterdir()) == []


def test_a_failed_export_keeps_existing_files(tmp_path: Path) -> None:
    before = exported(shop(), tmp_path)

    with pytest.raises(KeyboardInterrupt):
        export_table(Failing(shop(), 0, KeyboardInterrupt()), "shop", tmp_path)

    assert open_export(tmp_path).folder == before.folder


def test_a_full_disk_is_reported_and_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PkskError) as raised:
        export_table(shop(), "shop", tmp_path / "out")

    assert raised.value.code == "export-folder"
    assert "No space left on device" in raised.value.problem
    assert list(tmp_path.iterdir()) == []


def test_a_file_as_the_folder_raises(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("kept")
    with pytest.raises(PkskError, match="it is a file"):
        export_table(shop(), "shop", tmp_path / "out")

    assert (tmp_path / "out").read_text() == "kept"


def test_a_folder_in_a_missing_folder_raises(tmp_path: Path) -> None:
    with pytest.raises(PkskError, match="there is no such folder"):
        export_table(shop(), "shop", tmp_path / "no" / "out")

    assert list(tmp_path.iterdir()) == []
