"""Checks what the environment and the files of ~/.aws say, before anything is sent."""

from __future__ import annotations

from typing import Any

from pksk.errors import NotConfigured, did_you_mean, quote

from .aws_options import REGION, AwsOptions
from .causes import in_one_line

__all__ = ["check_settings"]


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
