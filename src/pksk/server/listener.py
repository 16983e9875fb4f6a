"""The socket that a server listens on, and its TLS certificate."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from os import PathLike, fspath
from typing import Final, NoReturn

from pksk.errors import FileError, PkskError, quote, quote_path

_BACKLOG: Final = 1024
_LAST_PORT: Final = 65535
_FIXES: Final = {
    errno.EADDRINUSE: "use another port, or --port 0 for a free one; another server may still be running.",
    errno.EACCES: "use a port from 1024: lower ones are for the administrator.",
    errno.EADDRNOTAVAIL: "use an address of this machine, such as 127.0.0.1.",
}


def open_socket(host: str, port: int, *, open_to_all: bool) -> socket.socket:
    """A socket that listens; port 0 takes a free one.

    Unless it is `open_to_all`, the address must be a loopback address.
    """
    try:
        if not 0 <= port <= _LAST_PORT:  # some systems would use another port
            raise OverflowError("there is no such port")
        addresses = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        # IPv4 if a name has several addresses: all SDKs try it.
        family, _, _, _, address = min(addresses, key=lambda each: each[0] is not socket.AF_INET)
        if not open_to_all and not _is_loopback(str(address[0])):
            raise _needs_credentials(host)
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        raise _cannot_listen(host, port, error) from error


def _is_loopback(address: str) -> bool:
    """Whether only this machine can reach an address, as getaddrinfo writes it."""
    return address.partition("%")[0] == "::1" or (":" not in address and address.startswith("127."))


def server_url(host: str, port: int, *, secure: bool) -> str:
    """The URL for clients; the one on this machine if the server listens on all addresses."""
    loopback = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"{'https' if secure else 'http'}://{f'[{loopback}]' if ':' in loopback else loopback}:{port}"


def _cannot_listen(host: str, port: int, error: Exception) -> PkskError:
    number = error.errno if isinstance(error, OSError) and not isinstance(error, socket.gaierror) else None
    reason = os.strerror(number) if number else getattr(error, "strerror", None) or str(error)
    return PkskError(
        "server-address",
        f"Cannot listen on {quote(host)}, port {port}: {reason}.",
        expected="A server needs an address of this machine, and a free port from 0 to 65535.",
        fix=_FIXES.get(number or 0, "use an address of this machine, such as 127.0.0.1, and check the port."),
    )


def _needs_credentials(host: str) -> PkskError:
    return PkskError(
        "server-needs-credentials",
        f"Other machines can reach {quote(host)}, and no credentials are configured.",
        expected="Without credentials, any client could read and write, so the server listens on this machine only.",
        fix="set PKSK_ACCESS_KEY_ID and PKSK_SECRET_ACCESS_KEY, or listen on 127.0.0.1.",
    )


def tls_context(cert: str | PathLike[str], key: str | PathLike[str] | None = None) -> ssl.SSLContext:
    """The TLS context of a certificate with its chain, and its key, which may be in the same file."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.set_alpn_protocols(["http/1.1"])
    files = [cert] if key is None else [cert, key]
    for each in files:
        _check_readable(each)
    try:
        # With a password function OpenSSL does not prompt on the terminal.
        context.load_cert_chain(cert, key, password=_no_password)
    except (ssl.SSLError, ValueError) as error:
        _reject_certificate(" and ".join(quote_path(fspath(each)) for each in files), error)
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
            expected="A certificate and its key are files in PEM format.",
            fix="check the name and the permissions.",
        ) from error


def _reject_certificate(files: str, error: Exception) -> NoReturn:
    reason = error.reason if isinstance(error, ssl.SSLError) else str(error)
    problem = {
        "KEY_VALUES_MISMATCH": "the key does not belong to the certificate",
        "NO_START_LINE": "there is no key in PEM format",
        None: "there is no certificate, or no key, in PEM format",
    }.get(reason) or str(reason).lower().replace("_", " ")
    raise FileError(
        "server-certificate",
        f"{files} cannot be used for TLS: {problem}.",
        expected="TLS needs a certificate with its chain, and its key without a password, in PEM format.",
        fix="write the files that belong together: --cert FILE --key FILE.",
    ) from error
