"""Parses the target of a store: a file, memory, AWS, an endpoint, or an existing client."""

from __future__ import annotations

import re
from dataclasses import field
from inspect import iscoroutinefunction, isfunction, ismethod
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from pksk.aws import AwsOptions
from pksk.dataclass import dataclass
from pksk.errors import PkskError, did_you_mean, quote

DEFAULT_FILE: Final = "pksk.db"
_MEMORY: Final = ("memory:", ":memory:")
_KINDS: Final = (
    "A target is a path, 'memory:', 'dynamodb://region?profile=name', 'http://host:port', or a client with a method "
    "call(operation, request); by default it is the file pksk.db here."
)
_SCHEMES: Final = ("dynamodb", "http", "https")
_OPTIONS: Final = ("profile",)
# Common mistakes in addresses and region names, and the right target.
_MISTAKEN_FILES: Final = (
    (r"memory", "memory:"),
    (r"(localhost|\d+\.\d+\.\d+\.\d+|[\w.-]+(?=:\d))(:\d+)?/?", r"http://\1\2"),
    (r"dynamodb\.([a-z0-9-]+)\.amazonaws\.com", r"dynamodb://\1"),
    (
        r"((?:us|eu|ap|ca|sa|me|af|il|mx|cn)-(?:[a-z]+-)?(?:north|south|east|west|central)+-\d)",
        r"dynamodb://\1",
    ),
    (r"aws|dynamodb", "dynamodb://eu-west-1"),
    (r"(https?)", r"\1://localhost:8000"),
    (r"file:(?://)?(.+)", r"\1"),
)


@dataclass(frozen=True)
class Embedded:
    """An engine in this process, in memory or in the file at a path."""

    path: str | PathLike[str]


@dataclass(frozen=True)
class Remote:
    """A service over the network."""

    options: AwsOptions


@dataclass(frozen=True)
class ExistingClient:
    """A client that the caller owns and closes."""

    client: Any = field(repr=False)


Target: TypeAlias = Embedded | Remote | ExistingClient


def read_target(target: object) -> Target:
    """Parse a target."""
    if target is None:
        return Embedded(DEFAULT_FILE)
    if callable(getattr(target, "call", None)) and not isinstance(target, type):
        return ExistingClient(target)
    if isinstance(target, PathLike):
        return Embedded(Path(fsdecode(target)))
    if not isinstance(target, str):
        _reject(target, "this is not a target.")
    if target in _MEMORY:
        return Embedded(":memory:")
    scheme, separator, _ = target.partition("://")
    return _remote_target(target, scheme.lower()) if separator else Embedded(_checked_path(target))


def check_client_kind(client: Any, *, awaited: bool) -> None:
    """Reject an asynchronous client for a synchronous store and the reverse, if `call` is a plain function."""
    if isfunction(call := _unwrapped(client.call)) and iscoroutinefunction(call) is not awaited:
        if awaited:
            _reject(
                client, "its method call is not asynchronous.", "write `async def call`, or use connect()."
            )
        _reject(client, "its method call is asynchronous.", "use connect_async().")


def _unwrapped(call: Any) -> Any:
    """The function behind a bound method."""
    return call.__func__ if ismethod(call) else call


def _checked_path(target: str) -> str:
    """The path of a file; rejects names that look like another target."""
    if not target.strip():
        _reject(target, "a file name must not be blank.")
    if suggestion := _suggested_target(target):
        fix = f"did you mean {suggestion!r}? A file is {'./' + target!r}."
        _reject(target, "this would be a file of that name.", fix)
    return target


def _suggested_target(target: str) -> str:
    """The target that a mistaken file name probably means; empty if it looks like a file."""
    for pattern, suggestion in _MISTAKEN_FILES:
        if match := re.fullmatch(pattern, target, re.IGNORECASE):
            return match.expand(suggestion)
    word, colon, rest = target.strip(":").partition(":")
    scheme = did_you_mean(word.lower(), (*_SCHEMES, "memory")) if ":" in target and word.isalpha() else ""
    return f"{scheme}://{rest.lstrip('/')}" if scheme in _SCHEMES and colon else "memory:" if scheme else ""


def _remote_target(target: str, scheme: str) -> Remote:
    if scheme in _SCHEMES:
        try:
            return Remote(AwsOptions(endpoint=target) if scheme != "dynamodb" else _of_region(target))
        except PkskError as error:
            if error.code != "aws-option":
                raise
            # Reword for the caller of `connect`, who wrote a target and not options.
            proposed = error.fix.replace("endpoint=", "").replace("region='", "'dynamodb://")
            _reject(target, error.problem.replace("AwsOptions: ", "its "), proposed)
    near = did_you_mean(scheme, _SCHEMES)
    fix = f"did you mean {near + target[len(scheme) :]!r}?" if near else "write one of these."
    _reject(target, f"{scheme!r} is not a kind of target.", fix)


def _of_region(target: str) -> AwsOptions:
    try:
        parts = urlsplit(target)
        port = parts.port
    except ValueError:  # an invalid port, or unclosed brackets
        _reject(target, "a region follows dynamodb://, and nothing else.", "write dynamodb://eu-west-1.")
    query = parse_qsl(parts.query, keep_blank_values=True)
    options = dict(query)
    for name, value in query:
        if not value and name in _OPTIONS:
            _reject(target, f"{name} is empty.", f"give it a value, or leave it out: ?{name}=shop.")
        if options[name] != value:
            _reject(target, f"{name} occurs twice with different values.", "write it once.")
        if name not in _OPTIONS:
            near = did_you_mean(name, _OPTIONS)
            _reject(
                target,
                f"there is no option {name!r}.",
                f"did you mean {near!r}?" if near else "write ?profile=.",
            )
    if parts.path.strip("/") or port is not None or "@" in parts.netloc or parts.fragment:
        _reject(target, "a region follows dynamodb://, and nothing else.", "write dynamodb://eu-west-1.")
    return AwsOptions(region=parts.hostname or None, profile=options.get("profile"))


def _reject(target: object, problem: str, fix: str = "write one of these.") -> NoReturn:
    raise PkskError("connect-target", f"connect({quote(target)}): {problem}", expected=_KINDS, fix=fix)
