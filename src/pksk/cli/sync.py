"""The commands `pksk sync ...`: an embedded search index that follows its tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from pksk.cli.commands import Group
from pksk.cli.database_file import FILE_SUFFIXES
from pksk.cli.output import json_option, print_json, print_pairs, print_table
from pksk.cli.target_import import import_target, locate_target, on_path
from pksk.connection import connect
from pksk.connection.target import Embedded, read_target
from pksk.dataclass import dataclass
from pksk.errors import FileError, did_you_mean, quote
from pksk.search import EmbeddedSink, SearchIndex, Sync, Verified
from pksk.transfer.file_errors import missing_file_error

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class _Opened:
    """A sync with its sink, and the file of the index."""

    sync: Sync
    sink: EmbeddedSink
    path: Path


@click.group(
    cls=Group,
    examples=(
        "pksk sync run places.py --no-follow --on pksk.db",
        "pksk sync status places.py --on pksk.db",
        "pksk sync verify places.py --on pksk.db",
    ),
)
def sync() -> None:
    """Keep a search index in step with its tables, and verify it."""


def _options(command: F) -> F:
    """The arguments that all of these commands have."""
    for option in (
        click.option(
            "--file", "path", metavar="FILE", type=click.Path(),
            help="The file of the index; by default NAME.search.db here.",
        ),
        click.option(
            "--on", "database", metavar="DATABASE",
            help="A file, a URL or dynamodb://REGION; by default pksk.db here.",
        ),
        click.argument("target"),
    ):  # fmt: skip
        command = option(command)
    return command


@contextmanager
def _open(target: str, database: str | None, path: str | None) -> Iterator[_Opened]:
    where = locate_target(target)
    index = _find_index(vars(import_target(where)), where.text, where.name)
    place = read_target(database)
    if isinstance(place, Embedded) and place.path != ":memory:" and not os.path.lexists(place.path):
        expected = "The tables are in one file, which you name with --on."
        raise missing_file_error(Path(place.path), expected=expected, ignore=FILE_SUFFIXES[1:])
    file = Path(path or f"{index.name}.search.db")
    with on_path(where.folders), connect(database) as db, EmbeddedSink(index, file) as sink:
        yield _Opened(Sync(db, index, sink), sink, file)


def _find_index(names: dict[str, Any], text: str, name: str) -> SearchIndex:
    indexes = {each: value for each, value in names.items() if isinstance(value, SearchIndex)}
    if name in indexes:
        return indexes[name]
    if not name and len(set(map(id, indexes.values()))) == 1:
        return next(iter(indexes.values()))
    near = did_you_mean(name, indexes) if name else None
    raise FileError(
        "sync-target",
        f"{text} has {'no index ' + quote(name) if name else f'{len(indexes)} search indexes'}.",
        expected=f"Search indexes in it are: {', '.join(indexes) or 'none'}.",
        fix=f"did you mean {quote(near)}?"
        if near
        else "name one after a colon: places.py:places, where places = SearchIndex(...).",
    )


@sync.command(
    examples=(
        "pksk sync run places.py --on pksk.db",
        "pksk sync run places.py:places --no-follow --on pksk.db",
    )
)
@_options
@click.option(
    "--follow/--no-follow", default=True, show_default=True, help="Wait for more changes, until Ctrl-C."
)
def run(target: str, database: str | None, path: str | None, follow: bool) -> None:
    """Apply the changes of the tables to the index.

    TARGET is a module or a file with a SearchIndex. Start it several times on a server, and the programs share the
    work. Fill a new index with pksk sync backfill.
    """
    with _open(target, database, path) as opened:
        opened.sync.run(follow=follow)
        counts = opened.sync.counts
    click.echo(
        f"{counts.applied:,} items written, {counts.superseded:,} superseded, {counts.rejected:,} dead letters."
    )


@sync.command(examples=("pksk sync backfill places.py --on pksk.db",))
@_options
@json_option
def backfill(target: str, database: str | None, path: str | None, wants_json: bool) -> None:
    """Write every item that the index does not have.

    Programs that apply changes may run beside it.
    """
    with _open(target, database, path) as opened:
        done = opened.sync.backfill()
    if wants_json:
        print_json({name: getattr(done, name) for name in done.__dataclass_fields__})
        return
    click.echo(
        f"{done.items:,} items read, {done.applied:,} written, {done.rejected:,} dead letters, "
        f"{done.read_units:,.1f} read units."
    )


@sync.command(
    examples=(
        "pksk sync rebuild places.py --on pksk.db", "pksk sync rebuild places.py --on pksk.db --max-read-units 5000",
    )
)  # fmt: skip
@_options
@click.option("--max-read-units", type=float, metavar="UNITS", help="Stop before more are used for a table.")
def rebuild(target: str, database: str | None, path: str | None, max_read_units: float | None) -> None:
    """Make the index anew from its tables, after missed changes.

    Without all read units that it takes, the next call goes on. Programs that apply changes must be stopped.
    """
    with _open(target, database, path) as opened:
        results = opened.sync.rebuild(max_read_units=max_read_units)
    units = sum(each.read_units for each in results)
    end = "complete" if all(each.complete for each in results) else "not complete yet: run it again"
    click.echo(f"{sum(each.items for each in results):,} items written, {units:,.1f} read units; {end}.")


@sync.command(
    examples=("pksk sync status places.py --on pksk.db", "pksk sync status places.py --on pksk.db --json")
)
@_options
@json_option
def status(target: str, database: str | None, path: str | None, wants_json: bool) -> None:
    """Print how far behind the index is, and how many items it has."""
    with _open(target, database, path) as opened:
        tables = opened.sync.status()
        items = sum(each.count for each in opened.sink.digests().values())
        letters = len(opened.sync.dead_letters())
    if wants_json:
        print_json({"items": items, "dead_letters": letters, "tables": [each.data() for each in tables]})
        return
    print_pairs([("file", str(opened.path)), ("items", f"{items:,}"), ("dead letters", f"{letters:,}")])
    click.echo()
    rows = []
    for each in tables:
        ages = [shard.behind_seconds for shard in each.shards if not shard.ended]
        known = [age for age in ages if age is not None]
        behind = "?" if len(known) < len(ages) else f"{max(known, default=0):,.0f} s"
        rows.append((each.table, each.consumer, each.condition, behind, str(each.workers)))
    print_table(("Table", "Consumer", "Condition", "Behind", "Workers"), rows, right=(3, 4))


@sync.command(
    examples=("pksk sync verify places.py --on pksk.db", "pksk sync verify places.py --on pksk.db --repair")
)
@_options
@click.option("--deep", is_flag=True, help="Also find documents that were edited by hand in the index.")
@click.option("--repair", is_flag=True, help="Write the items that differ as they are in the tables.")
@click.option(
    "--settle", type=float, default=5.0, show_default=True, metavar="SECONDS",
    help="How long a difference may be a change on its way.",
)  # fmt: skip
@json_option
@click.pass_context
def verify(
    context: click.Context, target: str, database: str | None, path: str | None, deep: bool, repair: bool,
    settle: float, wants_json: bool,
) -> None:  # fmt: skip
    """Compare the index with its tables, and repair it.

    Digests of buckets are compared, and where they differ, items. The exit code is 1 if items differ, also after a
    repair if some still cannot be indexed.
    """
    with _open(target, database, path) as opened:
        found = opened.sync.verify(deep=deep, settle_seconds=settle)
        remaining = found
        if repair and not found.agrees:
            opened.sync.repair(found)
            remaining = opened.sync.verify(deep=deep, settle_seconds=settle)
    if wants_json:
        print_json(_data(found) | ({"remaining": len(remaining.differences)} if repair else {}))
    else:
        _print(found)
        if repair and not found.agrees:
            click.echo(f"{len(found.differences) - len(remaining.differences):,} repaired.")
    if not remaining.agrees:
        context.exit(1)


def _print(found: Verified) -> None:
    if not found.agrees:
        rows = [(each.kind, each.table, each.id, each.reason.split("\n")[0]) for each in found.differences]
        print_table(("Difference", "Table", "Id", "Reason"), rows)
    count = len(found.differences) or "none"
    click.echo(f"{found.items:,} items, {count} differ; {found.read_units:,.1f} read units.")


def _data(found: Verified) -> dict[str, Any]:
    names = ("id", "table", "kind", "reason")
    differences = [{name: getattr(each, name) for name in names} for each in found.differences]
    return {"items": found.items, "read_units": found.read_units, "differences": differences}


@sync.command(
    name="dead-letters",
    examples=(
        "pksk sync dead-letters places.py --on pksk.db",
        "pksk sync dead-letters places.py --on pksk.db --retry",
    ),
)
@_options
@click.option("--retry", is_flag=True, help="Read the items again, and write those that can be indexed now.")
@json_option
def dead_letters(target: str, database: str | None, path: str | None, retry: bool, wants_json: bool) -> None:
    """List or retry items that could not be indexed.

    They keep their former documents.
    """
    with _open(target, database, path) as opened:
        letters = opened.sync.dead_letters()
        if retry:
            statuses = [opened.sync.retry(each).status for each in letters]
            letters = opened.sync.dead_letters()
    written = len(statuses) - len(letters) if retry else 0
    if wants_json:
        listed = [
            {"id": each.id, "table": each.table, "reason": each.reason, "count": each.count}
            for each in letters
        ]
        print_json({"dead_letters": listed, "retried": written})
        return
    if letters:
        print_table(
            ("Table", "Id", "Reason"), [(each.table, each.id, each.reason.split("\n")[0]) for each in letters]
        )
    click.echo(f"{written:,} written, {len(letters):,} left." if retry else f"{len(letters):,} dead letters.")
