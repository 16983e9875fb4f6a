"""The access keys of a server, from a credentials file of AWS or from the environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Final

from pksk.dataclass import dataclass
from pksk.errors import FileError, PkskError, quote, quote_path

if TYPE_CHECKING:
    import configparser  # loaded only to read a file, since it slows down the start of a server


@dataclass(frozen=True, slots=True)
class AccessKey:
    """An access key; with a session token, requests must have that token too. Its repr shows no secret.

    Example:
        >>> AccessKey("AKIDEXAMPLE", "a secret")
        AccessKey(key_id='AKIDEXAMPLE')
    """

    key_id: str
    secret: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)


# The id, the secret and the session token of a key, in a file and in the environment.
_IN_FILE: Final = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
_IN_ENVIRONMENT: Final = ("PKSK_ACCESS_KEY_ID", "PKSK_SECRET_ACCESS_KEY", "PKSK_SESSION_TOKEN")
# These end the id in an Authorization header.
_NOT_IN_AN_ID: Final = frozenset("/, ")
# Disables configparser's DEFAULT section.
_NO_DEFAULTS: Final = "\0"


def read_credentials(path: str | PathLike[str] | None, environ: Mapping[str, str]) -> dict[str, AccessKey]:
    """The access keys of a file and of the environment, by id.

    The file has the format of `~/.aws/credentials`. The environment variables are PKSK_ACCESS_KEY_ID,
    PKSK_SECRET_ACCESS_KEY and, optionally, PKSK_SESSION_TOKEN.

    Example:
        >>> read_credentials(None, {"PKSK_ACCESS_KEY_ID": "AKIDEXAMPLE", "PKSK_SECRET_ACCESS_KEY": "a secret"})
        {'AKIDEXAMPLE': AccessKey(key_id='AKIDEXAMPLE')}
        >>> read_credentials(None, {})
        {}
    """
    keys: dict[str, AccessKey] = {}
    for where, key in [*(_from_file(fspath(path)) if path is not None else ()), *_from_environment(environ)]:
        if keys.setdefault(key.key_id, key) != key:
            raise PkskError(
                "credentials-twice",
                f"{where} repeats the id of another key, with another secret or token.",
                expected="Each id belongs to one key.",
                fix="remove one of the two.",
            )
    return keys


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, AccessKey]]:
    where = "the environment"
    values = [environ.get(name, "") for name in _IN_ENVIRONMENT]
    if any(values):
        yield where, _key(where, _IN_ENVIRONMENT, values)


def _from_file(path: str) -> Iterator[tuple[str, AccessKey]]:
    profiles = _parsed(path, _text(path))
    has_key = False
    for name in profiles.sections():
        values = [profiles.get(name, option, fallback="") for option in _IN_FILE]
        if any(values):  # a profile may only have other settings, such as a region
            has_key = True
            where = f"profile {quote(name)} of {quote_path(path)}"
            yield where, _key(where, _IN_FILE, values)
    if not has_key:
        raise FileError(
            "credentials-empty",
            f"{quote_path(path)} has no key.",
            expected="A file has a profile in brackets, and under it aws_access_key_id and aws_secret_access_key.",
            fix="add them, or leave the file out to serve this machine without keys.",
        )


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except OSError as error:
        raise _unreadable(path, error.strerror or type(error).__name__) from error
    except ValueError:  # bytes that are not UTF-8, whose error would show them; or a null in the path
        raise _unreadable(path, "it is not UTF-8 text") from None


def _unreadable(path: str, reason: str) -> FileError:
    return FileError(
        "credentials-file",
        f"The keys in {quote_path(path)} cannot be read: {reason}.",
        expected="A credentials file is a text file like ~/.aws/credentials.",
        fix="check its name and its permissions.",
    )


def _parsed(path: str, text: str) -> configparser.RawConfigParser:
    import configparser

    profiles = configparser.RawConfigParser(default_section=_NO_DEFAULTS)
    try:
        profiles.read_string(text)
    except configparser.Error as error:
        # The parser's own message repeats the line, which may hold a secret.
        raise FileError(
            "credentials-syntax",
            f"Line {_line(error)} of {quote_path(path)} is not part of a credentials file.",
            expected="A file has profiles in brackets, and settings as name = value under them, each name once.",
            fix="correct the line, which is not shown here as it may hold a secret.",
        ) from None
    return profiles


def _line(error: configparser.Error) -> int:
    line = getattr(error, "lineno", None)  # a ParsingError has a list of lines instead
    if line is None and (errors := getattr(error, "errors", None)):
        line = errors[0][0]
    return line if isinstance(line, int) else 1


def _key(where: str, names: tuple[str, str, str], values: list[str]) -> AccessKey:
    key_id, secret, token = values
    for name, value in zip(names[:2], values, strict=False):
        if not value:
            raise PkskError(
                "credentials-incomplete",
                f"{where} has no {name}.",
                expected=f"A key is an id and a secret: {names[0]} and {names[1]}.",
                fix=f"set {name} too, or remove the others.",
            )
    for name, value in zip(names, values, strict=True):
        if not value.isprintable() or (name == names[0] and _unfit_as_id(value)):
            raise PkskError(
                "credentials-value",
                f"{name} in {where} has a character that is not allowed.",
                expected="An id has ASCII characters without slash, comma and space; a secret or token is one line.",
                fix="check that id and secret are not swapped, and that there is no line break.",
            )
    return AccessKey(key_id, secret, token or None)


def _unfit_as_id(value: str) -> bool:
    return not value.isascii() or not _NOT_IN_AN_ID.isdisjoint(value)
