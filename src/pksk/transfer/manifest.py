"""The manifests of an export, written and read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from time import time
from typing import Any, Final, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import FileError, quote, quote_path

from .export_files import FILES, FULL, JSON, ROOT, SUMMARY, TABLE, checksum, timestamp, write_file
from .table_definition import TableDefinition

# Both spellings: the documentation says .checksum, and AWS writes .md5.
_SUMS: Final = (".md5", ".checksum")


@dataclass(frozen=True)
class Totals:
    """The content of the summary manifest."""

    described: Mapping[str, Any]
    folder: str
    name: str
    started: float
    items: int
    size_bytes: int

    def summary(self) -> dict[str, Any]:
        """The summary manifest; members about S3 are null, or the name of the folder."""
        arn = self.described["TableArn"]
        began = timestamp(self.started)
        return {
            "version": "2020-06-30",
            "exportArn": f"{arn}/export/{self.name}",
            "startTime": began,
            "endTime": timestamp(max(self.started, time())),
            "tableArn": arn,
            "tableId": self.described["TableId"],
            "exportTime": began,
            "s3Bucket": self.folder,
            "s3Prefix": None,
            "s3SseAlgorithm": None,
            "s3SseKmsKeyId": None,
            "manifestFilesS3Key": f"{ROOT}/{self.name}/{FILES}.json",
            "billedSizeBytes": self.size_bytes,
            "itemCount": self.items,
            "outputFormat": JSON,
            "exportType": FULL,
        }


def write_manifests(
    folder: Path, definition: TableDefinition, entries: list[dict[str, Any]], totals: Totals
) -> None:
    """Write the manifests of a complete export, the summary last: it marks the export as complete."""
    ttl = {"Enabled": True, "AttributeName": definition.ttl} if definition.ttl else None
    table = {"CreateTable": definition.create, "TimeToLiveSpecification": ttl}
    _write(folder, TABLE, json.dumps(table, indent=2))
    _write(folder, FILES, "".join(f"{json.dumps(entry, separators=(',', ':'))}\n" for entry in entries))
    _write(folder, SUMMARY, json.dumps(totals.summary(), separators=(",", ":")))


def _write(folder: Path, name: str, text: str) -> None:
    content = text.encode()
    write_file(folder / f"{name}.json", content)
    digest = hashlib.md5(content, usedforsecurity=False).digest()
    write_file(folder / f"{name}{_SUMS[0]}", checksum(digest).encode())


def read_manifest(folder: Path, name: str) -> str:
    """The text of a manifest; verifies its checksum if there is one."""
    path = folder / f"{name}.json"
    try:
        content = path.read_bytes()
        sums = [Path(folder / f"{name}{ending}") for ending in _SUMS]
        expected = next((each.read_text("ascii").strip() for each in sums if each.exists()), None)
        text = content.decode()
    except FileNotFoundError:
        reject_manifest(path, "there is no such file")
    except OSError as error:
        reject_manifest(path, f"it cannot be read: {error.strerror or error}")
    except UnicodeDecodeError:
        reject_manifest(path, "it, or its checksum, is not text")
    md5 = checksum(hashlib.md5(content, usedforsecurity=False).digest())
    if expected is not None and md5 != expected:
        raise FileError(
            "export-checksum",
            f"{quote_path(str(path))} has the MD5 sum {md5}, but its checksum file says {expected}.",
            expected="The files of an export do not change after the export.",
            fix="copy or download the export again; the file was changed or damaged.",
        )
    return text


def read_definition(folder: Path) -> TableDefinition | None:
    """The table definition in an export of pksk; exports of AWS have none."""
    path = folder / f"{TABLE}.json"
    if not path.exists():
        return None
    text = read_manifest(folder, TABLE)
    try:
        document = json.loads(text)
        ttl = document["TimeToLiveSpecification"]
        definition = TableDefinition(document["CreateTable"], ttl["AttributeName"] if ttl else None)
        _ = definition.name, definition.keys
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        reject_manifest(path, "it is not the definition of a table")
    return definition


def reject_manifest(path: Path, reason: str) -> NoReturn:
    """Raise the error of an export that does not match its manifests."""
    raise FileError(
        "export-manifest",
        f"{quote_path(str(path))}: {reason}.",
        expected=f"An export has {quote(f'{SUMMARY}.json')}, {quote(f'{FILES}.json')} and the files in them.",
        fix="copy or download the whole export again.",
    ) from None
