"""The command `pksk import`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pksk.cli.commands import Choice, command
from pksk.cli.database_file import data_option, open_database
from pksk.cli.output import json_option, print_json, print_pairs, transfer_progress
from pksk.errors import FileError, InvalidValue, quote
from pksk.transfer import ImportResult, import_table
from pksk.transfer.csv_rows import DELIMITERS
from pksk.transfer.file_errors import missing_file_error, unreadable_file_error
from pksk.transfer.item_file import FORMATS

_DELIMITERS = {name: character for character, name in DELIMITERS.items()}


@command(
    "pksk import exports orders-copy",
    "pksk import orders.csv orders-csv --key customer:S --sort number:N",
    "pksk import exports orders --append --json",
    name="import",
)
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("table")
@data_option
@click.option("--key", "partition", metavar="NAME:TYPE", help="The partition key, of type S, N or B.")
@click.option("--sort", metavar="NAME:TYPE", help="The sort key, of type S, N or B.")
@click.option(
    "--create", metavar="FILE", type=click.Path(path_type=Path), help="A CreateTable request for the table."
)  # fmt: skip
@click.option(
    "--format", "form", type=Choice(FORMATS), help="The format of the files, if their names do not show it."
)
@click.option("--delimiter", type=Choice(list(_DELIMITERS)), help="The delimiter between the columns of CSV.")
@click.option("--header", metavar="NAMES", help="The column names of CSV without a header line, with commas.")
@click.option("--append", is_flag=True, help="Add to a table with items, and overwrite equal keys.")
@click.option("--restart", is_flag=True, help="First delete the table of an import that was killed.")
@click.option("--skip-bad", is_flag=True, help="Skip wrong lines, and count them.")
@json_option
def import_(source: Path, table: str, data: Path, wants_json: bool, **options: Any) -> None:
    """Import an export, or files of items, into a table.

    SOURCE is an export, a folder of files, or one file, in DynamoDB JSON or CSV, plain or with gzip. All files are
    checked before TABLE is created. An export of pksk has its definition; otherwise write the keys, or create the table
    first. In CSV, all values but keys are strings. Of lines with one key the last one stays.
    """
    create = options.pop("create")
    keys = _keys(options.pop("partition"), options.pop("sort"))
    delimiter, header = options.pop("delimiter"), options.pop("header")
    with open_database(data, create=True, durable="closed") as engine, transfer_progress() as progress:
        imported = import_table(
            engine,
            source,
            table,
            keys=keys,
            create=_read_request(create) if create else None,
            delimiter=_DELIMITERS[delimiter] if delimiter else None,
            header=None if header is None else header.split(","),
            progress=progress,
            **options,
        )
    (_print_document if wants_json else _print)(imported)


def _keys(partition: str | None, sort: str | None) -> dict[str, str] | None:
    if partition is None:
        if sort is not None:
            raise click.UsageError("--sort needs --key: a table has a partition key.")
        return None
    keys = [_parse_key("--key", partition)]
    if sort is not None:
        keys.append(_parse_key("--sort", sort))
    if len(dict(keys)) < len(keys):
        raise click.UsageError(
            f"--key and --sort both name {quote(keys[0][0])}: a table has two different keys."
        )
    return dict(keys)


def _parse_key(option: str, text: str) -> tuple[str, str]:
    name, colon, kind = text.rpartition(":")
    if not name or not colon or kind not in ("S", "N", "B"):
        raise InvalidValue(
            "import-keys",
            f"{option} {quote(text)} is not a key attribute and its type.",
            expected="A key has type S, N or B.",
            fix=f"write {option} {name or text}:{kind.upper() if name and kind.upper() in ('S', 'N', 'B') else 'S'}.",
        )
    return name, kind


def _read_request(path: Path) -> dict[str, Any]:
    try:
        request = json.loads(path.read_text("utf-8"))
        if not isinstance(request, dict):
            raise ValueError("it is not an object")
    except FileNotFoundError:
        raise missing_file_error(path) from None
    except OSError as error:
        raise unreadable_file_error(str(path), error) from None
    except ValueError as error:
        raise FileError(
            "file-json",
            f"{path}: not JSON: {error}.",
            expected="The file has one CreateTable request, as for aws dynamodb create-table --cli-input-json.",
            fix="correct it; jq . FILE finds the line.",
        ) from None
    return request


def _print(imported: ImportResult) -> None:
    files = f"{imported.files:,} {'file' if imported.files == 1 else 'files'}"
    problems = [("", each.problem.problem) for each in imported.problems]
    print_pairs([
        ("table", f"{imported.table}{', created now' if imported.created else ''}"),
        ("items", f"{imported.items:,} from {files}"),
        ("bytes", f"{imported.size_bytes:,}"),
        *([("skipped", f"{imported.skipped:,} {'line' if imported.skipped == 1 else 'lines'}")] if problems else []),
        *problems,
    ])  # fmt: skip


def _print_document(imported: ImportResult) -> None:
    print_json({
        "table": imported.table,
        "created": imported.created,
        "files": imported.files,
        "items": imported.items,
        "bytes": imported.size_bytes,
        "skipped": imported.skipped,
        "problems": [
            {"code": each.problem.code, "problem": each.problem.problem, "fix": each.problem.fix}
            for each in imported.problems
        ],
    })  # fmt: skip
