"""Which addresses an interception answers for: those of AWS, and others that it is told."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import urlsplit

from pksk.errors import InvalidValue, quote

__all__ = ["AWS_SUFFIXES", "Endpoints"]

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
