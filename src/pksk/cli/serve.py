"""The command `pksk serve`: a server for as long as the command runs."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from pksk.cli.commands import command
from pksk.cli.output import as_json, json_option
from pksk.engine import Engine
from pksk.errors import PkskError
from pksk.server import Limits, Server
from pksk.server.credentials import read_credentials
from pksk.server.log import Log, LogHandler

if TYPE_CHECKING:
    import ssl

    from pksk.server.signature import Verifier

__all__ = ["ServeSettings", "occupy_standard_streams", "raise_open_files", "run_server", "serve"]


def _option(name: str, metavar: str, about: str, **more: Any) -> Callable[[Any], Any]:
    return click.option(name, metavar=metavar, help=about, **more)


@command(
    "pksk serve",
    "pksk serve --data shop.db --port 8001",
    "pksk serve --host 0.0.0.0 --credentials keys.ini --cert server.pem",
    "pksk serve --check shop.db",
)
@_option(
    "--host",
    "ADDRESS",
    "Where to listen; other machines need credentials.",
    default="127.0.0.1",
    show_default=True,
)
@_option("--port", "PORT", "The port; 0 takes any that is free.", type=int, default=8000, show_default=True)
@_option(
    "--data", "FILE|:memory:", "The file that tables are kept in.", default=":memory:", show_default=True
)
@click.option("--no-sync", is_flag=True, help="Do not wait for the disk before a write is answered.")
@_option("--region", "REGION", "The region in ARNs.", default="us-east-1", show_default=True)
@_option("--account", "ID", "The account in ARNs.", default="000000000000", show_default=True)
@_option("--credentials", "FILE", "Check signatures with the keys of this file's profiles.")
@_option("--cert", "FILE", "Serve over TLS with this certificate.")
@_option("--key", "FILE", "The certificate's key, if it is not in the same file.")
@_option("--cors", "ORIGIN|none", "Whose web pages may use the server.", default="*", show_default=True)
@_option(
    "--max-connections", "NUMBER", "How many may be open at once.",
    type=click.IntRange(min=1), default=1000, show_default=True,
)  # fmt: skip
@click.option("--log-requests", is_flag=True, help="Log every request on standard error.")
@_option("--check", "FILE", "Verify a file of tables, and serve nothing.", default=None)
@json_option
def serve(check: str | None, wants_json: bool, **settings: Any) -> None:
    """Serve DynamoDB's HTTP interface, until Ctrl-C or SIGTERM.

    Signatures are also checked with the key that PKSK_ACCESS_KEY_ID, PKSK_SECRET_ACCESS_KEY and, where it has one,
    PKSK_SESSION_TOKEN hold. With no key at all, any signature will do, and the server listens on this machine alone.

    With --json, one line says where it listens, or what a check has found.
    """
    if check is not None:
        from .serve_check import check_database

        check_database(check, wants_json=wants_json)
    else:
        run_server(ServeSettings(**settings), wants_json=wants_json)


_MEMORY: Final = (":memory:", "memory:")


@dataclass(frozen=True)
class ServeSettings:
    """What the command line says."""

    host: str
    port: int
    data: str
    no_sync: bool
    region: str
    account: str
    credentials: str | None
    cert: str | None
    key: str | None
    cors: str
    max_connections: int
    log_requests: bool

    @property
    def in_memory(self) -> bool:
        """Whether tables are gone at the end."""
        return self.data in _MEMORY


def run_server(settings: ServeSettings, *, wants_json: bool) -> None:
    """Serve until a signal comes; all that can be refused is refused before."""
    occupy_standard_streams()
    verify, tls = _verifier(settings), _tls(settings)
    log = Log(requests=settings.log_requests)
    handler = LogHandler(log)
    data = ":memory:" if settings.in_memory else settings.data
    with Engine.open(
        data, durable=not settings.no_sync, region=settings.region, account=settings.account
    ) as engine:
        server = Server(
            engine,
            host=settings.host,
            port=settings.port,
            data="memory" if settings.in_memory else settings.data,
            limits=Limits(connections=settings.max_connections),
            verify=verify,
            tls=tls,
            cors=None if settings.cors == "none" else settings.cors,
            log=log,
        )
        raise_open_files(settings.max_connections)
        logging.getLogger().addHandler(handler)
        try:
            server.run(
                lambda: _announce(server.url, settings, signed=verify is not None, wants_json=wants_json)
            )
        finally:
            logging.getLogger().removeHandler(handler)


def _verifier(settings: ServeSettings) -> Verifier | None:
    keys = read_credentials(settings.credentials, os.environ)
    if not keys:
        return None
    from pksk.server.signature import Verifier

    return Verifier(keys)


def _tls(settings: ServeSettings) -> ssl.SSLContext | None:
    if settings.cert is None:
        if settings.key is not None:
            raise PkskError(
                "server-key-alone",
                "--key is given, and --cert is not.",
                expected="TLS needs a certificate, and the key that belongs to it.",
                fix="add --cert FILE, or leave --key out to serve without TLS.",
            )
        return None
    from pksk.server.listener import tls_context

    return tls_context(settings.cert, settings.key)


def _announce(url: str, settings: ServeSettings, *, signed: bool, wants_json: bool) -> None:
    if wants_json:
        told = {
            "url": url,
            "pid": os.getpid(),
            "data": settings.data,
            "region": settings.region,
            "signed": signed,
        }
        click.echo(as_json(told, indent=None))
        return
    kept = (
        "in memory, gone at the end; --data FILE keeps them" if settings.in_memory else f"in {settings.data}"
    )
    keys = "the keys that it was given" if signed else "any; signatures are not checked"
    click.echo(f"Serving DynamoDB on {url}")
    click.echo(f"  tables       {kept}")
    click.echo(f"  credentials  {keys}")
    click.echo(f"  try          aws dynamodb list-tables --endpoint-url {url} --region {settings.region}")
    click.echo(f"  or           open {url} in a browser; it says how to connect")
    click.echo("Press Ctrl-C to stop.")


# For the file of tables, its readers, the event loop, and connections that are being refused.
_RESERVED_FILES: Final = 256
_STANDARD_ERROR: Final = 2


def raise_open_files(connections: int) -> None:
    """Let this process have that many connections open, as far as its system allows."""
    try:
        import resource
    except ImportError:  # not on this system, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _RESERVED_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def occupy_standard_streams() -> None:
    """Let nothing of ours take the number of a standard stream that was closed: libuv ends the process for that."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(number)
