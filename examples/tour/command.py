"""The command of a system: `tour` and `load`, and what the commands of several systems share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from pksk import BatchIncomplete, OutcomeUnknown, RequestThrottled, ServiceError, Store, connect
from pksk.cli.app import run_command
from pksk.cli.commands import Command, Group
from pksk.cli.output import json_option

from .demonstration import show_steps
from .loading import LoadConflict, find_load
from .printing import Printed
from .system import System

_MOST_ITEMS = 10_000_000
_SYSTEM = f"{__name__}.system"
_MEMORY = ("memory:", ":memory:")
# Errors after which the same load can be run again.
_INTERRUPTIONS = (OutcomeUnknown, RequestThrottled, BatchIncomplete)
_RESUME = "run the same load again, and it resumes where it stopped."
F = TypeVar("F", bound=Callable[..., Any])


def command_of(
    system: System, *errors: type[Exception], usage_errors: tuple[type[Exception], ...] = ()
) -> Group:
    """A group with the commands that every system has; `@app.command()` adds more.

    A command reports these errors in one line, without a traceback: `errors` end it with exit code 1, `usage_errors`
    with its usage and exit code 2.

    Commands work on `--target`: a file in the current folder by default, or the value of PKSK_TARGET.
    """

    class SystemCommand(Command):
        def invoke(self, ctx: click.Context) -> Any:
            try:
                return super().invoke(ctx)
            except usage_errors as error:
                raise click.UsageError(str(error), ctx) from error
            except errors as error:
                raise click.ClickException(str(error)) from error

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

    app.command_class = SystemCommand
    app.add_command(_tour_command(system))
    app.add_command(_load_command(system))
    return app


_target_option = click.option("--target", help="Where: a file, memory:, http://host:port, dynamodb://region.")


def _items_option(system: System) -> Callable[[F], F]:
    counts = click.IntRange(100, _MOST_ITEMS)
    return click.option(
        "--items", default=system.items, show_default=True, type=counts, help="About how many."
    )


def _target(context: click.Context, own: str | None, default: str) -> str:
    """The target of a command: its own option, else that of the group if it was given, else the default."""
    assert context.parent is not None
    source = context.parent.get_parameter_source("target")
    return own or (default if source is ParameterSource.DEFAULT else context.obj)


def open_store(context: click.Context, *, may_be_empty: bool = False) -> Store:
    """The store that a command works on; it is closed when the command ends.

    Fails if nothing was loaded, unless the store `may_be_empty`, and if a load has not ended: its remaining items might
    contradict what the command changes.
    """
    system: System = context.meta[_SYSTEM]
    fix = f"{context.find_root().info_name} --target {context.obj} load"
    if not may_be_empty and _is_new_file(context.obj):
        raise click.ClickException(
            f"There is no file {context.obj!r}, so nothing was loaded into it.\nFix: {fix}"
        )
    store = _connected(context)
    loading = find_load(store, system.name)
    if loading is None and not may_be_empty and not _has_tables(store, system):
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
    """Run a system's command with the arguments of this process, and return its exit code."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return run_command(app, f"python -m {spec.parent if spec else f'examples.{name}'}")


def _tour_command(system: System) -> Command:
    @click.command("tour", cls=Command)
    @_target_option
    @_items_option(system)
    @json_option
    @click.pass_context
    def tour(context: click.Context, target: str | None, items: int, wants_json: bool) -> None:
        """Run every access pattern on generated data, and check all answers and prices.

        It runs in memory unless a target is given, whose tables must be empty.
        """
        if show_steps([system], _target(context, target, "memory:"), items, as_json=wants_json):
            raise click.exceptions.Exit(1)

    assert isinstance(tour, Command)
    return tour


def _load_command(system: System) -> Command:
    @click.command("load", cls=Command)
    @_items_option(system)
    @_target_option
    @click.pass_context
    def load(context: click.Context, target: str | None, items: int) -> None:
        """Store generated data; run it again after an interruption, and it resumes."""
        context.obj = _target(context, target, context.obj)
        printed = Printed()
        try:
            count = system.load(
                _connected(context), items, lambda count: printed.progress("items", count, items)
            )
        except LoadConflict as conflict:
            raise click.ClickException(str(conflict)) from conflict
        except _INTERRUPTIONS as error:
            raise click.ClickException(f"{error.problem}\nFix: {_RESUME}") from error
        except KeyboardInterrupt:
            printed.stop_progress()
            click.echo(f"Stopped. {_RESUME[0].upper()}{_RESUME[1:]}", err=True)
            raise
        printed.filled(f"items in {context.obj}", count)

    assert isinstance(load, Command)
    return load


def name_argument(text: str) -> str:
    """An argument that names something: stripped of spaces, and not empty.

    Example:
        >>> name_argument(" park_1 ")
        'park_1'
    """
    name = text.strip()
    if not name:
        raise click.BadParameter("it is empty. Fix: write at least one letter or digit.")
    return name


def check_in_memory(context: click.Context) -> None:
    """Fail if a target was given to a command that always runs in memory."""
    assert context.parent is not None
    is_given = context.parent.get_parameter_source("target") is ParameterSource.COMMANDLINE
    if is_given and context.obj != "memory:":
        raise click.UsageError(
            f"'{context.info_name}' runs in memory, and not on {context.obj!r}. Fix: leave --target out.",
            context,
        )
