"""Credentials and a region for code that is run where there are none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from configparser import Error, RawConfigParser
from pathlib import Path
from threading import Lock
from typing import Final

__all__ = ["ACCESS_KEY", "SECRET_KEY", "give_back", "lend"]

ACCESS_KEY: Final = "testing"
SECRET_KEY: Final = "testing"
# Botocore's order.
_PROFILES: Final = ("AWS_DEFAULT_PROFILE", "AWS_PROFILE")
# Any of these, in the environment or in the profile, says where credentials come from.
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
# For each variable that is lent: what it was before, what it is, and to how many.
_lent: dict[str, tuple[str | None, str, int]] = {}


def lend(region: str) -> tuple[str, ...]:
    """Set what is missing, and give the names of what was set; nothing that is there is changed."""
    with _lock:
        shared = [name for name, (_, value, _) in _lent.items() if os.environ.get(name) == value]
        missing = _missing(os.environ, region)
        for name in shared:
            before, value, users = _lent[name]
            _lent[name] = before, value, users + 1
        for name, value in missing.items():
            _lent[name] = os.environ.get(name), value, 1
            os.environ[name] = value
        return (*shared, *missing)


def give_back(names: tuple[str, ...]) -> None:
    """Put back what was there before, once nobody needs it, unless it has been set anew since."""
    with _lock:
        for name in names:
            before, value, users = _lent[name]
            if users > 1:
                _lent[name] = before, value, users - 1
                continue
            del _lent[name]
            if os.environ.get(name) != value:
                continue
            if before is None:
                del os.environ[name]
            else:
                os.environ[name] = before


def _missing(environ: Mapping[str, str], region: str) -> dict[str, str]:
    has_credentials = any(environ.get(name) for name in _VARIABLES)
    has_region = bool(environ.get("AWS_DEFAULT_REGION"))
    profile = {} if has_credentials and has_region else _profile(environ)
    missing = {}
    if not has_credentials and not any(profile.get(option) for option in _OPTIONS):
        missing = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
        if not environ.get("AWS_EC2_METADATA_DISABLED"):
            # Nobody waits for a machine that is not there, as sessions with a profile would.
            missing["AWS_EC2_METADATA_DISABLED"] = "true"
    if not has_region and not profile.get("region"):
        missing["AWS_DEFAULT_REGION"] = region
    return missing


def _profile(environ: Mapping[str, str]) -> dict[str, str]:
    """What the user's files say of the profile that sessions take."""
    name = next((environ[each] for each in _PROFILES if environ.get(each)), "default")
    found: dict[str, str] = {}
    for variable, usual in (
        ("AWS_CONFIG_FILE", "~/.aws/config"),
        ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"),
    ):
        parser = RawConfigParser(strict=False, default_section="")
        try:
            parser.read(Path(environ.get(variable) or usual).expanduser(), "utf-8")
        except (Error, OSError, RuntimeError, ValueError):  # botocore says what is wrong with it
            continue
        for section in (f"profile {name}", name):
            if parser.has_section(section):
                found.update(parser.items(section))
    return found
