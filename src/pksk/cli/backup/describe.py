"""The command `pksk backup describe`."""

from __future__ import annotations

from pathlib import Path

import click

from pksk.cli.backup.found import found, shown_time
from pksk.cli.commands import command
from pksk.cli.data_file import data_option, opened
from pksk.cli.output import json_option, print_json, print_pairs

__all__ = ["describe"]


@command("pksk backup describe nightly", "pksk backup describe nightly --json")
@click.argument("backup")
@data_option
@json_option
def describe(backup: str, data: Path, wants_json: bool) -> None:
    """Describe a backup, and the table that it is of."""
    with opened(data) as engine:
        arn = found(engine, backup)["BackupArn"]
        description = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    if wants_json:
        print_json(description)
        return
    details, table = description["BackupDetails"], description["SourceTableDetails"]
    print_pairs([
        ("backup", details["BackupName"]),
        ("status", details["BackupStatus"]),
        ("table", table["TableName"]),
        ("items", f"{table.get('ItemCount', 0):,}"),
        ("bytes", f"{details.get('BackupSizeBytes', 0):,}"),
        ("made", shown_time(details["BackupCreationDateTime"])),
        ("arn", details["BackupArn"]),
    ])  # fmt: skip
