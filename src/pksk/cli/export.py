"""The command `pksk export`."""

from __future__ import annotations

from pathlib import Path

import click

from pksk.cli.commands import command
from pksk.cli.database_file import check_table, data_option, open_database
from pksk.cli.output import json_option, print_json, print_pairs
from pksk.cli.progress import transfer_progress
from pksk.transfer import Export, export_table
from pksk.transfer.export_layout import ROOT, UNFINISHED

__all__ = ["export"]


@command("pksk export orders exports", "pksk export orders exports --data shop.db --segments 4 --json")
@click.argument("table")
@click.argument("folder", type=click.Path(path_type=Path))
@data_option
@click.option("--segments", type=int, default=1, metavar="N", help="Write N files, side by side.")
@json_option
def export(table: str, folder: Path, data: Path, segments: int, wants_json: bool) -> None:
    """Export a table to files of DynamoDB JSON.

    FOLDER is made where it is missing, and gets AWSDynamoDB/<id> with manifests and data, laid out as exports of AWS
    to S3 are. The export appears when it is complete. No other program writes to FILE meanwhile, so it is the table
    at one moment.
    """
    with open_database(data) as engine, transfer_progress() as tell:
        check_table(engine, data, table)
        made = export_table(engine, table, folder, segments=segments, progress=tell)
    left = [str(path) for path in sorted((folder / ROOT).glob(f"*{UNFINISHED}"))]
    if wants_json:
        print_json(_document(table, made, left))
        return
    size = made.summary["billedSizeBytes"]
    files = f"{len(made.files):,} {'file' if len(made.files) == 1 else 'files'}"
    print_pairs([
        ("table", table),
        ("items", f"{made.item_count:,} in {files}"),
        ("bytes", f"{size:,}"),
        ("folder", str(made.folder)),
        *(("unfinished", f"{path}: of an export that still runs or was broken off") for path in left),
    ])  # fmt: skip


def _document(table: str, made: Export, left: list[str]) -> dict[str, object]:
    return {
        "table": table,
        "folder": str(made.folder),
        "files": [str(each.path) for each in made.files],
        "items": made.item_count,
        "bytes": made.summary["billedSizeBytes"],
        "unfinished": left,
    }
