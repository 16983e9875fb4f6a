"""The command of a system: `tour` and `load`, beside what the system adds itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from pksk import BatchIncomplete, OutcomeUnknown, RequestThrottled, ServiceError, Store, connect
from pksk.cli.app import run_command
from pksk.cli.commands import Command, Group
from pksk.cli.output import json_option

from .demonstration import demonstrate
from .loading import OtherLoad, begun
from .show import Printed
from .system import System

__all__ = ["command_of", "opened", "run_system", "tour_command"]

_MOST_ITEMS = 10_000_000
_SYSTEM = f"{__name__}.system"
_MEMORY = ("memory:", ":memory:")
# What a load may be begun again after.
_INTERRUPTIONS = (OutcomeUnknown, RequestThrottled, BatchIncomplete)
_GO_ON = "begin the same load again, and it goes on where it was."
F = TypeVar("F", bound=Callable[..., Any])


def command_of(system: System) -> Group:
    """A group with the commands that every system has; it takes more by `@app.command()`.

    Commands work on `--target`, which is a file in this folder unless it is given, or stands in PKSK_TARGET.
    """

    @click.group(cls=Group, name=system.name, help=f"{system.name}: {system.about}")
    @click.option(
        "--target",
        default=str(system.file),
        show_default=True,
        envvar="PKSK_TARGET",
        help="Where the data is: a file, memory:, http://host:port, dynamodb://region.",
    )
    @click.pass_context
    def app(context: click.Context, target: str) -> None:
        context.obj = target
        context.meta[_SYSTEM] = system

    app.command_class = Command
    app.add_command(tour_command(system))
    app.add_command(_load_command(system))
    return app


_target_option = click.option("--target", help="Where: a file, memory:, http://host:port, dynamodb://region.")


def _items_option(system: System) -> Callable[[F], F]:
    counts = click.IntRange(100, _MOST_ITEMS)
    return click.option(
        "--items", default=system.items, show_default=True, type=counts, help="About how many."
    )


def _target(context: click.Context, own: str | None, default: str) -> str:
    """The target of a command: its own, or the one before it where that was given or is in the environment."""
    assert context.parent is not None
    before = context.parent.get_parameter_source("target")
    return own or (default if before is click.core.ParameterSource.DEFAULT else context.obj)


def opened(context: click.Context, *, empty: bool = False) -> Store:
    """The store that a command works on; it is closed when the command ends.

    Refused where nothing is there, unless the command makes its tables itself and it may be `empty`, and where a load
    has not ended: what the rest of it stores does not go with what is changed meanwhile.
    """
    system: System = context.meta[_SYSTEM]
    fix = f"{context.find_root().info_name} --target {context.obj} load"
    if not empty and _is_new_file(context.obj):
        raise click.ClickException(
            f"There is no file {context.obj!r}, so nothing was loaded into it.\nFix: {fix}"
        )
    store = _connected(context)
    loading = begun(store, system.name)
    if loading is None and not empty and not _has_tables(store, system):
        fix = "name a --target that was loaded." if context.obj in _MEMORY else fix
        raise click.ClickException(f"{context.obj!r} has no tables of {system.name}.\nFix: {fix}")
    if loading is not None and not loading.ended:
        raise click.ClickException(
            f"The load into {context.obj!r} has not ended: {loading.stored:,} items so far.\n"
            f"Fix: {fix} --items {loading.items}"
        )
    return store


def _is_new_file(target: str) -> bool:
    return target not in _MEMORY and "://" not in target and not Path(target).exists()


def _connected(context: click.Context) -> Store:
    store: Store = context.with_resource(connect(context.obj))
    return store


def _has_tables(store: Store, system: System) -> bool:
    try:
        store.client.call("DescribeTable", {"TableName": system.tables[0].name})
    except ServiceError as error:
        if error.code != "ResourceNotFoundException":
            raise
        return False
    return True


def run_system(app: Group, name: str) -> int:
    """Run a system's command with the arguments of this process, and give its exit code."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return run_command(app, f"python -m {spec.parent if spec else f'examples.{name}'}")


def tour_command(system: System) -> Command:
    """The command that runs the tour, in memory unless it is told another place."""

    @click.command("tour", cls=Command)
    @_target_option
    @_items_option(system)
    @json_option
    @click.pass_context
    def tour(context: click.Context, target: str | None, items: int, wants_json: bool) -> None:
        """Fill an empty place with generated data, ask every question, and check answers and prices.

        It runs in memory, unless a target is given.
        """
        if demonstrate([system], _target(context, target, "memory:"), items, as_json=wants_json):
            raise click.exceptions.Exit(1)

    assert isinstance(tour, Command)
    return tour


def _load_command(system: System) -> Command:
    @click.command("load", cls=Command)
    @_items_option(system)
    @_target_option
    @click.pass_context
    def load(context: click.Context, target: str | None, items: int) -> None:
        """Store generated data; after an interruption, begin it again: what is there stays as it is."""
        context.obj = _target(context, target, context.obj)
        shown = Printed()
        try:
            done = system.load(_connected(context), items, lambda done: shown.progress("items", done, items))
        except OtherLoad as other:
            raise click.ClickException(str(other)) from other
        except _INTERRUPTIONS as error:
            raise click.ClickException(f"{error.problem}\nFix: {_GO_ON}") from error
        except KeyboardInterrupt:
            shown.done()
            click.echo(f"Stopped. {_GO_ON[0].upper()}{_GO_ON[1:]}", err=True)
            raise
        shown.filled(f"items in {context.obj}", done)

    assert isinstance(load, Command)
    return load
