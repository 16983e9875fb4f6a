"""The options of a client of AWS: region, endpoint, keys and timeouts."""

from __future__ import annotations

import re
from dataclasses import field
from ipaddress import ip_address
from math import isfinite
from typing import Final
from urllib.parse import SplitResult, urlsplit

from pksk.dataclass import dataclass
from pksk.errors import PkskError, quote

REGION: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True)
class AwsOptions:
    """Where a client sends its requests, and how. Options that you leave out are found as in every SDK of AWS.

    With an `endpoint`, region and keys are optional: `us-east-1` and a fixed key pair are the defaults. Keys of the
    environment or a profile take precedence, since servers may check signatures; a signature does not reveal a secret.
    For a plain `http://` endpoint, the client does not look for a role of the machine, which would take a second.

    Example:
        >>> AwsOptions(region="eu-west-1").pool
        50
        >>> AwsOptions(endpoint="localhost:8000")
        Traceback (most recent call last):
        pksk.errors.PkskError: AwsOptions: endpoint is 'localhost:8000', which is not the address of a server.
        An address is http:// or https://, a host, and optionally a port.
        Fix: write endpoint='http://localhost:8000'.  (pksk explain aws-option)
    """

    region: str | None = None
    profile: str | None = None
    endpoint: str | None = None
    access_key: str | None = None
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    connect_timeout_seconds: float = 5
    read_timeout_seconds: float = 10
    pool: int = 50

    def __post_init__(self) -> None:
        for name in ("region", "profile", "endpoint", "access_key", "secret_key", "session_token"):
            _check_text(name, getattr(self, name))
        if self.region is not None and not REGION.fullmatch(self.region):
            raise _invalid_option(
                "region", self.region, "not the name of a region", fix="write region='eu-west-1'."
            )
        _check_endpoint(self.endpoint)
        _check_keys(self)
        for name in ("connect_timeout_seconds", "read_timeout_seconds"):
            _check_seconds(name, getattr(self, name))
        if type(self.pool) is not int or self.pool < 1:
            raise _invalid_option(
                "pool", self.pool, "not a number of connections", fix="write a whole number, at least 1."
            )

    @property
    def is_plain(self) -> bool:
        """Whether the endpoint has no TLS, so that it is not AWS.

        Example:
            >>> AwsOptions(endpoint="http://127.0.0.1:8000").is_plain
            True
        """
        return self.endpoint is not None and urlsplit(self.endpoint).scheme == "http"

    @property
    def is_local(self) -> bool:
        """Whether requests stay on this machine.

        Example:
            >>> AwsOptions(endpoint="http://localhost:8000").is_local, AwsOptions().is_local
            (True, False)
        """
        host = self.endpoint and urlsplit(self.endpoint).hostname
        if not host or host == "localhost" or host.endswith(".localhost"):
            return bool(host)
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def label(self) -> str:
        """The name of the endpoint in messages, before its URL is known.

        Example:
            >>> AwsOptions(region="eu-west-1").label, AwsOptions().label
            ('DynamoDB in eu-west-1', 'DynamoDB')
        """
        return self.endpoint or (f"DynamoDB in {self.region}" if self.region else "DynamoDB")


def _check_text(name: str, value: object) -> None:
    if value is not None and (not isinstance(value, str) or not value):
        # A key may be a secret, even if it is not a text.
        printable = value if name in {"region", "profile", "endpoint"} or value == "" else "..."
        raise _invalid_option(name, printable, "not a text, or empty", fix="write a text, or leave it out.")


def _check_endpoint(endpoint: str | None) -> None:
    if endpoint is None or _is_address(endpoint):
        return
    proposed = f"http://{endpoint.rpartition('://')[2]}"
    fix = (
        f"write endpoint={proposed!r}."
        if _is_address(proposed)
        else "write endpoint='http://localhost:8000'."
    )
    expected = "An address is http:// or https://, a host, and optionally a port."
    raise _invalid_option("endpoint", endpoint, "not the address of a server", expected=expected, fix=fix)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return _is_whole(parts) and (parts.port is None or parts.port > 0)
    except ValueError:  # a port that is not a number, or an open bracket
        return False


def _is_whole(parts: SplitResult) -> bool:
    no_more = not (parts.query or parts.fragment or parts.username or parts.password)
    spaces = any(character.isspace() for character in parts.netloc)
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and no_more and not spaces


def _check_keys(options: AwsOptions) -> None:
    if (options.access_key is None) != (options.secret_key is None):
        present, absent = ("access_key", "secret_key") if options.access_key else ("secret_key", "access_key")
        raise PkskError(
            "aws-option",
            f"AwsOptions: {present} needs {absent}: a signature needs both.",
            fix=f"set {absent} too, or leave both out.",
        )
    if options.session_token is not None and options.access_key is None:
        raise PkskError(
            "aws-option",
            "AwsOptions: session_token needs its access_key and secret_key.",
            fix="set access_key and secret_key too, or leave it out.",
        )


def _check_seconds(name: str, value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and isfinite(value) and value > 0):  # type: ignore[arg-type,operator]  # `number` has checked it
        raise _invalid_option(
            name, value, "not a number of seconds above 0", fix="write for example 5 or 0.5."
        )


def _invalid_option(name: str, value: object, what: str, *, expected: str = "", fix: str) -> PkskError:
    problem = f"AwsOptions: {name} is {quote(value)}, which is {what}."
    return PkskError("aws-option", problem, expected=expected, fix=fix)
