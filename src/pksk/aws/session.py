"""Sessions of botocore and aiobotocore, with the options of a client."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from pksk.errors import NotConfigured, did_you_mean, quote

from .aws_options import REGION, AwsOptions
from .failure import in_one_line

# For servers that do not check signatures, such as ours.
_ANY_KEYS: Final = {"aws_access_key_id": "pksk", "aws_secret_access_key": "pksk"}
_ANY_REGION: Final = "us-east-1"


def new_session(session_class: Any, options: AwsOptions) -> Any:
    """A session of either library."""
    session = session_class(profile=options.profile)
    session.register_component("data_loader", _loader(session.get_config_variable("data_path")))
    if options.is_plain:
        # The last source of credentials is the machine's own service, which takes a second if there is none.
        session.set_config_variable("metadata_service_num_attempts", 0)
    return session


@cache
def _loader(path: str | None) -> Any:
    """The reader of botocore's models; shared, since reading them takes most of the time to make a client."""
    return import_library("botocore.loaders").create_loader(path)


def needs_placeholder_keys(options: AwsOptions) -> bool:
    """Whether a client without credentials gets placeholder keys."""
    return options.endpoint is not None and options.access_key is None


def client_arguments(session: Any, options: AwsOptions, *, without_keys: bool) -> dict[str, Any]:
    """The arguments of `create_client` besides the service and the configuration."""
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
    """The settings of botocore's `Config`; it neither validates nor retries requests."""
    settings: dict[str, Any] = {
        "connect_timeout": options.connect_timeout_seconds,
        "read_timeout": options.read_timeout_seconds,
        "max_pool_connections": options.pool,
        "parameter_validation": False,
        # The caller decides on retries, since a write without an answer may have been executed.
        "retries": {"total_max_attempts": 1, "mode": "standard"},
        "tcp_keepalive": True,
        # Imported by name, since this package may not import the layers above it.
        "user_agent_extra": f"pksk/{import_module('pksk').__version__}",
    }
    return settings | ({"proxies": {}} if options.is_local else {})  # a proxy cannot reach this machine


def check_settings(session_class: Any, options: AwsOptions) -> None:
    """Raise an error for a missing profile, an unreadable file of settings, or a missing region."""
    from botocore import exceptions as known

    session = session_class(profile=options.profile)
    try:
        session.get_scoped_config()
    except known.ProfileNotFound:
        raise _no_profile(session, options) from None
    except (known.ConfigParseError, known.ConfigNotFound, OSError, ValueError) as error:
        raise NotConfigured(
            "aws-profile",
            f"The AWS configuration cannot be read: {in_one_line(error)}",
            fix="correct the file, or set AWS_CONFIG_FILE to another one.",
        ) from None
    region = options.region or session.get_config_variable("region")
    if region is None and options.endpoint is None:
        raise _no_region(session)
    if region is not None and not REGION.fullmatch(region):
        raise NotConfigured(
            "aws-region",
            f"The region is {quote(region)}, which is not the name of a region.",
            fix="correct AWS_DEFAULT_REGION or the profile, or write one: dynamodb://eu-west-1.",
        )


def _no_profile(session: Any, options: AwsOptions) -> NotConfigured:
    name = session.profile
    profiles = sorted(session.available_profiles)
    near = did_you_mean(name, profiles)
    source = ", which AWS_PROFILE names" if options.profile is None else ""
    return NotConfigured(
        "aws-profile",
        f"There is no profile {quote(name)}{source}.",
        expected=f"Profiles of ~/.aws are: {', '.join(map(repr, profiles))}."
        if profiles
        else "There are no profiles.",
        fix=f"did you mean {near!r}?"
        if near
        else f"{'use one of these, or ' * bool(profiles)}create it: aws configure --profile {name}.",
    )


def _no_region(session: Any) -> NotConfigured:
    profile = session.profile
    return NotConfigured(
        "aws-region",
        "There is no region in the options, in the environment"
        + (f" or in the profile {quote(profile)}." if profile else " or in ~/.aws."),
        fix="write one, as in dynamodb://eu-west-1 or AwsOptions(region='eu-west-1'), or set AWS_DEFAULT_REGION.",
    )


def import_library(name: str) -> Any:
    """Import a module of botocore or aiobotocore; the error of a missing package says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        extra = "aws-async" if package == "aiobotocore" else "aws"
        raise NotConfigured(
            "aws-missing",
            f"{package} cannot be imported ({error}); pksk uses it for calls over the network.",
            fix=f'pip install "pksk[{extra}]".',
        ) from error
