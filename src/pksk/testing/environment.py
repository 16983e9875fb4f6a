"""Credentials and a region for tests, if the environment has none."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from configparser import Error, RawConfigParser
from pathlib import Path
from threading import Lock
from typing import Any, Final

from pksk.dataclass import dataclass

ACCESS_KEY: Final = "testing"
SECRET_KEY: Final = "testing"
# Botocore's order.
_PROFILES: Final = ("AWS_DEFAULT_PROFILE", "AWS_PROFILE")
# Any of these, in the environment or in the profile, is a source of credentials.
_VARIABLES: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CREDENTIAL_FILE",
)
_OPTIONS: Final = (
    "aws_access_key_id",
    "credential_process",
    "credential_source",
    "login_session",
    "role_arn",
    "sso_session",
    "sso_start_url",
    "web_identity_token_file",
)
_lock: Final = Lock()


@dataclass(eq=False, slots=True)
class SetVariable:
    """An environment variable that blocks have set: its value before and now, and the number of blocks."""

    name: str
    before: str | None
    value: str
    users: int = 0


# The latest one of each name: a variable that a test removes may be set again in an inner block.
_set: dict[str, SetVariable] = {}


def set_variables(region: str) -> list[SetVariable]:
    """Set the missing variables, and share those that other blocks have set; existing values stay."""
    with _lock:
        variables = [each for each in _set.values() if os.environ.get(each.name) == each.value]
        for name, value in _missing(os.environ, region).items():
            _set[name] = variable = SetVariable(name, os.environ.get(name), value)
            os.environ[name] = value
            variables.append(variable)
        for variable in variables:
            variable.users += 1
        return variables


def restore_variables(variables: list[SetVariable]) -> None:
    """Restore the values before the first block at the end of the last one, unless they changed since."""
    with _lock:
        for variable in variables:
            variable.users -= 1
            if variable.users or _set.get(variable.name) is not variable:
                continue
            del _set[variable.name]
            if os.environ.get(variable.name) != variable.value:
                continue
            if variable.before is None:
                del os.environ[variable.name]
            else:
                os.environ[variable.name] = variable.before


def default_session() -> Any:
    """The default session of boto3, or None."""
    return getattr(sys.modules.get("boto3"), "DEFAULT_SESSION", None)


def restore_default_session(before: Any) -> None:
    """Restore the default session of boto3, if the current one has our placeholder credentials."""
    session = default_session()
    if session is not None and session is not before:
        credentials = session.get_credentials()
        if credentials is not None and credentials.access_key == ACCESS_KEY:
            sys.modules["boto3"].DEFAULT_SESSION = before  # type: ignore[attr-defined]


def _missing(environ: Mapping[str, str], region: str) -> dict[str, str]:
    has_credentials = any(environ.get(name) for name in _VARIABLES)
    has_region = bool(environ.get("AWS_DEFAULT_REGION"))
    profile = {} if has_credentials and has_region else _profile(environ)
    missing = {}
    if not has_credentials and not any(profile.get(option) for option in _OPTIONS):
        missing = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
        if not environ.get("AWS_EC2_METADATA_DISABLED"):
            # Sessions with a profile would wait for the metadata service of the machine.
            missing["AWS_EC2_METADATA_DISABLED"] = "true"
    if not has_region and not profile.get("region"):
        missing["AWS_DEFAULT_REGION"] = region
    return missing


def _profile(environ: Mapping[str, str]) -> dict[str, str]:
    """The settings of the user's profile."""
    name = next((environ[each] for each in _PROFILES if environ.get(each)), "default")
    settings: dict[str, str] = {}
    for variable, usual in (
        ("AWS_CONFIG_FILE", "~/.aws/config"),
        ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"),
    ):
        parser = RawConfigParser(strict=False, default_section="")
        try:
            parser.read(Path(environ.get(variable) or usual).expanduser(), "utf-8")
        except (Error, OSError, RuntimeError, ValueError):  # botocore reports the problem
            continue
        for section in (f"profile {name}", name):
            if parser.has_section(section):
                settings.update(parser.items(section))
    return settings
