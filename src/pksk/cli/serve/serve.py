"""The command `pksk serve`."""

from __future__ import annotations

import click

from pksk.cli.commands import command

__all__ = ["serve"]


@command("pksk serve", "pksk serve --port 8000 --data shop.db")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=int, default=8000, show_default=True, help="The port; 0 takes any that is free.")
@click.option(
    "--data",
    metavar="FILE|:memory:",
    default=":memory:",
    show_default=True,
    help="The file that tables are kept in.",
)
@click.option("--no-sync", is_flag=True, help="Do not wait for the disk before a write is answered.")
def serve(host: str, port: int, data: str, no_sync: bool) -> None:
    """Serve DynamoDB's HTTP interface."""
    from pksk.engine import Engine
    from pksk.server import Server
    from pksk.server.log import Log

    with Engine.open(data, durable=not no_sync) as engine:
        server = Server(engine, host=host, port=port, data=data, log=Log())
        server.run(lambda: click.echo(f"Serving on {server.url}"))
