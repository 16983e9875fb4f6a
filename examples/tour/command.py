"""The command of a system: `tour` and `load`, beside what the system adds itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pksk import Store, connect
from pksk.cli.commands import Command, Group
from pksk.cli.output import json_option
from pksk.cli.run import run_command

from .demonstration import demonstrate
from .show import Printed
from .system import System
from .there import OtherData

__all__ = ["command_of", "opened", "run_system", "tour_command"]

_MOST_ITEMS = 10_000_000
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


def opened(context: click.Context) -> Store:
    """The store that a command works on; it is closed when the command ends."""
    store: Store = context.with_resource(connect(context.obj))
    return store


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
            done = system.load(opened(context), items, lambda done: shown.progress("items", done, items))
        except OtherData as other:
            raise click.ClickException(str(other)) from other
        shown.filled(f"items in {context.obj}", done)

    assert isinstance(load, Command)
    return load
