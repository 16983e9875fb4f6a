"""Where a server listens, and that only signed requests come in from a network."""

from __future__ import annotations

import errno
import os
import socket
from ipaddress import ip_address
from typing import Final

from pksk.errors import PkskError, quote

__all__ = ["listening", "url_of"]

_BACKLOG: Final = 1024
_LAST_PORT: Final = 65535
_FIXES: Final = {
    errno.EADDRINUSE: "take another port, or --port 0 for any that is free; another server may still be running.",
    errno.EACCES: "take a port from 1024 on: those below are for the administrator.",
    errno.EADDRNOTAVAIL: "name an address of this machine, such as 127.0.0.1.",
}


def listening(host: str, port: int, *, open_to_all: bool) -> socket.socket:
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
            raise _open_to_all(host)
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        raise _cannot_listen(host, port, error) from error


def url_of(host: str, port: int, *, secure: bool) -> str:
    """The address that clients use; where a server listens everywhere, the one on this machine.

    Example:
        >>> url_of("::1", 8000, secure=False), url_of("0.0.0.0", 8000, secure=True)
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


def _open_to_all(host: str) -> PkskError:
    return PkskError(
        "server-needs-credentials",
        f"{quote(host)} can be reached from other machines, and no credentials are configured.",
        expected="Without credentials a server listens on this machine alone, since anybody could read and write.",
        fix="set PKSK_ACCESS_KEY_ID and PKSK_SECRET_ACCESS_KEY, or listen on 127.0.0.1.",
    )
