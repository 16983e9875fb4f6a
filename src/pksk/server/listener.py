"""The socket that a server listens on, and the certificate that it shows."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from ipaddress import ip_address
from os import PathLike, fspath
from typing import Final, NoReturn

from pksk.errors import FileError, PkskError, quote, quote_path

__all__ = ["open_socket", "server_url", "tls_context"]

_BACKLOG: Final = 1024
_LAST_PORT: Final = 65535
_FIXES: Final = {
    errno.EADDRINUSE: "take another port, or --port 0 for any that is free; another server may still be running.",
    errno.EACCES: "take a port from 1024 on: those below are for the administrator.",
    errno.EADDRNOTAVAIL: "name an address of this machine, such as 127.0.0.1.",
}


def open_socket(host: str, port: int, *, open_to_all: bool) -> socket.socket:
    """A socket that listens; port 0 takes any that is free.

    Unless it is `open_to_all`, only an address that this machine alone can reach will do.
    """
    try:
        if not 0 <= port <= _LAST_PORT:  # some systems take it for another one
            raise OverflowError("there is no such port")
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        # Where a name stands for several addresses, SDKs try the older kind at the latest after the other.
        family, _, _, _, address = min(found, key=lambda each: each[0] is not socket.AF_INET)
        if not open_to_all and not ip_address(str(address[0]).partition("%")[0]).is_loopback:
            raise _needs_credentials(host)
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        raise _cannot_listen(host, port, error) from error


def server_url(host: str, port: int, *, secure: bool) -> str:
    """The address that clients use; where a server listens everywhere, the one on this machine.

    Example:
        >>> server_url("::1", 8000, secure=False), server_url("0.0.0.0", 8000, secure=True)
        ('http://[::1]:8000', 'https://127.0.0.1:8000')
    """
    known = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"{'https' if secure else 'http'}://{f'[{known}]' if ':' in known else known}:{port}"


def _cannot_listen(host: str, port: int, error: Exception) -> PkskError:
    number = error.errno if isinstance(error, OSError) and not isinstance(error, socket.gaierror) else None
    reason = os.strerror(number) if number else getattr(error, "strerror", None) or str(error)
    return PkskError(
        "server-address",
        f"Cannot listen on {quote(host)}, port {port}: {reason}.",
        expected="An address of this machine and a port from 0 to 65535 that no other program listens on.",
        fix=_FIXES.get(
            number or 0, "name an address of this machine, such as 127.0.0.1, and check the port."
        ),
    )


def _needs_credentials(host: str) -> PkskError:
    return PkskError(
        "server-needs-credentials",
        f"{quote(host)} can be reached from other machines, and no credentials are configured.",
        expected="Without credentials a server listens on this machine alone, since anybody could read and write.",
        fix="set PKSK_ACCESS_KEY_ID and PKSK_SECRET_ACCESS_KEY, or listen on 127.0.0.1.",
    )


def tls_context(cert: str | PathLike[str], key: str | PathLike[str] | None = None) -> ssl.SSLContext:
    """What TLS needs: a certificate with its chain, and its key, which may stand in the same file."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.set_alpn_protocols(["http/1.1"])
    shown = (
        quote_path(fspath(cert))
        if key is None
        else f"{quote_path(fspath(cert))} and {quote_path(fspath(key))}"
    )
    _check_readable(cert)
    if key is not None:
        _check_readable(key)
    try:
        # A function for the password, since without one OpenSSL asks on the terminal.
        context.load_cert_chain(cert, key, password=_no_password)
    except (ssl.SSLError, ValueError) as error:
        _refuse_certificate(shown, error)
    return context


def _no_password() -> NoReturn:
    raise ValueError("the key has a password")


def _check_readable(path: str | PathLike[str]) -> None:
    try:
        with open(path, "rb"):
            return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(
            "server-certificate",
            f"{quote_path(fspath(path))} cannot be read: {reason}.",
            expected="A certificate and its key, each a file in PEM format.",
            fix="check the name and the permissions.",
        ) from error


def _refuse_certificate(shown: str, error: Exception) -> NoReturn:
    reason = error.reason if isinstance(error, ssl.SSLError) else str(error)
    what = {
        "KEY_VALUES_MISMATCH": "the key does not belong to the certificate",
        "NO_START_LINE": "there is no key in PEM format",
        None: "there is no certificate, or no key, in PEM format",
    }.get(reason) or str(reason).lower().replace("_", " ")
    raise FileError(
        "server-certificate",
        f"{shown} cannot be used for TLS: {what}.",
        expected="A certificate, then those that it was signed with, and its key without a password, in PEM format.",
        fix="name the files that belong together: --cert FILE --key FILE.",
    ) from error
