"""Where a server listens, and that only signed requests come in from a network."""

from __future__ import annotations

import errno
import socket
from ipaddress import ip_address

from pksk.errors import FileProblem, quote

__all__ = ["listening", "loopback_only"]


def loopback_only(host: str) -> bool:
    """Whether a host's name or address can be reached from this machine alone.

    Example:
        >>> loopback_only("127.0.0.1"), loopback_only("0.0.0.0")
        (True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes any that is free."""
    try:
        return socket.create_server((host, port), backlog=1024, family=_family(host))
    except (OSError, OverflowError) as error:
        raise _cannot_listen(host, port, error) from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _cannot_listen(host: str, port: int, error: Exception) -> FileProblem:
    in_use = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
    return FileProblem(
        "server-address",
        f"Cannot listen on {quote(host)}, port {port}: {error}.",
        expected="An address of this machine and a port that no other program listens on.",
        fix="take another port, such as --port 0 for any that is free."
        if in_use
        else "name an address of this machine, such as 127.0.0.1, and a port from 0 to 65535.",
    )
