"""A server for as long as its command runs."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from pksk.cli.output import as_json
from pksk.engine import Engine
from pksk.errors import PkskError
from pksk.server import Limits, Server
from pksk.server.credentials import read_credentials
from pksk.server.log import Log, LogHandler

from .open_files import fill_standard_files, raise_open_files

if TYPE_CHECKING:
    import ssl

    from pksk.server.signature import Verifier

__all__ = ["Settings", "run"]

_MEMORY: Final = (":memory:", "memory:")


@dataclass(frozen=True)
class Settings:
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


def run(settings: Settings, *, wants_json: bool) -> None:
    """Serve until a signal comes; all that can be refused is refused before."""
    fill_standard_files()
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
            server.run(lambda: _tell(server.url, settings, signed=verify is not None, wants_json=wants_json))
        finally:
            logging.getLogger().removeHandler(handler)


def _verifier(settings: Settings) -> Verifier | None:
    keys = read_credentials(settings.credentials, os.environ)
    if not keys:
        return None
    from pksk.server.signature import Verifier

    return Verifier(keys)


def _tls(settings: Settings) -> ssl.SSLContext | None:
    if settings.cert is None:
        if settings.key is not None:
            raise PkskError(
                "server-key-alone",
                "--key is given, and --cert is not.",
                expected="TLS needs a certificate, and the key that belongs to it.",
                fix="add --cert FILE, or leave --key out to serve without TLS.",
            )
        return None
    from pksk.server.tls import tls_context

    return tls_context(settings.cert, settings.key)


def _tell(url: str, settings: Settings, *, signed: bool, wants_json: bool) -> None:
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
