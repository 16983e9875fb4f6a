"""The open interceptions, and the one that gets a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from fnmatch import fnmatchcase
from typing import Final, Protocol
from urllib.parse import urlsplit

from pksk.errors import InvalidValue, quote


class Scope:
    """An open block whose requests go to an engine."""

    __slots__ = ("endpoints", "engine", "is_open")

    def __init__(self, engine: Backend, endpoints: Endpoints) -> None:
        self.engine = engine
        self.endpoints = endpoints
        self.is_open = False

    def is_here(self) -> bool:
        """Whether this thread or task, or its parent, has opened the scope."""
        return self in _own_scopes.get()

    def open(self) -> None:
        """Start to receive requests."""
        self.is_open = True
        _all_scopes.append(self)
        _own_scopes.set((*_own_open_scopes(), self))

    def close(self) -> None:
        """Stop receiving requests; scopes may close in any order and in any thread."""
        self.is_open = False
        _all_scopes.remove(self)
        _own_scopes.set(_own_open_scopes())


# The scopes of this thread or task, and those of its parent.
_own_scopes: ContextVar[tuple[Scope, ...]] = ContextVar("pksk_scopes", default=())
# A thread without a scope of its own uses the latest one.
_all_scopes: list[Scope] = []


def scope_for(url: str) -> Scope | None:
    """The innermost scope for a URL, or None."""
    return next((scope for scope in _innermost_first() if url in scope.endpoints), None)


def _innermost_first() -> Iterator[Scope]:
    own = _own_scopes.get()
    yield from (scope for scope in reversed(own) if scope.is_open)
    yield from (scope for scope in reversed(tuple(_all_scopes)) if scope not in own)


def _own_open_scopes() -> tuple[Scope, ...]:
    return tuple(scope for scope in _own_scopes.get() if scope.is_open)


class Backend(Protocol):
    """Receives the requests: an engine, or an object that answers as one."""

    def answer(self, operation: str, body: bytes, /) -> tuple[int, bytes]:
        """The status and body of the answer to a request."""


# The suffixes of AWS's host names, in all partitions and for IPv4 and IPv6.
AWS_SUFFIXES: Final = (
    ".amazonaws.com",
    ".api.aws",
    ".amazonaws.com.cn",
    ".api.amazonwebservices.com.cn",
    ".amazonaws.eu",
    ".api.amazonwebservices.eu",
    ".c2s.ic.gov",
    ".api.aws.ic.gov",
    ".sc2s.sgov.gov",
    ".api.aws.scloud",
    ".cloud.adc-e.uk",
    ".api.cloud-aws.adc-e.uk",
    ".csp.hci.ic.gov",
    ".api.aws.hci.ic.gov",
)


class Endpoints:
    """The URLs of AWS, and of hosts that match a pattern, such as `localhost:8000` or `*.example.com`."""

    def __init__(self, endpoints: str | Iterable[str] = ()) -> None:
        self._patterns = [
            _pattern(each) for each in ([endpoints] if isinstance(endpoints, str) else endpoints)
        ]

    def __contains__(self, url: str) -> bool:
        parts = urlsplit(url)
        host, address = (parts.hostname or "").rstrip("."), parts.netloc.rpartition("@")[2].lower()
        if host.endswith(AWS_SUFFIXES):
            return True
        return any(fnmatchcase(address, each) or fnmatchcase(host, each) for each in self._patterns)


def _pattern(endpoint: object) -> str:
    if not isinstance(endpoint, str) or not endpoint.strip():
        raise InvalidValue(
            "testing-endpoint",
            f"{quote(endpoint)} is not an endpoint.",
            expected="An endpoint is a host, optionally with a port, or the URL of a client.",
            fix='write "localhost:8000", "http://localhost:8000", or "*" for all.',
        )
    return (urlsplit(endpoint).netloc if "://" in endpoint else endpoint).strip().rstrip("/").lower()
