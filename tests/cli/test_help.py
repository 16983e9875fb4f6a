"""Help, and the examples in it, each of which runs."""

from __future__ import annotations

import gzip
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pksk.cli.app import COMMANDS as SUMMARIES
from pksk.cli.app import app
from pksk.cli.commands import Command, Group
from tests.changes.shop import fill_consumer
from tests.cli.counted_cells import write_counted_cells
from tests.cli.run_pksk import pksk
from tests.cli.transfer_files import ORDERS, backups, export_into, fill
from tests.geo.map_files import write_map_files
from tests.search.places_file import PLACES, fill_places

ITEM = '{"pk": {"S": "CUST#1"}}\n'


def _commands(
    group: Group = app, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Command | Group]]:
    yield path, group
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, Group):
            yield from _commands(found, (*path, name))
        else:
            assert isinstance(found, Command)
            yield (*path, name), found


COMMANDS = dict(_commands())
# Those that run until they are stopped are in test_serve, tests/changes and tests/search.
ENDLESS = re.compile(
    "pksk serve(?!.* --check)|pksk changes tail(?!.* --no-follow)|pksk sync run(?!.* --no-follow)"
)
EXAMPLES = [
    example for command in COMMANDS.values() for example in command.examples if not ENDLESS.match(example)
]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_shows_examples_of_itself(path: tuple[str, ...]) -> None:
    out = pksk(*path, "--help").out

    assert "\nExamples:\n" in out
    assert all(f"\n  {example}\n" in out for example in COMMANDS[path].examples)
    assert any(example.startswith(" ".join(("pksk", *path))) for example in COMMANDS[path].examples)


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_list_of_commands_has_the_first_line_of_their_help(name: str) -> None:
    assert SUMMARIES[name] == COMMANDS[name,].get_short_help_str(limit=200)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_no_line_of_help_about_commands_is_cut_short(path: tuple[str, ...]) -> None:
    assert "...\n" not in pksk(*path, "--help").out.partition("Commands:")[2]


@pytest.mark.parametrize(
    "example",
    [
        # A demo takes the whole tour of its systems.
        pytest.param(each, id=each, marks=pytest.mark.wider if each.startswith("pksk demo") else ())
        for each in sorted(set(EXAMPLES))
    ],
)
def test_every_example_in_help_runs(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "orders.jsonl").write_text(ITEM)
    for name in ("export-1.json.gz", "export-2.json.gz"):
        (tmp_path / name).write_bytes(gzip.compress(ITEM.encode()))
    monkeypatch.chdir(tmp_path)
    pksk("new", "shop")
    fill("pksk.db", [ORDERS])
    fill("shop.db", [ORDERS])
    (tmp_path / "orders.csv").write_text("customer,number,total\nann,1,12.50\n")
    if example.startswith("pksk import exports"):
        export_into("exports")
    if example.startswith("pksk backup"):
        backups("nightly")
    if example.startswith("pksk changes"):
        for name in ("pksk.db", "shop.db"):
            fill_consumer(name)
    if example.startswith("pksk counts"):
        write_counted_cells("pksk.db", "heat.db")
    if example.startswith("pksk map"):
        write_map_files()
    if example.startswith("pksk sync"):
        (tmp_path / "places.py").write_text(PLACES)
        fill_places("pksk.db")
        pksk("sync", "run", "places.py", "--no-follow")
    command, _, piped = example.partition(" | ")
    command, _, redirected = command.partition(" < ")

    ran = pksk(*shlex.split(command)[1:], stdin=Path(redirected).read_bytes() if redirected else "")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out or piped == "git apply --allow-empty"  # there is nothing to fix in a new design


def test_the_version_is_that_of_the_package() -> None:
    import pksk as package

    assert pksk("--version").out == f"pksk {package.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["ky"], "Did you mean 'key'?"),
        (["key", "rendr"], "Did you mean 'render'?"),
        (
            ["zzz"],
            f"Commands are: {', '.join(SUMMARIES)}.",
        ),
        (["key", "render", "--jsn"], "--json"),
        (["key", "render", "x", "--codec", "rwa"], "'raw'"),
    ],
)
def test_the_error_for_a_mistyped_command_suggests_the_nearest(arguments: list[str], hint: str) -> None:
    ran = pksk(*arguments)

    assert (ran.code, ran.out) == (2, "")
    assert hint in ran.err


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        (("demo", "pantri"), "'pantry'"),
        (("completion", "bsh"), "'bash'"),
        (("key", "render", "A#{x}", "x=1", "--codec", "rw"), "'raw'"),
    ],
)
def test_the_error_for_a_mistyped_choice_suggests_the_nearest(args: tuple[str, ...], meant: str) -> None:
    ran = pksk(*args)

    assert ran.code == 2
    assert f"Did you mean {meant}?" in ran.err


def test_the_error_for_an_unknown_choice_lists_all_of_them() -> None:
    ran = pksk("demo", "zzz")

    assert "'parks', 'pantry', 'heatmap', 'records', 'lessons'" in ran.err
    assert "Did you mean" not in ran.err
