"""Opens the database file of a command, and checks that it has the table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click

from pksk.client import Client, ServiceError
from pksk.engine import Engine
from pksk.engine.storage import Durable, open_storage
from pksk.errors import FileError, PkskError, did_you_mean, quote
from pksk.transfer.file_errors import missing_file_error

# The files of an open database.
FILE_SUFFIXES = ("", "-wal", "-lock")


def _check_on_disk(_context: click.Context, _option: click.Parameter, data: Path) -> Path:
    if str(data) in (":memory:", "memory:"):
        raise click.BadParameter("tables in memory are lost when the command ends; name a file.")
    return data


data_option = click.option(
    "--data",
    "data",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=Path("pksk.db"),
    show_default=True,
    callback=_check_on_disk,
    help="The file that holds the tables.",
)


@contextmanager
def open_database(data: Path, *, create: bool = False, durable: Durable = True) -> Iterator[Engine]:
    """An engine on a file, which must exist unless `create` is set.

    `durable="closed"` waits for the disk once, at the end. A new file without tables is removed if the block fails.
    A `ServiceError` becomes a `PkskError`.
    """
    is_new = not os.path.lexists(data)
    if is_new and not create:
        reject_missing(data)
    keep = True
    try:
        with Engine.on(open_storage(data, durable=durable)) as engine:
            try:
                yield engine
            except ServiceError as error:
                _reject_call(data, error)
            finally:
                keep = not is_new or _has_tables(engine)
    finally:
        if not keep:
            _remove(data)


def _has_tables(engine: Engine) -> bool:
    try:
        return bool(_table_names(engine))
    except ServiceError:  # the call that failed before has the reason
        return True


def _remove(data: Path) -> None:
    for ending in FILE_SUFFIXES:
        Path(f"{data}{ending}").unlink(missing_ok=True)


def list_all(
    client: Client, operation: str, member: str, cursor: str, request: Mapping[str, str] | None = None
) -> list[Any]:
    """What all pages of ListTables or ListBackups hold in `member`."""
    entries: list[Any] = []
    start = dict(request or {})
    while True:
        answer = client.call(operation, start)
        entries += answer[member]
        if f"LastEvaluated{cursor}" not in answer:
            return entries
        start[f"ExclusiveStart{cursor}"] = answer[f"LastEvaluated{cursor}"]


def _table_names(client: Client) -> list[str]:
    return list_all(client, "ListTables", "TableNames", "TableName")


def check_table(client: Client, data: Path, table: str) -> None:
    """Raise an error for a table that does not exist, with the nearest name."""
    names = _table_names(client)
    if table in names:
        return
    near = did_you_mean(table, names)
    tables = f"Tables are: {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}."
    raise PkskError(
        "table-missing",
        f"{data} has no table {quote(table)}.",
        expected=tables if names else "It has no tables.",
        fix=f"did you mean {quote(near)}?" if near else "write one of these, or another file with --data.",
    )


def reject_missing(data: Path) -> NoReturn:
    """Raise an error for a database file that does not exist, with the nearest name."""
    expected = "The tables are in one file, which you name with --data."
    raise missing_file_error(data, expected=expected, ignore=FILE_SUFFIXES[1:])


def _reject_call(data: Path, error: ServiceError) -> NoReturn:
    if error.code == "InternalServerError":  # a storage error, which DynamoDB itself does not have
        raise FileError(
            "storage-unusable",
            f"{data} cannot be used: {(error.message or '').rstrip('.')}.",
            expected="The file is on a local disk with free space.",
            fix="check the disk, and try again; every write was either applied completely or not at all.",
        ) from error
    raise PkskError(
        "service-rejected",
        f"{str(error).rstrip('.')}.",
        expected="This is DynamoDB's own message.",
        fix="correct what the message names, and try again.",
    ) from error
