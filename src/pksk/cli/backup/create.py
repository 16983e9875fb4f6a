"""The command `pksk backup create`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from pksk.cli.backup.found import shown_time
from pksk.cli.commands import command
from pksk.cli.data_file import check_table, data_option, opened
from pksk.cli.output import json_option, print_json, print_pairs

__all__ = ["create"]

# Of a table's name in the name of a backup, which has 255 characters at most, and the time among them.
_LONGEST: Final = 230


@command("pksk backup create orders", "pksk backup create orders --name before-migration")
@click.argument("table")
@click.option(
    "--name", metavar="NAME", help="What to call it; the table and the time, unless you say otherwise."
)
@data_option
@json_option
def create(table: str, name: str | None, data: Path, wants_json: bool) -> None:
    """Back up a table."""
    called = name or f"{table[:_LONGEST]}-{datetime.now(UTC).strftime('%Y-%m-%d-%H%M%S')}"
    with opened(data) as engine:
        check_table(engine, data, table)
        details = engine.call("CreateBackup", {"TableName": table, "BackupName": called})["BackupDetails"]
    if wants_json:
        print_json(details)
        return
    print_pairs([
        ("backup", details["BackupName"]),
        ("table", table),
        ("bytes", f"{details.get('BackupSizeBytes', 0):,}"),
        ("made", shown_time(details["BackupCreationDateTime"])),
        ("arn", details["BackupArn"]),
    ])  # fmt: skip
