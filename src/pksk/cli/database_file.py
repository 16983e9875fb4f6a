"""Opens the file of tables that a command works on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click

from pksk.client import Client, ServiceError
from pksk.engine import Engine
from pksk.engine.storage import Durable, open_storage
from pksk.errors import FileError, PkskError, did_you_mean, quote, quote_path

__all__ = ["check_table", "data_option", "open_database", "refuse_missing", "table_names"]

# What stands beside a file of tables while it is open.
_FILE_SUFFIXES = ("", "-wal", "-shm", "-lock")


def _check_on_disk(_context: click.Context, _option: click.Parameter, data: Path) -> Path:
    if str(data) in (":memory:", "memory:"):
        raise click.BadParameter("tables in memory are gone when the command ends; name a file.")
    return data


data_option = click.option(
    "--data",
    "data",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=Path("pksk.db"),
    show_default=True,
    callback=_check_on_disk,
    help="The file that tables are kept in.",
)


@contextmanager
def open_database(data: Path, *, create: bool = False, durable: Durable = True) -> Iterator[Engine]:
    """An engine on a file, which must be there unless it may be made.

    Who writes much waits for the disk once, with `durable="closed"`, instead of with each call. A file
    that was made and has no table when the block fails is removed again. What the engine refuses is an
    error of pksk.
    """
    is_new = not os.path.lexists(data)
    if is_new and not create:
        refuse_missing(data)
    keep = True
    try:
        with Engine.on(open_storage(data, durable=durable)) as engine:
            try:
                yield engine
            except ServiceError as error:
                _refuse_call(data, error)
            finally:
                keep = not is_new or _has_tables(engine)
    finally:
        if not keep:
            _remove(data)


def _has_tables(engine: Engine) -> bool:
    try:
        return bool(table_names(engine))
    except ServiceError:  # it says already what is wrong with the file
        return True


def _remove(data: Path) -> None:
    for ending in _FILE_SUFFIXES:
        Path(f"{data}{ending}").unlink(missing_ok=True)


def table_names(client: Client) -> list[str]:
    """The names of all tables."""
    found: list[str] = []
    start: dict[str, str] = {}
    while True:
        answer = client.call("ListTables", start)
        found += answer["TableNames"]
        if "LastEvaluatedTableName" not in answer:
            return found
        start = {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}


def check_table(client: Client, data: Path, table: str) -> None:
    """Refuse a table that is not there, with the one that was probably meant."""
    names = table_names(client)
    if table in names:
        return
    near = did_you_mean(table, names)
    shown = f"Tables are: {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}."
    raise PkskError(
        "table-missing",
        f"{data} has no table {quote(table)}.",
        expected=shown if names else "It has no tables at all.",
        fix=f"did you mean {quote(near)}?" if near else "name one of them, or another file with --data.",
    )


def refuse_missing(data: Path) -> NoReturn:
    """Refuse a file that is not there, with the one that was probably meant."""
    names = os.listdir(data.parent) if data.parent.is_dir() else []
    near = did_you_mean(data.name, [name for name in names if not name.endswith(_FILE_SUFFIXES[1:])])
    raise FileError(
        "file-missing",
        f"{data}: there is no such file.",
        expected="Tables are kept in one file, which --data names.",
        fix=f"did you mean {quote_path(str(data.parent / near))}?"
        if near
        else "check the name and the folder.",
    )


def _refuse_call(data: Path, error: ServiceError) -> NoReturn:
    if error.code == "InternalServerError":  # our own word, and not one of DynamoDB's
        raise FileError(
            "storage-unusable",
            f"{data} cannot be used: {(error.message or '').rstrip('.')}.",
            expected="Tables are kept in a file on a local disk that has room.",
            fix="check the disk, and try again; nothing of it is half done.",
        ) from error
    raise PkskError(
        "service-refused",
        f"{str(error).rstrip('.')}.",
        expected="This is what DynamoDB says, in its own words.",
        fix="change what the message names, and try again.",
    ) from error
