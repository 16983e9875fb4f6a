"""The command `pksk backup list`."""

from __future__ import annotations

from pathlib import Path

import click

from pksk.cli.backup.found import backups_of, shown_time
from pksk.cli.commands import command
from pksk.cli.data_file import check_table, data_option, opened
from pksk.cli.output import json_option, print_json, print_table

__all__ = ["list_"]


@command("pksk backup list", "pksk backup list orders --json", name="list")
@click.argument("table", required=False)
@data_option
@json_option
def list_(table: str | None, data: Path, wants_json: bool) -> None:
    """List backups, all or those of TABLE, which may be deleted since."""
    with opened(data) as engine:
        summaries = backups_of(engine, table)
        if table and not summaries:
            check_table(engine, data, table)
    if wants_json:
        print_json({"backups": summaries})
        return
    if not summaries:
        click.echo("No backups.")
        return
    rows = [
        [
            each["BackupName"],
            each["TableName"],
            f"{each.get('BackupSizeBytes', 0):,}",
            shown_time(each["BackupCreationDateTime"]),
        ]
        for each in summaries
    ]
    print_table(["Backup", "Table", "Bytes", "Made"], rows, right=[2])
