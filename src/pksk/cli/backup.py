"""The commands `pksk backup ...`: backups of tables, kept in the file of the tables themselves."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click

from pksk.cli.commands import Group, command
from pksk.cli.database_file import check_table, data_option, open_database
from pksk.cli.output import json_option, print_json, print_pairs, print_table
from pksk.client import Client
from pksk.errors import PkskError, did_you_mean, quote

__all__ = [
    "all_backups",
    "backup",
    "create",
    "delete",
    "describe",
    "find_backup",
    "format_time",
    "list_",
    "restore",
]


@click.group(
    cls=Group,
    members={
        "create": "pksk.cli.backup:create",
        "list": "pksk.cli.backup:list_",
        "describe": "pksk.cli.backup:describe",
        "delete": "pksk.cli.backup:delete",
        "restore": "pksk.cli.backup:restore",
    },
    examples=(
        "pksk backup create orders --name before-migration",
        "pksk backup list",
        "pksk backup restore nightly orders-restored",
    ),
)
def backup() -> None:
    """Back up tables, and restore them.

    A backup is one table at one moment, kept in the same file as the tables. BACKUP is the name of one, or its ARN
    where several have the name.
    """


# Of a table's name in the name of a backup, which has 255 characters at most, and the time among them.
_LONGEST_TABLE_PART: Final = 230


@command("pksk backup create orders", "pksk backup create orders --name before-migration")
@click.argument("table")
@click.option(
    "--name", metavar="NAME", help="What to call it; the table and the time, unless you say otherwise."
)
@data_option
@json_option
def create(table: str, name: str | None, data: Path, wants_json: bool) -> None:
    """Back up a table."""
    called = name or f"{table[:_LONGEST_TABLE_PART]}-{datetime.now(UTC).strftime('%Y-%m-%d-%H%M%S')}"
    with open_database(data) as engine:
        check_table(engine, data, table)
        details = engine.call("CreateBackup", {"TableName": table, "BackupName": called})["BackupDetails"]
    if wants_json:
        print_json(details)
        return
    print_pairs([
        ("backup", details["BackupName"]),
        ("table", table),
        ("bytes", f"{details.get('BackupSizeBytes', 0):,}"),
        ("made", format_time(details["BackupCreationDateTime"])),
        ("arn", details["BackupArn"]),
    ])  # fmt: skip


@command("pksk backup list", "pksk backup list orders --json", name="list")
@click.argument("table", required=False)
@data_option
@json_option
def list_(table: str | None, data: Path, wants_json: bool) -> None:
    """List backups, all or those of TABLE, which may be deleted since."""
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
    print_table(["Backup", "Table", "Bytes", "Made"], rows, right=[2])


@command("pksk backup describe nightly", "pksk backup describe nightly --json")
@click.argument("backup")
@data_option
@json_option
def describe(backup: str, data: Path, wants_json: bool) -> None:
    """Describe a backup, and the table that it is of."""
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
        ("made", format_time(details["BackupCreationDateTime"])),
        ("arn", details["BackupArn"]),
    ])  # fmt: skip


@command("pksk backup delete nightly")
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


@command("pksk backup restore nightly orders-restored")
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
        ("table", f"{table}, made now"),
        ("items", f"{description['ItemCount']:,}"),
        ("bytes", f"{description['TableSizeBytes']:,}"),
    ])  # fmt: skip


def all_backups(client: Client, table: str | None = None) -> list[dict[str, Any]]:
    """All backups, or those of a table, as ListBackups summarises them."""
    request: dict[str, Any] = {"BackupType": "ALL"} | ({"TableName": table} if table else {})
    summaries: list[dict[str, Any]] = []
    while True:
        answer = client.call("ListBackups", request)
        summaries += answer["BackupSummaries"]
        if "LastEvaluatedBackupArn" not in answer:
            return summaries
        request["ExclusiveStartBackupArn"] = answer["LastEvaluatedBackupArn"]


def find_backup(client: Client, name: str) -> Mapping[str, Any]:
    """The summary of the one backup of this name or ARN."""
    every = all_backups(client)
    fitting = [each for each in every if name in (each["BackupName"], each["BackupArn"])]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise PkskError(
            "backup-several",
            f"{len(fitting):,} backups are called {quote(name)}.",
            expected=f"Their ARNs are: {', '.join(each['BackupArn'] for each in fitting[:5])}.",
            fix="name the one that you mean by its ARN.",
        )
    names = [each["BackupName"] for each in every]
    near = did_you_mean(name, names)
    raise PkskError(
        "backup-missing",
        f"There is no backup {quote(name)}.",
        expected=f"Backups are: {', '.join(names[:20])}." if names else "There are no backups in this file.",
        fix=f"did you mean {quote(near)}?" if near else "see pksk backup list.",
    )


def format_time(seconds: float) -> str:
    """A time of an answer, for people.

    Example:
        >>> format_time(1767225600.0)
        '2026-01-01 00:00:00 UTC'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
