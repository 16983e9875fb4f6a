"""The command `pksk new`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from string import Template

import click

from pksk.cli.commands import command
from pksk.cli.output import json_option, print_json, print_pairs

__all__ = ["new"]

# The file that is written -> its template and what it holds.
_FILES = {
    "$name.py": ("design.py.txt", "the design: a table, two entities, an index, two access patterns"),
    "test_$name.py": ("test_design.py.txt", "its test"),
}


@command("pksk new bakery", "pksk new library --here .")
@click.argument("name")
@click.option(
    "--here",
    "parent",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The folder to make it in, instead of the current one.",
)
@json_option
def new(name: str, parent: Path, wants_json: bool) -> None:
    """Begin a design: write a small one with comments, and its test.

    They are NAME.py and test_NAME.py in a new folder NAME. Nothing that exists is overwritten.
    """
    from pksk.cli.new.checked_name import checked_name
    from pksk.cli.new.folder import write_folder

    folder = parent / checked_name(name)
    texts = {_filled(file, name): _text(template, name) for file, (template, _) in _FILES.items()}
    write_folder(folder, texts)
    written = [str(folder / file) for file in texts]
    if wants_json:
        print_json({"folder": str(folder), "files": written})
        return
    print_pairs(zip(written, (about for _, about in _FILES.values()), strict=True))
    click.echo(f"\nSee it with pksk design {written[0]}, and test it with pytest {folder}.")


def _text(template: str, name: str) -> str:
    return _filled((files("pksk.cli") / "templates" / template).read_text("utf-8"), name)


def _filled(text: str, name: str) -> str:
    return Template(text).substitute(name=name)
