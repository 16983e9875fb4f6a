"""The commands `pksk backup ...`: backups of tables, stored in the same file as the tables."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click

from pksk.cli.commands import Group
from pksk.cli.database_file import check_table, data_option, list_all, open_database
from pksk.cli.output import json_option, print_json, print_pairs, print_table
from pksk.client import Client
from pksk.errors import PkskError, did_you_mean, quote


@click.group(
    cls=Group,
    examples=(
        "pksk backup create orders --name before-migration",
        "pksk backup list",
        "pksk backup restore nightly orders-restored",
    ),
)
def backup() -> None:
    """Back up tables, and restore them.

    A backup is one table at one moment, stored in the same file as the tables. BACKUP is its name, or its ARN
    if several backups have that name.
    """


# The name of a backup is the table and the time, in at most 255 characters.
_LONGEST_TABLE_PART: Final = 230


@backup.command(examples=("pksk backup create orders", "pksk backup create orders --name before-migration"))
@click.argument("table")
@click.option("--name", metavar="NAME", help="The name of the backup; by default the table and the time.")
@data_option
@json_option
def create(table: str, name: str | None, data: Path, wants_json: bool) -> None:
    """Back up a table."""
    name = name or f"{table[:_LONGEST_TABLE_PART]}-{datetime.now(UTC).strftime('%Y-%m-%d-%H%M%S')}"
    with open_database(data) as engine:
        check_table(engine, data, table)
        details = engine.call("CreateBackup", {"TableName": table, "BackupName": name})["BackupDetails"]
    if wants_json:
        print_json(details)
        return
    print_pairs([
        ("backup", details["BackupName"]),
        ("table", table),
        ("bytes", f"{details.get('BackupSizeBytes', 0):,}"),
        ("created", format_time(details["BackupCreationDateTime"])),
        ("arn", details["BackupArn"]),
    ])  # fmt: skip


@backup.command(name="list", examples=("pksk backup list", "pksk backup list orders --json"))
@click.argument("table", required=False)
@data_option
@json_option
def list_(table: str | None, data: Path, wants_json: bool) -> None:
    """List all backups, or those of TABLE, even if it was deleted."""
    with open_database(data) as engine:
        summaries = all_backups(engine, table)
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
            format_time(each["BackupCreationDateTime"]),
        ]
        for each in summaries
    ]
    print_table(["Backup", "Table", "Bytes", "Created"], rows, right=[2])


@backup.command(examples=("pksk backup describe nightly", "pksk backup describe nightly --json"))
@click.argument("backup")
@data_option
@json_option
def describe(backup: str, data: Path, wants_json: bool) -> None:
    """Describe a backup and its table."""
    with open_database(data) as engine:
        arn = find_backup(engine, backup)["BackupArn"]
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
        ("created", format_time(details["BackupCreationDateTime"])),
        ("arn", details["BackupArn"]),
    ])  # fmt: skip


@backup.command(examples=("pksk backup delete nightly",))
@click.argument("backup")
@data_option
@json_option
def delete(backup: str, data: Path, wants_json: bool) -> None:
    """Delete a backup; the table stays as it is."""
    with open_database(data) as engine:
        summary = find_backup(engine, backup)
        engine.call("DeleteBackup", {"BackupArn": summary["BackupArn"]})
    if wants_json:
        print_json({"deleted": summary["BackupName"], "arn": summary["BackupArn"]})
    else:
        click.echo(f"Deleted backup {summary['BackupName']} of table {summary['TableName']}.")


@backup.command(examples=("pksk backup restore nightly orders-restored",))
@click.argument("backup")
@click.argument("table")
@data_option
@json_option
def restore(backup: str, table: str, data: Path, wants_json: bool) -> None:
    """Restore a backup into a new table."""
    with open_database(data) as engine:
        arn = find_backup(engine, backup)["BackupArn"]
        engine.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": table})
        description = engine.call("DescribeTable", {"TableName": table})["Table"]
    if wants_json:
        print_json(
            {"table": table, "items": description["ItemCount"], "bytes": description["TableSizeBytes"]}
        )
        return
    print_pairs([
        ("table", f"{table}, created now"),
        ("items", f"{description['ItemCount']:,}"),
        ("bytes", f"{description['TableSizeBytes']:,}"),
    ])  # fmt: skip


def all_backups(client: Client, table: str | None = None) -> list[dict[str, Any]]:
    """The summaries of all backups, or of those of a table."""
    request = {"BackupType": "ALL"} | ({"TableName": table} if table else {})
    return list_all(client, "ListBackups", "BackupSummaries", "BackupArn", request)


def find_backup(client: Client, name: str) -> Mapping[str, Any]:
    """The summary of the one backup with this name or ARN."""
    summaries = all_backups(client)
    matches = [each for each in summaries if name in (each["BackupName"], each["BackupArn"])]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise PkskError(
            "backup-several",
            f"{len(matches):,} backups are called {quote(name)}.",
            expected=f"Their ARNs are: {', '.join(each['BackupArn'] for each in matches[:5])}.",
            fix="write the ARN instead of the name.",
        )
    names = [each["BackupName"] for each in summaries]
    near = did_you_mean(name, names)
    raise PkskError(
        "backup-missing",
        f"There is no backup {quote(name)}.",
        expected=f"Backups are: {', '.join(names[:20])}." if names else "There are no backups in this file.",
        fix=f"did you mean {quote(near)}?" if near else "see pksk backup list.",
    )


def format_time(seconds: float) -> str:
    """A timestamp of DynamoDB as text."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
