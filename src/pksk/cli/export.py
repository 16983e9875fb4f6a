"""The command `pksk export`."""

from __future__ import annotations

from pathlib import Path

import click

from pksk.cli.commands import command
from pksk.cli.database_file import check_table, data_option, open_database
from pksk.cli.output import json_option, print_json, print_pairs, transfer_progress
from pksk.transfer import Export, export_table
from pksk.transfer.export_files import ROOT, UNFINISHED


@command("pksk export orders exports", "pksk export orders exports --data shop.db --segments 4 --json")
@click.argument("table")
@click.argument("folder", type=click.Path(path_type=Path))
@data_option
@click.option("--segments", type=int, default=1, metavar="N", help="Scan and write N files in parallel.")
@json_option
def export(table: str, folder: Path, data: Path, segments: int, wants_json: bool) -> None:
    """Export a table to files of DynamoDB JSON.

    FOLDER is created if it is missing, and gets AWSDynamoDB/<id> with manifests and data, in the layout of exports of
    AWS to S3. The export appears when it is complete. No other program can write to FILE meanwhile, so the export is
    the table at one moment.
    """
    with open_database(data) as engine, transfer_progress() as progress:
        check_table(engine, data, table)
        exported = export_table(engine, table, folder, segments=segments, progress=progress)
    unfinished = [str(path) for path in sorted((folder / ROOT).glob(f"*{UNFINISHED}"))]
    if wants_json:
        print_json(_document(table, exported, unfinished))
        return
    files = f"{len(exported.files):,} {'file' if len(exported.files) == 1 else 'files'}"
    print_pairs([
        ("table", table),
        ("items", f"{exported.item_count:,} in {files}"),
        ("bytes", f"{exported.summary['billedSizeBytes']:,}"),
        ("folder", str(exported.folder)),
        *(("unfinished", f"{path}: an export that still runs or has failed") for path in unfinished),
    ])  # fmt: skip


def _document(table: str, exported: Export, unfinished: list[str]) -> dict[str, object]:
    return {
        "table": table,
        "folder": str(exported.folder),
        "files": [str(each.path) for each in exported.files],
        "items": exported.item_count,
        "bytes": exported.summary["billedSizeBytes"],
        "unfinished": unfinished,
    }
