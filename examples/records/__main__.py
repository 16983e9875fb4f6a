"""The command of the records system: `python -m examples.records --help`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from pksk.cli.output import print_pairs, print_table

from ..tour.command import command_of, name_argument, open_store, run_system
from .catalogue import Category, Collection, Post
from .errors import InvalidInput, Missing, RecordsError
from .operations import catalogue, people, registers
from .operations.gazetteer import Gazetteer
from .operations.places import complete_place
from .operations.registers import import_register, read_register
from .operations.standardise import standardise_all
from .registers import Record
from .system import system

app = command_of(system, RecordsError)


def _lines(file: Path) -> list[dict[str, str]]:
    """The lines of a register; an invalid file is a usage error."""
    try:
        return read_register(file)
    except InvalidInput as unfit:
        raise click.BadParameter(str(unfit)) from unfit


@app.command("complete")
@click.argument("typed", type=name_argument)
@click.option("--most", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many.")
@click.pass_context
def complete_command(context: click.Context, typed: str, most: int) -> None:
    """Complete the name of a place: "Pratt", or "Spring, Ala"."""
    db = open_store(context)
    rows = [(each.full_name, each.type, f"{each.count:,}") for each in complete_place(db, typed, most)]
    print_table(["place", "type", "used"], rows, right=(2,))


@app.command()
@click.argument("texts", nargs=-1, required=True, type=name_argument, metavar="TEXT...")
@click.pass_context
def place(context: click.Context, texts: tuple[str, ...]) -> None:
    """Print which places are meant by old spellings such as "Autauga Co., Ala."."""
    db = open_store(context)
    matches = standardise_all(Gazetteer(db), texts)
    print_table(
        ["written", "understood as", "left out"],
        [(each.text, str(each), ", ".join(each.skipped)) for each in matches],
    )


@app.command()
@click.pass_context
def categories(context: click.Context) -> None:
    """List the categories."""
    db = open_store(context)
    rows = [(str(each.id), each.name) for each in db.iter(Category.every())]
    print_table(["id", "category"], rows, right=(0,))


@app.command()
@click.pass_context
def collections(context: click.Context) -> None:
    """List the collections."""
    db = open_store(context)
    rows = [
        (str(each.id), each.name, " ".join(map(str, each.categories))) for each in db.iter(Collection.every())
    ]
    print_table(["id", "collection", "categories"], rows, right=(0,))


@app.command()
@click.argument("collection_id", type=int, metavar="COLLECTION")
@click.pass_context
def posts(context: click.Context, collection_id: int) -> None:
    """List the posts of a COLLECTION, and check its links."""
    db = open_store(context)
    collection = catalogue.read_collection(db, collection_id)
    rows = [(str(each.id), each.name, each.status) for each in db.iter(Post.of_collection(collection.id))]
    print_table(["id", f"posts of {collection.name}", "status"], rows, right=(0,))


@app.command()
@click.argument("post_id", type=int, metavar="POST")
@click.option("--most", default=10, show_default=True, type=click.IntRange(1, 100_000), help="How many.")
@click.pass_context
def records(context: click.Context, post_id: int, most: int) -> None:
    """Show the first records of a POST."""
    db = open_store(context)
    if db.get(Post.one(post_id)) is None:
        raise Missing("post", post_id)
    _print_records(db.iter(Record.of_post(post_id).limit(most)))


@app.command()
@click.argument("record_ids", nargs=-1, required=True, type=int, metavar="RECORD...")
@click.pass_context
def record(context: click.Context, record_ids: tuple[int, ...]) -> None:
    """Show records by their ids; all of them must exist."""
    db = open_store(context)
    records = registers.read_records(db, record_ids)
    missing = set(record_ids) - {each.id for each in records}
    if missing:
        raise Missing("record", min(missing))
    _print_records(records)


def _print_records(records: Iterable[Record]) -> None:
    for each in records:
        click.echo(f"{each.id}: {', '.join(f'{name} {value}' for name, value in each.data.items())}")


@app.command("import")
@click.argument("post_id", type=int, metavar="POST")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_context
def import_command(context: click.Context, post_id: int, file: Path) -> None:
    """Import a register into a POST: a CSV FILE with a line of names. After an interruption, do it again."""
    lines = _lines(file)
    db = open_store(context)
    result = import_register(db, post_id, lines)
    click.echo(f"{result:,} records imported into post {post_id}")


@app.command()
@click.argument("collection_id", type=int, metavar="COLLECTION")
@click.argument("name", type=name_argument)
@click.pass_context
def add_post(context: click.Context, collection_id: int, name: str) -> None:
    """Add a post to a COLLECTION."""
    db = open_store(context)
    click.echo(f"post {catalogue.add_post(db, collection_id, name).id}")


@app.command()
@click.argument("post_id", type=int, metavar="POST")
@click.pass_context
def drop_post(context: click.Context, post_id: int) -> None:
    """Delete a POST with all its records."""
    db = open_store(context)
    click.echo(f"{catalogue.drop_post(db, post_id):,} records dropped")


@app.command("sign-in")
@click.argument("issuer", type=name_argument)
@click.argument("subject", type=name_argument)
@click.option("--email", help="The email address, which is stored for a new user.")
@click.pass_context
def sign_in_command(context: click.Context, issuer: str, subject: str, email: str | None) -> None:
    """Sign a user in; a new user is created."""
    db = open_store(context)
    user = people.sign_in(db, issuer, subject, email)
    print_pairs([("id", str(user.id)), ("login", user.login), ("email", user.email or "")])


if __name__ == "__main__":
    sys.exit(run_system(app, "records"))
