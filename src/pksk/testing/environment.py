"""Credentials and a region for code that is run where there are none."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from configparser import Error, RawConfigParser
from pathlib import Path
from threading import Lock
from typing import Any, Final

from pksk.dataclass import dataclass

__all__ = [
    "ACCESS_KEY",
    "SECRET_KEY",
    "LentVariable",
    "default_session",
    "forget_default_session",
    "lend_variables",
    "restore_variables",
]

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


@dataclass(eq=False, slots=True)
class LentVariable:
    """A variable that is lent: what it was before, what it is, and to how many."""

    name: str
    before: str | None
    value: str
    users: int = 0


# The loan of each variable that was made last: one that is removed in a block may be lent again in another.
_lent: dict[str, LentVariable] = {}


def lend_variables(region: str) -> list[LentVariable]:
    """Set what is missing, and give what was lent; nothing that is there is changed."""
    with _lock:
        loans = [loan for loan in _lent.values() if os.environ.get(loan.name) == loan.value]
        for name, value in _missing(os.environ, region).items():
            _lent[name] = loan = LentVariable(name, os.environ.get(name), value)
            os.environ[name] = value
            loans.append(loan)
        for loan in loans:
            loan.users += 1
        return loans


def restore_variables(loans: list[LentVariable]) -> None:
    """Put back what was there before, once nobody needs it, unless it has been set anew since."""
    with _lock:
        for loan in loans:
            loan.users -= 1
            if loan.users or _lent.get(loan.name) is not loan:
                continue
            del _lent[loan.name]
            if os.environ.get(loan.name) != loan.value:
                continue
            if loan.before is None:
                del os.environ[loan.name]
            else:
                os.environ[loan.name] = loan.before


def default_session() -> Any:
    """The session that boto3 has made for its own functions, if any."""
    return getattr(sys.modules.get("boto3"), "DEFAULT_SESSION", None)


def forget_default_session(before: Any) -> None:
    """Put back the one that was there, if that of now keeps credentials that were only lent."""
    session = default_session()
    if session is not None and session is not before:
        found = session.get_credentials()
        if found is not None and found.access_key == ACCESS_KEY:
            sys.modules["boto3"].DEFAULT_SESSION = before  # type: ignore[attr-defined]


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
