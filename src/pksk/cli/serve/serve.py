"""The command `pksk serve`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from pksk.cli.commands import command
from pksk.cli.output import json_option

__all__ = ["serve"]


def _one(name: str, metavar: str, about: str, **more: Any) -> Callable[[Any], Any]:
    return click.option(name, metavar=metavar, help=about, **more)


@command(
    "pksk serve",
    "pksk serve --data shop.db --port 8001",
    "pksk serve --host 0.0.0.0 --credentials keys.ini --cert server.pem",
    "pksk serve --check shop.db",
)
@_one(
    "--host",
    "ADDRESS",
    "Where to listen; other machines need credentials.",
    default="127.0.0.1",
    show_default=True,
)
@_one("--port", "PORT", "The port; 0 takes any that is free.", type=int, default=8000, show_default=True)
@_one("--data", "FILE|:memory:", "The file that tables are kept in.", default=":memory:", show_default=True)
@click.option("--no-sync", is_flag=True, help="Do not wait for the disk before a write is answered.")
@_one("--region", "REGION", "The region in ARNs.", default="us-east-1", show_default=True)
@_one("--account", "ID", "The account in ARNs.", default="000000000000", show_default=True)
@_one("--credentials", "FILE", "Check signatures with the keys of this file's profiles.")
@_one("--cert", "FILE", "Serve over TLS with this certificate.")
@_one("--key", "FILE", "The certificate's key, if it is not in the same file.")
@_one("--cors", "ORIGIN|none", "Whose web pages may use the server.", default="*", show_default=True)
@_one(
    "--max-connections", "NUMBER", "How many may be open at once.",
    type=click.IntRange(min=1), default=1000, show_default=True,
)  # fmt: skip
@click.option("--log-requests", is_flag=True, help="Log every request on standard error.")
@_one("--check", "FILE", "Verify a file of tables, and serve nothing.", default=None)
@json_option
def serve(check: str | None, wants_json: bool, **settings: Any) -> None:
    """Serve DynamoDB's HTTP interface, until Ctrl-C or SIGTERM.

    Signatures are also checked with the key that PKSK_ACCESS_KEY_ID, PKSK_SECRET_ACCESS_KEY and, where it has one,
    PKSK_SESSION_TOKEN hold. With no key at all, any signature will do, and the server listens on this machine alone.

    With --json, one line says where it listens, or what a check has found.
    """
    if check is not None:
        from .check import check_and_tell

        check_and_tell(check, wants_json=wants_json)
    else:
        from .running import Settings, run

        run(Settings(**settings), wants_json=wants_json)
