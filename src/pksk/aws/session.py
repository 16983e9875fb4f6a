"""Sessions of botocore and aiobotocore: loaded, checked, and given the caller's options."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from pksk.errors import NotConfigured, did_you_mean, quote

from .aws_options import REGION, AwsOptions
from .failure import in_one_line

__all__ = [
    "check_settings",
    "client_arguments",
    "client_configuration",
    "import_library",
    "needs_placeholder_keys",
    "new_session",
]

# For servers that take any keys, our own among them.
_ANY_KEYS: Final = {"aws_access_key_id": "pksk", "aws_secret_access_key": "pksk"}
_ANY_REGION: Final = "us-east-1"


def new_session(make: Any, options: AwsOptions) -> Any:
    """A session of either library, of which `make` is the class."""
    session = make(profile=options.profile)
    session.register_component("data_loader", _loader(session.get_config_variable("data_path")))
    if options.is_plain:
        # The last place where keys are looked for is the machine itself, which takes a second where it has none.
        session.set_config_variable("metadata_service_num_attempts", 0)
    return session


@cache
def _loader(path: str | None) -> Any:
    """What reads botocore's descriptions of services; shared, since reading them takes most of a client's making."""
    return import_library("botocore.loaders").create_loader(path)


def needs_placeholder_keys(options: AwsOptions) -> bool:
    """Whether keys must be made up where the session finds none."""
    return options.endpoint is not None and options.access_key is None


def client_arguments(session: Any, options: AwsOptions, *, without_keys: bool) -> dict[str, Any]:
    """What `create_client` is given besides the service and the configuration."""
    keys = {
        "aws_access_key_id": options.access_key,
        "aws_secret_access_key": options.secret_key,
        "aws_session_token": options.session_token,
    }
    region = options.region or session.get_config_variable("region")
    return {
        "region_name": region or (options.endpoint and _ANY_REGION),
        "endpoint_url": options.endpoint,
        **(_ANY_KEYS if without_keys else keys),
    }


def client_configuration(options: AwsOptions) -> dict[str, Any]:
    """The settings of botocore's `Config`; it neither checks requests nor sends them again."""
    settings: dict[str, Any] = {
        "connect_timeout": options.connect_timeout_seconds,
        "read_timeout": options.read_timeout_seconds,
        "max_pool_connections": options.pool,
        "parameter_validation": False,
        # Whoever calls must know of every attempt, since a write without an answer may have been executed.
        "retries": {"total_max_attempts": 1, "mode": "standard"},
        "tcp_keepalive": True,
        # Loaded by name, as the package also leads to what this one must not need.
        "user_agent_extra": f"pksk/{import_module('pksk').__version__}",
    }
    return settings | ({"proxies": {}} if options.is_local else {})  # no proxy has a way to this machine


def check_settings(make: Any, options: AwsOptions) -> None:
    """Raise where the profile is not there, a file of settings cannot be read, or no region is named.

    `make` is the class of sessions of botocore or aiobotocore.

    Example:
        >>> from botocore.session import Session
        >>> check_settings(Session, AwsOptions(region="eu-west-1"))
    """
    from botocore import exceptions as known

    session = make(profile=options.profile)
    try:
        session.get_scoped_config()
    except known.ProfileNotFound:
        raise _no_profile(session, options) from None
    except (known.ConfigParseError, known.ConfigNotFound, OSError, ValueError) as error:
        raise NotConfigured(
            "aws-profile",
            f"The settings of AWS cannot be read: {in_one_line(error)}",
            fix="mend the file, or name another one by AWS_CONFIG_FILE.",
        ) from None
    region = options.region or session.get_config_variable("region")
    if region is None and options.endpoint is None:
        raise _no_region(session)
    if region is not None and not REGION.fullmatch(region):
        raise NotConfigured(
            "aws-region",
            f"The region is {quote(region)}, which is not the name of one.",
            fix="correct AWS_DEFAULT_REGION or the profile, or name one: dynamodb://eu-west-1.",
        )


def _no_profile(session: Any, options: AwsOptions) -> NotConfigured:
    name = session.profile
    there = sorted(session.available_profiles)
    near = did_you_mean(name, there)
    source = ", which AWS_PROFILE names" if options.profile is None else ""
    return NotConfigured(
        "aws-profile",
        f"There is no profile {quote(name)}{source}.",
        expected=f"Profiles of ~/.aws are: {', '.join(map(repr, there))}."
        if there
        else "There are no profiles.",
        fix=f"did you mean {near!r}?"
        if near
        else f"name one that is there, or make it: aws configure --profile {name}.",
    )


def _no_region(session: Any) -> NotConfigured:
    profile = session.profile
    return NotConfigured(
        "aws-region",
        "There is no region, neither named nor in the environment"
        + (f", nor in the profile {quote(profile)}." if profile else " or in ~/.aws."),
        fix="name one, as in dynamodb://eu-west-1 or AwsOptions(region='eu-west-1'), or set AWS_DEFAULT_REGION.",
    )


def import_library(name: str) -> Any:
    """A module of botocore or aiobotocore; an error that says how to install it where it is missing.

    Example:
        >>> import_library("botocore.session").Session.__name__
        'Session'
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise NotConfigured(
            "aws-missing",
            f"{package} cannot be imported ({error}), and calls over the network are made with it.",
            fix="pip install botocore aiobotocore.",
        ) from error
