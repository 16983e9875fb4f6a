"""The command `pksk backup delete`."""

from __future__ import annotations

from pathlib import Path

import click

from pksk.cli.backup.found import found
from pksk.cli.commands import command
from pksk.cli.data_file import data_option, opened
from pksk.cli.output import json_option, print_json

__all__ = ["delete"]


@command("pksk backup delete nightly")
@click.argument("backup")
@data_option
@json_option
def delete(backup: str, data: Path, wants_json: bool) -> None:
    """Delete a backup; the table stays as it is."""
    with opened(data) as engine:
        summary = found(engine, backup)
        engine.call("DeleteBackup", {"BackupArn": summary["BackupArn"]})
    if wants_json:
        print_json({"deleted": summary["BackupName"], "arn": summary["BackupArn"]})
    else:
        click.echo(f"Deleted backup {summary['BackupName']} of table {summary['TableName']}.")
