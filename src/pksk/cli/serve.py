"""The command `pksk serve`: a server for as long as the command runs."""

from __future__ import annotations

import logging
import os
import ssl
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from pksk.cli.commands import command, complete_file
from pksk.cli.output import as_json, checking_progress, json_option, print_json
from pksk.dataclass import dataclass
from pksk.engine import Engine
from pksk.errors import PkskError
from pksk.server import Limits, Server
from pksk.server.credentials import read_credentials
from pksk.server.listener import tls_context
from pksk.server.log import Log, LogHandler

if TYPE_CHECKING:
    from pksk.server.signature import Verifier


def _option(name: str, metavar: str, help_text: str, **more: Any) -> Callable[[Any], Any]:
    if "FILE" in metavar:
        more["shell_complete"] = complete_file
    return click.option(name, metavar=metavar, help=help_text, **more)


@command(
    "pksk serve",
    "pksk serve --data shop.db --port 8001",
    "pksk serve --host 0.0.0.0 --credentials keys.ini --cert server.pem",
    "pksk serve --check shop.db",
)
@_option(
    "--host",
    "ADDRESS",
    "The address to listen on; serving other machines needs credentials.",
    default="127.0.0.1",
    show_default=True,
)
@_option("--port", "PORT", "The port; 0 takes a free one.", type=int, default=8000, show_default=True)
@_option("--data", "FILE|:memory:", "The file that holds the tables.", default=":memory:", show_default=True)
@click.option("--no-sync", is_flag=True, help="Answer a write without waiting for the disk.")
@_option("--region", "REGION", "The region in ARNs.", default="us-east-1", show_default=True)
@_option("--account", "ID", "The account in ARNs.", default="000000000000", show_default=True)
@_option("--credentials", "FILE", "Check signatures with the access keys in this file.")
@_option("--cert", "FILE", "Serve over TLS with this certificate.")
@_option("--key", "FILE", "The certificate's key, if it is not in the same file.")
@_option(
    "--cors",
    "ORIGIN|none",
    "The origin of web pages that may use the server.",
    default="*",
    show_default=True,
)
@_option(
    "--max-connections", "NUMBER", "The most connections at once.",
    type=click.IntRange(min=1), default=1000, show_default=True,
)  # fmt: skip
@click.option("--log-requests", is_flag=True, help="Log every request on standard error.")
@_option("--trace", "FILE", "Record all calls in this file, for pksk check --traffic FILE.")
@_option("--check", "FILE", "Verify a file of tables instead of serving it.", default=None)
@json_option
def serve(check: str | None, wants_json: bool, **settings: Any) -> None:
    """Serve DynamoDB's HTTP interface, until Ctrl-C or SIGTERM.

    Signatures are checked with the keys of --credentials and the one in PKSK_ACCESS_KEY_ID, PKSK_SECRET_ACCESS_KEY
    and PKSK_SESSION_TOKEN. Without any key, every signature is accepted, and only this machine can connect.

    On a terminal, it prints the address of the server, and its log, for people; in a pipe, or with --json, as JSON.
    With --check, --json prints the result as JSON.
    """
    if check is not None:
        _check_database(check, wants_json=wants_json)
    else:
        run_server(ServeSettings(**settings), wants_json=wants_json)


_MEMORY: Final = (":memory:", "memory:")


@dataclass(frozen=True)
class ServeSettings:
    """The options of the command line."""

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
    trace: str | None

    @property
    def in_memory(self) -> bool:
        """Whether the tables are lost when the server stops."""
        return self.data in _MEMORY


def run_server(settings: ServeSettings, *, wants_json: bool) -> None:
    """Serve until a signal comes."""
    occupy_standard_streams()
    verify, tls = _verifier(settings), _tls(settings)
    log = Log(requests=settings.log_requests, for_people=not wants_json and _is_terminal(sys.stderr))
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
            for_programs = wants_json or not _is_terminal(sys.stdout)
            with nullcontext() if settings.trace is None else engine.trace(settings.trace):
                server.run(
                    lambda: _announce(
                        server.url, settings, signed=verify is not None, wants_json=for_programs
                    )
                )
        finally:
            logging.getLogger().removeHandler(handler)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


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
                "--key needs --cert.",
                expected="TLS needs a certificate and its key.",
                fix="add --cert FILE, or leave --key out to serve without TLS.",
            )
        return None

    return tls_context(settings.cert, settings.key)


def _announce(url: str, settings: ServeSettings, *, signed: bool, wants_json: bool) -> None:
    if wants_json:
        document = {
            "url": url,
            "pid": os.getpid(),
            "data": settings.data,
            "region": settings.region,
            "signed": signed,
        }
        click.echo(as_json(document, indent=None))
        return
    tables = (
        "in memory, lost when the server stops; --data FILE keeps them"
        if settings.in_memory
        else f"in {settings.data}"
    )
    keys = "the configured access keys" if signed else "any; signatures are not checked"
    click.echo(f"Serving DynamoDB on {url}")
    click.echo(f"  tables       {tables}")
    click.echo(f"  credentials  {keys}")
    click.echo(f"  try          aws dynamodb list-tables --endpoint-url {url} --region {settings.region}")
    click.echo(f"  or           open {url} in a browser for more examples")
    click.echo("Press Ctrl-C to stop.")


def _check_database(path: str, *, wants_json: bool) -> None:
    """Verify a file of tables; exits with 1 if it has a problem."""
    # Imported here to start a server without SQLite and pathlib.
    from pathlib import Path

    from pksk.cli.database_file import reject_missing
    from pksk.engine import check_file

    if not os.path.lexists(path):
        reject_missing(Path(path))
    with checking_progress() as progress:
        report = check_file(path, progress)
    if wants_json:
        print_json({
            "file": report.path,
            "sound": report.is_sound,
            "verified": dict(report.counts),
            "problems": list(report.problems),
            "problems_found": report.problem_count,
        })  # fmt: skip
    else:
        click.echo(str(report))
    if not report.is_sound:
        raise click.exceptions.Exit(1)


# For the file of tables, its readers, the event loop, and connections that are about to be rejected.
_RESERVED_FILES: Final = 256
_STANDARD_ERROR: Final = 2


def raise_open_files(connections: int) -> None:
    """Raise the limit of open files for that many connections, as far as the system allows."""
    try:
        import resource
    except ImportError:  # this system has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed_files = connections + _RESERVED_FILES
    if soft != resource.RLIM_INFINITY and soft < needed_files:
        limit = needed_files if hard == resource.RLIM_INFINITY else min(needed_files, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def occupy_standard_streams() -> None:
    """Open the null device for each standard stream that was closed: libuv aborts if it gets such a number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(number)
