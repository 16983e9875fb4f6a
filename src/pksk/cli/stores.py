"""Opens the store of a command that creates nothing: a file must exist."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pksk.cli.database_file import FILE_SUFFIXES
from pksk.connection import connect
from pksk.connection.target import Embedded, read_target
from pksk.store import Store
from pksk.transfer.file_errors import missing_file_error

on_option = click.option(
    "--on", "target", metavar="TARGET", help="A file, a URL or dynamodb://REGION; by default pksk.db here."
)


def connect_existing(target: str | None) -> Store:
    """A store on a target."""
    place = read_target(target)
    if isinstance(place, Embedded) and place.path != ":memory:" and not os.path.lexists(place.path):
        expected = "The tables are in one file, which you name with --on."
        raise missing_file_error(Path(place.path), expected=expected, ignore=FILE_SUFFIXES[1:])
    return connect(target)
