"""The command `pksk backup restore`."""

from __future__ import annotations

from pathlib import Path

import click

from pksk.cli.backup.found import found
from pksk.cli.commands import command
from pksk.cli.data_file import data_option, opened
from pksk.cli.output import json_option, print_json, print_pairs

__all__ = ["restore"]


@command("pksk backup restore nightly orders-restored")
@click.argument("backup")
@click.argument("table")
@data_option
@json_option
def restore(backup: str, table: str, data: Path, wants_json: bool) -> None:
    """Restore a backup into a new table."""
    with opened(data) as engine:
        arn = found(engine, backup)["BackupArn"]
        engine.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": table})
        description = engine.call("DescribeTable", {"TableName": table})["Table"]
    if wants_json:
        print_json(
            {"table": table, "items": description["ItemCount"], "bytes": description["TableSizeBytes"]}
        )
        return
    print_pairs([
        ("table", f"{table}, made now"),
        ("items", f"{description['ItemCount']:,}"),
        ("bytes", f"{description['TableSizeBytes']:,}"),
    ])  # fmt: skip
