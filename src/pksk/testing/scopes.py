"""Which interceptions are open, for which endpoints, and which of them a request belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from fnmatch import fnmatchcase
from typing import Final, Protocol
from urllib.parse import urlsplit

from pksk.errors import InvalidValue, quote

__all__ = ["AWS_SUFFIXES", "Backend", "Endpoints", "Scope", "scope_for"]


class Scope:
    """One block in which requests go to an engine."""

    __slots__ = ("endpoints", "engine", "is_open")

    def __init__(self, engine: Backend, endpoints: Endpoints) -> None:
        self.engine = engine
        self.endpoints = endpoints
        self.is_open = False

    def is_here(self) -> bool:
        """Whether it was opened in this thread or task, or in the one that it was copied from."""
        return self in _here.get()

    def open(self) -> None:
        """Take requests from now on."""
        self.is_open = True
        _everywhere.append(self)
        _here.set((*_still_open(), self))

    def close(self) -> None:
        """Take none any more, in whichever order scopes end and wherever this is called."""
        self.is_open = False
        _everywhere.remove(self)
        _here.set(_still_open())


# Those that were opened in this thread or task, or in the one that it was copied from.
_here: ContextVar[tuple[Scope, ...]] = ContextVar("pksk_scopes", default=())
# All of them: a thread that has opened none takes the latest.
_everywhere: list[Scope] = []


def scope_for(url: str) -> Scope | None:
    """The innermost scope that answers for an address, if there is one."""
    for scope in _innermost_first():
        if url in scope.endpoints:
            return scope
    return None


def _innermost_first() -> Iterator[Scope]:
    here = _here.get()
    for scope in reversed(here):
        if scope.is_open:
            yield scope
    for scope in reversed(tuple(_everywhere)):
        if scope not in here:
            yield scope


def _still_open() -> tuple[Scope, ...]:
    return tuple(scope for scope in _here.get() if scope.is_open)


class Backend(Protocol):
    """What requests can be routed to: an engine, or whatever stands before one and answers as it does."""

    def answer(self, operation: str, body: bytes, /) -> tuple[int, bytes]:
        """The status and body that answer a request's body."""


# What names of AWS's hosts end with, in all partitions and with both versions of IP.
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
    """The addresses of AWS, and of hosts that match a pattern, such as `localhost:8000` or `*.example.com`.

    Example:
        >>> endpoints = Endpoints(["localhost:8000"])
        >>> "https://dynamodb.eu-west-1.amazonaws.com/" in endpoints, "http://localhost:8000/" in endpoints
        (True, True)
        >>> "http://localhost:4566/" in endpoints
        False
    """

    def __init__(self, further: str | Iterable[str] = ()) -> None:
        given = [further] if isinstance(further, str) else list(further)
        self._patterns = [_pattern(each) for each in given]
        # A client has one address, or one for each of a few accounts.
        self._known: dict[str, bool] = {}

    def __contains__(self, url: str) -> bool:
        try:
            return self._known[url]
        except KeyError:
            known = self._known[url] = self._matches(url)
            return known

    def _matches(self, url: str) -> bool:
        parts = urlsplit(url)
        host, place = (parts.hostname or "").rstrip("."), parts.netloc.rpartition("@")[2].lower()
        if host.endswith(AWS_SUFFIXES):
            return True
        return any(fnmatchcase(place, each) or fnmatchcase(host, each) for each in self._patterns)


def _pattern(endpoint: object) -> str:
    if not isinstance(endpoint, str) or not endpoint.strip():
        raise InvalidValue(
            "testing-endpoint",
            f"{quote(endpoint)} is no endpoint.",
            expected="One is a host, with its port where it has one, or the address that a client is given.",
            fix='write "localhost:8000", "http://localhost:8000", or "*" for all.',
        )
    return (urlsplit(endpoint).netloc if "://" in endpoint else endpoint).strip().rstrip("/").lower()
