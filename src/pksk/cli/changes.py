"""The commands `pksk changes ...`: consumers of changes, records as they come, and dead letters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import click
import orjson

from pksk.changes import ConsumerStatus, ShardStatus, consumer_metrics, consumers
from pksk.changes import tail as tail_records
from pksk.cli.commands import Group
from pksk.cli.output import json_option, print_json, print_pairs, print_table
from pksk.cli.stores import connect_existing, on_option
from pksk.errors import FileError, TableMissing, did_you_mean, quote
from pksk.schema import Table
from pksk.store import Store

_state = click.option(
    "--state",
    default="pksk-changes",
    show_default=True,
    metavar="TABLE",
    help="The table with the consumers.",
)


@click.group(
    cls=Group,
    examples=(
        "pksk changes status --on shop.db",
        "pksk changes tail shop --oldest --no-follow",
        "pksk changes dead-letters shop audit",
    ),
)
def changes() -> None:
    """Show consumers of changes, and changes as they come."""


@changes.command(examples=("pksk changes status", "pksk changes status --on shop.db --json"))
@on_option
@_state
@click.option("--metrics", is_flag=True, help="Print metrics in the format of Prometheus.")
@json_option
def status(target: str | None, state: str, metrics: bool, wants_json: bool) -> None:
    """Print how far behind every consumer is.

    For each shard: the age of the oldest change that was not processed, the position, the worker, and the epoch of its
    lease.
    """
    with connect_existing(target) as db:
        consumers = _consumers(db, state)
    if wants_json:
        print_json({"consumers": [each.data() for each in consumers]})
        return
    if metrics:
        click.echo(consumer_metrics(consumers), nl=False)
        return
    if not consumers:
        click.echo(f"No consumers in table {state}.")
    for number, each in enumerate(consumers):
        click.echo("\n" * bool(number), nl=False)
        print_pairs(list(_about(each)))
        open_shards = [shard for shard in each.shards if not shard.ended]
        click.echo()
        print_table(("Shard", "Behind", "Position", "Worker", "Epoch"), map(_row, open_shards), right=(1, 4))


def _consumers(db: Store, state: str) -> list[ConsumerStatus]:
    try:
        return consumers(db.client, state)
    except TableMissing:
        return []


def _about(each: ConsumerStatus) -> Iterator[tuple[str, str]]:
    yield "consumer", each.consumer
    yield "table", each.table
    yield "condition", f"{each.condition}: {each.reason}" if each.reason else each.condition
    yield "workers", f"{each.workers:,}"
    yield "dead letters", f"{each.dead_letters:,}"


def _row(shard: ShardStatus) -> tuple[str, str, str, str, str]:
    behind = "?" if shard.behind_seconds is None else f"{shard.behind_seconds:,.0f} s"
    return shard.shard, behind, shard.position or "oldest", shard.owner or "-", str(shard.epoch)


@changes.command(examples=("pksk changes tail shop", "pksk changes tail shop --oldest --no-follow --json"))
@click.argument("table")
@on_option
@click.option(
    "--oldest", is_flag=True, help="Begin with the oldest record; by default with those from now on."
)
@click.option("--follow/--no-follow", default=True, show_default=True, help="Wait for more, until Ctrl-C.")
@json_option
def tail(table: str, target: str | None, oldest: bool, follow: bool, wants_json: bool) -> None:
    """Print the changes of TABLE as they come.

    With --json, each line is the record of its stream.
    """
    with connect_existing(target) as db, _ctrl_c():
        for record in tail_records(db.client, table, oldest=oldest, follow=follow):
            line = orjson.dumps(record).decode() if wants_json else _line(record)
            click.echo(line)


@contextmanager
def _ctrl_c() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        click.echo()


def _line(record: Mapping[str, Any]) -> str:
    """A change in one line: when, what, which item, and what is different."""
    change = record["dynamodb"]
    at = change.get("ApproximateCreationDateTime")
    moment = (
        datetime.fromtimestamp(float(at), UTC).strftime("%H:%M:%S") if isinstance(at, int | float) else "-"
    )
    key = " ".join(f"{name}={_text(value)}" for name, value in change["Keys"].items())
    old, new = change.get("OldImage", {}), change.get("NewImage", {})
    names = [name for name in {**new, **old} if old.get(name) != new.get(name) and name not in change["Keys"]]
    details = ", ".join(_difference(name, old, new) for name in names) if old and new else ""
    return "  ".join(filter(None, (moment, record["eventName"].lower(), key, details)))


def _difference(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    before, after = (_text(image[name]) if name in image else "nothing" for image in (old, new))
    return f"{name}: {before} -> {after}"


def _text(value: Mapping[str, Any]) -> str:
    ((kind, inner),) = value.items()
    return quote(inner, limit=60) if kind == "S" else str(inner) if kind in ("N", "BOOL") else f"<{kind}>"


@changes.command(
    name="dead-letters",
    examples=("pksk changes dead-letters shop audit", "pksk changes dead-letters shop audit --drop all"),
)
@click.argument("table")
@click.argument("consumer")
@on_option
@_state
@click.option("--drop", metavar="ID", help="Drop the dead letter with this id, or 'all'.")
@json_option
def dead_letters(
    table: str, consumer: str, target: str | None, state: str, drop: str | None, wants_json: bool
) -> None:
    """List or drop changes that could not be processed.

    A program retries one with db.changes(...).retry(letter, handler), which reads its item again.
    """
    with connect_existing(target) as db:
        _check_consumer(db, table, consumer, state)
        reader = db.changes(Table(table), consumer=consumer, state=state)
        letters = reader.dead_letters()
        dropped = [each for each in letters if drop in (each.id, "all")]
        if drop and not dropped:
            near = did_you_mean(drop, [each.id for each in letters])
            raise FileError(
                "consumer-dead-letter",
                f"consumer {consumer!r} of table {table!r} has no dead letter {quote(drop)}.",
                fix=f"did you mean {near!r}?" if near else "list them without --drop.",
            )
        for each in dropped:
            reader.drop(each)
    listed = dropped if drop else letters
    if wants_json:
        print_json({"dead_letters": [_data(each) for each in listed], "dropped": len(dropped)})
    elif not listed:
        click.echo("No dead letters.")
    else:
        print_table(("Id", "Change", "Key", "Reason"), [_letter_row(each) for each in listed])
        click.echo(f"Dropped {len(dropped)}." if drop else f"{len(listed)} in all.")


def _check_consumer(db: Store, table: str, consumer: str, state: str) -> None:
    """Raise an error for a consumer that the table does not have, with the nearest name."""
    names = [each.consumer for each in _consumers(db, state) if each.table == table]
    if consumer in names:
        return
    near = did_you_mean(consumer, names)
    raise FileError(
        "consumer-missing",
        f"table {quote(table)} has no consumer {quote(consumer)}.",
        expected=f"Its consumers in table {state} are: {', '.join(names) or 'none'}.",
        fix=f"did you mean {quote(near)}?"
        if near
        else "list all with pksk changes status, or check --state.",
    )


def _data(letter: Any) -> dict[str, Any]:
    return {name: getattr(letter, name) for name in letter.__dataclass_fields__} | {
        "at": letter.at.isoformat()
    }


def _letter_row(letter: Any) -> tuple[str, str, str, str]:
    key = " ".join(f"{name}={_text(value)}" for name, value in letter.key.items())
    return letter.id, letter.kind, key, letter.reason
